"""The first rows of the first rows are fewer first rows; rows counted and then cut are the first rows."""

from __future__ import annotations

from dataclasses import replace

from holdfast.plan.functions.registry import WINDOWS
from holdfast.plan.relation import Filter, Frame, Relation, TopK, Window, WindowCall
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Constant, Scalar
from holdfast.plan.types import INT8


def fuse_topk(relation: Relation) -> Relation:
    return bottom_up(relation, _fused)


def _fused(relation: Relation) -> Relation:
    match relation:
        case TopK(input=TopK() as lower) if _same_groups(relation, lower):
            return _smaller(relation, lower)
        case Filter(input=Window() as window):
            return _counted(relation, window)
    return relation


def _same_groups(upper: TopK, lower: TopK) -> bool:
    return (upper.group, upper.order) == (lower.group, lower.order) and upper.offset is None and lower.offset is None


def _smaller(upper: TopK, lower: TopK) -> Relation:
    match upper.limit, lower.limit:
        case Constant(value=int() as first), Constant(value=int() as second) if first >= 0 and second >= 0:
            return replace(lower, limit=Constant(min(first, second), INT8))
    return upper


def _counted(relation: Filter, window: Window) -> Relation:
    """`row_number() <= k`: only the first k rows of each partition need numbers."""
    if len(window.calls) != 1:
        return relation
    call, place = window.calls[0], len(window.input.columns)
    limit = min((k for p in relation.predicates if (k := _bound(p, place)) is not None), default=None)
    if limit is None or not _is_row_number(call):
        return relation
    group = tuple(part.index for part in call.partition if isinstance(part, Column))
    if len(group) != len(call.partition):
        return relation
    first = TopK(window.input, group, call.order, Constant(max(limit, 0), INT8))
    below = window.input
    if isinstance(below, TopK) and (below.group, below.order) == (group, call.order):
        return relation
    return replace(relation, input=replace(window, input=first))


def _is_row_number(call: WindowCall) -> bool:
    return call.function in WINDOWS.get("row_number", ()) and call.frame is Frame() and call.filter is None


def _bound(predicate: Scalar, place: int) -> int | None:
    """k, if the predicate says that the column at `place` is at most k."""
    if not isinstance(predicate, Call) or len(predicate.arguments) != 2:
        return None
    match predicate.function.name, predicate.arguments:
        case (("<=" | "="), (Column(index=index), Constant(value=int() as value))) if index == place:
            return value
        case "<", (Column(index=index), Constant(value=int() as value)) if index == place:
            return value - 1
        case ">=", (Constant(value=int() as value), Column(index=index)) if index == place:
            return value
        case ">", (Constant(value=int() as value), Column(index=index)) if index == place:
            return value - 1
    return None
