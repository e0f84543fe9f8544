"""Nothing comes of nothing."""

from __future__ import annotations

from holdfast.plan.relation import (
    Distinct,
    Filter,
    FlatMap,
    Join,
    Map,
    Negate,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Values,
    Window,
)
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import null


def drop_empty(relation: Relation) -> Relation:
    return bottom_up(relation, _dropped)


def _is_empty(relation: Relation) -> bool:
    return isinstance(relation, Values) and not relation.rows


def _dropped(relation: Relation) -> Relation:
    match relation:
        case Reduce() if not relation.keys:
            return relation  # one row, whatever the input has
        case (
            Filter()
            | Map()
            | Project()
            | FlatMap()
            | Reduce()
            | Distinct()
            | TopK()
            | Window()
            | Negate()
            | Threshold()
        ):
            return _nothing(relation) if _is_empty(relation.input) else relation
        case Join():
            return _nothing(relation) if any(_is_empty(part) for part in relation.inputs) else relation
        case SemiJoin():
            return _semi_join(relation)
        case OuterJoin():
            return _outer_join(relation)
    return relation


def _nothing(relation: Relation) -> Relation:
    return Values((), relation.columns)


def _semi_join(relation: SemiJoin) -> Relation:
    if _is_empty(relation.left):
        return _nothing(relation)
    if _is_empty(relation.right):
        return relation.left if relation.anti else _nothing(relation)
    return relation


def _outer_join(relation: OuterJoin) -> Relation:
    if _is_empty(relation.left) and (not relation.full or _is_empty(relation.right)):
        return _nothing(relation)
    if _is_empty(relation.right):
        return Map(relation.left, tuple(null(column.type) for column in relation.right.columns))
    if _is_empty(relation.left):
        width, added = len(relation.right.columns), len(relation.left.columns)
        padded = Map(relation.right, tuple(null(column.type) for column in relation.left.columns))
        return Project(padded, (*range(width, width + added), *range(width)))
    return relation
