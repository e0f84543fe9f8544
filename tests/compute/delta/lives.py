"""Lives of views: the updates of some tables, told to a maintained view in steps, and what it must be at every time.

The law: at each time, and however updates come in steps, the view is what its query is from scratch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from holdfast.compute.arrange import Arranged, Narrow
from holdfast.compute.delta import (
    OUTPUT,
    Found,
    Program,
    Sieve,
    Step,
    due,
    from_scratch,
    hydration,
    looked_at,
    sieve_of,
    sifted,
    state_input,
    step,
    taken_in,
)
from holdfast.compute.delta.program import Due
from holdfast.compute.evaluate.keys import equality
from holdfast.compute.evaluate.relations import Surroundings, expanded
from holdfast.compute.evaluate.values import rows_of, table_of, to_arrow
from holdfast.plan.errors import DataError
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import Type
from holdfast.repr.consolidate import as_of, consolidate
from holdfast.repr.cut import widened
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

Row = tuple[object, ...]
Meaning = dict[object, int]

MOST = 300_000
"""Rows that a join may come to before a life is given up with `TooManyRows`: a random query may multiply everything."""


@dataclass(frozen=True, slots=True)
class Change:
    """At `time` there is one row more or less, of the rows that the table may have: the one at `place`."""

    time: int
    place: int
    diff: int


class History:
    """A table: the rows that it may have, and when they come and go."""

    def __init__(self, types: Sequence[Type], rows: Sequence[Row], changes: Sequence[Change]) -> None:
        self.row_type = row_type_of(types)
        columns = [to_arrow([row[index] for row in rows], type_) for index, type_ in enumerate(types)]
        moments = [pa.array([moment] * len(rows), pa.int64()) for moment in (0, 1)]
        # As updates their values are canonical, which is how views are told of them.
        every = UpdateBatch(self.row_type, pa.table([*columns, *moments], names=self.row_type.updates_schema.names))
        self._rows = every.table.select(self.row_type.names)
        self._size = len(rows)
        self._changes = sorted(changes, key=lambda change: change.time)

    def _taken(self, places: Sequence[int]) -> pa.Table:
        chosen = pa.array(places, pa.int64())
        if not self.row_type.names:
            return pa.table({"": pa.nulls(len(places))}).select([])
        return self._rows.take(chosen)

    def between(self, lower: int, upper: int) -> UpdateBatch:
        """The updates at these times."""
        found = [change for change in self._changes if lower <= change.time < upper]
        columns = self._taken([change.place for change in found]).columns
        times, diffs = ([getattr(change, name) for change in found] for name in ("time", "diff"))
        moments = pa.array(times, pa.int64()), pa.array(diffs, pa.int64())
        return UpdateBatch(self.row_type, pa.table([*columns, *moments], names=self.row_type.updates_schema.names))

    def counts(self, time: int) -> tuple[tuple[int, int], ...]:
        """The places of the rows that are there, and how often."""
        found: Counter[int] = Counter()
        for change in self._changes:
            if change.time <= time:
                found[change.place] += change.diff
        assert all(count >= 0 for count in found.values())
        return tuple(sorted((place, count) for place, count in found.items() if count))

    def rows(self, time: int) -> pa.Table:
        return self._taken([place for place, count in self.counts(time) for _ in range(count)])


@dataclass(slots=True)
class Life:
    """A view over tables, from when it is made.

    - A step that raises is not made. All that it should have said is said at the end of the next step that does not:
      until then the view errs.
    """

    program: Program
    histories: Mapping[str, History]
    name: str = ""
    known: dict[object, Step | None] = field(default_factory=dict)
    """What the view is from scratch, by what there is in the tables: the same for all lives over the same rows."""
    sieve: Sieve = field(init=False)
    inputs: dict[str, Narrow] = field(init=False)
    states: dict[str, Arranged] = field(init=False)
    output: list[UpdateBatch] = field(default_factory=list)
    lower: int = 0
    """Up to here the view is known."""
    errs: bool = False
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sieve = sieve_of(self.program)
        looked = looked_at(self.program)
        self.inputs = {
            name: Narrow(self.histories[name].row_type, looked.get(name, ())) for name in self.program.inputs
        }
        self.states = {state.name: Arranged(row_type_of(state.types)) for state in self.program.states}

    def hydrate(self, at: int) -> bool:
        """Make the view of what is there; or not, if that raises."""
        made = self.scratch(at)
        if made is None:
            return False
        self._keep(made, {name: self.histories[name].between(0, at + 1) for name in self.inputs}, at + 1)
        return True

    def check_hydration(self, time: int) -> None:
        """The plans of hydration, one after another, make what the view and its states are from scratch.

        Those with counts are in words of Spark's alone.
        """
        made = self.scratch(time)
        assert made is not None
        wanted = {state.name: (state.types, made.states[state.name]) for state in self.program.states}
        wanted[OUTPUT] = (self.program.columns, made.output)
        rows = {name: self.histories[name].rows(time) for name in self.inputs}
        for name, plan in hydration(self.program, Timestamp(time)).items():
            types, batch = wanted.pop(name)
            if len(plan.names) == len(types):
                found = expanded(plan.relation, Surroundings(rows))
                rows[state_input(name)] = table_of(found, types, plan.names)
                assert Counter(map(equality(types), found)) == meaning(batch, types), f"{self.name}: {name}"
        assert not wanted

    def _keep(self, made: Step, changes: Mapping[str, UpdateBatch], upper: int) -> None:
        for name, batch in changes.items():
            self.inputs[name].append(batch)
        for name, batch in made.states.items():
            self.states[name].append(batch)
        self.output.append(made.output)
        self.steps.append(made)
        self.lower = upper

    def scratch(self, time: int) -> Step | None:
        """What the view and its states are, or None if that is an error."""
        counts = tuple(self.histories[name].counts(time) for name in self.inputs)
        key = (time if self.has_clock else None, counts)
        if key not in self.known:
            rows = {name: self.histories[name].rows(time) for name in self.inputs}
            try:
                self.known[key] = from_scratch(self.program, rows, Timestamp(time), MOST)
            except DataError:
                self.known[key] = None
        return self.known[key]

    @property
    def has_clock(self) -> bool:
        """Whether the view changes by itself."""
        return any(isinstance(stage, Due) for stage in self.program.stages)

    def live(self, upper: int) -> None:
        """A step, after which the view is what it is from scratch at each of its times."""
        changes = {name: self.histories[name].between(self.lower, upper) for name in self.inputs}
        times = range(upper - 1 if self.errs else self.lower, upper)
        wanted = [self.scratch(time) for time in times]
        arranged: dict[str, Found] = {name: self.inputs[name] for name in self.program.lookups}
        arranged |= self.states
        lower, first = Timestamp(self.lower), Timestamp(times[0])
        try:
            read = {name: _of_columns(batch, sorted(taken_in(self.program)[name])) for name, batch in changes.items()}
            useful, found = sifted(self.sieve, read, arranged, lower)
            made = step(self.program, useful, found, lower, Timestamp(upper), first, MOST)
        except DataError:
            assert None in wanted, f"{self.name}: a step to {upper} raises, the query does not"
            self.errs = True
            raise
        assert None not in wanted, f"{self.name}: the query raises before {upper}, a step to it does not"
        self._keep(made, changes, upper)
        self.errs = False
        self._check([(time, each) for time, each in zip(times, wanted, strict=True) if each is not None])

    def try_to_live(self, upper: int) -> bool:
        try:
            self.live(upper)
        except DataError:
            return False
        return True

    def _check(self, wanted: Sequence[tuple[int, Step]]) -> None:
        types = self.program.columns
        whole = UpdateBatch.concat(self.output[0].row_type, self.output)
        for time, each in wanted:
            there = as_of(whole, Timestamp(time))
            assert not np.any(np.asarray(there.table["_diff"]) < 0), (
                f"{self.name}: {time}: a row is taken that is not there"
            )
            found, expected = meaning(there, types), meaning(each.output, types)
            assert found == expected, f"{self.name}: at {time} the view is {found}, not {expected}"
        last, each = wanted[-1]
        for state in self.program.states:
            found = meaning(self.states[state.name].all(Timestamp(last + 1)), state.types)
            expected = meaning(each.states[state.name], state.types)
            assert found == expected, f"{self.name}: at {last} state {state.name} is {found}, not {expected}"

    def restart(self) -> None:
        """Begin again with what is durable."""
        for name, narrow in self.inputs.items():
            self.inputs[name] = Narrow(self.histories[name].row_type, narrow.columns)
            self.inputs[name].append(self.histories[name].between(0, self.lower))
        for name, arranged in self.states.items():
            whole = arranged.all(Timestamp(self.lower))
            self.states[name] = Arranged(whole.row_type)
            self.states[name].append(consolidate(whole))

    def compact(self) -> None:
        for arranged in (self.inputs, self.states):
            for each in arranged.values():
                each.compact(Timestamp(self.lower - 1))

    def due(self) -> int | None:
        return due(self.program, self.states, Timestamp(self.lower))


def _of_columns(batch: UpdateBatch, columns: Sequence[int]) -> UpdateBatch:
    """The same updates, in which all other columns are null."""
    some = RowType.of(*((field.name, field.type) for field in map(batch.row_type.schema.field, columns)))
    return widened(UpdateBatch(some, batch.table.select([*some.names, "_time", "_diff"])), columns, batch.row_type)


def meaning(batch: UpdateBatch, types: Sequence[Type]) -> Meaning:
    """How often each row is there, of rows that SQL takes for the same."""
    key, found = equality(types), Counter[object]()
    rows = rows_of(batch.table.select(batch.row_type.names), types) if types else [()] * batch.rows
    for row, diff in zip(rows, batch.table["_diff"].to_pylist(), strict=True):
        found[key(row)] += diff
    return {row: count for row, count in found.items() if count}
