from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import pytest

from holdfast.plan.errors import DatatypeMismatch
from holdfast.plan.functions.comparison import FAMILY
from holdfast.plan.functions.function import Any, Function, Types
from holdfast.plan.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    RangeValue,
    Type,
    array_of,
    list_of,
    map_of,
    numeric,
    record_of,
)

PAIR = record_of(("a", "b"), (INT4, INT4))
DAY = 86_400_000_000


def overload(name: str, arguments: tuple[object, ...]) -> Function:
    return next(f for f in (*FAMILY.operators, *FAMILY.functions) if f.name == name and f.arguments == arguments)


def compare(name: str, left: Type, a: object, right: Type, b: object, kind: Any | None = None) -> object:
    function = overload(name, (kind, kind) if kind else (left, right))
    assert function.python is not None
    return function.python(Types((left, right), BOOL), a, b) if function.typed else function.python(a, b)


def text_of(function: Function, texts: Sequence[str], types: Sequence[Type], result: Type = BOOL) -> str | None:
    if callable(function.spark):
        return function.spark(texts, types, result)
    return None if function.spark is None else function.spark.format(*texts)


@pytest.mark.parametrize("name", ["=", "<>", "<", "<=", ">", ">="])
def test_every_operator_has_the_overloads_that_postgres_resolves_by(name: str) -> None:
    found = [function.arguments for function in FAMILY.operators if function.name == name]
    integers = (INT2, INT4, INT8)
    mixed = [(a, b) for a in integers for b in integers] + [(a, b) for a in (FLOAT4, FLOAT8) for b in (FLOAT4, FLOAT8)]
    moments = (DATE, TIMESTAMP, TIMESTAMPTZ)
    assert {*mixed, *((a, b) for a in moments for b in moments)} <= set(found)
    assert len(found) == len(set(found))


def test_nan_is_equal_to_itself_and_greater_than_all_else() -> None:
    assert compare("=", FLOAT8, math.nan, FLOAT8, math.nan)
    assert compare(">", FLOAT8, math.nan, FLOAT4, math.inf)
    assert compare("<=", FLOAT8, 0.0, FLOAT8, -0.0)


def test_a_day_begins_at_midnight_beside_a_timestamp() -> None:
    assert compare("=", DATE, 1, TIMESTAMP, DAY)
    assert compare("<", DATE, 1, TIMESTAMPTZ, DAY + 1)
    assert compare(">", TIMESTAMP, DAY + 1, DATE, 1)


def test_infinite_days_are_infinite_timestamps_and_no_finite_day_is() -> None:
    last, infinite = 2**31 - 1, 2**63 - 1
    assert compare("=", DATE, last, TIMESTAMP, infinite)
    assert compare("<", DATE, last - 1, TIMESTAMP, infinite)
    assert compare(">", DATE, 200_000_000, TIMESTAMP, infinite - 10**9)
    assert compare("=", DATE, -(2**31), TIMESTAMPTZ, -(2**63))


def test_json_is_compared_by_value_and_equal_by_its_text() -> None:
    assert compare("<", JSONB, "2", JSONB, "10")
    assert text_of(overload("=", (JSONB, JSONB)), ["a", "b"], [JSONB, JSONB]) == "(a = b)"
    assert text_of(overload("<", (JSONB, JSONB)), ["a", "b"], [JSONB, JSONB]) is None


def test_nulls_inside_of_records_are_equal_and_greatest() -> None:
    assert compare("=", PAIR, (1, None), PAIR, (1, None), Any.RECORD)
    assert compare(">", PAIR, (1, None), PAIR, (1, 2), Any.RECORD)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (PAIR, record_of(("a",), (INT4,)), "cannot compare record types with different numbers of columns"),
        (
            PAIR,
            record_of(("a", "b"), (INT4, TEXT)),
            "cannot compare dissimilar column types integer and text at record column 2",
        ),
    ],
)
def test_records_of_other_columns_cannot_be_compared(left: Type, right: Type, message: str) -> None:
    result = overload("=", (Any.RECORD, Any.RECORD)).result
    assert callable(result)
    with pytest.raises(DatatypeMismatch) as caught:
        result((left, right))
    assert str(caught.value) == message


