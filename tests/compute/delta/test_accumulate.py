"""However rows came and went, an aggregate made of its totals is what it is from scratch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.compute.delta.accumulate import Accumulator, accumulator
from holdfast.compute.delta.extremes import best_of, better_of
from holdfast.compute.delta.totals import WHOLE, add, plus, scale, sum_of
from holdfast.compute.evaluate import rows
from holdfast.plan.errors import DataError
from holdfast.plan.functions.dyadic import Dyadic, written
from holdfast.plan.relation import AggregateCall, ColumnType, Map, OrderKey, Project, Reduce, Relation, Values
from holdfast.plan.scalar import Column
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    NUMERIC,
    TEXT,
    UINT2,
    UINT4,
    UINT8,
    Type,
    numeric,
)
from tests.compute.evaluate.build import aggregate, col, overload
from tests.plan.values import values

Row = tuple[Any, ...]
Updates = Sequence[tuple[Row, int]]

PASSES = 0
"""The column that says which rows an aggregate with a filter counts."""

NUMBERS = (INT2, INT4, INT8, UINT2, UINT4, UINT8, NUMERIC, *(numeric(p, s) for p, s in ((10, 2), (23, 20), (24, 3))))
WIDE = (numeric(38, 0), numeric(38, 19), numeric(38, 38))
FLOATS = (FLOAT4, FLOAT8)
VARIANCES = ("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop")
PAIRS = (
    *("corr", "covar_pop", "covar_samp", "regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy"),
    *("regr_slope", "regr_intercept", "regr_r2"),
)


def call_of(name: str, *types: Type, pattern: str | None = None, filtered: bool = False) -> AggregateCall:
    bases = (pattern,) if pattern else tuple(type_.base for type_ in types)
    arguments = (col(index, type_) for index, type_ in enumerate(types, start=PASSES + 1))
    return aggregate(overload(name, *bases), *arguments, filter_=col(PASSES, BOOL) if filtered else None)


CALLS = [
    *((call_of("count", filtered=filtered), (INT4,)) for filtered in (False, True)),
    (call_of("count", TEXT, pattern="any"), (TEXT,)),
    *((call_of(name, type_), (type_,)) for name in ("sum", "avg") for type_ in (*NUMBERS, *WIDE, *FLOATS, INTERVAL)),
    *((call_of(name, BOOL), (BOOL,)) for name in ("bool_and", "bool_or", "every")),
    *((call_of(name, type_), (type_,)) for name in VARIANCES for type_ in (INT2, INT8, UINT8, NUMERIC, *FLOATS)),
    *((call_of("var_pop", type_), (type_,)) for type_ in (*NUMBERS, *WIDE)),
    *((call_of(name, FLOAT8, FLOAT8), (FLOAT8, FLOAT8)) for name in PAIRS),
    *((call_of("sum", type_, filtered=True), (type_,)) for type_ in (INT4, FLOAT8, NUMERIC, INTERVAL)),
    (call_of("corr", FLOAT8, FLOAT8, filtered=True), (FLOAT8, FLOAT8)),
]


def shown(calls: Sequence[tuple[AggregateCall, tuple[Type, ...]]]) -> list[str]:
    return [f"{call.function.name}({', '.join(map(str, types))})" for call, types in calls]


_EXTREME = (0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 2.0**45, 2.0**-29, 2.0**-30)
_FINITE = (0.1, -0.3, 1e16, -1e16, 1.7976931348623157e308, -1.7976931348623157e308, 2.0**45 - 2.0**-8)


def of_type(type_: Type) -> st.SearchStrategy[Any]:
    if type_ is FLOAT8:
        small = st.integers(-1000, 1000).map(lambda n: n / 7)
        return small | st.floats() | st.sampled_from(_FINITE) | st.sampled_from(_EXTREME)
    if type_ is FLOAT4:
        return st.floats(width=32) | st.integers(-1000, 1000).map(float) | st.just(3.4028234663852886e38)
    return values(type_)


def rows_of(types: Sequence[Type]) -> st.SearchStrategy[Row]:
    return st.tuples(st.sampled_from((True, False, None)), *(st.none() | of_type(type_) for type_ in types))


@st.composite
def updates_of(draw: st.DrawFn, types: Sequence[Type]) -> list[tuple[Row, int]]:
    """Rows that come, some of them often, of which some go again."""
    pool = draw(st.lists(rows_of(types), min_size=1, max_size=6))
    found: list[tuple[Row, int]] = []
    left: list[int] = [0] * len(pool)
    for place in draw(st.lists(st.integers(0, len(pool) - 1), max_size=12)):
        diff = draw(st.integers(-left[place], 3))
        left[place] += diff
        found.append((pool[place], diff))
    return found


def remaining(updates: Updates) -> list[Row]:
    # Rows are told apart by how they look: NaN is not equal to itself, and 0.0 and -0.0 are.
    counts: Counter[str] = Counter()
    looks = {repr(row): row for row, _ in updates}
    for row, diff in updates:
        counts[repr(row)] += diff
    return [looks[look] for look, count in counts.items() for _ in range(count)]


def relation_of(rows_: Sequence[Row], types: Sequence[Type]) -> Values:
    return Values(tuple(rows_), tuple(ColumnType(type_) for type_ in types))


def from_scratch(call: AggregateCall, updates: Updates, types: Sequence[Type]) -> str:
    return answer(Reduce(relation_of(remaining(updates), (BOOL, *types)), (), (call,)))


def answer(relation: Relation) -> str:
    """The one value, to the bit, or the error."""
    try:
        ((value,),) = rows(relation, {})
    except DataError as error:
        return f"{type(error).__name__}: {error}, {error.detail}"
    return repr(value)


def summed(made: Accumulator, addends: Relation) -> Relation:
    first = len(addends.columns) - len(made.types)
    columns = (Column(first + index, type_, False) for index, type_ in enumerate(made.types))
    return Reduce(addends, (), tuple(add(column) for column in columns))


def of_updates(made: Accumulator, updates: Updates, types: Sequence[Type]) -> Relation:
    """What the updates add to the totals."""
    changes = relation_of([(*row, diff) for row, diff in updates], (BOOL, *types, INT8))
    diff = Column(len(types) + 1, INT8, False)
    return summed(made, Map(changes, tuple(scale(addend, diff) for addend in made.addends)))


def step(made: Accumulator, before: Row, updates: Updates, types: Sequence[Type]) -> Row:
    """The totals after the updates."""
    changed = rows(of_updates(made, updates, types), {})
    ((*after,),) = rows(summed(made, relation_of([before, *changed], made.types)), {})
    return tuple(after)


def finished(made: Accumulator, totals: Row) -> str:
    columns = tuple(Column(index, type_, False) for index, type_ in enumerate(made.types))
    return answer(Project(Map(relation_of([totals], made.types), (made.finish(columns),)), (len(columns),)))


def accumulated(call: AggregateCall) -> Accumulator:
    made = accumulator(call)
    assert made is not None
    return made


@given(data=st.data())
@pytest.mark.parametrize(("call", "types"), CALLS, ids=shown(CALLS))
def test_the_answer_of_totals_is_that_of_the_rows(
    call: AggregateCall, types: tuple[Type, ...], data: st.DataObject
) -> None:
    made, updates = accumulated(call), data.draw(updates_of(types))
    assert not any(addend.nullable for addend in made.addends)
    (start,) = rows(of_updates(made, (), types), {})
    totals = start
    cut = data.draw(st.integers(0, len(updates)))
    for begin, end in ((0, cut), (cut, len(updates))):
        totals = step(made, totals, updates[begin:end], types)
        assert finished(made, totals) == from_scratch(call, updates[:end], types)
    assert step(made, totals, [(row, -diff) for row, diff in updates], types) == start


@given(floats=st.lists(of_type(FLOAT8), max_size=8).map(tuple))
@example((1.7976931348623157e308, 1.7976931348623157e308, math.inf))
@example((1.7976931348623157e308, 1.7976931348623157e308, math.nan))
@example((1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623157e308))
@example((-5e-324, 0.0, 0.0))
def test_floats_that_come_and_go_leave_no_trace(floats: tuple[float, ...]) -> None:
    for name in ("sum", "avg"):
        call, updates = call_of(name, FLOAT8), [((True, value), 1) for value in floats]
        made = accumulated(call)
        gone: list[tuple[Row, int]] = [((True, value), diff) for value in (1e300, 0.1, math.inf) for diff in (1, -1)]
        (totals,) = rows(of_updates(made, [*updates, *gone], (FLOAT8,)), {})
        assert finished(made, totals) == from_scratch(call, updates, (FLOAT8,))


def test_a_total_is_out_of_range_only_where_the_aggregate_is() -> None:
    call, largest = call_of("sum", INT4), 2**31 - 1
    made = accumulated(call)
    (totals,) = rows(of_updates(made, [((True, largest), 2**33)], (INT4,)), {})
    assert finished(made, totals) == "NumericValueOutOfRange: bigint out of range, None"
    after = step(made, totals, [((True, largest), -(2**33) + 2)], (INT4,))
    assert finished(made, after) == repr(2 * largest)


def test_an_average_of_large_numerics_has_no_total_that_overflows() -> None:
    type_ = numeric(38, 0)
    call, updates = call_of("avg", type_), [((True, Decimal(10**38 - 1)), 5)]
    (totals,) = rows(of_updates(accumulated(call), updates, (type_,)), {})
    assert finished(accumulated(call), totals) == from_scratch(call, updates, (type_,))


def test_totals_of_ordinary_floats_have_no_bytes() -> None:
    made = accumulated(call_of("sum", FLOAT8))
    numbers = [((True, value), 1) for value in (0.1, 19.99, -1e9, 0.0, 1e-6)]
    (totals,) = rows(of_updates(made, numbers, (FLOAT8,)), {})
    assert made.types[-1] is BYTEA
    assert totals[-1] == b""


def test_other_aggregates_need_the_rows() -> None:
    order = (OrderKey(col(1)),)
    assert accumulator(aggregate(overload("max", "int4"), col(1))) is None
    assert accumulator(aggregate(overload("count", "any"), col(1), distinct=True)) is None
    assert accumulator(aggregate(overload("sum", "int4"), col(1), order=order)) is None


TOTALS = st.one_of(
    st.tuples(st.just(INT8), *[st.integers(-(2**63), 2**63 - 1)] * 2),
    st.tuples(st.just(WHOLE), *[st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal)] * 2),
    st.tuples(st.just(BYTEA), *[st.integers(-(10**20), 10**20).map(lambda number: written(Dyadic(number)))] * 2),
)


@given(TOTALS)
def test_two_totals_add_up_as_many_do(given: tuple[Type, Any, Any]) -> None:
    type_, left, right = given

    def outcome(work: Callable[[], Any]) -> object:
        try:
            return work()
        except DataError as error:
            return str(error)

    assert outcome(lambda: plus(type_)(left, right)) == outcome(lambda: sum_of(type_, [left, right]))


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("type_", [INT4, FLOAT8, TEXT, numeric(10, 2), INTERVAL], ids=str)
@given(st.data())
def test_the_better_of_two_values_is_the_best_of_them(name: str, type_: Type, data: st.DataObject) -> None:
    extreme = call_of(name, type_)
    left, right = (data.draw(st.none() | values(type_)) for _ in range(2))
    assert repr(better_of(extreme)(left, right)) == repr(best_of(extreme, [left, right]))
