"""Small plans, built in few words."""

from __future__ import annotations

from textwrap import dedent

from holdfast.plan.check import check
from holdfast.plan.functions.registry import AGGREGATES, FUNCTIONS, OPERATORS
from holdfast.plan.printer import show
from holdfast.plan.relation import AggregateCall, ColumnType, Get, Plan, Relation
from holdfast.plan.scalar import Call, Column, Constant, Outer, Scalar
from holdfast.plan.types import BOOL, INT4, INT8, TEXT, Type


def get(name: str, *types: Type, keys: tuple[tuple[int, ...], ...] = ()) -> Get:
    return Get(name, tuple(ColumnType(type_) for type_ in types), keys)


T = get("t", INT4, INT4)
U = get("u", INT4, INT4)
V = get("v", INT4, TEXT)


def col(index: int, type_: Type = INT4, *, nullable: bool = True) -> Column:
    return Column(index, type_, nullable)


def outer(index: int, level: int = 1) -> Outer:
    return Outer(level, index, INT4, True)


def lit(value: object, type_: Type = INT4) -> Constant:
    return Constant(value, type_)


def op(name: str, left: Scalar, right: Scalar) -> Call:
    """A comparison or arithmetic of two integers, or of two texts."""
    found = next(f for f in OPERATORS[name] if f.arguments == (left.type, right.type))
    result = BOOL if name in ("=", "<>", "<", "<=", ">", ">=") else left.type
    return Call(found, (left, right), result, left.nullable or right.nullable)


def eq(left: Scalar, right: Scalar) -> Call:
    return op("=", left, right)


def lt(left: Scalar, right: Scalar) -> Call:
    return op("<", left, right)


def negation(scalar: Scalar) -> Call:
    return Call(FUNCTIONS["not"][0], (scalar,), BOOL, scalar.nullable)


def is_null(scalar: Scalar) -> Call:
    return Call(FUNCTIONS["is_null"][0], (scalar,), BOOL, False)


def count() -> AggregateCall:
    return AggregateCall(next(a for a in AGGREGATES["count"] if not a.arguments), (), INT8, False)


def maximum(scalar: Scalar) -> AggregateCall:
    return AggregateCall(AGGREGATES["max"][0], (scalar,), scalar.type, True)


def plan(relation: Relation) -> Plan:
    return Plan(relation, tuple(f"c{i}" for i in range(len(relation.columns))))


def assert_shows(relation: Relation, expected: str) -> None:
    """`relation` makes sense, and its text is `expected`, whatever that is indented by."""
    check(relation, decorrelated=True)
    assert show(relation) == dedent(expected).strip()
