"""Steps: how a view is filled, brought up to date with what happened, or known to err, and how that is written.

A step takes all that has happened to the inputs in an interval of times, and writes what follows for the view and its
hidden state in one transaction, which expects the times before to be written and no later ones: so a step happens
once, whoever tries.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from holdfast.adapter.catalog.refresh import next_refresh
from holdfast.adapter.maintain.erring import Errors, same
from holdfast.adapter.maintain.events import first_failing, times_after
from holdfast.adapter.maintain.gather import Gathered, gather
from holdfast.adapter.maintain.machine import Machine
from holdfast.adapter.maintain.progress import ViewProgress
from holdfast.adapter.maintain.stores import Stores, Written
from holdfast.adapter.maintain.surroundings import Counts, Surroundings
from holdfast.adapter.maintain.updates import commits_of
from holdfast.adapter.maintain.view import View
from holdfast.adapter.tables import Hold
from holdfast.adapter.tables.progress import Erring
from holdfast.adapter.tables.table import Table
from holdfast.compute.delta import Step
from holdfast.errors import UnavailableError
from holdfast.failpoint import reach
from holdfast.persist.shard import UpperMismatch
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.update import UpdateBatch

log = logging.getLogger(__name__)

_FEW_ROWS = 50_000
"""Rows of all inputs from which a view is made in this process sooner than a job of Spark's begins."""

_LARGE_SHARE = 0.01
"""Share of the rows of all inputs that may change before a view is sooner made from scratch, if that is many: a row of
a step takes this process up to a hundred times as long as one that is read takes Spark.
"""

_MANY_NOTED = 100_000
"""Rows of a step that are read back by who wants them, instead of being kept at hand."""


