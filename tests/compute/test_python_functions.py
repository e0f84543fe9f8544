"""Functions of users give on Spark the answers that they give here."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from holdfast.compute.render import render
from holdfast.plan.errors import DatatypeMismatch, ExternalRoutineError
from holdfast.plan.functions.function import Function
from holdfast.plan.python_function import PythonFunction, python_function
from holdfast.plan.relation import Filter, Map
from holdfast.plan.scalar import Call, Case, Scalar
from holdfast.plan.types import (
    BYTEA,
    DATE,
    FLOAT8,
    INT4,
    INTERVAL,
    JSONB,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Interval,
    Type,
    array_of,
    map_of,
)
from tests.compute.render.build import GREATER, assert_same, call, col, number, on_spark, plan_of, table

numbers = table("numbers", INT4)
GIVEN = {"numbers": ((INT4,), [(1,), (0,), (None,), (7,)])}


def made(body: str, result: Type, *types: Type, strict: bool = False) -> Function:
    return python_function(
        PythonFunction("f", tuple(f"arg{n}" for n in range(1, len(types) + 1)), body, result), types, strict=strict
    )


def of(function: Function, *arguments: Scalar) -> Call:
    assert isinstance(function.result, Type)
    return Call(function, arguments, function.result, True)


VALUES: list[tuple[Type, object]] = [
    (INT4, 7),
    (FLOAT8, 0.1),
    (NUMERIC, Decimal("1.500000000000000000")),
    (TEXT, "naïve \U0001f600"),
    (BYTEA, b"\x00\xff"),
    (DATE, 19000),
    (DATE, 2**31 - 1),
    (TIME, 86_399_999_999),
    (TIMESTAMP, -1),
    (TIMESTAMPTZ, 1_700_000_000_000_001),
    (INTERVAL, Interval(0, -3, 5)),
    (UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    (JSONB, '{"a": [1, null, "x"]}'),
    (array_of(INT4), (1, None, 3)),
    (map_of(INT4), (("a", 1), ("b", None))),
]


def test_values_of_all_types_go_there_and_come_back(spark: SparkSession) -> None:
    types = tuple(type_ for type_, _ in VALUES)
    given = {"values": (types, [tuple(value for _, value in VALUES), (None,) * len(VALUES)])}
    calls = [of(made("return arg1", type_, type_), col(place, type_)) for place, type_ in enumerate(types)]
    shown = [of(made("return repr(arg1)", TEXT, type_), col(place, type_)) for place, type_ in enumerate(types)]
    assert_same(spark, plan_of(Map(table("values", *types), (*calls, *shown))), given)


def test_nulls_nesting_and_sets_are_the_same(spark: SparkSession) -> None:
    strict = made("return 10 // (arg1 + 1)", INT4, INT4, strict=True)
    lenient = made("return -1 if arg1 is None else arg1", INT4, INT4)
    letters = made("return ''.join({'one', 'two', 'three', 'four'})", TEXT)
    scalars = (of(lenient, of(strict, col(0))), of(letters))
    assert_same(spark, plan_of(Map(numbers, scalars)), GIVEN)


def test_an_error_is_raised_only_where_it_is_asked_for(spark: SparkSession) -> None:
    inverse = of(made("return 10 // arg1", INT4, INT4, strict=True), col(0))
    positive = call(GREATER, col(0), number(0))
    assert_same(spark, plan_of(Map(numbers, (Case(((positive, inverse),), number(-1)),))), GIVEN)
    assert_same(spark, plan_of(Filter(Filter(numbers, (positive,)), (call(GREATER, inverse, number(1)),))), GIVEN)
    with pytest.raises(ExternalRoutineError) as raised:
        on_spark(spark, plan_of(Map(numbers, (inverse,))), GIVEN)
    assert str(raised.value) == "function f: ZeroDivisionError: integer division or modulo by zero"


def test_a_value_of_another_type_is_the_same_error(spark: SparkSession) -> None:
    wrong = of(made("return 'x'", INT4))
    with pytest.raises(DatatypeMismatch) as raised:
        on_spark(spark, plan_of(Map(numbers, (wrong,))), GIVEN)
    assert str(raised.value) == "function f: returned a value of type str where integer is expected"


def test_a_function_that_replaces_another_has_another_name_on_spark(spark: SparkSession) -> None:
    one, other = (plan_of(Map(numbers, (of(made(f"return {value}", INT4)),))) for value in (1, 2))
    assert render(one).text != render(other).text
    for plan in (one, other, one):
        assert_same(spark, plan, GIVEN)