def test_an_empty_range_comes_first() -> None:
    empty, whole = RangeValue(None, None, False, False, True), RangeValue(None, None, False, False)
    assert compare("<", INT4RANGE, empty, INT4RANGE, whole, Any.RANGE)


def test_spark_compares_numerics_only_as_one_type_that_holds_both() -> None:
    function = overload("<", (NUMERIC, NUMERIC))
    assert text_of(function, ["a", "b"], [numeric(10, 2), numeric(10, 2)]) == "(a < b)"
    assert text_of(function, ["a", "b"], [numeric(10, 2), numeric(12, 4)]) == "(CAST(a AS DECIMAL(12, 4)) < b)"
    assert text_of(function, ["a", "b"], [numeric(38, 0), numeric(38, 18)]) is None


def test_spark_finds_arrays_equal_by_itself_but_orders_their_nulls_first() -> None:
    integers = array_of(INT4)
    assert text_of(overload("=", (Any.ARRAY, Any.ARRAY)), ["a", "b"], [integers, integers]) == "(a = b)"
    assert text_of(overload("<", (Any.ARRAY, Any.ARRAY)), ["a", "b"], [integers, integers]) == (
        "(transform(a, e -> struct(e IS NULL, e)) < transform(b, e -> struct(e IS NULL, e)))"
    )


@pytest.mark.parametrize(
    ("type_", "a", "b", "distinct"),
    [
        (INT4, None, None, False),
        (INT4, 1, None, True),
        (INT4, 1, 1, False),
        (FLOAT8, math.nan, math.nan, False),
        (NUMERIC, Decimal("1.0"), Decimal(1), False),
        (map_of(INT4), (("a", 1),), (("a", 2),), True),
        (list_of(INT4), (1, None), (1, None), False),
    ],
)
def test_is_distinct_is_never_null(type_: Type, a: object, b: object, distinct: bool) -> None:
    for name, expected in (("is_distinct", distinct), ("is_not_distinct", not distinct)):
        function = overload(name, (Any.ELEMENT, Any.ELEMENT))
        assert function.python is not None
        assert function.python(Types((type_, type_), BOOL), a, b) is expected


def test_a_record_is_null_when_all_of_it_is_and_not_null_when_none_of_it_is() -> None:
    tests = {name: overload(name, (Any.ANY,)).python for name in ("is_null", "is_not_null")}
    types = Types((PAIR,), BOOL)
    values: list[tuple[int | None, ...] | None] = [None, (None, None), (1, None), (1, 2)]
    found = {name: [run and run(types, value) for value in values] for name, run in tests.items()}
    assert found == {"is_null": [True, True, False, False], "is_not_null": [False, False, False, True]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("is_true", [True, False, False]),
        ("is_not_true", [False, True, True]),
        ("is_false", [False, True, False]),
        ("is_not_false", [True, False, True]),
        ("is_unknown", [False, False, True]),
        ("is_not_unknown", [True, True, False]),
    ],
)
def test_truth_tests_are_never_null(name: str, expected: list[bool]) -> None:
    function = overload(name, (BOOL,))
    assert function.python is not None
    assert [function.python(value) for value in (True, False, None)] == expected


@pytest.mark.parametrize(
    ("type_", "values", "greatest", "least"),
    [
        (INT4, (1, None, 3), 3, 1),
        (INT4, (None, None), None, None),
        (FLOAT8, (1.0, math.inf, -1.0), math.inf, -1.0),
        (array_of(INT4), ((1, 2), (1, None)), (1, None), (1, 2)),
        (JSONB, ("2", "10", "null"), "10", "null"),
    ],
)
def test_greatest_and_least_leave_out_nulls(
    type_: Type, values: Sequence[object], greatest: object, least: object
) -> None:
    for name, expected in (("greatest", greatest), ("least", least)):
        function = overload(name, (Any.ELEMENT,))
        assert function.python is not None
        assert function.python(Types((type_,) * len(values), type_), *values) == expected


def test_spark_has_no_greatest_of_one() -> None:
    assert text_of(overload("greatest", (Any.ELEMENT,)), ["a"], [INT4], INT4) == "(a)"
    assert text_of(overload("greatest", (Any.ELEMENT,)), ["a", "b"], [INT4, INT4], INT4) == "greatest(a, b)"