class Stepping(ViewProgress):
    """A view whose collections are there. What it reads is held, from where it would go on after a crash."""

    def __init__(self, view: View, stores: Stores, errors: Errors, start: Timestamp, around: Surroundings) -> None:
        """`start` is the first time that the view has rows for, if none are written yet."""
        basis = stores.basis
        done = Timestamp(start - 1) if basis is None else basis
        if errors.open is not None:
            done = errors_done(stores)
        tables = [around.tables.table(id) for id in view.inputs]
        super().__init__(
            around.timeline,
            around.version,
            [table.progress for table in tables],
            done,
            basis,
            errors,
            refreshes=bool(view.item.refresh),
        )
        self.view, self.stores, self.counts = view, stores, Counts()
        self._around, self._tables, self._input_tables = around, around.tables, tables
        self._machine = Machine(view, stores, around.tables, around.arrangements, around.turn)
        self._inputs_known = self._machine.inputs
        self._hold: Hold | None = None
        self._table: Table | None = None

    def state_size(self) -> tuple[int, int]:
        """How many updates of states are in memory, and in how many bytes."""
        return self._machine.sizes()

    async def advance(self) -> None:
        """Decide some more times."""
        if self.is_preparing:
            await self._prepare()
        elif self.basis is None and self.errors.open is None:
            await self._begin_at(Timestamp(self.done + 1))
        elif self.refreshes:
            await self._refresh()
        else:
            await self._catch_up()

    async def _catch_up(self) -> None:
        """Take what has happened since, or some of it."""
        await self._inputs_reached(Timestamp(self.done + 1))
        start = self.done if self.basis is None else self.basis
        taken = await gather(self._tables, self._inputs_known, start, self.done, self._reachable())
        times = times_after(self.done, self.due, taken, self._input_tables)
        if not times:
            self.moved(taken.end, self.basis if self.errors.open is not None else taken.end)
            self._tables.wake([self.view.id])
        elif self.basis is None:
            await self._begin_at(times[0])
        elif self.errors.open is not None:
            await self._retry(taken.up_to(times[0]), self.basis)
        else:
            await self._step(taken, times, self.basis)

    async def _refresh(self) -> None:
        """Take all that has happened since the last refresh, as if it had happened now."""
        time = self.due
        assert time is not None  # else there would be nothing to do
        await self._inputs_reached(time)
        if self.basis is None:
            await self._begin_at(time)
        else:
            await self._retry(await gather(self._tables, self._inputs_known, self.basis, time, time), self.basis)

    # Steps

    async def _prepare(self) -> None:
        """Make the states that are missing, and find out when the view changes by itself."""
        basis = self.basis
        assert basis is not None
        if self.stores.lacks_states:
            async with self._from_scratch(basis, None) as (written, _):
                self._expect(await self.stores.rebuild(written.states))
        await self._find_due(basis)
        self.is_preparing = False
        self.stirred()

    async def _find_due(self, done: Timestamp) -> None:
        """When the view changes by itself next, after `done`."""
        if self.refreshes:
            self.find_refresh(done)
        elif self.view.program.is_temporal:
            self._is_due(await self._machine.due(Timestamp(done + 1)))

    def find_refresh(self, done: Timestamp) -> None:
        """When the view is brought up to date next, after `done`."""
        time = next_refresh(self.view.item.refresh, done + 1)
        self._is_due(None if time is None else Timestamp(time))

    def _is_due(self, time: Timestamp | None) -> None:
        self.due = time
        if time is not None:
            self._around.on_due(time, self)

    @asynccontextmanager
    async def _from_scratch(
        self, at: Timestamp, basis: Timestamp | None
    ) -> AsyncIterator[tuple[Written, UpdateBatch | None]]:
        """What to write for the view to be what it is at `at`, and its updates, if they are at hand."""
        spark = self._around.spark
        if spark is not None and (basis is not None or (self.view.is_exact and self.input_rows() > _FEW_ROWS)):
            async with spark.from_scratch(self.view, self.stores, at, basis) as written:
                yield written, None
        else:
            made = await self._machine.from_scratch(at)
            yield Written.of(made), made.output

    def input_rows(self) -> int:
        """How many rows there are to read, roughly."""
        return sum(self._tables.size(id) for id in self.view.inputs)

    def _is_large(self, taken: Gathered, times: Sequence[Timestamp]) -> bool:
        """Whether the view is sooner made from scratch than by a step."""
        if self._around.spark is None or not self.view.is_exact or len(times) > 1 or taken.rows <= _FEW_ROWS:
            return False
        holds_map = any(handle.row_type.holds_map for handle in self.stores.handles)
        return not holds_map and not self.view.program.is_temporal and taken.rows > _LARGE_SHARE * self.input_rows()

    async def _begin_at(self, time: Timestamp) -> None:
        """Write the first rows."""
        await self._inputs_reached(time)
        failing = first_failing(self._input_tables, time, time)
        try:
            if failing is not None:
                raise failing.error
            async with self._from_scratch(time, None) as (written, output):
                await self._write(written, time, None)
        except DataError as error:
            await self._err(time, error, None)
            return
        await self._wrote(output, Gathered({}, time))

    async def _step(self, taken: Gathered, times: list[Timestamp], basis: Timestamp) -> None:
        failing = first_failing(self._input_tables, Timestamp(basis + 1), taken.end)
        if failing is not None:
            if failing.start <= times[0]:
                await self._err(times[0], failing.error, basis)
                return
            taken = taken.up_to(Timestamp(failing.start - 1))
            times = [time for time in times if time <= taken.end]
        if self._is_large(taken, times):
            await self._replace(taken.up_to(times[0]), basis)
            return
        while True:
            try:
                made = await self._machine.step(taken.changes, basis, taken.end)
            except DataError as error:
                if len(times) == 1 and (taken.end == times[0] or not self.view.program.is_temporal):
                    await self._err(times[0], error, basis)
                    return
                times = times[: max(len(times) // 2, 1)]
                taken = taken.up_to(times[-1])
            else:
                break
        await self._commit(made, taken, basis)

    async def _replace(self, taken: Gathered, basis: Timestamp) -> None:
        """Make the view from scratch at the one time at which much has changed."""
        try:
            async with self._from_scratch(taken.end, basis) as (written, output):
                await self._write(written, taken.end, basis)
        except DataError as error:
            await self._err(taken.end, error, basis)
            return
        self._machine.reset()
        await self._machine.keep({}, taken, basis)
        await self._wrote(output, taken)

    async def _retry(self, taken: Gathered, basis: Timestamp) -> None:
        """Bring the view up to date with all that was taken, as if it had happened at its end, if it has rows then."""
        time, failing = taken.end, first_failing(self._input_tables, taken.end, taken.end)
        try:
            if failing is not None:
                raise failing.error
            made = await self._machine.step(taken.changes, basis, time, first=time)
        except DataError as error:
            await self._err(time, error, basis)
            return
        await self._commit(made, taken, basis)

    async def _err(self, time: Timestamp, error: DataError, basis: Timestamp | None) -> None:
        """The view errs from `time` on."""
        before = self.errors.open
        if before is None or not same(before.error, error):
            began = Erring(time, None, error)
            self._expect(await self.stores.err(time, began, before))
            log.info("view errs", extra={"view": str(self.view.id), "time": time, "reason": str(error)})
            self._tell_readers(time)
            if before is not None:
                self.errors.heal(time)
            self.errors.begin(time, error)
        if self.refreshes:
            self.find_refresh(time)
        elif before is None and basis is not None:
            basis = Timestamp(time - 1)
        self.moved(time, basis)
        self.release_inputs()
        self._tables.wake([self.view.id])

    async def _commit(self, made: Step, taken: Gathered, basis: Timestamp) -> None:
        """Write a step, and let it be seen."""
        await self._write(Written.of(made), taken.end, basis)
        await self._machine.keep(made.states, taken, basis)
        await self._wrote(made.output, taken)

    async def _write(self, written: Written, end: Timestamp, basis: Timestamp | None) -> None:
        reach("step_computed")
        heals = self.errors.open
        if basis is not None and heals is None and written.is_empty:
            return
        since = end if basis is None else None
        mismatch = await self.stores.append(written, end, since=since, heals=heals)
        if mismatch is not None and basis is not None and mismatch.current <= Frontier(Timestamp(basis + 1)):
            # A tick has told that nothing happened before the step, and was not known to be durable yet.
            mismatch = await self.stores.append(written, end, since=since, heals=heals)
        self._expect(mismatch)
        reach("step_committed")

    async def _wrote(self, output: UpdateBatch | None, taken: Gathered) -> None:
        """What was written is durable. Readers are told before the view is complete there."""
        end, heals = taken.end, self.errors.open
        await self._find_due(end)
        if output is None or output.rows > _MANY_NOTED:
            self._tables.rewritten(self.view.id, end)
        else:
            for commit in commits_of(output):
                self._tables.committed({self.view.id: commit})
        if heals is not None:
            self._tell_readers(end)
            self.errors.heal(end)
        self.counts.steps += 1
        self.counts.updates_in += taken.rows
        self.counts.updates_out += 0 if output is None else output.rows
        self.moved(end, end)
        self.release_inputs()
        self._tables.wake([self.view.id])

    def _tell_readers(self, time: Timestamp) -> None:
        assert self._table is not None  # it was begun before there was anything to do
        self._table.tell_readers(time)

    def release_inputs(self) -> None:
        """Inputs are held where the view would go on after a crash, and no longer than it does."""
        held, basis = None if self._hold is None else self._hold.at, self.stores.basis
        if self._hold is None or held is None:
            return
        if self.refreshes and self.due is None and not self.is_behind:
            self._hold.release()
        if basis is None and self.errors.open is not None:
            basis = self.done
        if basis is not None and basis > held and self._hold.at is not None:
            self._hold.downgrade(basis)

    def _expect(self, mismatch: UpperMismatch | None) -> None:
        if mismatch is not None:
            raise UnavailableError(f"view {self.view.id} was written by another up to {mismatch.current}")


def errors_done(stores: Stores) -> Timestamp:
    """The last time up to which it is known that a view errs, which does."""
    assert stores.errors is not None  # it is known from there
    upper = stores.errors.upper.time
    assert upper is not None  # only a collection that ended has none
    return Timestamp(upper - 1)
