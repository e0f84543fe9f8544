"""Small plans for tests of the evaluator: functions of their own, so that these tests need no others."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, eq, gt, lt

from holdfast.compute.evaluate import rows
from holdfast.compute.evaluate.values import table_of
from holdfast.plan.errors import DivisionByZero
from holdfast.plan.functions.function import Aggregate, Function
from holdfast.plan.functions.registry import AGGREGATES
from holdfast.plan.relation import AggregateCall, ColumnType, Get, OrderKey, Relation
from holdfast.plan.scalar import Call, Column, Constant, Scalar
from holdfast.plan.types import BOOL, INT4, Type


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero
    return left // right


EQUAL = Function("=", (INT4, INT4), BOOL, eq, infix=True)
LESS = Function("<", (INT4, INT4), BOOL, lt, infix=True)
GREATER = Function(">", (INT4, INT4), BOOL, gt, infix=True)
PLUS = Function("+", (INT4, INT4), INT4, add, infix=True)
DIVIDE = Function("/", (INT4, INT4), INT4, _divide, fails=True, infix=True)


def call(function: Function, *arguments: Scalar) -> Call:
    result = function.result
    assert isinstance(result, Type)
    return Call(function, arguments, result, True)


def number(value: int | None) -> Constant:
    return Constant(value, INT4)


def col(index: int, type_: Type = INT4) -> Column:
    return Column(index, type_, True)


def table(name: str, *types: Type) -> Get:
    return Get(name, tuple(ColumnType(type_) for type_ in types))


def overload(name: str, *bases: str) -> Aggregate:
    """The aggregate of the registry for arguments of these bases, or kinds of types."""
    for found in AGGREGATES[name]:
        patterns = tuple(pattern.base if isinstance(pattern, Type) else pattern.value for pattern in found.arguments)
        if patterns == bases:
            return found
    raise KeyError(name, bases)


def aggregate(
    function: Aggregate,
    *arguments: Scalar,
    order: Sequence[OrderKey] = (),
    distinct: bool = False,
    filter_: Scalar | None = None,
) -> AggregateCall:
    types = [argument.type for argument in arguments]
    result = function.result
    if callable(result):
        result = result(types)
    if not isinstance(result, Type):
        result = types[-1]
    return AggregateCall(function, arguments, result, True, distinct, filter_, tuple(order))


def answer(relation: Relation, **inputs: tuple[Sequence[Type], list[tuple[object, ...]]]) -> list[tuple[object, ...]]:
    """The rows of the relation, sorted by how they look."""
    tables = {
        name: table_of(given, types, [str(i) for i in range(len(types))]) for name, (types, given) in inputs.items()
    }
    return sorted(rows(relation, tables), key=repr)
