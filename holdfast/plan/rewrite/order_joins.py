"""Inner joins become one join of many inputs, in an order in which each is tied to those before it.

A cross product is made only where nothing ties the inputs. Which input comes first, and which next among those that are
tied, follows an estimate of how many rows they have: how much they are filtered, then the order as written.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.relation import Filter, Get, Join, Project, Reduce, Relation, Values, inputs
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
    waiting = list(range(len(parts)))
    # The largest first: those that come after it are looked up for its rows, and smaller.
    first = max(waiting, key=lambda index: (_weight(parts[index]), -index))
    order = [first]
    waiting.remove(first)
    while waiting:
        there = set(order)
        tied = [i for i in waiting if any(i in edge and edge - {i} <= there for edge in equalities)]
        tied = tied or [i for i in waiting if any(i in edge and edge - {i} <= there for edge in others)]
        # Nothing ties any of them: begin anew with one that others are tied to.
        chosen = min(tied or waiting, key=lambda index: (_weight(parts[index]), index))
        order.append(chosen)
        waiting.remove(chosen)
    return order


def _is_equality(predicate: Scalar) -> bool:
    if not isinstance(predicate, Call) or predicate.function.name not in ("=", "is_not_distinct"):
        return False
    return all(isinstance(argument, Column) or columns_of(argument) for argument in predicate.arguments)


def _weight(relation: Relation) -> float:
    """A guess at how many rows there are, in units of a collection."""
    match relation:
        case Values():
            return 0.0
        case Get():
            return 1.0
        case Filter():
            return _weight(relation.input) * 0.3 ** min(len(relation.predicates), 3)
        case Reduce():
            return _weight(relation.input) * (0.3 if relation.keys else 0.0)
        case Join():
            return max(_weight(part) for part in relation.inputs)
    return max((_weight(part) for part in inputs(relation)), default=1.0)
