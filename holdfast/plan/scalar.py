"""Scalar expressions: functions of one row.

A column is a position in the row. And, Or, Case and Coalesce are not calls because they do not run all of their parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.plan.functions.function import Function
from holdfast.plan.node import Node, remembered
from holdfast.plan.types import BOOL, Type

if TYPE_CHECKING:
    from holdfast.plan.relation import Relation


@dataclass(frozen=True, eq=False)
class Column(Node):
    index: int
    type: Type
    nullable: bool


@dataclass(frozen=True, eq=False)
class Constant(Node):
    """A value as `plan/types.py` lists them, or None for null."""

    value: object
    type: Type

    @property
    def nullable(self) -> bool:
        return self.value is None

    @classmethod
    def identity(cls, arguments: tuple[Any, ...]) -> tuple[object, ...]:
        # Python takes 0.0 and -0.0, and 1 and True, for equal, and NaN for other than itself.
        value, type_ = arguments
        return (repr(value) if isinstance(value, float | tuple) else value, type_)


@dataclass(frozen=True, eq=False)
class Parameter(Node):
    """`$number`, whose value is known only when the query runs."""

    number: int
    type: Type

    @property
    def nullable(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Call(Node):
    function: Function
    arguments: tuple[Scalar, ...]
    type: Type
    nullable: bool


@dataclass(frozen=True, eq=False)
class And(Node):
    """Two terms or more. False if any is false, whatever the others are; else null if any is null."""

    terms: tuple[Scalar, ...]

    @property
    def type(self) -> Type:
        return BOOL

    @property
    def nullable(self) -> bool:
        return any(term.nullable for term in self.terms)


@dataclass(frozen=True, eq=False)
class Or(Node):
    """Two terms or more. True if any is true, whatever the others are; else null if any is null."""

    terms: tuple[Scalar, ...]

    @property
    def type(self) -> Type:
        return BOOL

    @property
    def nullable(self) -> bool:
        return any(term.nullable for term in self.terms)


@dataclass(frozen=True, eq=False)
class Case(Node):
    """The result of the first branch whose condition is true. Nothing after it is run."""

    branches: tuple[tuple[Scalar, Scalar], ...]
    otherwise: Scalar

    @property
    def type(self) -> Type:
        return self.otherwise.type

    @property
    def nullable(self) -> bool:
        return self.otherwise.nullable or any(result.nullable for _, result in self.branches)


@dataclass(frozen=True, eq=False)
class Coalesce(Node):
    """The first term that is not null. Nothing after it is run."""

    terms: tuple[Scalar, ...]

    @property
    def type(self) -> Type:
        return self.terms[0].type

    @property
    def nullable(self) -> bool:
        return all(term.nullable for term in self.terms)


# Before decorrelation only:


@dataclass(frozen=True, eq=False)
class Outer(Node):
    """A column of a query that this one stands in: `level` 1 is the nearest."""

    level: int
    index: int
    type: Type
    nullable: bool


@dataclass(frozen=True, eq=False)
class Subquery(Node):
    """A query inside an expression. `scalar` is its one value, null without rows; `exists` whether it has rows.

    What `Outer` columns of level 1 in `relation` mean are the columns of the row that this expression is about.
    ANY, ALL and IN are `any`: whether `predicate` is true for some row of the query; null if it is null for some and
    true for none. Its columns are those of the row that this expression is about, followed by those of the query.
    """

    kind: Literal["scalar", "exists", "any"]
    relation: Relation
    predicate: Scalar | None
    type: Type
    nullable: bool


Scalar: TypeAlias = Column | Constant | Parameter | Call | And | Or | Case | Coalesce | Outer | Subquery

TRUE, FALSE = Constant(True, BOOL), Constant(False, BOOL)


def null(type_: Type) -> Constant:
    return Constant(None, type_)


@remembered
def children(expression: Scalar) -> tuple[Scalar, ...]:
    """The expressions right below, not those inside of queries."""
    match expression:
        case Call():
            return expression.arguments
        case And() | Or() | Coalesce():
            return expression.terms
        case Case():
            return (*(part for branch in expression.branches for part in branch), expression.otherwise)
        case Subquery() if expression.predicate is not None:
            return (expression.predicate,)
    return ()


def with_children(expression: Scalar, parts: tuple[Scalar, ...]) -> Scalar:
    """The expression with other expressions right below."""
    match expression:
        case Call():
            return Call(expression.function, parts, expression.type, expression.nullable)
        case And():
            return And(parts)
        case Or():
            return Or(parts)
        case Coalesce():
            return Coalesce(parts)
        case Case():
            pairs = tuple(zip(parts[:-1:2], parts[1:-1:2], strict=True))
            return Case(pairs, parts[-1])
        case Subquery() if expression.predicate is not None:
            return Subquery(expression.kind, expression.relation, parts[0], expression.type, expression.nullable)
    return expression


def transform(expression: Scalar, change: Callable[[Scalar], Scalar]) -> Scalar:
    """`change` applied to every part, from the leaves up. Queries inside are left alone."""
    below = children(expression)
    if below:
        changed = tuple(transform(part, change) for part in below)
        if any(new is not old for new, old in zip(changed, below, strict=True)):
            expression = with_children(expression, changed)
    return change(expression)


@remembered
def columns_of(expression: Scalar) -> frozenset[int]:
    """The positions that the expression reads."""
    if isinstance(expression, Column):
        return frozenset((expression.index,))
    found: frozenset[int] = frozenset()
    for part in children(expression):
        found |= columns_of(part)
    return found


def moved(expression: Scalar, places: Callable[[int], int]) -> Scalar:
    """The expression with every column at another position."""

    def move(part: Scalar) -> Scalar:
        return Column(places(part.index), part.type, part.nullable) if isinstance(part, Column) else part

    return transform(expression, move)
