"""Plans with some of their parts replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from holdfast.plan.free import free_in
from holdfast.plan.relation import (
    AggregateCall,
    Apply,
    Distinct,
    Filter,
    FlatMap,
    Frame,
    FrameBound,
    Get,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Project,
    Recursive,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.scalar import Outer, Scalar, Subquery, transform


def outer_moved(relation: Relation, level: int, places: Callable[[int], int]) -> Relation:
    """The relation with the outer columns of a level at other positions."""

    def scalar(part: Scalar) -> Scalar:
        if isinstance(part, Outer) and part.level == level:
            return Outer(part.level, places(part.index), part.type, part.nullable)
        if isinstance(part, Subquery):
            return Subquery(
                part.kind, outer_moved(part.relation, level + 1, places), part.predicate, part.type, part.nullable
            )
        return part

    return rebuilt(
        relation,
        lambda below, deeper: outer_moved(below, level + deeper, places),
        lambda part: transform(part, scalar),
    )


def inlined(body: Relation, name: str, value: Relation) -> Relation:
    """`body` with `value` wherever it has `Local(name)`, at any depth."""
    return _inlined_at(body, name, value, 0)


def _inlined_at(body: Relation, name: str, value: Relation, depth: int) -> Relation:
    if isinstance(body, Local):
        return deepened(value, depth) if body.name == name else body

    def scalar(part: Scalar) -> Scalar:
        if isinstance(part, Subquery):
            below = _inlined_at(part.relation, name, value, depth + 1)
            return Subquery(part.kind, below, part.predicate, part.type, part.nullable)
        return part

    return rebuilt(
        body,
        lambda below, deeper: _inlined_at(below, name, value, depth + deeper),
        lambda part: transform(part, scalar),
    )


def deepened(relation: Relation, by: int, at: int = 1) -> Relation:
    """The relation where it stands `by` queries deeper: outer columns from level `at` on are as much further out."""
    if not by or not free_in(relation):
        return relation

    def scalar(part: Scalar) -> Scalar:
        if isinstance(part, Outer) and part.level >= at:
            return Outer(part.level + by, part.index, part.type, part.nullable)
        if isinstance(part, Subquery):
            below = deepened(part.relation, by, at + 1)
            return Subquery(part.kind, below, part.predicate, part.type, part.nullable)
        return part

    return rebuilt(
        relation,
        lambda below, deeper: deepened(below, by, at + deeper),
        lambda part: transform(part, scalar),
    )


def rebuilt(
    relation: Relation, below: Callable[[Relation, int], Relation], scalar: Callable[[Scalar], Scalar]
) -> Relation:
    """The relation with other inputs and scalars. `below` is told by how many queries deeper an input stands."""
    match relation:
        case Values() | Get() | Local():
            return relation
        case Map():
            return Map(below(relation.input, 0), tuple(map(scalar, relation.scalars)))
        case Filter():
            return Filter(below(relation.input, 0), tuple(map(scalar, relation.predicates)))
        case FlatMap():
            arguments = tuple(map(scalar, relation.arguments))
            return replace(relation, input=below(relation.input, 0), arguments=arguments)
        case Join():
            parts = tuple(below(part, 0) for part in relation.inputs)
            return Join(parts, tuple(map(scalar, relation.predicates)))
        case Union():
            return Union(tuple(below(part, 0) for part in relation.inputs))
        case OuterJoin() | SemiJoin():
            left, right = below(relation.left, 0), below(relation.right, 0)
            predicates = tuple(map(scalar, relation.predicates))
            if isinstance(relation, OuterJoin):
                return OuterJoin(left, right, predicates, relation.full)
            return SemiJoin(left, right, predicates, relation.anti)
        case Apply():
            left, right = below(relation.left, 0), below(relation.right, 1)
            return replace(relation, left=left, right=right, predicates=tuple(map(scalar, relation.predicates)))
        case Reduce():
            calls = tuple(aggregate_with(call, scalar) for call in relation.aggregates)
            return Reduce(below(relation.input, 0), tuple(map(scalar, relation.keys)), calls)
        case TopK():
            order = tuple(OrderKey(scalar(key.expression), key.descending, key.nulls_first) for key in relation.order)
            limit = None if relation.limit is None else scalar(relation.limit)
            offset = None if relation.offset is None else scalar(relation.offset)
            return TopK(below(relation.input, 0), relation.group, order, limit, offset)
        case Window():
            return Window(below(relation.input, 0), tuple(window_with(call, scalar) for call in relation.calls))
        case Let():
            return Let(relation.name, below(relation.value, 0), below(relation.body, 0))
        case LetRec():
            bindings = tuple(Recursive(b.name, below(b.value, 0), b.columns) for b in relation.bindings)
            return replace(relation, bindings=bindings, body=below(relation.body, 0))
        case Project():
            return Project(below(relation.input, 0), relation.outputs)
        case Distinct() | Negate() | Threshold():
            return type(relation)(below(relation.input, 0))


def aggregate_with(call: AggregateCall, scalar: Callable[[Scalar], Scalar]) -> AggregateCall:
    arguments = tuple(map(scalar, call.arguments))
    counted = None if call.filter is None else scalar(call.filter)
    order = tuple(OrderKey(scalar(key.expression), key.descending, key.nulls_first) for key in call.order)
    return AggregateCall(call.function, arguments, call.type, call.nullable, call.distinct, counted, order)


def window_with(call: WindowCall, scalar: Callable[[Scalar], Scalar]) -> WindowCall:
    frame = call.frame
    return replace(
        call,
        arguments=tuple(map(scalar, call.arguments)),
        partition=tuple(map(scalar, call.partition)),
        order=tuple(replace(key, expression=scalar(key.expression)) for key in call.order),
        frame=Frame(frame.unit, _frame_bound(frame.start, scalar), _frame_bound(frame.end, scalar), frame.exclude),
        filter=None if call.filter is None else scalar(call.filter),
    )


def _frame_bound(bound: FrameBound, scalar: Callable[[Scalar], Scalar]) -> FrameBound:
    return bound if bound.offset is None else FrameBound(bound.kind, scalar(bound.offset))
