"""An outer join whose padded rows are all filtered out is an inner join, or an outer join of one side only.

Whether the filter fails for a padded row does not count: as in PostgreSQL, nobody asks once no such row can come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.plan.relation import Filter, Join, OuterJoin, Project, Relation
from holdfast.plan.rewrite.fold_constants import fold
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Constant, Scalar, moved, null, transform


def outer_to_inner(relation: Relation) -> Relation:
    return bottom_up(relation, _changed)


def _changed(relation: Relation) -> Relation:
    if not isinstance(relation, Filter) or not isinstance(relation.input, OuterJoin):
        return relation
    join = relation.input
    left, every = len(join.left.columns), len(join.columns)
    drops_right_padding = _reject(relation.predicates, range(left, every))
    if not join.full:
        return replace(relation, input=_inner(join)) if drops_right_padding else relation
    drops_left_padding = _reject(relation.predicates, range(left))
    if drops_left_padding and drops_right_padding:
        return replace(relation, input=_inner(join))
    if drops_left_padding:
        return replace(relation, input=replace(join, full=False))
    if drops_right_padding:
        return replace(relation, input=_swapped(join))
    return relation


def _inner(join: OuterJoin) -> Relation:
    return Join((join.left, join.right), join.predicates)


def _swapped(join: OuterJoin) -> Relation:
    """A full join without the rows of the left side that nothing matches: the right side's outer join."""
    left, right = len(join.left.columns), len(join.right.columns)
    predicates = (moved(p, lambda i: i + right if i < left else i - left) for p in join.predicates)
    swapped = OuterJoin(join.right, join.left, tuple(predicates))
    return Project(swapped, (*range(right, right + left), *range(right)))


def _reject(predicates: Sequence[Scalar], padded: range) -> bool:
    """Whether some predicate is not true for any row in which these columns are null."""

    def pad(part: Scalar) -> Scalar:
        if isinstance(part, Column):
            return null(part.type) if part.index in padded else part
        if isinstance(part, Call) and part.function.strict and any(map(_is_null, part.arguments)):
            return null(part.type)
        return fold(part)

    results = (transform(predicate, pad) for predicate in predicates)
    return any(isinstance(result, Constant) and result.value is not True for result in results)


def _is_null(scalar: Scalar) -> bool:
    return isinstance(scalar, Constant) and scalar.value is None
