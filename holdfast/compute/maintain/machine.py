"""The program of one view, run in this process over changes and what is in memory of inputs and states.

One machine runs at a time, but for those that run what users wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext

import numpy as np
import pyarrow as pa

from holdfast.cached import cached_property
from holdfast.compute.arrange import Arranged
from holdfast.compute.delta import Found, Sieve, Step, due, from_scratch, looked_at, sieve_of, sifted, step, taken_in
from holdfast.compute.delta.sieve import MANY
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.maintain.arrangements import Arrangements, Key, User, compact, input_types, keys_of
from holdfast.compute.maintain.collection import Collections
from holdfast.compute.maintain.gather import Changes, Gathered
from holdfast.compute.maintain.history import Draft
from holdfast.compute.maintain.steps import ArrangementEntry
from holdfast.compute.maintain.stores import Stores
from holdfast.compute.maintain.turn import Turn
from holdfast.compute.maintain.view import ViewDescription
from holdfast.compute.uncollected import uncollected
from holdfast.plan.errors import NullValueNotAllowed
from holdfast.plan.row_types import row_type_of
from holdfast.repr.cut import widened
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import DIFF, RowType
from holdfast.repr.update import UpdateBatch


class Machine:
    def __init__(
        self, view: ViewDescription, stores: Stores, tables: Collections, arrangements: Arrangements, turn: Turn
    ) -> None:
        self._view, self._stores, self._tables, self._arrangements, self._turn = (
            view,
            stores,
            tables,
            arrangements,
            turn,
        )
        self._states: dict[str, Arranged] = {}
        self._in_vain: set[frozenset[str]] = set()
        """Inputs of which much changed at once that turned out to be of use."""

    @property
    def inputs(self) -> Mapping[str, RowType]:
        """What the program reads, with the columns that it knows of."""
        return input_types(self._view.program)

    @cached_property
    def _keys(self) -> Mapping[str, Key]:
        return keys_of(self._view.program)

    def begin(self, user: User) -> None:
        columns = looked_at(self._view.program)
        for name, key in self._keys.items():
            self._arrangements.use(key, user, columns[name])

    def end(self, user: User) -> None:
        for key in self._keys.values():
            self._arrangements.leave(key, user)
        self.reset()

    def reset(self) -> None:
        """Read the states again before they are needed next."""
        self._states = {}

    def sizes(self) -> tuple[int, int]:
        """How many updates of states are in memory, and in how many bytes."""
        states = self._states.values()
        return sum(state.rows for state in states), sum(state.nbytes for state in states)

    def arranged(self) -> Iterator[ArrangementEntry]:
        """What things are looked up in, as far as it is in memory."""
        for name, key in self._keys.items():
            shared = self._arrangements.found(key)
            if shared is not None:
                yield ArrangementEntry(name, "input", shared.rows, shared.nbytes)
        for name, state in self._states.items():
            yield ArrangementEntry(name, "state", state.rows, state.nbytes)

    async def step(
        self,
        changes: Changes,
        basis: Timestamp,
        end: Timestamp,
        draft: Draft,
        *,
        first: Timestamp | None = None,
        most: int | None = None,
        few: int | None = None,
    ) -> Step:
        """What follows from all changes later than `basis`, up to `end`; what is earlier than `first`, as of then.

        Here as below, if a join or a series comes to more than the `most` rows, it is given up with `TooManyRows`; and
        here also if more than `few` of the changes may be of use.
        """
        program = self._view.program
        draft.enter("wait")

        async def ready() -> dict[str, Found]:
            draft.enter("read")
            keys = self._keys
            arranged: dict[str, Found] = {name: await self._arrangements.at(key, basis) for name, key in keys.items()}
            arranged |= await self._loaded()
            draft.enter("compute")
            return arranged

        def work(arranged: dict[str, Found]) -> Step:
            lower = Timestamp(basis + 1)
            useful, found = sifted(self._sieve, changes, arranged, lower, few)
            with uncollected() if sum(batch.rows for batch in useful.values()) > MANY else nullcontext():
                return step(program, useful, found, lower, Timestamp(end + 1), first, most)

        try:
            made = await self._turn.run(ready, work, runs_code=self._view.runs_code)
        except TooManyRows:
            if few is not None:
                self._in_vain.add(frozenset(changes))
            raise
        self._check(made)
        return made

    @cached_property
    def _sieve(self) -> Sieve:
        return sieve_of(self._view.program)

    def may_sift(self, changed: Iterable[str]) -> bool:
        """Whether it is worth it to ask which changes of these inputs are of use: of each, those that find something
        in others alone, and when it was asked before, they were few.
        """
        names = frozenset(changed)
        return names not in self._in_vain and all(self._sieve[name].links for name in names)

    def is_loaded(self, time: Timestamp) -> bool:
        """Whether what things are looked up in is in memory for who asks at `time`."""
        return all(self._arrangements.has(key, time) for key in self._keys.values())

    async def read(self, changed: Iterable[str], basis: Timestamp, end: Timestamp) -> Changes:
        """What happened to these inputs later than `basis`, up to `end`, in the columns that the program reads."""
        found: dict[str, UpdateBatch] = {}
        taken, types = taken_in(self._view.program), self.inputs
        for name in changed:
            columns = sorted(taken[name]) or [0]
            updates = self._tables.updates_between(GlobalId.parse(name), basis, end, columns)
            pieces = [piece async for piece in updates]
            found[name] = await asyncio.to_thread(_whole, pieces, columns, types[name])
        return found

    async def from_scratch(self, at: Timestamp, draft: Draft, most: int | None = None) -> Step:
        """The view and its states at a time at which the inputs are complete."""
        draft.enter("read")
        rows: dict[str, pa.Table] = {}
        for name, row_type in self.inputs.items():
            rows[name] = await self._tables.rows(GlobalId.parse(name), at, range(len(row_type.names)))
        draft.enter("wait")

        async def ready() -> None:
            draft.enter("compute")

        def work(_: None) -> Step:
            return from_scratch(self._view.program, rows, at, most)

        made = await self._turn.run(ready, work, runs_code=self._view.runs_code)
        self._check(made)
        return made

    def _check(self, made: Step) -> None:
        """Refuse nulls where the view says that there are none."""
        table = made.output.table
        coming = np.asarray(table[DIFF]) > 0
        for position, name in self._view.asserts.items():
            column = table.column(position)
            if column.null_count and bool((np.asarray(column.is_null()) & coming).any()):
                raise NullValueNotAllowed(f'column "{name}" must not be null')

    async def _loaded(self) -> dict[str, Arranged]:
        """The states in memory."""
        for state in self._view.program.states:
            if state.name not in self._states:
                arranged = Arranged(row_type_of(state.types))
                await asyncio.to_thread(arranged.append, await self._stores.state(state.name))
                self._states[state.name] = arranged
        return self._states

    async def keep(self, states: Mapping[str, UpdateBatch], taken: Gathered, basis: Timestamp) -> None:
        """What happened to states is durable; `taken` are the changes since `basis` that it was made of."""
        async with self._turn:
            for name, key in self._keys.items():
                self._arrangements.feed(key, taken.changes[name], basis, taken.end)
                await self._arrangements.let_go(key)
            await self._keep_states(states, taken.end)

    async def keep_much(self, states: Mapping[str, UpdateBatch], time: Timestamp) -> None:
        """The same, of changes up to `time` that are still to be read as a whole."""
        async with self._turn:
            await self._keep_states(states, time)
        await self.follow(time)

    async def _keep_states(self, states: Mapping[str, UpdateBatch], time: Timestamp) -> None:
        for name, updates in states.items():
            if name in self._states and updates.rows:
                self._states[name].append(updates)
                await compact(self._states[name], time)

    async def follow(self, time: Timestamp, *, loads: bool = False) -> None:
        """Bring what is in memory of inputs up to date, which are held where it is. Load what is not, if it `loads`."""
        for key in self._keys.values():
            async with self._turn:
                await self._arrangements.follow(key, time)
                if loads:
                    await self._arrangements.at(key, time)
                await self._arrangements.let_go(key)

    def unchanged(self, start: Timestamp, end: Timestamp) -> None:
        """Nothing has happened to the inputs later than `start`, up to `end`."""
        for key in self._keys.values():
            self._arrangements.unchanged(key, start, end)

    async def due(self, at: Timestamp) -> Timestamp | None:
        """When, from `at` on, the view changes by itself, once what was made last is kept."""
        async with self._turn:
            return await asyncio.to_thread(due, self._view.program, await self._loaded(), at)


def _whole(pieces: Sequence[UpdateBatch], columns: Sequence[int], row_type: RowType) -> UpdateBatch:
    """Updates of some columns, as updates of rows."""
    return UpdateBatch.concat(row_type, [widened(piece, columns, row_type) for piece in pieces])
