"""Constants and parameters of every type come back from Spark as they were."""

from __future__ import annotations

import math
from decimal import Context, Decimal

import pytest
from pyspark.sql import SparkSession

from holdfast.compute.render.literals import literal
from holdfast.plan.relation import UNIT, ColumnType, Map, Plan, Values
from holdfast.plan.scalar import Constant, Parameter
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    DATERANGE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT2VECTOR,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UUID,
    Interval,
    RangeValue,
    Type,
    array_of,
    list_of,
    map_of,
    numeric,
    record_of,
)
from tests.compute.render.build import on_spark

CASES: list[tuple[Type, list[object]]] = [
    (BOOL, [True, False]),
    (INT2, [-(2**15), 2**15 - 1]),
    (INT4, [-(2**31), -1, 0, 2**31 - 1]),
    (INT8, [-(2**63), 2**63 - 1]),
    (UINT2, [2**16 - 1]),
    (UINT4, [2**32 - 1]),
    (UINT8, [0, 2**64 - 1]),
    (MZ_TIMESTAMP, [2**40]),
    (FLOAT4, [-0.0, 1.100000023841858, 3.4028234663852886e38, 1.401298464324817e-45, math.inf, -math.inf]),
    (FLOAT8, [-0.0, 0.1, 1e-320, 1.7976931348623157e308, math.inf, -math.inf]),
    (NUMERIC, [Decimal("-12345678901234567890.123456789012345678"), Decimal("1E+3")]),
    (numeric(4, 2), [Decimal("99.99"), Decimal("-0.01")]),
    (TEXT, ["", "it's", 'a\\b"c`d`e', "line\nbreak\r\ttab", "{0} %s :p1 $1 -- /* */", "äöü😀", "\x01\x7f"]),
    (JSONB, ['{"a": [1, "\\\\n"]}']),
    (UUID, ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    (BYTEA, [b"", b"\0\xff'\\"]),
    (DATE, [0, -1, -719162, -719163, 2932896, 2932897, 2**31 - 1, -(2**31)]),
    (TIME, [0, 86_399_999_999]),
    (TIMESTAMP, [0, -1, -62135596800000000, 253402300800000000, 2**63 - 1, -(2**63)]),
    (TIMESTAMPTZ, [0, -1, -62135596800000001, 253402300799999999, 2**63 - 1, -(2**63)]),
    (INTERVAL, [Interval(0, 0, 0), Interval(-1, 2, -(2**63))]),
    (INT2VECTOR, [(1, 2), ()]),
    (array_of(INT4), [(), (1, None), (None,)]),
    (array_of(array_of(TEXT)), [(("a", None), ("b", "c"))]),
    (list_of(list_of(DATE)), [((1, None), None, ())]),
    (map_of(INTERVAL), [(), (("a", Interval(1, 2, 3)), ("b", None))]),
    (record_of(("a", "a"), (INT4, TEXT)), [(1, "x"), (None, None)]),
    (record_of(("a",), (record_of(("b",), (array_of(INT8),)),)), [(((1, 2),),)]),
    (INT4RANGE, [RangeValue(1, None, True, False), RangeValue(None, None, False, False, True)]),
    (DATERANGE, [RangeValue(-1, 2**31 - 1, True, False)]),
]


def shown(case: object) -> str:
    return str(case) if isinstance(case, Type) else ""


def test_constants_come_back_as_they_were(spark: SparkSession) -> None:
    constants = tuple(Constant(value, type_) for type_, values in CASES for value in (*values, None))
    plan = Plan(Map(UNIT, constants), tuple("c" for _ in constants))
    (row,) = on_spark(spark, plan, {})
    for value, constant in zip(row, constants, strict=True):
        assert (repr(value), constant.type) == (repr(like(constant)), constant.type)


def like(constant: Constant) -> object:
    """The value with as many digits as its type has."""
    value, type_ = constant.value, constant.type
    if isinstance(value, Decimal):
        assert type_.base == "numeric"
        return value.quantize(Decimal(1).scaleb(-getattr(type_, "scale", 0)), context=Context(prec=38))
    return value


@pytest.mark.parametrize(("type_", "values"), CASES, ids=shown)
def test_rows_of_constants_come_back_as_they_were(spark: SparkSession, type_: Type, values: list[object]) -> None:
    rows = tuple((value,) for value in (*values, None))
    plan = Plan(Values(rows, (ColumnType(type_),)), ("c",))
    found = on_spark(spark, plan, {})
    expected = [repr(like(Constant(value, type_))) for (value,) in rows]
    assert sorted(repr(value) for (value,) in found) == sorted(expected)


def test_nan_comes_back(spark: SparkSession) -> None:
    plan = Plan(Map(UNIT, (Constant(math.nan, FLOAT4), Constant(math.nan, FLOAT8))), ("a", "b"))
    ((first, second),) = on_spark(spark, plan, {})
    assert isinstance(first, float)
    assert isinstance(second, float)
    assert math.isnan(first)
    assert math.isnan(second)


def test_parameters_come_back_as_they_were(spark: SparkSession) -> None:
    chosen = [(type_, value) for type_, values in CASES for value in (*values[-1:], None)]
    parameters = tuple(Parameter(number, type_) for number, (type_, _) in enumerate(chosen, start=1))
    plan = Plan(Map(UNIT, parameters), tuple("c" for _ in parameters))
    (row,) = on_spark(spark, plan, {}, [value for _, value in chosen])
    for found, (type_, value) in zip(row, chosen, strict=True):
        assert (str(type_), repr(found)) == (str(type_), repr(like(Constant(value, type_))))


def test_literals_are_one_line_without_backticks() -> None:
    text = literal("a`\n`b", TEXT)
    assert "`" not in text
    assert "\n" not in text
