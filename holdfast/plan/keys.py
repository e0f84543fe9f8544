"""Unique keys: sets of columns on which no two rows of a relation agree."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product
from typing import TypeAlias, TypeGuard

from holdfast.plan.node import remembered
from holdfast.plan.relation import (
    Distinct,
    Filter,
    Get,
    Join,
    Let,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    TopK,
    Values,
    Window,
)
from holdfast.plan.scalar import Call, Column, Constant, Scalar

Key: TypeAlias = frozenset[int]
Keys: TypeAlias = frozenset[Key]

_MOST = 8
"""Keys of one relation that are followed."""


@remembered
def unique_keys(relation: Relation) -> Keys:
    """Some keys of a relation. The empty key says that there is at most one row."""
    match relation:
        case Get():
            return frozenset(frozenset(key) for key in relation.keys)
        case Values():
            return frozenset((frozenset[int](),)) if len(relation.rows) <= 1 else frozenset()
        case Filter() | Map() | Window():
            return unique_keys(relation.input)
        case SemiJoin():
            return unique_keys(relation.left)
        case Let():
            return unique_keys(relation.body)
        case Project():
            return _projected(unique_keys(relation.input), relation.outputs)
        case Distinct():
            return _least((*unique_keys(relation.input), frozenset(range(len(relation.columns)))))
        case Reduce():
            return frozenset((frozenset(range(len(relation.keys))),))
        case TopK():
            own = [frozenset(relation.group)] if _is_one(relation.limit) else []
            return _least((*own, *unique_keys(relation.input)))
        case Join():
            return _joined(relation.inputs, relation.predicates)
        case OuterJoin() if not relation.full:
            return _joined((relation.left, relation.right), relation.predicates)
    return frozenset()


def covers(relation: Relation, columns: Iterable[int]) -> bool:
    """Whether no two rows of `relation` agree on the columns."""
    there = frozenset(columns)
    return any(key <= there for key in unique_keys(relation))


def _is_one(limit: Scalar | None) -> bool:
    return isinstance(limit, Constant) and limit.value in (0, 1)


def _projected(keys: Keys, outputs: tuple[int, ...]) -> Keys:
    places = {column: place for place, column in enumerate(outputs)}
    return frozenset(frozenset(places[i] for i in key) for key in keys if key <= places.keys())


def _least(keys: Iterable[Key]) -> Keys:
    """Without keys that hold another, and not too many."""
    ordered = sorted(set(keys), key=lambda key: (len(key), sorted(key)))
    kept: list[Key] = []
    for key in ordered:
        if not any(other <= key for other in kept):
            kept.append(key)
    return frozenset(kept[:_MOST])


def _joined(parts: tuple[Relation, ...], predicates: tuple[Scalar, ...]) -> Keys:
    """A key of each input together; those of inputs whose key the others decide are not needed."""
    shifted: list[list[Key]] = []
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        shifted.append([frozenset(at + i for i in key) for key in unique_keys(part)])
        at += len(part.columns)
    if not all(shifted):
        return _lookups(parts, starts, shifted, predicates)
    combined = (frozenset[int]().union(*choice) for choice in islice(product(*shifted), _MOST * _MOST))
    return _least((*_lookups(parts, starts, shifted, predicates), *combined))


def _lookups(
    parts: tuple[Relation, ...], starts: list[int], keys: list[list[Key]], predicates: tuple[Scalar, ...]
) -> Keys:
    """With two inputs, where equalities give one a whole key, each row of the other is there at most once."""
    if len(parts) != 2:
        return frozenset()
    border = starts[1]
    pairs = [pair for pair in map(equated, predicates) if pair and (pair[0] < border) != (pair[1] < border)]
    found: list[Key] = []
    for side in (0, 1):
        bound = {i for pair in pairs for i in pair if (i >= border) == (side == 1)}
        if any(key <= bound for key in keys[side]):
            found += keys[1 - side]
    return _least(found)


def is_equation(predicate: Scalar) -> TypeGuard[Call]:
    """Whether a predicate says that two values are equal, or neither is there."""
    return isinstance(predicate, Call) and predicate.function.name in ("=", "is_not_distinct")


def equated(predicate: Scalar) -> tuple[int, int] | None:
    """The two columns that a predicate says are equal."""
    if not is_equation(predicate):
        return None
    match predicate.arguments:
        case (Column() as left, Column() as right):
            return left.index, right.index
    return None
