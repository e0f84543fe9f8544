"""Totals: numbers that rows add to and take from, of three types: bigint, whole numerics, and bytes of `dyadic`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any as Value  # as `plan/types.py` lists them

from holdfast.errors import UsageError
from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.dyadic import ZERO, read, scaled, total, written
from holdfast.plan.functions.function import Aggregate, Any, Function, Types
from holdfast.plan.functions.numeric_types import EXACT, checked
from holdfast.plan.relation import AggregateCall
from holdfast.plan.scalar import Call, Constant, Scalar
from holdfast.plan.types import BOOL, BYTEA, INT8, MAX_PRECISION, Numeric, Type, numeric

WHOLE = numeric(MAX_PRECISION, 0)
"""What a sum of numbers has that leave it digits to grow by: `SPARE` of them."""
SPARE = 15


def zero(type_: Type) -> Constant:
    """What a total starts with."""
    if type_ is INT8:
        return Constant(0, INT8)
    if type_ is WHOLE:
        return Constant(Decimal(0), WHOLE)
    if type_ is BYTEA:
        return Constant(ZERO, BYTEA)
    raise UsageError(f"type {type_} is not one of totals")


def _first(types: Sequence[Type]) -> Type:
    return types[0]


def _fits(type_: Type, value: Value) -> Value:
    if isinstance(type_, Numeric):
        return checked(value, type_)
    if not -(2**63) <= value < 2**63:
        raise NumericValueOutOfRange("bigint out of range")
    return value


def times(type_: Type, value: Value, diff: int) -> Value:
    """What as many rows as a diff says add to a total of a type."""
    if diff == 1:
        return value
    if type_ is BYTEA:
        return scaled(value, diff)
    return _fits(type_, EXACT.multiply(value, diff) if type_ is WHOLE else value * diff)


def _scaled(types: Types, value: Value, diff: int) -> Value:
    return times(types.result, value, diff)


def _scaled_text(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str:
    value, diff = arguments
    if types[0] is BYTEA:
        factor = f"CAST(concat('*', CAST({diff} AS STRING)) AS BINARY)"
        return f"CASE WHEN length({value}) = 0 OR {diff} = 0 THEN X'' ELSE concat({value}, {factor}) END"
    return f"CAST({value} * {diff} AS DECIMAL(38, 0))" if types[0] is WHOLE else f"{value} * {diff}"


SCALE = Function("scale", (Any.ANY, INT8), _first, _scaled, _scaled_text, fails=True, typed=True)
"""`times`, as a function of rows."""


def _less(types: Types, value: Value, other: Value) -> Value:
    return sum_of(types.result, [value, times(types.result, other, -1)])


def _less_text(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    if types[0] is BYTEA:
        return None
    value, other = arguments
    return f"CAST({value} - {other} AS DECIMAL(38, 0))" if types[0] is WHOLE else f"{value} - {other}"


_LESS = Function("less", (Any.ANY, Any.ANY), _first, _less, _less_text, fails=True, typed=True)


def sum_of(type_: Type, values: Sequence[Value]) -> Value:
    """The sum of totals of a type, that of none being zero."""
    if type_ is BYTEA:
        return written(total(map(read, values)))
    if len(values) == 1:
        return values[0]
    if type_ is INT8:
        return _fits(INT8, sum(values))
    found = Decimal(0)
    for value in values:
        found = EXACT.add(found, value)
    return _fits(type_, found)


def plus(type_: Type) -> Callable[[Value, Value], Value]:
    """`sum_of` two totals of a type."""
    if type_ is INT8:
        return lambda left, right: _fits(INT8, left + right)
    if type_ is WHOLE:
        return lambda left, right: checked(EXACT.add(left, right), WHOLE)
    return lambda left, right: sum_of(type_, (left, right))


def _added(types: Types, rows: Sequence[tuple[Value]]) -> Value:
    return sum_of(types.result, [value for (value,) in rows])


def _added_text(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    (value,) = arguments
    if types[0] is BYTEA:
        return None
    return f"CAST(coalesce(sum({value}), 0) AS {'DECIMAL(38, 0)' if types[0] is WHOLE else 'BIGINT'})"


ADD = Aggregate("add", (Any.ANY,), _first, _added, _added_text, null_when_empty=False, fails=True, typed=True)
"""`sum_of`, as an aggregate."""

_NOT_EMPTY = Function("not empty", (BYTEA,), BOOL, bool, "length({0}) > 0")


def scale(value: Scalar, diff: Scalar) -> Scalar:
    return Call(SCALE, (value, diff), value.type, False)


def less(value: Scalar, other: Scalar) -> Scalar:
    """What is left of a total when another is taken from it."""
    return Call(_LESS, (value, other), value.type, False)


def add(value: Scalar) -> AggregateCall:
    """Bytes are collected by Spark, so those that are zero, which nearly all are, are left out."""
    kept = Call(_NOT_EMPTY, (value,), BOOL, False) if value.type is BYTEA else None
    return AggregateCall(ADD, (value,), value.type, False, filter=kept)
