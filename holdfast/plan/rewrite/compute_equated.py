"""Inputs of a join that only expressions equate have these as columns, by which rows are found.

What may fail is evaluated for pairs of rows otherwise, once all other conditions hold, so that each row is looked at
with each. As a column it is evaluated for each row of its input, and fails there, as where PostgreSQL joins by hashes.
Inputs that are equated by what cannot fail find each other by that, and nothing else is evaluated before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.plan.columns import may_fail
from holdfast.plan.keys import is_equation
from holdfast.plan.relation import Join, OuterJoin, Project, Relation, SemiJoin
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Scalar, columns_of
from holdfast.plan.widened import Widened, widened


def compute_equated(relation: Relation) -> Relation:
    return bottom_up(relation, _own)


def _own(relation: Relation) -> Relation:
    match relation:
        case Join():
            made = _computed(relation.inputs, relation.predicates)
            return relation if made is None else Project(Join(made.inputs, made.predicates), made.outputs)
        case OuterJoin() | SemiJoin():
            made = _computed((relation.left, relation.right), relation.predicates)
            if made is None:
                return relation
            left, right = made.inputs
            width = len(relation.columns)
            return Project(replace(relation, left=left, right=right, predicates=made.predicates), made.outputs[:width])
    return relation


def _computed(parts: Sequence[Relation], predicates: Sequence[Scalar]) -> Widened | None:
    owner = [number for number, part in enumerate(parts) for _ in part.columns]
    together = _equated(len(parts), predicates, owner)
    # A condition about one input alone is still here if an outer join keeps rows for which it is not true. What those
    # have is not asked then.
    guarded = {own for own in (_owners(each, owner) for each in predicates) if len(own) == 1}
    chosen: dict[Scalar, int] = {}
    for predicate in predicates:
        if not is_equation(predicate) or predicate.function.fails or not may_fail(predicate):
            continue
        sides = [_owners(side, owner) for side in predicate.arguments]
        if any(len(own) != 1 for own in sides) or not guarded.isdisjoint(sides):
            continue
        (one,), (other,) = sides
        if together[one] != together[other]:
            both = zip(predicate.arguments, (one, other), strict=True)
            chosen |= {side: number for side, number in both if may_fail(side)}
    return widened(parts, predicates, chosen) if chosen else None


def _owners(scalar: Scalar, owner: Sequence[int]) -> frozenset[int]:
    """The inputs that a scalar is about."""
    return frozenset(owner[index] for index in columns_of(scalar))


def _equated(count: int, predicates: Sequence[Scalar], owner: Sequence[int]) -> list[int]:
    """For each input a number, which those have in common that find each other by equations that cannot fail."""
    found = list(range(count))
    for predicate in predicates:
        if is_equation(predicate) and not may_fail(predicate):
            same = {found[number] for number in _owners(predicate, owner)}
            found = [min(same) if number in same else number for number in found]
    return found
