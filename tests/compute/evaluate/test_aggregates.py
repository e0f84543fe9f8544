"""Aggregates give PostgreSQL's answers, which stand here as PostgreSQL 18 gave them for the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan.errors import (
    ArraySubscriptError,
    InvalidParameterValue,
    NullValueNotAllowed,
    NumericValueOutOfRange,
)
from holdfast.plan.functions.function import Aggregate
from holdfast.plan.relation import AggregateCall, ColumnType, OrderKey, Reduce, Values
from holdfast.plan.scalar import TRUE, Constant, Scalar
from holdfast.plan.types import (
    BOOL,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    TEXT,
    UINT4,
    Interval,
    Modified,
    Type,
    array_of,
    list_of,
    map_of,
    numeric,
    record_of,
)
from tests.compute.evaluate.build import GREATER, aggregate, answer, call, col, number, overload

MONEY = numeric(10, 2, declared=True)
DAY = 86_400_000_000
HOUR = 3_600_000_000
TYPES: tuple[Type, ...] = (INT4, FLOAT8, TEXT, BOOL, MONEY, INTERVAL)
ROWS: tuple[tuple[object, ...], ...] = (
    (1, 1.5, "b", True, Decimal("1.25"), Interval(1, 0, 0)),
    (2, -0.5, "a", False, Decimal("-3.10"), Interval(0, 10, 3 * HOUR)),
    (2, 2.25, "a", None, Decimal("0.00"), None),
    (None, None, None, True, None, Interval(0, 0, -2 * HOUR)),
    (5, 10.0, "é", True, Decimal("99.99"), Interval(12, 2, 0)),
)
I, F, S, B, N, V = (col(index, type_) for index, type_ in enumerate(TYPES))  # noqa: E741  # as the columns are called

Rows: TypeAlias = Sequence[tuple[object, ...]]


def over(call: AggregateCall, rows: Rows = ROWS, types: Sequence[Type] = TYPES) -> object:
    relation = Values(tuple(rows), tuple(ColumnType(type_) for type_ in types))
    ((value,),) = answer(Reduce(relation, (), (call,)))
    return value


def of(name: str, *bases: str) -> Callable[..., AggregateCall]:
    function = overload(name, *bases)

    def make(
        *arguments: Scalar, order: Sequence[OrderKey] = (), distinct: bool = False, where: Scalar | None = None
    ) -> AggregateCall:
        return aggregate(function, *arguments, order=order, distinct=distinct, filter_=where)

    return make


def up(key: Scalar, *, nulls_first: bool = False) -> OrderKey:
    return OrderKey(key, descending=False, nulls_first=nulls_first)


def down(key: Scalar, *, nulls_first: bool = True) -> OrderKey:
    return OrderKey(key, descending=True, nulls_first=nulls_first)


def fraction(value: float | None) -> Constant:
    return Constant(value, FLOAT8)


def fractions(*values: float | None) -> Constant:
    return Constant(values, array_of(FLOAT8))


COMMA = Constant(",", TEXT)
MANY, NONE = call(GREATER, I, number(1)), call(GREATER, I, number(100))

EXACT: list[tuple[AggregateCall, object]] = [
    (of("count")(), 5),
    (of("count", "any")(I), 4),
    (of("count", "any")(I, distinct=True), 3),
    (of("count")(where=MANY), 3),
    (of("sum", "int4")(I), 10),
    (of("sum", "int4")(I, distinct=True), 8),
    (of("sum", "int4")(I, where=NONE), None),
    (of("sum", "numeric")(N), Decimal("98.14")),
    (of("sum", "float8")(F), 13.25),
    (of("sum", "interval")(V), Interval(13, 12, HOUR)),
    (of("avg", "float8")(F), 3.3125),
    (of("avg", "interval")(V), Interval(3, 10, 12 * HOUR + HOUR // 4)),
    (of("min", "int4")(I), 1),
    (of("max", "int4")(I), 5),
    (of("min", "text")(S), "a"),
    (of("max", "text")(S), "é"),
    (of("min", "numeric")(N), Decimal("-3.10")),
    (of("max", "float8")(F), 10.0),
    (of("max", "interval")(V), Interval(12, 2, 0)),
    (of("bool_and", "bool")(B), False),
    (of("every", "bool")(B), False),
    (of("bool_or", "bool")(B), True),
    (of("bool_or", "bool")(B, where=NONE), None),
    (of("bit_and", "int4")(I), 0),
    (of("bit_or", "int4")(I), 7),
    (of("bit_xor", "int4")(I), 4),
    (of("bit_xor", "int4")(I, distinct=True), 6),
    (of("string_agg", "text", "text")(S, COMMA, order=[down(I)]), "é,a,a,b"),
    (of("string_agg", "text", "text")(S, COMMA, distinct=True), "a,b,é"),
    (of("string_agg", "text", "text")(S, COMMA, where=NONE), None),
    (of("array_agg", "anynonarray")(I, order=[down(I)]), (None, 5, 2, 2, 1)),
    (of("array_agg", "anynonarray")(I, order=[down(I, nulls_first=False), up(N)]), (5, 2, 2, 1, None)),
    (of("array_agg", "anynonarray")(I, distinct=True), (1, 2, 5, None)),
    (of("jsonb_agg", "any")(I, order=[up(I)]), "[1, 2, 2, 5, null]"),
    (of("jsonb_object_agg", "any", "any")(S, I, order=[up(N)], where=MANY), '{"a": 2, "é": 5}'),
    (of("any_value", "anyelement")(S), "a"),
    (of("var_pop", "float8")(F), 15.91796875),
    (of("stddev_samp", "float8")(F), 4.606946747394996),
    (of("var_samp", "int4")(I, where=NONE), None),
    (of("regr_count", "float8", "float8")(F, F), 4),
    (of("percentile_cont", "float8", "float8")(fraction(0.5), F, order=[up(F)]), 1.875),
    (of("percentile_cont", "float8", "float8")(fraction(0.3), F, order=[down(F)]), 3.0250000000000004),
    (of("percentile_cont", "float8", "float8")(fraction(None), F, order=[up(F)]), None),
    (of("percentile_cont", "float8", "interval")(fraction(0.4), V, order=[up(V)]), Interval(0, 14, 8_640_000_000)),
    (
        of("percentile_cont", "_float8", "float8")(fractions(0.0, 0.5, None, 1.0), F, order=[up(F)]),
        (-0.5, 1.875, None, 10.0),
    ),
    (of("percentile_disc", "float8", "anyelement")(fraction(0.5), S, order=[up(S)]), "a"),
    (of("percentile_disc", "_float8", "anyelement")(fractions(0.25, 0.75), I, order=[down(I)]), (5, 2)),
    (of("mode", "anyelement")(I, order=[up(I)]), 2),
    (of("mode", "anyelement")(S, order=[down(S)]), "a"),
]


@pytest.mark.parametrize(("call", "expected"), EXACT, ids=[call.function.name for call, _ in EXACT])
def test_an_aggregate_has_the_answer_of_postgresql(call: AggregateCall, expected: object) -> None:
    assert over(call) == expected


DIGITS: list[tuple[AggregateCall, str]] = [
    (of("avg", "int4")(I), "2.5"),
    (of("avg", "int4")(I, distinct=True), "2.6666666666666667"),
    (of("avg", "numeric")(N), "24.535"),
    (of("stddev", "int4")(I), "1.7320508075688773"),
    (of("stddev_pop", "int4")(I), "1.5"),
    (of("variance", "numeric")(N), "2533.7692333333333333"),
    (of("var_pop", "numeric")(N), "1900.326925"),
    (of("var_pop", "int4")(I, where=call(GREATER, I, number(4))), "0"),
]


@pytest.mark.parametrize(("call", "expected"), DIGITS, ids=[call.function.name for call, _ in DIGITS])
def test_a_numeric_answer_has_the_digits_of_postgresql(call: AggregateCall, expected: str) -> None:
    found = over(call)
    assert isinstance(found, Decimal)
    shown = Decimal(expected)
    assert found.quantize(shown) == shown


PAIRS: list[tuple[str, float | None]] = [
    ("corr", 0.9138038583192836),
    ("covar_pop", 5.468749999999999),
    ("covar_samp", 7.291666666666665),
    ("regr_avgx", 2.5),
    ("regr_avgy", 3.3125),
    ("regr_sxx", 8.999999999999998),
    ("regr_syy", 63.67187499999999),
    ("regr_sxy", 21.874999999999996),
    ("regr_slope", 2.430555555555556),
    ("regr_intercept", -2.7638888888888893),
    ("regr_r2", 0.8350374914792094),
]


@pytest.mark.parametrize(("name", "expected"), PAIRS)
def test_a_statistic_of_pairs_is_that_of_postgresql_but_for_its_last_digit(name: str, expected: float) -> None:
    rows = [(row[1], None if row[0] is None else float(str(row[0]))) for row in ROWS]
    statistic = of(name, "float8", "float8")(col(0, FLOAT8), col(1, FLOAT8))
    assert over(statistic, rows, (FLOAT8, FLOAT8)) == pytest.approx(expected, rel=1e-14)


FLAT: list[tuple[str, float | None, float | None]] = [
    ("corr", None, None),
    ("regr_r2", 1.0, None),
    ("regr_slope", 0.0, None),
    ("regr_intercept", 1.0, None),
    ("covar_samp", 0.0, 0.0),
]


@pytest.mark.parametrize(("name", "flat_y", "flat_x"), FLAT)
def test_a_line_that_is_flat_or_upright_has_the_statistics_of_postgresql(
    name: str, flat_y: float | None, flat_x: float | None
) -> None:
    statistic = of(name, "float8", "float8")(col(0, FLOAT8), col(1, FLOAT8))
    assert over(statistic, [(1.0, 2.0), (1.0, 3.0)], (FLOAT8, FLOAT8)) == flat_y
    assert over(statistic, [(2.0, 1.0), (3.0, 1.0)], (FLOAT8, FLOAT8)) == flat_x


def test_each_value_of_string_agg_follows_its_own_delimiter() -> None:
    joined = of("string_agg", "text", "text")(col(0, TEXT), col(1, TEXT), order=[up(col(0, TEXT))])
    rows = [("b", "2"), ("a", None), ("c", None), (None, "9"), ("d", "-")]
    assert over(joined, rows, (TEXT, TEXT)) == "a2bc-d"


def test_without_an_order_collected_values_are_sorted_so_that_the_answer_is_always_the_same() -> None:
    collected = of("array_agg", "anynonarray")(I)
    assert over(collected) == over(collected, ROWS[::-1]) == (1, 2, 2, 5, None)


def test_arrays_become_an_array_with_one_dimension_more() -> None:
    inner = array_of(INT4)
    collected = of("array_agg", "anyarray")(col(0, inner), order=[up(col(0, inner))])
    assert collected.type == array_of(inner)
    assert over(collected, [((3, None),), ((1, 2),)], (inner,)) == ((1, 2), (3, None))
    wrong: list[tuple[Rows, type[Exception], str]] = [
        ([((1,),), (None,)], NullValueNotAllowed, "cannot accumulate null arrays"),
        ([((),)], ArraySubscriptError, "cannot accumulate empty arrays"),
        ([((1,),), ((1, 2),)], ArraySubscriptError, "cannot accumulate arrays of different dimensionality"),
    ]
    for rows, error, message in wrong:
        with pytest.raises(error, match=message):
            over(collected, rows, (inner,))


def test_lists_and_maps_are_collected_in_order() -> None:
    listed = of("list_agg", "any")(I, order=[down(I)])
    assert listed.type == list_of(INT4)
    assert over(listed) == (None, 5, 2, 2, 1)
    mapped = of("map_agg", "text", "any")(S, I, order=[up(N)])
    assert mapped.type == map_of(INT4)
    assert over(mapped) == (("a", 2), ("b", 1), ("é", 5))


def test_a_key_of_a_json_object_must_not_be_null_or_hold_others() -> None:
    with pytest.raises(InvalidParameterValue, match="field name must not be null"):
        over(of("jsonb_object_agg", "any", "any")(S, I))
    with pytest.raises(InvalidParameterValue, match="key value must be scalar"):
        over(of("jsonb_object_agg", "any", "any")(col(0, array_of(INT4)), I), [((1,),)], (array_of(INT4),))


def test_strict_json_aggregates_leave_nulls_out_but_not_the_answer() -> None:
    listed, keyed = of("jsonb_agg_strict", "any"), of("jsonb_object_agg_strict", "any", "any")
    assert over(listed(I, order=[up(I)])) == "[1, 2, 2, 5]"
    assert over(listed(col(0)), [(None,)], (INT4,)) == "[]"
    assert over(keyed(col(0, TEXT), col(1)), [("a", None)], (TEXT, INT4)) == "{}"


def test_the_greatest_array_record_and_json_are_those_of_the_order_of_values() -> None:
    arrays, records = array_of(INT4), record_of(("a", "b"), (INT4, TEXT))
    assert over(of("max", "anyarray")(col(0, arrays)), [((1, 1),), ((None, 1),), ((2,),)], (arrays,)) == (None, 1)
    assert over(of("min", "record")(col(0, records)), [((1, "b"),), ((1, None),)], (records,)) == (1, "b")
    assert over(of("max", "jsonb")(col(0, JSONB)), [('"a"',), ("[1]",), ("2",)], (JSONB,)) == "[1]"


def test_sums_of_integers_are_wider_than_their_values() -> None:
    assert of("sum", "int2")(col(0, INT2)).type == of("sum", "int4")(I).type == INT8
    wide = of("sum", "int8")(col(0, INT8))
    assert over(wide, [(2**63 - 1,), (2**63 - 1,)], (INT8,)) == Decimal(2**64 - 2)
    assert over(of("sum", "uint4")(col(0, UINT4)), [(2**32 - 1,)] * 2, (UINT4,)) == 2**33 - 2


def test_a_sum_of_floats_is_exact_until_it_is_rounded() -> None:
    total = of("sum", "float8")(col(0, FLOAT8))
    assert over(total, [(1e16,), (1.0,), (-1e16,)], (FLOAT8,)) == 1.0
    assert str(over(total, [(float("inf"),), (float("-inf"),)], (FLOAT8,))) == "nan"
    assert over(total, [(1.7e308,), (1.7e308,), (-1.7e308,)], (FLOAT8,)) == 1.7e308
    with pytest.raises(NumericValueOutOfRange, match="value out of range: overflow"):
        over(total, [(1.7e308,), (1.7e308,)], (FLOAT8,))
    with pytest.raises(NumericValueOutOfRange, match="value out of range: overflow"):
        over(of("sum", "float4")(col(0, FLOAT4)), [(3e38,), (3e38,)], (FLOAT4,))


def test_a_variance_of_equal_values_far_from_zero_is_zero() -> None:
    rows = [(1e15 + 0.1,)] * 3
    assert over(of("var_pop", "float8")(col(0, FLOAT8)), rows, (FLOAT8,)) == 0.0
    assert str(over(of("var_pop", "float8")(col(0, FLOAT8)), [(float("inf"),)], (FLOAT8,))) == "nan"


@pytest.mark.parametrize(("value", "shown"), [(1.5, "1.5"), (-0.25, "-0.25"), (float("nan"), "NaN")])
def test_a_percentile_is_between_0_and_1(value: float, shown: str) -> None:
    with pytest.raises(NumericValueOutOfRange, match=f"percentile value {shown} is not between 0 and 1"):
        over(of("percentile_cont", "float8", "float8")(fraction(value), F, order=[up(F)]))


AVERAGES: list[tuple[Type, int]] = [
    (INT4, 20),
    (INT8, 16),
    (numeric(10, 2), 20),
    (numeric(20, 2), 16),
    (numeric(38, 18), 18),
    (numeric(38, 0), 6),
    (numeric(38, 37), 37),
]


@pytest.mark.parametrize(("type_", "scale"), AVERAGES, ids=lambda value: str(value))
def test_an_average_has_as_many_digits_as_there_is_room_for(type_: Type, scale: int) -> None:
    assert of("avg", type_.base)(col(0, type_)).type == numeric(38, scale)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=20))
def test_an_average_is_the_nearest_to_the_exact_quotient(values: list[int]) -> None:
    found = over(of("avg", "int4")(col(0)), [(value,) for value in values], (INT4,))
    assert isinstance(found, Decimal)
    assert abs(Fraction(found) - Fraction(sum(values), len(values))) * 2 <= Fraction(1, 10**20)


@settings(max_examples=50, deadline=None)
@given(st.permutations([(1.5,), (1e300,), (-1e300,), (1e-300,), (None,), (0.1,)]))
def test_the_order_of_rows_never_shows(rows: list[tuple[float | None]]) -> None:
    ordered = sorted(rows, key=repr)
    for name in ("sum", "avg", "max", "count"):
        statistic: Aggregate = overload(name, "any" if name == "count" else "float8")
        made = aggregate(statistic, col(0, FLOAT8))
        assert over(made, rows, (FLOAT8,)) == over(made, ordered, (FLOAT8,))


def test_a_filter_counts_rows_for_which_it_is_true() -> None:
    assert over(of("count")(where=TRUE)) == 5
    assert over(of("count")(where=B)) == 3


def test_an_extreme_keeps_digits_and_padding_but_not_that_they_were_declared() -> None:
    assert of("max", "numeric")(N).type == numeric(10, 2)
    padded = Modified("bpchar", 3)
    assert of("min", "bpchar")(col(0, padded)).type == padded


def test_a_variance_keeps_digits_rather_than_room() -> None:
    for type_, scale in ((INT4, 18), (INT8, 10), (numeric(10, 2), 20), (numeric(38, 18), 16)):
        assert of("variance", type_.base)(col(0, type_)).type == numeric(38, scale)
    with pytest.raises(NumericValueOutOfRange):
        over(of("var_pop", "numeric")(col(0, numeric(38, 18))), [(Decimal(10**12),), (Decimal(0),)], (numeric(38, 18),))
