"""Functions that only rendering uses: SQL has no names for them, or other ones."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.errors import InvalidRowCountInLimit, InvalidRowCountInOffset
from holdfast.plan.functions.function import Aggregate, Any, Function, ResultColumns, TableFunction, Types
from holdfast.plan.functions.spark_order import same_key
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.order_bytes import order_bytes
from holdfast.plan.relation import AggregateCall, ColumnType
from holdfast.plan.scalar import Call, Column, Scalar
from holdfast.plan.types import BOOL, BYTEA, INT4, INT8, Type

COUNT = ColumnType(INT8, False)
"""A column that says how often its row is there, or where it stands."""


def _same(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str:
    left, right = (same_key(text, type_) or text for text, type_ in zip(arguments, types, strict=True))
    return f"{left} <=> {right}"


def _ordered_bytes(types: Types, value: object) -> bytes:
    return order_bytes(types.arguments[0])(value)


SAME = Function("same", (Any.ELEMENT, Any.ELEMENT), BOOL, None, _same, strict=False)
ORDER_BYTES = Function("order_bytes", (Any.ANY,), BYTEA, _ordered_bytes, typed=True)
"""What Spark sorts by in place of a value that it would sort otherwise."""
AT_MOST = Function("at most", (INT8, INT8), BOOL, None, "{0} <= {1}")
MORE = Function("more", (INT8, INT8), BOOL, None, "{0} > {1}")
PLUS = Function("plus", (INT8, INT8), INT8, None, "{0} + {1}")
TIMES = Function("times", (INT8, INT8), INT8, None, "{0} * {1}")
MINUS = Function("minus", (INT8,), INT8, None, "-{0}")
LIMIT = Function(
    "limit",
    (INT8,),
    INT8,
    None,
    f"CASE WHEN {{0}} < 0 THEN {failure(InvalidRowCountInLimit, 'LIMIT must not be negative')} ELSE {{0}} END",
    fails=True,
)
OFFSET = Function(
    "offset",
    (INT8,),
    INT8,
    None,
    f"CASE WHEN {{0}} < 0 THEN {failure(InvalidRowCountInOffset, 'OFFSET must not be negative')} ELSE {{0}} END",
    fails=True,
)


def call(function: Function, *arguments: Scalar) -> Call:
    result = function.result
    assert isinstance(result, Type)
    return Call(function, arguments, result, any(argument.nullable for argument in arguments))


def _total(rows: Sequence[tuple[int]]) -> int:
    return sum(count for (count,) in rows)


TOTAL = Aggregate("total", (INT8,), INT8, _total, "sum({0})")


def total(count: Column) -> AggregateCall:
    return AggregateCall(TOTAL, (count,), INT8, True)


def _times(count: int) -> Sequence[tuple[int]]:
    return [(0,)] * count


REPEAT = TableFunction(
    "repeat", (INT8,), ResultColumns(("repeat",), (INT4,), (False,)), _times, "array_repeat(0, CAST({0} AS INT))"
)
