"""What a step made, written and told: the rows of a view, its hidden state and its errors, in one transaction.

A transaction expects the times before the step to be written and no later ones: so a step happens once, whoever tries.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from holdfast.compute.maintain.collection import Erring
from holdfast.compute.maintain.erring import same
from holdfast.compute.maintain.history import Draft, History
from holdfast.compute.maintain.lags import Lags
from holdfast.compute.maintain.machine import Machine
from holdfast.compute.maintain.progress import ViewProgress
from holdfast.compute.maintain.read_capability import Holders, ReadCapability
from holdfast.compute.maintain.steps import ArrangementEntry
from holdfast.compute.maintain.stores import Stores, Written
from holdfast.compute.maintain.surroundings import Counts, Surroundings
from holdfast.compute.maintain.view import ViewDescription
from holdfast.compute.maintain.write_capability import WriteCapability
from holdfast.errors import UnavailableError
from holdfast.failpoint import reach
from holdfast.persist.shard import UpperMismatch
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.update import UpdateBatch

log = logging.getLogger(__name__)

_MANY_NOTED = 100_000
"""Rows of a step that are read back by who wants them, instead of being kept at hand."""


class Writing(ViewProgress):
    """A view that can be written. What it reads is held: from where it would go on after a crash, and not later than it
    can be read itself, by those who hold capabilities of it.
    """

    def __init__(
        self,
        inputs: Sequence[ReadCapability],
        view: ViewDescription,
        output: WriteCapability,
        holders: Holders,
        around: Surroundings,
    ) -> None:
        """`holders` are those who may read the view."""
        stores, errors, read_ts = output.stores, output.errors, around.timeline.read_ts
        basis, first = stores.basis, read_ts if view.refresh is None else view.refresh.first(read_ts)
        done = Timestamp(first - 1) if basis is None else basis
        if errors.open is not None:
            done = errors_done(stores)
        tables = [around.tables.collection(id) for id in view.inputs]
        super().__init__(
            around.timeline,
            around.version,
            [table.progress for table in tables],
            done,
            basis,
            errors,
            refreshes=view.refresh is not None,
        )
        self.view, self.stores = view, stores
        self.counts, self.history, self.lags = Counts(), History(), Lags()
        self._around, self._tables, self._input_tables = around, around.tables, tables
        self._machine = Machine(view, stores, around.tables, around.arrangements, around.turn)
        self._inputs_known = self._machine.inputs
        self._draft = Draft()
        self._held, self._output, self._holders = tuple(inputs), output, holders

    def state_size(self) -> tuple[int, int]:
        """How many updates of states are in memory, and in how many bytes."""
        return self._machine.sizes()

    def arranged(self) -> tuple[ArrangementEntry, ...]:
        """What things are looked up in, as far as it is in memory."""
        return tuple(self._machine.arranged())

    @property
    def is_hydrated(self) -> bool:
        """Whether it is known what the view is, be it an error."""
        return self.basis is not None or self.errors.open is not None

    def lag_ms(self, read_ts: Timestamp) -> int | None:
        """How far the view is behind what can be read; None if it has no rows yet."""
        return max(0, read_ts - self.complete) if self.is_hydrated else None

    # Times of its own

    async def _find_due(self, done: Timestamp) -> None:
        """When the view changes by itself next, after `done`."""
        if self.refreshes:
            self.find_refresh(done)
        elif self.view.program.is_temporal:
            self._is_due(await self._machine.due(Timestamp(done + 1)))

    def find_refresh(self, done: Timestamp) -> None:
        """When the view is brought up to date next, after `done`."""
        assert self.view.refresh is not None  # or it would not be asked
        self._is_due(self.view.refresh.next(Timestamp(done + 1)))

    def _is_due(self, time: Timestamp | None) -> None:
        self.due = time
        if time is not None:
            self._around.on_due(time, self)

    # Writing

    async def _write(self, written: Written, end: Timestamp, basis: Timestamp | None) -> None:
        reach("step_computed")
        self._draft.enter("commit")
        self._draft.rows_out = written.rows
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

    async def _wrote(self, output: UpdateBatch | None, end: Timestamp, rows: int) -> None:
        """What was written up to `end`, of so many updates, is durable. Readers are told before the view is complete
        there.
        """
        heals = self.errors.open
        await self._find_due(end)
        if output is None or output.rows > _MANY_NOTED:
            self._tables.rewritten(self.view.id, end)
        else:
            self._tables.written(self.view.id, output)
        if heals is not None:
            self._tell_readers(end)
            self.errors.heal(end)
        self.counts.steps += 1
        self.counts.updates_in += rows
        self.counts.updates_out += self._draft.rows_out
        self.moved(end, end)
        self.release_inputs()
        self._tables.wake([self.view.id])

    def _tell_readers(self, time: Timestamp) -> None:
        self._tables.collection(self.view.id).tell_readers(time)

    # What it reads

    def release_inputs(self) -> None:
        """Let inputs forget what is not needed of them any more."""
        if self.refreshes and self.due is None and not self.is_behind:
            self.drop_inputs()
            return
        basis = self.stores.basis
        if basis is None and self.errors.open is not None:
            basis = self.done
        if basis is not None:
            self.hold_inputs(basis)

    def hold_inputs(self, at: Timestamp) -> None:
        """Hold inputs at `at`, where the view would go on after a crash, or where it can be read itself if earlier.

        An input that had forgotten that much when the view was begun is held from where it could be read then.
        """
        readable = self._holders.least()
        for capability in self._held:
            capability.advance(at if readable is None else min(at, readable))

    def drop_inputs(self) -> None:
        for capability in self._held:
            capability.drop()

    def _expect(self, mismatch: UpperMismatch | None) -> None:
        if mismatch is not None:
            raise UnavailableError(f"view {self.view.id} was written by another up to {mismatch.current}")

    async def _err(self, time: Timestamp, error: DataError, basis: Timestamp | None) -> None:
        """The view errs from `time` on."""
        self._draft.err(error)
        before = self.errors.open
        if before is None or not same(before.error, error, self._around.codes):
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


def errors_done(stores: Stores) -> Timestamp:
    """The last time up to which it is known that a view errs, which does."""
    assert stores.errors is not None  # it is known from there
    upper = stores.errors.upper.time
    assert upper is not None  # only a collection that ended has none
    return Timestamp(upper - 1)
