"""Which changes of what it reads a program has a use for: of many that come at once, all others are left out.

A row that a filter drops, or that finds no other where it is joined, makes nothing of the view and its states. Where
columns tell so, it is told of all rows at once, and sooner than a step looks at each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.delta.looked_at import looked_at
from holdfast.compute.delta.normal import normal
from holdfast.compute.delta.program import Lookup, Program
from holdfast.compute.delta.step import Found
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.evaluate.columns import is_columnar, true_in
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.compute.evaluate.sorting import SAME_ORDER
from holdfast.plan.relation import (
    Columns,
    Filter,
    Get,
    Join,
    Map,
    Negate,
    Project,
    Relation,
    SemiJoin,
    Union,
    inputs,
)
from holdfast.plan.rewrite.infer_predicates import equal_columns
from holdfast.plan.scalar import Column, Scalar, columns_of, moved
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch

MANY = 4096
"""Updates from which on it is worth it."""

_Source: TypeAlias = tuple[str, int]
"""A column of a collection."""

_Pair: TypeAlias = tuple[int, _Source]
"""A column, and one of a collection that must have its value somewhere."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A row is of no use unless `other` has one whose `columns` have the values of its `own`."""

    other: str
    columns: tuple[int, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A row of a collection, which has these `columns`, is of no use unless all this is true of it."""

    columns: Columns
    predicates: tuple[Scalar, ...]
    links: tuple[Link, ...]


Sieve: TypeAlias = Mapping[str, Use]
"""By the names of inputs."""


def sieve_of(program: Program) -> Sieve:
    """What must be true of rows wherever the view or a state of it reads them."""
    walk = _Walk()
    for relation in (program.plan.relation, *(state.relation for state in program.states)):
        walk.visit(normal(relation), _NOTHING)
    looked, lookups = looked_at(program), _lookups(program)
    predicates = {
        name: tuple(each for each in walk.found[name].predicates if is_columnar(each, columns))
        for name, columns in program.inputs.items()
    }
    read = {name: frozenset[int]().union(*map(columns_of, found)) for name, found in predicates.items()}
    known = [(other, places) for other, places in lookups if read[other] <= looked[other]]
    return {
        name: Use(columns, predicates[name], tuple(_links(walk.found[name].pairs, known)))
        for name, columns in program.inputs.items()
    }


def sifted(
    sieve: Sieve,
    changes: Mapping[str, UpdateBatch],
    arranged: Mapping[str, Found],
    lower: Timestamp,
    most: int | None = None,
) -> dict[str, UpdateBatch]:
    """The changes in a step from `lower` on that may be of use. If that is more than `most`, `TooManyRows` is raised.

    What is left out of one leaves less for others to be joined with, so the smallest is looked at first.
    """
    if sum(batch.rows for batch in changes.values()) <= MANY:
        _check(changes.values(), most)
        return dict(changes)
    kept = {name: _where(sieve[name], batch) for name, batch in changes.items()}
    _check((batch for name, batch in kept.items() if not sieve[name].links), most)
    for name in sorted(kept, key=lambda name: kept[name].rows):
        for link in sieve[name].links:
            if kept[name].rows:
                kept[name] = _linked(kept[name], link, kept.get(link.other), arranged[link.other], sieve, lower)
    _check(kept.values(), most)
    return kept


def _check(batches: Iterable[UpdateBatch], most: int | None) -> None:
    if most is not None and sum(batch.rows for batch in batches) > most:
        raise TooManyRows


def _where(use: Use, batch: UpdateBatch) -> UpdateBatch:
    mask = true_in(use.predicates, batch.table, use.columns) if use.predicates and batch.rows else None
    return batch if mask is None else UpdateBatch(batch.row_type, batch.table.filter(mask))


def _linked(
    batch: UpdateBatch, link: Link, changed: UpdateBatch | None, before: Found, sieve: Sieve, lower: Timestamp
) -> UpdateBatch:
    """The updates that find a row of the other collection, before the step or among what `changed` in it."""
    own = [batch.table.column(place) for place in link.own]
    keys = [own[0].unique()] if len(own) == 1 else own
    found = [_where(sieve[link.other], before.lookup(link.columns, keys, lower))]
    found += [] if changed is None else [changed]
    masks = [
        pc.is_in(column, _values(found, place), skip_nulls=True)
        for column, place in zip(own, link.columns, strict=True)
    ]
    return UpdateBatch(batch.row_type, batch.table.filter(reduce(pc.and_, masks)))


def _values(found: Sequence[UpdateBatch], place: int) -> pa.Array:
    columns = [batch.table.column(place) for batch in found]
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type).unique()


def _lookups(program: Program) -> set[tuple[str, tuple[int, ...]]]:
    """By which columns of inputs things are looked up anyway: for others there is no index."""
    return {
        (stage.source, tuple(sorted(stage.columns)))
        for stage in program.stages
        if isinstance(stage, Lookup) and stage.source in program.inputs and stage.columns
    }


def _links(pairs: Iterable[_Pair], lookups: Iterable[tuple[str, tuple[int, ...]]]) -> list[Link]:
    own = dict(sorted(((source, place) for place, source in pairs), reverse=True))
    found = []
    for other, columns in sorted(lookups):
        places = tuple(own[other, column] for column in columns if (other, column) in own)
        if len(places) == len(columns):
            found.append(Link(other, columns, places))
    return found


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What must be true of the rows of a relation: predicates, and where their values must be found."""

    predicates: frozenset[Scalar]
    pairs: frozenset[_Pair]

    def moved(self, places: Mapping[int, int]) -> _Wanted:
        """The same of rows that have some of the columns, in other places."""
        return _Wanted(
            frozenset(moved(each, places.__getitem__) for each in self.predicates if columns_of(each) <= places.keys()),
            frozenset((places[place], source) for place, source in self.pairs if place in places),
        )

    def and_also(self, other: _Wanted) -> _Wanted:
        return _Wanted(self.predicates | other.predicates, self.pairs | other.pairs)

    def common(self, other: _Wanted) -> _Wanted:
        return _Wanted(self.predicates & other.predicates, self.pairs & other.pairs)


_NOTHING = _Wanted(frozenset(), frozenset())


class _Walk:
    """`found` is what must be true of rows of each collection wherever it is read.

    Nothing that may fail is passed on the way down: that it does fail must not depend on what is above it.
    """

    def __init__(self) -> None:
        self.found: dict[str, _Wanted] = {}

    def visit(self, relation: Relation, wanted: _Wanted) -> None:
        match relation:
            case Get():
                known = self.found.get(relation.name)
                self.found[relation.name] = wanted if known is None else wanted.common(known)
            case Filter() if not any(map(can_fail, relation.predicates)):
                self.visit(relation.input, wanted.and_also(_said(relation.predicates)))
            case Map() if not any(map(can_fail, relation.scalars)):
                width = len(relation.input.columns)
                places = {place: place for place in range(width)}
                copies = {width + n: each.index for n, each in enumerate(relation.scalars) if isinstance(each, Column)}
                self.visit(relation.input, wanted.moved(places | copies))
            case Project():
                self.visit(relation.input, wanted.moved(dict(enumerate(relation.outputs))))
            case Negate():
                self.visit(relation.input, wanted)
            case Union():
                for part in relation.inputs:
                    self.visit(part, wanted)
            case Join() if not any(map(can_fail, relation.predicates)):
                parts = relation.inputs
                wanted = wanted.and_also(_said(relation.predicates)).and_also(_equated(parts, relation.predicates))
                self._visit_parts(parts, [wanted] * len(parts))
            case SemiJoin() if not any(map(can_fail, relation.predicates)):
                both = relation.left, relation.right
                own = _said(relation.predicates).and_also(_equated(both, relation.predicates))
                self._visit_parts(both, [wanted if relation.anti else wanted.and_also(own), own])
            case _:
                for part in inputs(relation):
                    self.visit(part, _NOTHING)

    def _visit_parts(self, parts: Sequence[Relation], wanted: Sequence[_Wanted]) -> None:
        start = 0
        for part, each in zip(parts, wanted, strict=True):
            own = range(start, start + len(part.columns))
            self.visit(part, each.moved({place: place - start for place in own}))
            start = own.stop


def _said(predicates: Iterable[Scalar]) -> _Wanted:
    return _Wanted(frozenset(predicates), frozenset())


def _equated(parts: tuple[Relation, ...], predicates: Iterable[Scalar]) -> _Wanted:
    """Where the values of columns must be found that equal others of a join."""
    both = Join(parts)
    sources = [
        (number, _source(part, place)) for number, part in enumerate(parts) for place in range(len(part.columns))
    ]
    return _Wanted(
        frozenset(),
        frozenset(
            (place, source)
            for place, members in equal_columns(predicates, both).items()
            if both.columns[place].type.base in SAME_ORDER
            for number, source in map(sources.__getitem__, members)
            if source is not None and number != sources[place][0]
        ),
    )


def _source(relation: Relation, place: int) -> _Source | None:
    """The column of a collection that a column is, in some of its rows."""
    match relation:
        case Get():
            return relation.name, place
        case Filter():
            return _source(relation.input, place)
        case Project():
            return _source(relation.input, relation.outputs[place])
        case Map() if place < len(relation.input.columns):
            return _source(relation.input, place)
        case Map():
            scalar = relation.scalars[place - len(relation.input.columns)]
            return _source(relation.input, scalar.index) if isinstance(scalar, Column) else None
        case SemiJoin() if place < len(relation.columns):
            return _source(relation.left, place)
    return None
