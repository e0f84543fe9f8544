"""Columns of relations: picking, adding and comparing them while a plan is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.plan.free import free_in
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.relation import AggregateCall, Map, Project, Relation, column
from holdfast.plan.scalar import Call, Column, Constant, Scalar, Subquery, children, null, transform
from holdfast.plan.types import BOOL


def appended(relation: Relation, scalars: Sequence[Scalar]) -> Relation:
    return Map(relation, tuple(scalars)) if scalars else relation


def with_column(relation: Relation, scalar: Scalar) -> tuple[Relation, int]:
    """The relation with a column that is the scalar, and which that is: perhaps one that was there."""
    if isinstance(scalar, Column):
        return relation, scalar.index
    return Map(relation, (scalar,)), width_of(relation)


def projected(relation: Relation, outputs: Sequence[int]) -> Relation:
    wanted = tuple(outputs)
    return relation if wanted == tuple(range(len(relation.columns))) else Project(relation, wanted)


def columns_at(relation: Relation, places: Sequence[int]) -> list[Column]:
    return [column(relation, place) for place in places]


def width_of(relation: Relation) -> int:
    return len(relation.columns)


def is_same(left: Scalar, right: Scalar) -> Scalar:
    """Equality for which null is a value like others."""
    return Call(FUNCTIONS["is_not_distinct"][0], (left, right), BOOL, False)


def all_same(left: Relation, ours: Sequence[int], right: Relation, theirs: Sequence[int]) -> tuple[Scalar, ...]:
    """That some columns of `left` are those of `right`, as predicates over both side by side."""
    shift = width_of(left)
    found = []
    for our, their in zip(ours, theirs, strict=True):
        other = right.columns[their]
        found.append(is_same(column(left, our), Column(shift + their, other.type, other.nullable)))
    return tuple(found)


def is_null(scalar: Scalar) -> Scalar:
    return Call(FUNCTIONS["is_null"][0], (scalar,), BOOL, False)


def is_not_null(scalar: Scalar) -> Scalar:
    return Call(FUNCTIONS["is_not_null"][0], (scalar,), BOOL, False)


def is_null_constant(scalar: Scalar) -> bool:
    return isinstance(scalar, Constant) and scalar.value is None


def own_columns(scalar: Scalar) -> set[int]:
    """The columns a scalar reads, also from inside of its queries."""
    if isinstance(scalar, Column):
        return {scalar.index}
    found: set[int] = set()
    for part in children(scalar):
        found |= own_columns(part)
    if isinstance(scalar, Subquery):
        found |= {index for level, index in free_in(scalar.relation) if level == 1}
    return found


def may_fail(scalar: Scalar) -> bool:
    fails = isinstance(scalar, Subquery) or (isinstance(scalar, Call) and scalar.function.fails)
    return fails or any(may_fail(part) for part in children(scalar))


def replaced(scalar: Scalar, start: int, where: Mapping[int, int]) -> Scalar:
    def place(part: Scalar) -> Scalar:
        return Column(where[start + part.index], part.type, part.nullable) if isinstance(part, Column) else part

    return transform(scalar, place)


def moved_right(scalar: Scalar, before: int) -> Scalar:
    """The scalar after one more column has come to the left side, which had `before` of them."""

    def place(part: Scalar) -> Scalar:
        if isinstance(part, Column) and part.index >= before:
            return Column(part.index + 1, part.type, part.nullable)
        return part

    return transform(scalar, place)


def empty_value(call: AggregateCall) -> Constant:
    """What an aggregate is over no rows."""
    return null(call.type) if call.function.null_when_empty else Constant(0, call.type)
