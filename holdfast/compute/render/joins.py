"""Joins that Spark cannot run as they are: it has no outer or semi-join on a Python function of both sides.

Whether rows match follows from their values, so equal rows have equal fates, and rows can be told by their values.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.render.internal import SAME, call
from holdfast.compute.render.scalars import calls_python
from holdfast.plan.relation import Distinct, Join, Map, OuterJoin, Project, Relation, SemiJoin, Union, column
from holdfast.plan.scalar import Column, Scalar, children, columns_of, moved, null


def spans_python(predicates: Sequence[Scalar], split: int) -> bool:
    """Whether some Python function looks at columns on both sides of `split`."""
    return any(_spans(predicate, split) for predicate in predicates)


def _spans(scalar: Scalar, split: int) -> bool:
    used = columns_of(scalar)
    if not used or min(used) >= split or max(used) < split:
        return False
    return calls_python(scalar) and (_is_root(scalar) or any(_spans(part, split) for part in children(scalar)))


def _is_root(scalar: Scalar) -> bool:
    """Whether the expression itself is the call of Python, not one of its parts."""
    return not any(calls_python(part) for part in children(scalar))


def outer_by_anti(relation: OuterJoin) -> Relation:
    """The inner join, and what either side has besides, padded."""
    left, right = relation.left, relation.right
    split, width = len(left.columns), len(relation.columns)
    parts: list[Relation] = [Join((left, right), relation.predicates)]
    alone = SemiJoin(left, right, relation.predicates, anti=True)
    parts.append(Map(alone, tuple(null(column.type) for column in right.columns)))
    if relation.full:
        turned = tuple(moved(p, lambda i: i + width - split if i < split else i - split) for p in relation.predicates)
        others = Map(SemiJoin(right, left, turned, anti=True), tuple(null(column.type) for column in left.columns))
        parts.append(Project(others, (*range(width - split, width), *range(width - split))))
    return Union(tuple(parts))


def semi_by_distinct(relation: SemiJoin) -> Relation:
    """The rows of the left side whose values are, or with `anti` are not, among those that match."""
    left = relation.left
    width = len(left.columns)
    matched = Distinct(Project(Join((left, relation.right), relation.predicates), tuple(range(width))))
    same = tuple(
        call(SAME, column(left, index), Column(width + index, c.type, c.nullable))
        for index, c in enumerate(left.columns)
    )
    return SemiJoin(left, matched, same, relation.anti)
