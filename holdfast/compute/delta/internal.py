"""Functions of times and diffs, for which SQL has no names."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.functions.function import Aggregate, Any, Function, ResultColumns, TableFunction
from holdfast.plan.functions.registry import WINDOWS
from holdfast.plan.relation import AggregateCall, OrderKey, WindowCall
from holdfast.plan.scalar import Call, Column, Constant, Scalar
from holdfast.plan.types import BOOL, INT4, INT8, MZ_TIMESTAMP, Type, spark_type

BEFORE = Constant(-1, INT8)
"""The time of all that was there before the step."""

LATER = Function("later", (INT8, INT8), INT8, max, "greatest({0}, {1})")
TIMES = Function("times", (INT8, INT8), INT8, int.__mul__, "{0} * {1}")
MINUS = Function("minus", (INT8,), INT8, int.__neg__, "-{0}")
NOT_AFTER = Function("not after", (INT8, INT8), BOOL, int.__le__, "{0} <= {1}")
EARLIER = Function("earlier", (INT8, INT8), BOOL, int.__lt__, "{0} < {1}")
EARLIEST = Function("earliest", (INT8, INT8), INT8, min, "least({0}, {1})")
NEXT = Function("next", (INT8,), INT8, lambda time: time + 1, "{0} + 1")
PREVIOUS = Function("previous", (INT8,), INT8, lambda time: time - 1, "{0} - 1")
INSTANT = Function("instant", (MZ_TIMESTAMP,), INT8, int, "{0}")
AT = Function("at", (INT8, INT8), BOOL, int.__eq__, "{0} = {1}")


def _as_wide(texts: Sequence[str], _: Sequence[Type], wide: Type) -> str:
    return f"CAST({texts[0]} AS {spark_type(wide)})"


WIDER = Function("wider", (Any.ELEMENT,), Any.ELEMENT, lambda value: value, _as_wide)
"""The same number in a type that holds it too."""
NOT_ZERO = Function("not zero", (INT8,), BOOL, bool, "{0} <> 0")


def call(function: Function, *arguments: Scalar) -> Call:
    result = function.result
    assert isinstance(result, Type)
    return Call(function, arguments, result, any(argument.nullable for argument in arguments))


def _total(rows: Sequence[tuple[int]]) -> int:
    return rows[0][0] if len(rows) == 1 else sum([diff for (diff,) in rows])


TOTAL = Aggregate("total", (INT8,), INT8, _total, "sum({0})", null_when_empty=False)


def total(diff: Column) -> AggregateCall:
    return AggregateCall(TOTAL, (diff,), INT8, False)


def _times(count: int) -> Sequence[tuple[int]]:
    return [(0,)] * count


REPEAT = TableFunction(
    "repeat", (INT8,), ResultColumns(("repeat",), (INT4,), (False,)), _times, "array_repeat(0, CAST({0} AS INT))"
)
"""As many rows as it says."""


def following(time: Column, partition: Sequence[Column]) -> WindowCall:
    """The next time of the same partition."""
    lead = WINDOWS["lead"][0]
    return WindowCall(lead, (time,), INT8, True, tuple(partition), (OrderKey(time),))
