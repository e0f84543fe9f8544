"""The columns of outer queries that a relation or a scalar refers to."""

from __future__ import annotations

from typing import TypeAlias

from holdfast.plan.node import remembered
from holdfast.plan.relation import (
    AggregateCall,
    Apply,
    Filter,
    FlatMap,
    Join,
    Map,
    OuterJoin,
    Reduce,
    Relation,
    SemiJoin,
    TopK,
    Window,
    WindowCall,
    inputs,
)
from holdfast.plan.scalar import Outer, Scalar, Subquery, children

Free: TypeAlias = frozenset[tuple[int, int]]
"""Levels and positions of outer columns: level 1 is the row of the nearest query around."""

NONE: Free = frozenset()


def _inner(free: Free) -> Free:
    """What of a query's outer columns is still outer for the query around it."""
    return frozenset((level - 1, index) for level, index in free if level > 1)


@remembered
def free_in(relation: Relation) -> Free:
    if isinstance(relation, Apply):
        found = free_in(relation.left) | _inner(free_in(relation.right))
    else:
        found = NONE.union(*(free_in(part) for part in inputs(relation)))
    return found.union(*(free_in_scalar(scalar) for scalar in scalars(relation)))


def free_in_scalar(scalar: Scalar) -> Free:
    if isinstance(scalar, Outer):
        return frozenset(((scalar.level, scalar.index),))
    found = NONE.union(*(free_in_scalar(part) for part in children(scalar)))
    if isinstance(scalar, Subquery):
        found |= _inner(free_in(scalar.relation))
    return found


def holds_query(scalar: Scalar) -> bool:
    """Whether a query stands somewhere in the scalar."""
    return isinstance(scalar, Subquery) or any(holds_query(part) for part in children(scalar))


def scalars(relation: Relation) -> tuple[Scalar, ...]:
    """All scalars of one operator."""
    match relation:
        case Map():
            return relation.scalars
        case Filter() | Join() | OuterJoin() | SemiJoin() | Apply():
            return relation.predicates
        case FlatMap():
            return relation.arguments
        case Reduce():
            return (*relation.keys, *(part for call in relation.aggregates for part in _of_aggregate(call)))
        case TopK():
            bounds = tuple(bound for bound in (relation.limit, relation.offset) if bound is not None)
            return (*(key.expression for key in relation.order), *bounds)
        case Window():
            return tuple(part for call in relation.calls for part in _of_window(call))
    return ()


def _of_aggregate(call: AggregateCall) -> tuple[Scalar, ...]:
    counted = () if call.filter is None else (call.filter,)
    return (*call.arguments, *(key.expression for key in call.order), *counted)


def _of_window(call: WindowCall) -> tuple[Scalar, ...]:
    counted = () if call.filter is None else (call.filter,)
    offsets = tuple(bound.offset for bound in (call.frame.start, call.frame.end) if bound.offset is not None)
    return (*call.arguments, *call.partition, *(key.expression for key in call.order), *counted, *offsets)
