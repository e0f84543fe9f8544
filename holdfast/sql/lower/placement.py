"""Placement: putting expressions on the relation that they are computed over.

While expressions are given meanings, their columns are those of FROM, and those beyond for aggregates and their like.
A placement knows where in the row of a relation each of them ended up, and which expressions are columns there already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from holdfast.plan.free import free_in
from holdfast.plan.relation import Map, OrderKey, Project, Relation, column
from holdfast.plan.scalar import Column, Outer, Scalar, Subquery, children, with_children
from holdfast.sql.lower.block import QUERY
from holdfast.sql.lower.outer import change_outer


def _stays(found: Column) -> Column:
    return found


@dataclass(frozen=True, slots=True)
class Placement:
    """`width` is how many columns the row has; `move` is where a column is, and `known` what is a column itself."""

    width: int
    move: Callable[[Column], Column] = _stays
    known: Mapping[Scalar, Column] = field(default_factory=dict)

    def scalar(self, scalar: Scalar) -> Scalar:
        return self._scalar(scalar, self.width)

    def scalars(self, scalars: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return tuple([self._scalar(scalar, self.width) for scalar in scalars])

    def order(self, keys: Sequence[OrderKey]) -> tuple[OrderKey, ...]:
        return tuple([OrderKey(self.scalar(key.expression), key.descending, key.nulls_first) for key in keys])

    def _scalar(self, scalar: Scalar, width: int) -> Scalar:
        if self.known and scalar in self.known:
            return self.known[scalar]
        match scalar:
            case Column():
                if scalar.index >= QUERY:
                    return scalar
                return self.move(scalar)
            case Subquery():
                relation = self._relation(scalar.relation)
                if scalar.predicate is None:
                    return Subquery(scalar.kind, relation, None, scalar.type, scalar.nullable)
                inside = self._scalar(scalar.predicate, width + len(relation.columns))
                return Subquery(scalar.kind, relation, _settled(inside, width), scalar.type, scalar.nullable)
        below = children(scalar)
        if not below:
            return scalar
        parts = tuple([self._scalar(part, width) for part in below])
        if all(new is old for new, old in zip(parts, below, strict=True)):
            return scalar
        return with_children(scalar, parts)

    def _relation(self, relation: Relation) -> Relation:
        """A query inside of an expression, whose nearest outer columns are those that move."""
        if not any(level == 1 for level, _ in free_in(relation)):
            return relation

        def change(outer: Outer, depth: int) -> Scalar:
            if outer.level != depth + 1:
                return outer
            moved = self.move(Column(outer.index, outer.type, outer.nullable))
            return Outer(outer.level, moved.index, moved.type, moved.nullable)

        return change_outer(relation, change)


def _settled(predicate: Scalar, width: int) -> Scalar:
    """The predicate of ANY, where the query's columns follow those of a row of this width."""
    if isinstance(predicate, Column):
        if predicate.index < QUERY:
            return predicate
        return Column(predicate.index - QUERY + width, predicate.type, predicate.nullable)
    if isinstance(predicate, Subquery):
        return predicate
    below = children(predicate)
    return with_children(predicate, tuple([_settled(part, width) for part in below])) if below else predicate


def emit(relation: Relation, scalars: Sequence[Scalar]) -> Relation:
    """The relation whose columns are these scalars over `relation`, which have been placed."""
    width = len(relation.columns)
    if all(isinstance(scalar, Column) for scalar in scalars):
        return projected(relation, [scalar.index for scalar in scalars if isinstance(scalar, Column)])
    added: dict[Scalar, int] = {}
    places: list[int] = []
    for scalar in scalars:
        if isinstance(scalar, Column):
            places.append(scalar.index)
        else:
            places.append(width + added.setdefault(scalar, len(added)))
    return projected(Map(relation, tuple(added)), places)


def projected(relation: Relation, outputs: Sequence[int]) -> Relation:
    """Some columns of the relation, in this order."""
    if list(outputs) == list(range(len(relation.columns))):
        return relation
    if isinstance(relation, Project):
        return Project(relation.input, tuple([relation.outputs[index] for index in outputs]))
    return Project(relation, tuple(outputs))


def with_columns(relation: Relation, scalars: Sequence[Scalar]) -> tuple[Relation, list[Column]]:
    """The relation with these scalars, which have been placed, as columns, and where each of them is."""
    added: dict[Scalar, int] = {}
    width = len(relation.columns)
    for scalar in scalars:
        if not isinstance(scalar, Column):
            added.setdefault(scalar, width + len(added))
    if added:
        relation = Map(relation, tuple(added))
    return relation, [scalar if isinstance(scalar, Column) else column(relation, added[scalar]) for scalar in scalars]
