"""Filters move to where their rows come from, past everything that keeps the columns they look at.

PostgreSQL evaluates conditions as early as it can too, so a condition that fails for a row that a join would have
dropped fails there as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from holdfast.plan.relation import (
    Distinct,
    Filter,
    FlatMap,
    Join,
    Let,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    TopK,
    Union,
    Window,
)
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Column, Scalar, columns_of, moved, transform


def push_down_filters(relation: Relation) -> Relation:
    return bottom_up(
        relation, lambda part: _pushed(part.input, part.predicates) if isinstance(part, Filter) else _own(part)
    )


def _own(relation: Relation) -> Relation:
    """The conditions of a join that are about one of its inputs go there."""
    if isinstance(relation, Join) and relation.predicates:
        return _into_join(relation, ())
    if isinstance(relation, OuterJoin) and not relation.full:
        return _into_right(relation)
    if isinstance(relation, SemiJoin):
        return _into_right(relation)
    return relation


def filtered(relation: Relation, predicates: Iterable[Scalar]) -> Relation:
    """The rows of `relation` for which the predicates are true, filtered as early as can be."""
    wanted = tuple(dict.fromkeys(predicates))
    return _pushed(relation, wanted) if wanted else relation


def _pushed(relation: Relation, predicates: Sequence[Scalar]) -> Relation:
    match relation:
        case Filter():
            return filtered(relation.input, (*relation.predicates, *predicates))
        case Project():
            outputs = relation.outputs
            below = [moved(predicate, lambda index: outputs[index]) for predicate in predicates]
            return Project(filtered(relation.input, below), outputs)
        case Map() | FlatMap():
            return _past(relation, predicates, range(len(relation.input.columns)))
        case Distinct():
            return Distinct(filtered(relation.input, predicates))
        case Union():
            return Union(tuple(filtered(part, predicates) for part in relation.inputs))
        case Let():
            return Let(relation.name, relation.value, filtered(relation.body, predicates))
        case TopK():
            return _past(relation, predicates, relation.group)
        case Window():
            return _past(relation, predicates, _partition(relation))
        case Reduce():
            return _past_reduce(relation, predicates)
        case Join():
            return _into_join(relation, predicates)
        case SemiJoin():
            return replace(relation, left=filtered(relation.left, predicates))
        case OuterJoin() if not relation.full:
            return _past_outer_join(relation, predicates)
    return Filter(relation, tuple(predicates))


def _split(predicates: Iterable[Scalar], below: Iterable[int]) -> tuple[list[Scalar], list[Scalar]]:
    """The predicates that look only at the columns `below`, and the others."""
    there = frozenset(below)
    found: tuple[list[Scalar], list[Scalar]] = ([], [])
    for predicate in predicates:
        used = columns_of(predicate)
        found[0 if used and used <= there else 1].append(predicate)
    return found


def _above(relation: Relation, predicates: Sequence[Scalar]) -> Relation:
    return Filter(relation, tuple(predicates)) if predicates else relation


def _past(relation: Map | FlatMap | TopK | Window, predicates: Sequence[Scalar], kept: Iterable[int]) -> Relation:
    """Predicates about the columns `kept`, which are the same below, go below."""
    below, here = _split(predicates, kept)
    return _above(replace(relation, input=filtered(relation.input, below)), here)


def _partition(relation: Window) -> frozenset[int]:
    """The columns that all calls partition by."""
    columns = [frozenset(p.index for p in call.partition if isinstance(p, Column)) for call in relation.calls]
    return frozenset.intersection(*columns) if columns else frozenset()


def _past_reduce(relation: Reduce, predicates: Sequence[Scalar]) -> Relation:
    below, here = _split(predicates, range(len(relation.keys)))

    def on_input(part: Scalar) -> Scalar:
        return relation.keys[part.index] if isinstance(part, Column) else part

    moved_down = [transform(predicate, on_input) for predicate in below]
    return _above(replace(relation, input=filtered(relation.input, moved_down)), here)


def _into_join(relation: Join, predicates: Sequence[Scalar]) -> Relation:
    every = tuple(dict.fromkeys((*relation.predicates, *predicates)))
    parts: list[Relation] = []
    at, rest = 0, list(every)
    for part in relation.inputs:
        end = at + len(part.columns)
        below, rest = _split(rest, range(at, end))
        start = at
        parts.append(filtered(part, [moved(predicate, lambda index: index - start) for predicate in below]))  # noqa: B023
        at = end
    return Join(tuple(parts), tuple(rest))


def _into_right(relation: OuterJoin | SemiJoin) -> Relation:
    """What the condition of an outer or semi-join says of its right side alone, the right side may be without."""
    width = len(relation.left.columns)
    right = range(width, width + len(relation.right.columns))
    below, here = _split(relation.predicates, right)
    if not below:
        return relation
    filtered_right = filtered(relation.right, [moved(predicate, lambda index: index - width) for predicate in below])
    return replace(relation, right=filtered_right, predicates=tuple(here))


def _past_outer_join(relation: OuterJoin, predicates: Sequence[Scalar]) -> Relation:
    below, here = _split(predicates, range(len(relation.left.columns)))
    return _above(replace(relation, left=filtered(relation.left, below)), here)
