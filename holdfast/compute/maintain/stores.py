"""The collections of one view: its rows, its hidden state and its errors, written together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.compute.delta import Step
from holdfast.compute.maintain import erring
from holdfast.compute.maintain.collection import Erring
from holdfast.compute.maintain.erring import Errors
from holdfast.compute.maintain.names import errors_of, output_of, states_of
from holdfast.compute.maintain.outside import ErrorCodes
from holdfast.compute.maintain.stored import StoredView
from holdfast.compute.maintain.view import ViewDescription
from holdfast.persist import Append, Persist, WriteHandle
from holdfast.persist.shard import UpperMismatch
from holdfast.persist.write import Staged
from holdfast.plan.row_types import row_type_of
from holdfast.repr.frontier import MINIMUM, Frontier, Timestamp, after
from holdfast.repr.update import UpdateBatch


@dataclass(frozen=True, slots=True)
class Written:
    """What a step writes: all at times that are not later than where it ends."""

    output: UpdateBatch | Staged | None
    states: Mapping[str, UpdateBatch | Staged | None]

    @classmethod
    def of(cls, step: Step) -> Written:
        states = {name: updates if updates.rows else None for name, updates in step.states.items()}
        return cls(step.output if step.output.rows else None, states)

    @property
    def rows(self) -> int:
        """How many updates of the view there are."""
        if isinstance(self.output, Staged):
            return sum(part.rows for part in self.output.parts)
        return 0 if self.output is None else self.output.rows

    @property
    def is_empty(self) -> bool:
        return self.output is None and all(state is None for state in self.states.values())


class Stores:
    """The rows and all states have one upper: they are only ever written together.

    Errors have an upper of their own. There is no collection of them before the first.
    """

    def __init__(
        self,
        persist: Persist,
        codes: ErrorCodes,
        view: ViewDescription,
        output: WriteHandle,
        states: Mapping[str, WriteHandle],
        errors: WriteHandle | None,
    ) -> None:
        self._persist, self._codes, self._view = persist, codes, view
        self.output, self.states, self.errors = output, states, errors

    @classmethod
    async def create(cls, persist: Persist, codes: ErrorCodes, view: ViewDescription) -> Stores:
        """Those of a new view."""
        output = await persist.create_or_load(output_of(view.id), row_type_of(view.program.columns))
        return cls(persist, codes, view, output, await _states(persist, view), None)

    @classmethod
    async def load(cls, persist: Persist, codes: ErrorCodes, view: ViewDescription, stored: StoredView) -> Stores:
        """Those of a view of which something is stored. States that are missing are made, empty."""
        output, names, found = stored.output, states_of(view), stored.collections
        known = {name: found[collection] for name, collection in names.items() if collection in found}
        states = known if len(known) == len(names) else await _states(persist, view)
        return cls(persist, codes, view, output, states, stored.errors)

    @property
    def handles(self) -> list[WriteHandle]:
        return [self.output, *self.states.values(), *([] if self.errors is None else [self.errors])]

    @property
    def basis(self) -> Timestamp | None:
        """The last time up to which rows were written. None: none were."""
        upper = self.output.upper.time
        return Timestamp(upper - 1) if upper else None

    @property
    def lacks_states(self) -> bool:
        """Whether the rows are there, but not the states that belong to them."""
        return any(state.upper != self.output.upper for state in self.states.values())

    async def state(self, name: str) -> UpdateBatch:
        """A state at the basis."""
        basis = self.basis
        assert basis is not None  # who asks has written it
        return await read_at(self._persist, self.states[name], basis)

    async def append(
        self, written: Written, end: Timestamp, *, since: Timestamp | None = None, heals: Erring | None = None
    ) -> UpperMismatch | None:
        """Write a step that ends at `end`, and that an error is over then. With `since`, nobody reads before it."""
        upper = self.output.upper
        told = None if since is None else Frontier(since)
        appends = [Append(self.output, written.output, upper, after(end), since=told)]
        for name, state in self.states.items():
            appends.append(Append(state, written.states.get(name), upper, after(end), since=Frontier(end)))
        if heals is not None:
            assert self.errors is not None  # it was written there
            updates = erring.updates_of([(heals.error, -1)], end, self._codes)
            appends.append(Append(self.errors, updates, self.errors.upper, after(end)))
        return await self._committed(appends)

    async def rebuild(self, states: Mapping[str, UpdateBatch | Staged | None]) -> UpperMismatch | None:
        """Write states that are missing, at the basis."""
        upper = self.output.upper
        appends = [Append(self.output, None, upper, upper)]
        for name, state in self.states.items():
            appends.append(Append(state, states.get(name), state.upper, upper, since=Frontier(self.basis)))
        return await self._committed(appends)

    async def err(self, time: Timestamp, began: Erring, before: Erring | None) -> UpperMismatch | None:
        """Write that the view errs from `time` on, perhaps otherwise than `before`."""
        if self.errors is None:
            self.errors = await self._persist.create_or_load(errors_of(self._view.id), erring.ROW_TYPE)
        changes = [(began.error, 1), *([] if before is None else [(before.error, -1)])]
        updates = erring.updates_of(changes, time, self._codes)
        return await self._committed([Append(self.errors, updates, self.errors.upper, after(time))])

    async def _committed(self, appends: list[Append]) -> UpperMismatch | None:
        handles = [append.handle for append in appends]
        # Whoever waits may be gone before it is known what came of it: then it still happens, or not, as a whole.
        return await asyncio.shield(self._persist.multi(handles).compare_and_append(appends))

    def tick(self, time: Timestamp, since: Frontier | None) -> list[Append]:
        """Nothing happens up to `time`."""
        upper, later = self.output.upper, after(time)
        appends = [Append(self.output, None, upper, later, since=since)]
        appends += [Append(state, None, upper, later, since=Frontier(time)) for state in self.states.values()]
        if self.errors is not None and since is not None:
            appends.append(Append(self.errors, None, self.errors.upper, self.errors.upper.join(later), since=since))
        return appends

    def compacted(self, since: Frontier | None) -> list[Append]:
        """Nobody reads before `since`. Up to when nothing happens is not said."""
        upper, basis = self.output.upper, self.basis
        if since is None or basis is None:
            return []
        return [Append(self.output, None, upper, upper, since=since.meet(Frontier(basis)))]

    def tick_errors(self, time: Timestamp) -> list[Append]:
        """The view errs up to `time`."""
        assert self.errors is not None  # it was written there
        return [Append(self.errors, None, self.errors.upper, self.errors.upper.join(after(time)))]

    async def load_errors(self) -> Errors:
        if self.errors is None or self.errors.upper == MINIMUM:
            return Errors()
        since, upper = self.errors.since.time, self.errors.upper.time
        assert since is not None
        assert upper is not None
        first = Timestamp(min(since, upper - 1))
        reader = await self._persist.reader(self.errors.name, since=Frontier(since))
        try:
            known = await reader.rows(first)
            later = [batch async for batch in reader.changes(Timestamp(first + 1), self.errors.upper)]
        finally:
            await reader.close()
        return erring.loaded(UpdateBatch.concat(erring.ROW_TYPE, [known, *later]), self._codes)


async def _states(persist: Persist, view: ViewDescription) -> dict[str, WriteHandle]:
    names = states_of(view)
    return {
        state.name: await persist.create_or_load(names[state.name], row_type_of(state.types))
        for state in view.program.states
    }


async def read_at(persist: Persist, handle: WriteHandle, time: Timestamp) -> UpdateBatch:
    """A collection at `time`, at which it is complete."""
    reader = await persist.reader(handle.name, since=Frontier(time))
    try:
        return await reader.rows(time)
    finally:
        await reader.close()
