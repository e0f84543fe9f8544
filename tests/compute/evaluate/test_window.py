"""Window functions give PostgreSQL's answers, which stand here as PostgreSQL 18 gave them for the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate import rows
from holdfast.plan.errors import (
    InvalidArgumentForNthValueFunction,
    InvalidArgumentForNtileFunction,
    InvalidPrecedingOrFollowingSize,
    NullValueNotAllowed,
)
from holdfast.plan.functions.function import WindowFunction
from holdfast.plan.functions.registry import WINDOWS
from holdfast.plan.relation import (
    ColumnType,
    Frame,
    FrameBound,
    FrameKind,
    OrderKey,
    Reduce,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.scalar import Constant, Scalar
from holdfast.plan.types import DATE, FLOAT8, INT4, INT8, INTERVAL, NUMERIC, TIME, TIMESTAMP, Interval, Type
from tests.compute.evaluate.build import GREATER, aggregate, call, col, number, overload

ROWS: tuple[tuple[object, ...], ...] = (
    (1, 1, 10),
    (1, 2, 30),
    (1, 2, None),
    (1, 4, 40),
    (1, None, 7),
    (2, 1, None),
    (2, None, 5),
)
K, O, X = col(0), col(1), col(2)  # noqa: E741  # as the columns are called
BY_O, BY_O_X = (OrderKey(O),), (OrderKey(O), OrderKey(X))
UNBOUNDED, FROM_NOW_ON = FrameBound("unbounded preceding"), FrameBound("unbounded following")
HERE = FrameBound("current row")


def before(offset: Scalar) -> FrameBound:
    return FrameBound("preceding", offset)


def after(offset: Scalar) -> FrameBound:
    return FrameBound("following", offset)


def window(name: str) -> WindowFunction:
    (found,) = WINDOWS[name]
    return found


def over(
    call: WindowCall, given_rows: Sequence[tuple[object, ...]] = ROWS, types: Sequence[Type] = (INT4,) * 3
) -> list[object]:
    """The value of the call for each row, in the order in which the rows are given."""
    relation = Values(tuple(given_rows), tuple(ColumnType(type_) for type_ in types))
    return [row[-1] for row in rows(Window(relation, (call,)), {})]


def of(
    name: str,
    *arguments: Scalar,
    order: tuple[OrderKey, ...] = BY_O_X,
    frame: Frame | None = None,
    ignore_nulls: bool = False,
    partition: tuple[Scalar, ...] = (K,),
) -> WindowCall:
    frame = Frame() if frame is None else frame
    return WindowCall(window(name), arguments, INT8, True, partition, order, frame, None, ignore_nulls)


def summed(
    order: tuple[OrderKey, ...], frame: Frame | None = None, *, partition: tuple[Scalar, ...] = (K,)
) -> WindowCall:
    return WindowCall(overload("sum", "int4"), (X,), INT8, True, partition, order, Frame() if frame is None else frame)


def counted(order: tuple[OrderKey, ...], frame: Frame | None = None, where: Scalar | None = None) -> WindowCall:
    return WindowCall(overload("count"), (), INT8, False, (K,), order, Frame() if frame is None else frame, where)


FUNCTIONS: list[tuple[WindowCall, list[object]]] = [
    (of("row_number"), [1, 2, 3, 4, 5, 1, 2]),
    (of("rank", order=BY_O), [1, 2, 2, 4, 5, 1, 2]),
    (of("dense_rank", order=BY_O), [1, 2, 2, 3, 4, 1, 2]),
    (of("dense_rank", order=(OrderKey(O, descending=True, nulls_first=True),)), [4, 3, 3, 2, 1, 2, 1]),
    (of("percent_rank", order=BY_O), [0.0, 0.25, 0.25, 0.75, 1.0, 0.0, 1.0]),
    (of("cume_dist", order=BY_O), [0.2, 0.6, 0.6, 0.8, 1.0, 0.5, 1.0]),
    (of("ntile", number(3)), [1, 1, 2, 2, 3, 1, 2]),
    (of("ntile", number(None)), [None] * 7),
    (of("ntile", number(9), order=(OrderKey(K), *BY_O_X), partition=()), [1, 2, 3, 4, 5, 6, 7]),
    (of("lag", X), [None, 10, 30, None, 40, None, None]),
    (of("lag", X, number(2)), [None, None, 10, 30, None, None, None]),
    (of("lag", X, number(2), number(-1)), [-1, -1, 10, 30, None, -1, -1]),
    (of("lag", X, O, number(-1)), [-1, -1, 10, -1, None, -1, None]),
    (of("lead", X, number(1), K), [30, None, 40, 7, 1, 5, 2]),
    (of("lead", X, number(-1)), [None, 10, 30, None, 40, None, None]),
    (of("lag", X, number(None)), [None] * 7),
    (of("lag", X, number(0)), [10, 30, None, 40, 7, None, 5]),
    (of("first_value", X), [10, 10, 10, 10, 10, None, None]),
    (of("last_value", X, order=BY_O), [10, None, None, 40, 7, None, 5]),
    (of("last_value", X, frame=Frame("rows", UNBOUNDED, FROM_NOW_ON)), [7, 7, 7, 7, 7, 5, 5]),
    (of("nth_value", X, number(2)), [None, 30, 30, 30, 30, None, 5]),
    (of("nth_value", X, number(None)), [None] * 7),
    # PostgreSQL 18 has no IGNORE NULLS: these follow its definition.
    (of("lag", X, ignore_nulls=True), [None, 10, 30, 30, 40, None, None]),
    (of("lead", X, number(2), number(0), ignore_nulls=True), [40, 7, 7, 0, 0, 0, 0]),
    (of("lead", X, number(-1), ignore_nulls=True), [None, 10, 30, 30, 40, None, None]),
    (of("last_value", X, order=BY_O, ignore_nulls=True), [10, 30, 30, 40, 7, None, 5]),
    (of("first_value", X, ignore_nulls=True), [10, 10, 10, 10, 10, None, 5]),
]


@pytest.mark.parametrize(("call", "expected"), FUNCTIONS, ids=[call.function.name for call, _ in FUNCTIONS])
def test_a_window_function_has_the_answer_of_postgresql(call: WindowCall, expected: list[object]) -> None:
    assert over(call) == expected


ONE, TWO, THREE = number(1), number(2), number(3)
FRAMES: list[tuple[WindowCall, list[object]]] = [
    (summed(BY_O), [10, 40, 40, 80, 87, None, 5]),
    (summed(()), [87, 87, 87, 87, 87, 5, 5]),
    (summed((), partition=()), [92] * 7),
    (counted(BY_O), [1, 3, 3, 4, 5, 1, 2]),
    (counted(BY_O, where=call(GREATER, X, number(10))), [0, 1, 1, 2, 2, 0, 0]),
    (summed(BY_O_X, Frame("rows", before(ONE), after(ONE))), [40, 40, 70, 47, 47, 5, 5]),
    (summed(BY_O_X, Frame("rows", before(TWO), before(ONE))), [None, 10, 40, 30, 40, None, None]),
    (summed(BY_O_X, Frame("rows", after(ONE), FROM_NOW_ON)), [77, 47, 47, 7, None, 5, None]),
    (counted(BY_O, Frame("range", before(ONE), HERE)), [1, 3, 3, 1, 1, 1, 1]),
    (counted(BY_O, Frame("range", before(ONE), after(ONE))), [3, 3, 3, 1, 1, 1, 1]),
    (
        counted((OrderKey(O, descending=True, nulls_first=True),), Frame("range", before(ONE), after(TWO))),
        [3, 3, 3, 3, 1, 1, 1],
    ),
    (counted((OrderKey(O, nulls_first=True),), Frame("range", UNBOUNDED, after(ONE))), [4, 4, 4, 5, 1, 2, 1]),
    (counted(BY_O, Frame("range", after(ONE), after(THREE))), [3, 1, 1, 0, 1, 0, 1]),
    (counted(BY_O, Frame("range", after(ONE), FROM_NOW_ON)), [4, 2, 2, 1, 1, 1, 1]),
    (counted(BY_O, Frame("groups", before(ONE), HERE)), [1, 3, 3, 3, 2, 1, 2]),
    (counted(BY_O, Frame("groups", after(ONE), after(TWO))), [3, 2, 2, 1, 0, 1, 0]),
    (counted(BY_O, Frame("groups", before(TWO), before(ONE))), [0, 1, 1, 3, 3, 0, 1]),
    (counted(BY_O, Frame("rows", UNBOUNDED, FROM_NOW_ON, "current row")), [4, 4, 4, 4, 4, 1, 1]),
    (counted(BY_O, Frame("rows", UNBOUNDED, FROM_NOW_ON, "group")), [4, 3, 3, 4, 4, 1, 1]),
    (counted(BY_O, Frame("rows", UNBOUNDED, FROM_NOW_ON, "ties")), [5, 4, 4, 5, 5, 2, 2]),
]


@pytest.mark.parametrize(("call", "expected"), FRAMES)
def test_an_aggregate_over_a_frame_has_the_answer_of_postgresql(call: WindowCall, expected: list[object]) -> None:
    assert over(call) == expected


def test_an_aggregate_that_collects_keeps_the_order_of_the_window() -> None:
    collected = WindowCall(overload("array_agg", "anynonarray"), (X,), INT8, True, (K,), BY_O_X)
    assert over(collected)[:5] == [(10,), (10, 30), (10, 30, None), (10, 30, None, 40), (10, 30, None, 40, 7)]


def distances(type_: Type, values: Sequence[object], frame: Frame, *, descending: bool = False) -> list[object]:
    """How many rows the frame of each row has."""
    order = (OrderKey(col(0, type_), descending=descending, nulls_first=descending),)
    made = WindowCall(overload("count"), (), INT8, False, (), order, frame)
    return over(made, [(value,) for value in values], (type_,))


def length(months: int = 0, days: int = 0, micros: int = 0) -> Constant:
    return Constant(Interval(months, days, micros), INTERVAL)


DAYS = [18292, 18321, 18322, 18352, 2**31 - 1, None]
"""2020-01-31, 2020-02-29, 2020-03-01, 2020-03-31, infinity, null."""


@pytest.mark.parametrize("type_", [DATE, TIMESTAMP])
def test_distances_in_time_are_intervals(type_: Type) -> None:
    values: list[object] = [*DAYS]
    if type_ is TIMESTAMP:
        values = [None if day is None else min(day * 86_400_000_000, 2**63 - 1) for day in DAYS]
        values[4] = 2**63 - 1
    month = Frame("range", before(length(months=1)), HERE)
    assert distances(type_, values, month) == [1, 2, 2, 3, 1, 1]
    around = Frame("range", before(length(months=1)), after(length(days=1)))
    assert distances(type_, values, around, descending=True) == [2, 2, 3, 1, 1, 1]


def test_distances_between_times_of_day_do_not_pass_midnight() -> None:
    minutes = [30 * 60_000_000, 75 * 60_000_000, 1410 * 60_000_000]
    hour = length(micros=3_600_000_000)
    assert distances(TIME, minutes, Frame("range", before(hour), after(hour))) == [2, 2, 1]


def test_distances_between_floats_know_infinity_and_nan() -> None:
    values = [-inf, 1.0, 1.5, 2.5, inf, nan, None]
    one, infinite = Constant(1.0, FLOAT8), Constant(inf, FLOAT8)
    assert distances(FLOAT8, values, Frame("range", before(one), after(one))) == [1, 2, 3, 2, 1, 1, 1]
    everything = Frame("range", before(infinite), after(infinite))
    assert distances(FLOAT8, values, everything, descending=True) == [5, 5, 5, 5, 5, 1, 1]
    assert distances(FLOAT8, values, Frame("range", after(infinite), after(infinite))) == [5, 1, 1, 1, 1, 1, 1]


def test_distances_between_numerics_are_exact() -> None:
    values, tenth = [Decimal("1.05"), Decimal("1.15"), Decimal("1.3")], Constant(Decimal("0.1"), NUMERIC)
    assert distances(NUMERIC, values, Frame("range", before(tenth), after(tenth))) == [2, 2, 1]


def test_infinity_is_infinitely_far_from_all_timestamps() -> None:
    infinite = Constant(Interval(2**31 - 1, 2**31 - 1, 2**63 - 1), INTERVAL)
    values = [2**63 - 1, 0]
    assert distances(TIMESTAMP, values, Frame("range", before(infinite), before(infinite))) == [2, 0]


WRONG: list[tuple[Frame, type[Exception], str]] = [
    (Frame("rows", before(number(-1))), InvalidPrecedingOrFollowingSize, "frame starting offset must not be negative"),
    (Frame("rows", before(number(None))), NullValueNotAllowed, "frame starting offset must not be null"),
    (
        Frame("groups", UNBOUNDED, after(number(-1))),
        InvalidPrecedingOrFollowingSize,
        "frame ending offset must not be negative",
    ),
    (
        Frame("range", before(number(-1))),
        InvalidPrecedingOrFollowingSize,
        "invalid preceding or following size in window function",
    ),
]


@pytest.mark.parametrize(("frame", "error", "message"), WRONG)
def test_an_offset_that_is_no_distance_is_refused(frame: Frame, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        over(counted(BY_O, frame))


def test_a_place_is_counted_from_one() -> None:
    with pytest.raises(InvalidArgumentForNtileFunction, match="argument of ntile must be greater than zero"):
        over(of("ntile", number(0)))
    with pytest.raises(InvalidArgumentForNthValueFunction, match="argument of nth_value must be greater than zero"):
        over(of("nth_value", X, number(0)))


def test_intervals_are_compared_by_length_before_a_frame_takes_them() -> None:
    back = Frame("range", before(length(months=1, days=-31)))
    with pytest.raises(InvalidPrecedingOrFollowingSize):
        distances(DATE, [0], back)


small = st.one_of(st.none(), st.integers(0, 3))
KINDS: list[FrameKind] = ["preceding", "current row", "following"]
bounds = st.sampled_from(KINDS).flatmap(
    lambda kind: (
        st.just(FrameBound(kind))
        if kind == "current row"
        else st.integers(0, 2).map(lambda n: FrameBound(kind, number(n)))
    )
)


@settings(max_examples=60, deadline=None)
@given(st.lists(small, max_size=7), bounds, bounds, st.booleans())
def test_a_range_holds_the_rows_that_are_so_far_away(
    values: list[int | None], start: FrameBound, end: FrameBound, descending: bool
) -> None:
    def shift(bound: FrameBound) -> int:
        offset = bound.offset.value if isinstance(bound.offset, Constant) else 0
        assert isinstance(offset, int)
        return -offset if bound.kind == "preceding" else offset

    def is_near(value: int | None, other: int | None) -> bool:
        if value is None or other is None:
            return value is other
        distance = value - other if descending else other - value
        return shift(start) <= distance <= shift(end)

    found = distances(INT4, values, Frame("range", start, end), descending=descending)
    assert found == [sum(is_near(value, other) for other in values) for value in values]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(small, small, small), max_size=7))
def test_without_an_order_a_window_is_the_group_of_a_reduce(given_rows: list[tuple[int | None, ...]]) -> None:
    relation = Values(tuple(given_rows), (ColumnType(INT4),) * 3)
    groups = rows(Reduce(relation, (K,), (aggregate(overload("sum", "int4"), X),)), {})
    expected = [total for row in given_rows for key, total in groups if key == row[0]]
    assert over(summed(()), given_rows) == expected
