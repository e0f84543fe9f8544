"""Which changes of what it reads a program has a use for: of many that come at once, all others are left out.

A row that a filter drops, or that finds no other where it is joined, makes nothing of the view and its states. Where
columns tell so, it is told of all rows at once, and sooner than a step looks at each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
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
from holdfast.repr.row import DIFF
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
) -> tuple[Mapping[str, UpdateBatch], Mapping[str, Found]]:
    """The changes in a step from `lower` on that may be of use, and what finds of all that was before only what may be.

    If there are more than `most` such changes, `TooManyRows` is raised.
    """
    if sum(batch.rows for batch in changes.values()) <= MANY:
        _check(changes.values(), most)
        return changes, arranged
    sifting = _Sifting(sieve, changes, arranged, lower)
    _check((batch for name, batch in sifting.kept.items() if not sieve[name].links), most)
    sifting.ask_others()
    _check(sifting.kept.values(), most)
    return sifting.kept, {
        name: _Useful(found, partial(sifting.useful, name)) if name in sieve else found
        for name, found in arranged.items()
    }


@dataclass(frozen=True, slots=True)
class _Useful:
    """Of what is looked up, if it is much, what may be of `use`."""

    found: Found
    use: Callable[[UpdateBatch], UpdateBatch]

    @property
    def rows(self) -> int:
        return self.found.rows

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch:
        updates = self.found.lookup(columns, keys, before)
        return updates if updates.rows <= MANY else self.use(_present(updates, columns))

    def all(self, before: Timestamp) -> UpdateBatch:
        return self.found.all(before)

    def due(self, column: int, until: int, before: Timestamp) -> UpdateBatch:
        return self.found.due(column, until, before)

    def earliest(self, column: int, before: Timestamp) -> int | None:
        return self.found.earliest(column, before)


def _check(batches: Iterable[UpdateBatch], most: int | None) -> None:
    if most is not None and sum(batch.rows for batch in batches) > most:
        raise TooManyRows


class _Sifting:
    """`kept` are the changes that may still be of use. All that is of use is among them at any time, so what others
    find there and before the step is all that they can be joined with.
    """

    def __init__(
        self, sieve: Sieve, changes: Mapping[str, UpdateBatch], arranged: Mapping[str, Found], lower: Timestamp
    ) -> None:
        self._sieve, self._arranged, self._lower = sieve, arranged, lower
        self.kept = {name: self._where(name, batch) for name, batch in changes.items()}

    def ask_others(self) -> None:
        """Leave out what finds nothing: in what did not change first, then in each other, from the smallest on."""
        for name in self.kept:
            self._ask(name, (link for link in self._sieve[name].links if link.other not in self.kept))
        for name in sorted(self.kept, key=lambda name: self.kept[name].rows):
            self._ask(name, (link for link in self._sieve[name].links if link.other in self.kept))

    def _ask(self, name: str, links: Iterable[Link]) -> None:
        for link in links:
            self.kept[name] = self._linked(self.kept[name], link)

    def _where(self, name: str, batch: UpdateBatch) -> UpdateBatch:
        use = self._sieve[name]
        if not use.predicates or not batch.rows:
            return batch
        return UpdateBatch(batch.row_type, batch.table.filter(true_in(use.predicates, batch.table, use.columns)))

    def _linked(self, batch: UpdateBatch, link: Link) -> UpdateBatch:
        """The updates that find a row of the other collection, before the step or among what changes in it."""
        if not batch.rows:
            return batch
        own = [batch.table.column(place) for place in link.own]
        keys = [own[0].unique()] if len(own) == 1 else own
        before = self._arranged[link.other].lookup(link.columns, keys, self._lower)
        found = [self.useful(link.other, _present(before, link.columns))]
        found += [self.kept[link.other]] if link.other in self.kept else []
        masks = [
            pc.is_in(column, _values(found, place), skip_nulls=True)
            for column, place in zip(own, link.columns, strict=True)
        ]
        return UpdateBatch(batch.row_type, batch.table.filter(reduce(pc.and_, masks)))

    def useful(self, name: str, updates: UpdateBatch) -> UpdateBatch:
        """Those of the updates of a collection before the step that may be of use.

        They are asked for what they find in smaller collections: of these, few rows go with each, as a rule.
        """
        found = self._where(name, updates)
        for link in self._sieve[name].links:
            if self._arranged[link.other].rows < self._arranged[name].rows:
                found = self._linked(found, link)
        return found


def _present(updates: UpdateBatch, columns: tuple[int, ...]) -> UpdateBatch:
    """Without those of the values in a column that no row has: none is there less than zero times."""
    table = updates.table
    if len(columns) != 1 or not updates.rows or pc.min(table[DIFF]).as_py() > 0:
        return updates
    (place,) = columns
    name, type_ = table.column_names[place], table.schema.field(place).type
    if not (pa.types.is_integer(type_) or pa.types.is_string(type_) or pa.types.is_temporal(type_)):
        return updates
    totals = table.select([name, DIFF]).group_by(name).aggregate([(DIFF, "sum")])
    gone = totals.filter(pc.equal(totals[f"{DIFF}_sum"], 0))[name]
    return UpdateBatch(updates.row_type, table.filter(pc.invert(pc.is_in(table[name], gone))))


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
            case Filter() if _are_sure(relation.predicates, relation.columns):
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
            case Join() if _are_sure(relation.predicates, relation.columns):
                parts = relation.inputs
                wanted = wanted.and_also(_said(relation.predicates)).and_also(_equated(parts, relation.predicates))
                self._visit_parts(parts, [wanted] * len(parts))
            case SemiJoin() if _are_sure(relation.predicates, Join((relation.left, relation.right)).columns):
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


def _are_sure(predicates: Iterable[Scalar], columns: Columns) -> bool:
    """Whether none can fail; of those that sometimes can, Arrow knows only such as do not."""
    return all(not can_fail(each) or is_columnar(each, columns) for each in predicates)


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
