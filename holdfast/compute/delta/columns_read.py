"""Which columns of what a relation reads it has a use for: all others may as well be null."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from holdfast.plan.free import scalars
from holdfast.plan.relation import (
    Filter,
    Get,
    Join,
    Local,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Union,
    inputs,
)
from holdfast.plan.scalar import columns_of


def columns_read(relation: Relation, wanted: Collection[int] | None = None) -> dict[str, frozenset[int]]:
    """By the name of each collection, the columns that are read, or some more, so that those `wanted` of the relation
    are right, or all, and which rows there are.
    """
    found: dict[str, frozenset[int]] = {}
    _collect(relation, range(len(relation.columns)) if wanted is None else wanted, found)
    return found


def _collect(relation: Relation, wanted: Collection[int], found: dict[str, frozenset[int]]) -> None:
    used = set().union(*map(columns_of, scalars(relation)))
    match relation:
        case Get() | Local():
            found[relation.name] = found.get(relation.name, frozenset()) | frozenset(wanted)
        case Project():
            _collect(relation.input, {relation.outputs[place] for place in wanted}, found)
        case Filter() | Negate():
            _collect(relation.input, {*wanted, *used}, found)
        case Map():
            width = len(relation.input.columns)
            _collect(relation.input, {*(place for place in wanted if place < width), *used}, found)
        case Union():
            for part in relation.inputs:
                _collect(part, wanted, found)
        case Reduce():
            _collect(relation.input, used, found)
        case Join():
            _split(relation.inputs, {*wanted, *used}, found)
        case SemiJoin():
            _split((relation.left, relation.right), {*wanted, *used}, found)
        case _:
            for part in inputs(relation):
                _collect(part, range(len(part.columns)), found)


def _split(parts: Iterable[Relation], wanted: Collection[int], found: dict[str, frozenset[int]]) -> None:
    """Columns of several relations, one after the other."""
    start = 0
    for part in parts:
        end = start + len(part.columns)
        _collect(part, {place - start for place in wanted if start <= place < end}, found)
        start = end
