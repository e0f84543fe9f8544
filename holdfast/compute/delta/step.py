"""Steps: a program run over the changes in an interval of times; and what a view and its states are from scratch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import pyarrow as pa

from holdfast.compute.delta.clock import at_time
from holdfast.compute.delta.program import Bind, Due, Lookup, Program, Scratch, changes_of
from holdfast.compute.evaluate.multiset import Multiset, union
from holdfast.compute.evaluate.relations import Surroundings, multiset
from holdfast.compute.evaluate.scalars import Row
from holdfast.compute.evaluate.values import from_arrow, table_of, to_arrow
from holdfast.compute.render.signed import with_count
from holdfast.plan.relation import Columns, Plan, Relation
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import Type, arrow_type
from holdfast.repr.consolidate import advance_by, as_of, consolidate
from holdfast.repr.frontier import MAX_TIME, Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

OUTPUT = "output"
"""What plans of hydration call the view itself; states have names of their own."""


class Found(Protocol):
    """The updates of a collection, found by the values of its columns."""

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch: ...

    def all(self, before: Timestamp) -> UpdateBatch: ...

    def due(self, column: int, until: int, before: Timestamp) -> UpdateBatch: ...

    def earliest(self, column: int, before: Timestamp) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Read:
    """What a stage did: how many rows it found or made, and for how many keys."""

    stage: str
    keys: int
    rows: int


@dataclass(frozen=True, slots=True)
class Step:
    """The updates of the view and of its states, consolidated."""

    output: UpdateBatch
    states: Mapping[str, UpdateBatch]
    reads: tuple[Read, ...] = ()


def row_type_of(types: Sequence[Type]) -> RowType:
    """Columns are named by their positions."""
    return RowType(pa.schema([(f"c{index}", arrow_type(type_)) for index, type_ in enumerate(types)]))


def step(
    program: Program,
    changes: Mapping[str, UpdateBatch],
    arranged: Mapping[str, Found],
    lower: Timestamp,
    upper: Timestamp,
    first: Timestamp | None = None,
) -> Step:
    """What happens to the view in [lower, upper), given all that happens to its inputs then.

    What would happen before `first` happens then: a view that was not right in between is right from there on.
    """
    first = lower if first is None else first
    known = {name: consolidate(advance_by(batch, at(first))) for name, batch in changes.items()}
    run = _Run(program, arranged, (lower, upper, first))
    for name, columns in program.inputs.items():
        run.bound[changes_of(name)] = _updates(known.get(name), columns)
    run.stages(known)
    states = {state.name: run.batch(program.writes[state.name], state.types) for state in program.states}
    return Step(run.batch(program.output, program.columns), states, tuple(run.reads))


class _Run:
    def __init__(
        self, program: Program, arranged: Mapping[str, Found], times: tuple[Timestamp, Timestamp, Timestamp]
    ) -> None:
        self._program, self._arranged = program, arranged
        self._lower, self._upper, self._first = times
        self.bound: dict[str, Multiset] = {}
        self.reads: list[Read] = []

    def _rows(self, relation: Relation) -> Multiset:
        return multiset(relation, Surroundings({}, (self._upper, self._first), self.bound))

    def stages(self, changes: Mapping[str, UpdateBatch]) -> None:
        for stage in self._program.stages:
            match stage:
                case Bind():
                    self.bound[stage.name] = self._rows(stage.relation)
                case Lookup():
                    self.bound[stage.name] = self._found(stage)
                case Due():
                    due = self._arranged[stage.source].due(stage.at, self._upper, self._lower)
                    self.bound[stage.name] = self._before(due, stage.of)
                case Scratch():
                    self.bound[stage.name] = self._anew(stage, changes)

    def _found(self, stage: Lookup) -> Multiset:
        keys = self._rows(stage.keys).rows
        if not keys:
            return Multiset([])
        columns = [to_arrow([row[place] for row in keys], key.type) for place, key in enumerate(stage.keys.columns)]
        found = self._arranged[stage.source].lookup(stage.columns, columns, self._lower)
        self.reads.append(Read(stage.source, len(keys), found.rows))
        return self._before(found, stage.of)

    def _before(self, updates: UpdateBatch, columns: Columns) -> Multiset:
        """Updates before the step, in which no row is that has gone: nothing is evaluated for it, which might fail."""
        return _updates(as_of(updates, Timestamp(self._lower - 1)), columns)

    def _anew(self, stage: Scratch, changes: Mapping[str, UpdateBatch]) -> Multiset:
        """The relation at each time at which something it reads changes, less what it was before."""
        read = {name: changes[name] for name in stage.inputs if name in changes and changes[name].rows}
        times = sorted({time for batch in read.values() for time in batch.table.column("_time").to_pylist()})
        if not times:
            return Multiset([])
        before = {name: self._arranged[name].all(self._lower) for name in stage.inputs}
        types = [column.type for column in stage.relation.columns]
        last, found = Multiset([]), list[Row]()
        for place, time in enumerate([self._lower - 1, *times]):
            inputs = {
                name: contents([before[name], *([read[name]] if name in read else [])], columns, time)
                for name, columns in stage.inputs.items()
            }
            now = multiset(stage.relation, Surroundings(inputs, (self._upper, self._first)))
            if place:
                found += [(*row, time, count) for row, count in union([now, last.negated()]).consolidated(types)]
            last = now
        return Multiset(found)

    def batch(self, name: str, types: Sequence[Type]) -> UpdateBatch:
        rows = self.bound[name]
        return consolidate(_batch(rows.counted(), types))


def _updates(batch: UpdateBatch | None, columns: Columns) -> Multiset:
    """Updates as rows, with time and diff at the end."""
    if batch is None or not batch.rows:
        return Multiset([])
    table = batch.table
    width = len(columns)
    values = [from_arrow(table.column(index), column.type) for index, column in enumerate(columns)]
    values += [table.column(index).to_pylist() for index in (width, width + 1)]
    return Multiset(list(zip(*values, strict=True)))


def _batch(updates: Iterable[tuple[Row, int]], types: Sequence[Type]) -> UpdateBatch:
    """Rows with time and diff at the end, each as often as it counts."""
    row_type = row_type_of(types)
    made = [row if count == 1 else (*row[:-1], row[-1] * count) for row, count in updates]
    width = len(types)
    columns = [to_arrow([row[index] for row in made], type_) for index, type_ in enumerate(types)]
    columns += [pa.array([row[width + place] for row in made], pa.int64()) for place in (0, 1)]
    return UpdateBatch(row_type, pa.Table.from_arrays(columns, names=row_type.updates_schema.names))


def contents(batches: Sequence[UpdateBatch], columns: Columns, time: Timestamp | int) -> pa.Table:
    """The rows at a time, each as often as it is there."""
    types = [column.type for column in columns]
    updates = chain.from_iterable(_updates(batch, columns).rows for batch in batches)
    there = [row for row in updates if row[-2] <= time]
    counted = Multiset([row[:-2] for row in there], [row[-1] for row in there])
    return table_of(counted.expanded(types), types, [f"c{index}" for index in range(len(types))])


def due(program: Program, arranged: Mapping[str, Found], at: Timestamp) -> Timestamp | None:
    """The first time, from `at` on, at which the view changes by itself."""
    times = [
        found
        for stage in program.stages
        if isinstance(stage, Due) and (found := arranged[stage.source].earliest(stage.at, MAX_TIME)) is not None
    ]
    return Timestamp(max(at, min(times))) if times else None


def from_scratch(program: Program, rows: Mapping[str, pa.Table], at: Timestamp) -> Step:
    """The view and its states at a time, given the rows of its inputs then, as updates at that time."""

    def made(relation: Relation, types: Sequence[Type]) -> UpdateBatch:
        whole = multiset(at_time(relation, at + 1), Surroundings(rows))
        return consolidate(_batch((((*row, at, count), 1) for row, count in whole.counted()), types))

    states = {state.name: made(state.relation, state.types) for state in program.states}
    return Step(made(program.plan.relation, program.columns), states)


def hydration(program: Program, at: Timestamp) -> Mapping[str, Plan]:
    """The same as plans: of the view, called `OUTPUT`, and of its states. The last column says how often a row is."""

    def plan(relation: Relation) -> Plan:
        counted = with_count(at_time(relation, at + 1))
        return optimize(Plan(counted, tuple(f"c{index}" for index in range(len(counted.columns)))))

    return {OUTPUT: plan(program.plan.relation)} | {each.name: plan(each.relation) for each in program.states}
