"""A query that is followed by its program: what follows from the changes of what it reads, at the cost of the changes.

What it looks up in collections is shared with the views that are maintained; states of its own are in memory, and gone
when nobody follows it any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.adapter.in_thread import in_thread
from holdfast.adapter.maintain.arrangements import Arrangements, Key
from holdfast.adapter.maintain.updates import narrowed
from holdfast.adapter.tables import Tables
from holdfast.adapter.tables.shape import row_type_of
from holdfast.compute.arrange import Arranged
from holdfast.compute.delta import Program, Step, from_scratch, step
from holdfast.repr.consolidate import consolidate
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

_FEW = 200_000
"""Rows, of all inputs, of which states are made in this process."""


@dataclass(eq=False)
class Maintained:
    """`basis` is the time up to which changes were taken. Whoever begins it ends it."""

    program: Program
    tables: Tables
    arrangements: Arrangements
    turn: asyncio.Lock
    basis: Timestamp | None = None
    _states: dict[str, Arranged] = field(default_factory=dict)

    @property
    def _inputs(self) -> dict[str, RowType]:
        return {name: row_type_of([column.type for column in of]) for name, of in self.program.inputs.items()}

    def _keys(self) -> dict[str, Key]:
        inputs = self._inputs
        return {name: (GlobalId.parse(name), inputs[name]) for name in self.program.lookups}

    @property
    def is_little(self) -> bool:
        """Whether what has to be known to begin with is little, or nothing."""
        if not self.program.states:
            return True
        return sum(self.tables.size(GlobalId.parse(name)) for name in self.program.inputs) <= _FEW

    async def begin(self, as_of: Timestamp) -> None:
        """Take changes later than `as_of`, at which all inputs are held and complete."""
        rows = {}
        if self.program.states:
            for name, row_type in self._inputs.items():
                rows[name] = await self.tables.rows(GlobalId.parse(name), as_of, range(len(row_type.names)))
            made = await in_thread(from_scratch, self.program, rows, as_of)
            self._keep(made)
        self.basis = as_of
        for key in self._keys().values():
            self.arrangements.use(key, self)

    async def step(self, changes: Mapping[GlobalId, list[UpdateBatch]], end: Timestamp) -> UpdateBatch:
        """What follows from all changes after those before, up to `end`."""
        basis = self.basis
        assert basis is not None  # it was begun
        taken = {
            name: consolidate(UpdateBatch.concat(row_type, [narrowed(each, row_type) for each in found]))
            for name, row_type in self._inputs.items()
            if (found := changes.get(GlobalId.parse(name), []))
        }
        async with self.turn:
            arranged = {name: await self.arrangements.at(key, basis) for name, key in self._keys().items()}
            lower, upper = Timestamp(basis + 1), Timestamp(end + 1)
            made = await in_thread(step, self.program, taken, arranged | self._states, lower, upper)
            self._keep(made)
        self.basis = end
        return made.output

    def _keep(self, made: Step) -> None:
        for state in self.program.states:
            arranged = self._states.setdefault(state.name, Arranged(row_type_of(state.types)))
            updates = made.states[state.name]
            if updates.rows:
                arranged.append(updates)

    def end(self) -> None:
        for key in self._keys().values():
            self.arrangements.leave(key, self)
