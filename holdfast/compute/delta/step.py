"""Steps: a program run over the changes in an interval of times; and what a view and its states are from scratch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import pyarrow as pa

from holdfast.compute.delta.clock import at_time
from holdfast.compute.delta.cost import StageCost, StageMode
from holdfast.compute.delta.empty import is_empty
from holdfast.compute.delta.iterate import Iteration
from holdfast.compute.delta.program import Bind, Due, Lookup, Program, Recursion, Scratch, Stage, changes_of
from holdfast.compute.delta.rows import batch_of, contents, settled, updates_of
from holdfast.compute.evaluate.multiset import Multiset, union
from holdfast.compute.evaluate.relations import Surroundings, multiset
from holdfast.compute.evaluate.scalars import Row
from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan.relation import Columns, Relation
from holdfast.plan.types import Type
from holdfast.repr.frontier import MAX_TIME, Timestamp
from holdfast.repr.update import UpdateBatch


class Found(Protocol):
    """The updates of a collection, found by the values of its columns."""

    @property
    def rows(self) -> int:
        """How many there are."""

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch: ...

    def all(self, before: Timestamp) -> UpdateBatch: ...

    def due(self, column: int, until: int, before: Timestamp) -> UpdateBatch: ...

    def earliest(self, column: int, before: Timestamp) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Step:
    """The updates of the view and of its states, consolidated; and what each stage took, if there were any."""

    output: UpdateBatch
    states: Mapping[str, UpdateBatch]
    costs: tuple[StageCost, ...] = ()


def step(
    program: Program,
    changes: Mapping[str, UpdateBatch],
    arranged: Mapping[str, Found],
    lower: Timestamp,
    upper: Timestamp,
    first: Timestamp | None = None,
    most: int | None = None,
) -> Step:
    """What happens to the view in [lower, upper), given all that happens to its inputs then.

    What would happen before `first` happens then: a view that was not right in between is right from there on. If a
    join or a series comes to more than the `most` rows, the step is given up with `TooManyRows`.
    """
    first = lower if first is None else first
    run = _Run(program, arranged, (lower, upper, first), most)
    for name, columns in program.inputs.items():
        run.bound[changes_of(name)] = settled(changes.get(name), columns, first)
    run.stages()
    states = {state.name: run.batch(program.writes[state.name], state.types) for state in program.states}
    return Step(run.batch(program.output, program.columns), states, tuple(run.costs))


@dataclass(frozen=True, slots=True)
class _Read:
    rows: Callable[[Relation], Sequence[Row]]
    most: int | None

    def __call__(self, relation: Relation) -> Sequence[Row]:
        return self.rows(relation)


class _Run:
    def __init__(
        self,
        program: Program,
        arranged: Mapping[str, Found],
        times: tuple[Timestamp, Timestamp, Timestamp],
        most: int | None,
    ) -> None:
        self._program, self._arranged, self._most = program, arranged, most
        self._lower, self._upper, self._first = times
        self.bound: dict[str, Multiset] = {}
        self.costs: list[StageCost] = []
        self._ran, self._looked_up = False, 0
        """Of the stage that is run."""

    def _rows(self, relation: Relation) -> Multiset:
        if is_empty(relation, self.bound):
            return Multiset([])
        self._ran = True
        return multiset(relation, Surroundings({}, (self._upper, self._first), self.bound, most=self._most))

    def stages(self) -> None:
        for stage in self._program.stages:
            self._ran, self._looked_up, began = False, 0, perf_counter()
            made = self.bound[stage.name] = self._made(stage)
            seconds = perf_counter() - began
            read = sum(len(self.bound[name].rows) for name in self._program.reads[stage.name])
            mode: StageMode = "idle" if not self._ran else "scratch" if isinstance(stage, Scratch) else "incremental"
            self.costs.append(StageCost(stage.name, mode, read, self._looked_up, len(made.rows), seconds))

    def _made(self, stage: Stage) -> Multiset:
        match stage:
            case Bind():
                return self._bound(stage)
            case Lookup():
                return self._found(stage)
            case Due():
                return self._before(self._arranged[stage.source].due(stage.at, self._upper, self._lower), stage.of)
            case Scratch():
                return self._anew(stage)
            case Recursion():
                return self._iterated(stage)

    def _bound(self, stage: Bind) -> Multiset:
        if stage.quick is None:
            return self._rows(stage.relation)
        return Multiset(stage.quick.rows(_Read(self.counted_once, self._most), stage.relation.columns))

    def counted_once(self, relation: Relation) -> Sequence[Row]:
        found = self._rows(relation)
        assert found.counts is None, "how often a row is there is said by its diff"
        return found.rows

    def _found(self, stage: Lookup) -> Multiset:
        keys = self._rows(stage.keys).rows
        if not keys:
            return Multiset([])
        columns = [to_arrow([row[place] for row in keys], key.type) for place, key in enumerate(stage.keys.columns)]
        found = self._arranged[stage.source].lookup(stage.columns, columns, self._lower)
        return self._before(found, stage.of)

    def _before(self, updates: UpdateBatch, columns: Columns) -> Multiset:
        """Updates before the step, in which no row is that has gone: nothing is evaluated for it, which might fail."""
        self._ran, self._looked_up = True, self._looked_up + updates.rows
        return settled(updates, columns, Timestamp(self._lower - 1))

    def _anew(self, stage: Scratch) -> Multiset:
        """The relation at each time at which something it reads changes, less what it was before."""
        changes = {name: self.bound[changes_of(name)].rows for name in stage.inputs}
        times = sorted({row[-2] for rows in changes.values() for row in rows})
        if not times:
            return Multiset([])
        before = {name: self._arranged[name].all(self._lower) for name in stage.inputs}
        self._ran, self._looked_up = True, sum(updates.rows for updates in before.values())
        every = {
            name: [*updates_of(before[name], columns).rows, *changes[name]] for name, columns in stage.inputs.items()
        }
        types = [column.type for column in stage.relation.columns]
        last, found = Multiset([]), list[Row]()
        for place, time in enumerate([self._lower - 1, *times]):
            inputs = {name: contents(every[name], columns, time) for name, columns in stage.inputs.items()}
            now = multiset(stage.relation, Surroundings(inputs, (self._upper, self._first), most=self._most))
            if place:
                found += [(*row, time, count) for row, count in union([now, last.negated()]).consolidated(types)]
            last = now
        return Multiset(found)

    def _iterated(self, stage: Recursion) -> Multiset:
        """The updates of all states of the recursion, each of which is bound by itself too."""
        made = Iteration(stage, self.bound, self._arranged, self._lower)
        self._ran, self._looked_up = made.ran, made.looked_up
        for name, rows in made.updates.items():
            self.bound[changes_of(name)] = Multiset(rows)
        return Multiset([row for rows in made.updates.values() for row in rows])

    def batch(self, name: str, types: Sequence[Type]) -> UpdateBatch:
        return batch_of(self.bound[name].counted(), types)


def due(program: Program, arranged: Mapping[str, Found], at: Timestamp) -> Timestamp | None:
    """The first time, from `at` on, at which the view changes by itself."""
    times = [
        found
        for stage in program.stages
        if isinstance(stage, Due) and (found := arranged[stage.source].earliest(stage.at, MAX_TIME)) is not None
    ]
    return Timestamp(max(at, min(times))) if times else None


def from_scratch(program: Program, rows: Mapping[str, pa.Table], at: Timestamp, most: int | None = None) -> Step:
    """The view and its states at a time, given the rows of its inputs then, as updates at that time.

    If a join or a series comes to more than the `most` rows, it is given up with `TooManyRows`.
    """
    known: dict[Relation, Multiset] = {}

    def made(relation: Relation, types: Sequence[Type]) -> UpdateBatch:
        """What is part of a relation after it is not evaluated again."""
        now = at_time(relation, at + 1)
        whole = known[now] = multiset(now, Surroundings(rows, kept=known, most=most))
        return batch_of((((*row, at, count), 1) for row, count in whole.counted()), types)

    states = {state.name: made(state.relation, state.types) for state in program.states}
    return Step(made(program.plan.relation, program.columns), states)
