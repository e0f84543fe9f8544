"""Unions of unions are one, and what is taken away twice is there."""

from __future__ import annotations

from holdfast.plan.relation import Negate, Relation, Threshold, Union, Values, inputs
from holdfast.plan.rewrite.walk import bottom_up


def fuse_unions(relation: Relation) -> Relation:
    return bottom_up(relation, _fused)


def _fused(relation: Relation) -> Relation:
    match relation:
        case Union():
            return _union(relation)
        case Negate(input=Negate() as twice):
            return twice.input
        case Negate(input=Union() as union):
            return _union(Union(tuple(_fused(Negate(part)) for part in union.inputs)))
        case Negate(input=Values(rows=()) as nothing):
            return nothing
        case Threshold() if not _negates(relation.input):
            return relation.input
    return relation


def _union(relation: Union) -> Relation:
    parts: list[Relation] = []
    for part in relation.inputs:
        parts += part.inputs if isinstance(part, Union) else (part,)
    kept = [part for part in parts if not (isinstance(part, Values) and not part.rows)]
    if not kept:
        return Values((), relation.columns)
    return kept[0] if len(kept) == 1 else Union(tuple(kept))


def _negates(relation: Relation) -> bool:
    """Whether rows may be there less than not at all."""
    if isinstance(relation, Threshold):
        return False
    return isinstance(relation, Negate) or any(_negates(part) for part in inputs(relation))
