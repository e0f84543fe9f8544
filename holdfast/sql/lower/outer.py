"""Changing the outer columns of what has been lowered already, when the rows around it change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from typing import TypeAlias, TypeVar, cast

from holdfast.plan.free import free_in
from holdfast.plan.node import Node
from holdfast.plan.relation import Apply, ColumnType, Get, Local, Relation, Values
from holdfast.plan.scalar import Column, Constant, Outer, Parameter, Scalar, Subquery, children, with_children
from holdfast.plan.types import Type
from holdfast.sql.lower.block import QUERY

Change: TypeAlias = Callable[[Outer, int], Scalar]
"""Takes an outer column that refers out of the whole, and how many levels deep inside of it that stands."""

_N = TypeVar("_N")


def change_outer(whole: _N, change: Change, depth: int = 0) -> _N:
    """The relation, scalar or tuple of them with every free outer column changed.

    A column of the row right around a relation has a level of one more than its depth; a scalar's, of the row around
    the one that it is about, likewise.
    """
    if isinstance(whole, Outer):
        return cast(_N, change(whole, depth)) if whole.level > depth else whole
    if isinstance(whole, tuple):
        changed = tuple([change_outer(part, change, depth) for part in whole])
        same = all(new is old for new, old in zip(changed, whole, strict=True))
        return whole if same else cast(_N, changed)
    if not isinstance(whole, Node) or isinstance(
        whole, Type | ColumnType | Constant | Parameter | Column | Values | Get | Local
    ):
        return whole
    if isinstance(whole, Subquery):
        relation = _in_relation(whole.relation, change, depth + 1)
        predicate = None if whole.predicate is None else change_outer(whole.predicate, change, depth)
        return cast(_N, Subquery(whole.kind, relation, predicate, whole.type, whole.nullable))
    if isinstance(whole, Apply):
        return cast(
            _N,
            Apply(
                change_outer(whole.left, change, depth),
                _in_relation(whole.right, change, depth + 1),
                change_outer(whole.predicates, change, depth),
                whole.outer,
            ),
        )
    return cast(_N, _generic(whole, change, depth))


def _generic(node: Node, change: Change, depth: int) -> Node:
    names = _field_names(type(node))
    before = tuple([getattr(node, name) for name in names])
    after = tuple([change_outer(value, change, depth) for value in before])
    if all(new is old for new, old in zip(after, before, strict=True)):
        return node
    return type(node)(*after)


@lru_cache(maxsize=256)
def _field_names(cls: type[Node]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))  # type: ignore[arg-type]  # every class of nodes is a dataclass


def _in_relation(relation: Relation, change: Change, depth: int) -> Relation:
    if not any(level > depth for level, _ in free_in(relation)):
        return relation
    return change_outer(relation, change, depth)


def without_level(relation: Relation) -> Relation:
    """The relation where the row right around it is gone, which it does not refer to."""

    def nearer(outer: Outer, _: int) -> Scalar:
        return Outer(outer.level - 1, outer.index, outer.type, outer.nullable)

    return _in_relation(relation, nearer, 0)


def raised(scalar: Scalar, levels: int) -> Scalar:
    """The scalar about the row that is `levels` out, which must be the nearest it refers to."""

    def nearer(outer: Outer, depth: int) -> Scalar:
        level = outer.level - levels
        if level > depth:
            return Outer(level, outer.index, outer.type, outer.nullable)
        if depth:
            return Outer(depth, outer.index, outer.type, outer.nullable)
        return Column(outer.index, outer.type, outer.nullable)

    return change_outer(scalar, nearer)


def lowered(scalar: Scalar) -> Scalar:
    """The scalar as it reads one level further in: its columns are those of the row around."""
    match scalar:
        case Column():
            return scalar if scalar.index >= QUERY else Outer(1, scalar.index, scalar.type, scalar.nullable)
        case Outer():
            return _further(scalar, 0)
        case Subquery():
            predicate = None if scalar.predicate is None else lowered(scalar.predicate)
            relation = change_outer(scalar.relation, _further)
            return Subquery(scalar.kind, relation, predicate, scalar.type, scalar.nullable)
    return with_children(scalar, tuple([lowered(part) for part in children(scalar)]))


def _further(outer: Outer, _: int) -> Scalar:
    return Outer(outer.level + 1, outer.index, outer.type, outer.nullable)
