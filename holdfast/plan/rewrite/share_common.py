"""A subplan that occurs more than once is evaluated once, under a name."""

from __future__ import annotations

from collections import Counter
from itertools import count

from holdfast.plan.relation import (
    Distinct,
    FlatMap,
    Join,
    Let,
    LetRec,
    Local,
    OuterJoin,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Window,
    inputs,
)
from holdfast.plan.rewrite.walk import bottom_up

_COSTLY = (Join, OuterJoin, SemiJoin, Reduce, Distinct, TopK, Window, FlatMap, Threshold)
"""Operators whose work is worth doing once. The others are as quick as looking up what they made."""


def share_common(relation: Relation) -> Relation:
    names = (f"shared{number}" for number in count(_first_free(relation)))
    bound: list[tuple[str, Relation]] = []
    while (common := _largest_common(relation)) is not None:
        name = next(names)
        named = Local(name, common.columns)
        relation = _replaced(relation, common, named)
        bound = [(other, _replaced(value, common, named)) for other, value in bound]
        bound.append((name, common))
    # What was named last may be part of what was named before: it must be there first.
    for name, value in bound:
        relation = Let(name, value, relation)
    return relation


def _first_free(relation: Relation) -> int:
    taken = {part.name for part in _operators(relation) if isinstance(part, Let | Local)}
    return next(number for number in count() if f"shared{number}" not in taken)


def _operators(relation: Relation) -> tuple[Relation, ...]:
    """Every operator once, in an order that depends on the plan alone."""
    found: dict[Relation, None] = {}
    waiting = [relation]
    while waiting:
        part = waiting.pop()
        if part not in found:
            found[part] = None
            waiting += inputs(part)
    return tuple(found)


def _largest_common(relation: Relation) -> Relation | None:
    """The largest costly subplan that stands in several places and depends on no name."""
    places: Counter[Relation] = Counter()
    for part in _operators(relation):
        places.update(inputs(part))
    shared = [part for part, times in places.items() if times > 1 and isinstance(part, _COSTLY) and not _names(part)]
    return max(shared, key=lambda part: len(_operators(part)), default=None)


def _names(relation: Relation) -> bool:
    return any(isinstance(part, Local | Let | LetRec) for part in _operators(relation))


def _replaced(relation: Relation, old: Relation, new: Relation) -> Relation:
    return bottom_up(relation, lambda part: new if part is old else part)
