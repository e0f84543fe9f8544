"""Inner joins become one join of many inputs, in an order in which each is tied to those before it.

A cross product is made only where nothing ties the inputs. The first is the first as written: how large collections are
is not known, and who wrote the query may know. Of those that are tied to what is there, the one that is filtered most
comes next, since it leaves the fewest rows for the others; then the order as written.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.relation import Filter, Get, Join, Local, Map, Project, Relation, Values
from holdfast.plan.rewrite.estimate import kept
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Scalar, columns_of, moved


def order_joins(relation: Relation) -> Relation:
    return bottom_up(relation, lambda part: _ordered(part) if isinstance(part, Join) else part)


def _ordered(join: Join) -> Relation:
    parts, predicates, outputs = _flattened(join)
    order = _order(parts, predicates)
    starts = _starts(parts)
    places: dict[int, int] = {}
    at = 0
    for index in order:
        width = len(parts[index].columns)
        places |= {starts[index] + offset: at + offset for offset in range(width)}
        at += width
    tied = tuple(moved(predicate, lambda place: places[place]) for predicate in predicates)
    ordered = Join(tuple(parts[index] for index in order), tied)
    wanted = tuple(places[output] for output in outputs)
    return ordered if wanted == tuple(range(at)) else Project(ordered, wanted)


def _starts(parts: Sequence[Relation]) -> list[int]:
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part.columns)
    return starts


def _flattened(join: Join) -> tuple[list[Relation], list[Scalar], list[int]]:
    """The inputs of a join and of joins among them, all predicates over them side by side, and the join's columns."""
    parts: list[Relation] = []
    predicates: list[Scalar] = []
    outputs: list[int] = []
    at = 0
    for part in join.inputs:
        inner, kept = (part.input, part.outputs) if isinstance(part, Project) else (part, None)
        if isinstance(inner, Join):
            start = at
            parts += inner.inputs
            predicates += [moved(predicate, lambda index: index + start) for predicate in inner.predicates]  # noqa: B023
            outputs += [at + index for index in (kept if kept is not None else range(len(inner.columns)))]
            at += len(inner.columns)
        else:
            parts.append(part)
            outputs += range(at, at + len(part.columns))
            at += len(part.columns)
    predicates += [moved(predicate, lambda index: outputs[index]) for predicate in join.predicates]
    return parts, list(dict.fromkeys(predicates)), outputs


def _order(parts: Sequence[Relation], predicates: Sequence[Scalar]) -> list[int]:
    owner = [index for index, part in enumerate(parts) for _ in part.columns]
    touched = [frozenset(owner[column] for column in columns_of(predicate)) for predicate in predicates]
    equalities = [t for t, predicate in zip(touched, predicates, strict=True) if _is_equality(predicate) and len(t) > 1]
    others = [t for t in touched if len(t) > 1]
    order, waiting = [0], list(range(1, len(parts)))
    while waiting:
        there = set(order)
        tied = [i for i in waiting if any(i in edge and edge - {i} <= there for edge in equalities)]
        tied = tied or [i for i in waiting if any(i in edge and edge - {i} <= there for edge in others)]
        # Nothing ties any of them: begin anew with one that others are tied to.
        chosen = min(tied or waiting, key=lambda index: (_kept(parts[index]), index))
        order.append(chosen)
        waiting.remove(chosen)
    return order


def _is_equality(predicate: Scalar) -> bool:
    if not isinstance(predicate, Call) or predicate.function.name not in ("=", "is_not_distinct"):
        return False
    return all(isinstance(argument, Column) or columns_of(argument) for argument in predicate.arguments)


def _kept(relation: Relation) -> float:
    """How much is left of a collection. What is computed of others is not looked into, and comes as written."""
    below = relation
    while isinstance(below, Filter | Map | Project):
        below = below.input
    return kept(relation) if isinstance(below, Get | Local | Values) else 1.0
