"""A query that is followed by its program: what follows from the changes of what it reads, at the cost of the changes.

What it looks up in collections is shared with the views that are maintained; states of its own are in memory, and gone
when nobody follows it any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.cached import cached_property
from holdfast.compute.arrange import Arranged
from holdfast.compute.delta import Found, Program, Sieve, Step, from_scratch, looked_at, sieve_of, sifted, step
from holdfast.compute.in_thread import in_thread
from holdfast.compute.maintain.arrangements import Arrangements, input_types, keys_of
from holdfast.compute.maintain.collection import Collections
from holdfast.compute.maintain.turn import Turn
from holdfast.plan.row_types import row_type_of
from holdfast.repr.consolidate import consolidate
from holdfast.repr.cut import narrowed
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.update import UpdateBatch

_FEW = 200_000
"""Rows, of all inputs, of which states are made in this process."""


@dataclass(eq=False)
class Followed:
    """`basis` is the time up to which changes were taken. Whoever begins it ends it.

    `runs_code`: it calls functions that users wrote.
    """

    program: Program
    tables: Collections
    arrangements: Arrangements
    turn: Turn
    runs_code: bool
    basis: Timestamp | None = None
    _states: dict[str, Arranged] = field(default_factory=dict)

    @property
    def is_little(self) -> bool:
        """Whether what has to be known to begin with is little, or nothing."""
        if not self.program.states:
            return True
        return sum(self.tables.size(GlobalId.parse(name)) for name in self.program.inputs) <= _FEW

    @cached_property
    def _sieve(self) -> Sieve:
        return sieve_of(self.program)

    async def begin(self, as_of: Timestamp) -> None:
        """Take changes later than `as_of`, at which all inputs are held and complete."""
        rows = {}
        if self.program.states:
            for name, row_type in input_types(self.program).items():
                rows[name] = await self.tables.rows(GlobalId.parse(name), as_of, range(len(row_type.names)))
            await self._keep(await in_thread(from_scratch, self.program, rows, as_of), as_of)
        self.basis = as_of
        columns = looked_at(self.program)
        for name, key in keys_of(self.program).items():
            self.arrangements.use(key, self, columns[name])

    async def step(self, changes: Mapping[GlobalId, list[UpdateBatch]], end: Timestamp) -> UpdateBatch:
        """What follows from all changes after those before, up to `end`."""
        basis = self.basis
        assert basis is not None  # it was begun
        taken = {
            name: consolidate(UpdateBatch.concat(row_type, [narrowed(each, row_type) for each in found]))
            for name, row_type in input_types(self.program).items()
            if (found := changes.get(GlobalId.parse(name), []))
        }
        if not taken and not self.program.is_temporal:
            self.basis = end
            return UpdateBatch.empty(row_type_of(self.program.columns))

        async def ready() -> dict[str, Found]:
            keys = keys_of(self.program)
            found: dict[str, Found] = {name: await self.arrangements.at(key, basis) for name, key in keys.items()}
            for key in keys.values():
                await self.arrangements.let_go(key)
            return found | self._states

        def work(arranged: dict[str, Found]) -> Step:
            lower = Timestamp(basis + 1)
            useful, found = sifted(self._sieve, taken, arranged, lower)
            return step(self.program, useful, found, lower, Timestamp(end + 1))

        made = await self.turn.run(ready, work, runs_code=self.runs_code)
        await self._keep(made, end)
        self.basis = end
        return made.output

    async def _keep(self, made: Step, time: Timestamp) -> None:
        """What was made of all up to `time`, before which nobody looks."""
        for state in self.program.states:
            arranged = self._states.setdefault(state.name, Arranged(row_type_of(state.types)))
            updates = made.states[state.name]
            if updates.rows:
                arranged.append(updates)
                await asyncio.to_thread(arranged.compact, time)

    def end(self) -> None:
        for key in keys_of(self.program).values():
            self.arrangements.leave(key, self)
