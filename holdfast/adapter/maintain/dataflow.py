"""A dataflow: what brings one view up to date with what it reads.

It works only when there is something to do: when an input has changed, or the view changes by itself. A step takes all
that has happened to the inputs in an interval of times, and writes what follows for the view and its hidden state in
one transaction, which expects the times before to be written and no later ones: so a step happens once, whoever tries.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic

from holdfast.adapter.maintain.arrangements import Arrangements
from holdfast.adapter.maintain.erring import Errors, same
from holdfast.adapter.maintain.gather import Gathered, gather
from holdfast.adapter.maintain.machine import Machine
from holdfast.adapter.maintain.on_spark import OnSpark
from holdfast.adapter.maintain.progress import Version, ViewProgress
from holdfast.adapter.maintain.stores import Stores, Written
from holdfast.adapter.maintain.updates import commits_of, moved, times_of
from holdfast.adapter.maintain.view import View
from holdfast.adapter.tables import Hold, Tables
from holdfast.adapter.tables.progress import Erring
from holdfast.adapter.timeline import Timeline
from holdfast.compute.delta import Step
from holdfast.errors import HoldfastError, UnavailableError
from holdfast.failpoint import reach
from holdfast.persist import Append, WriteHandle
from holdfast.persist.errors import Fenced, Stopped
from holdfast.persist.shard import UpperMismatch
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.update import UpdateBatch

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
"""Seconds after something around a dataflow failed until it tries again: more each time."""

_FEW_ROWS = 50_000
"""Rows of all inputs from which a view is made in this process sooner than a job of Spark's begins."""

_LARGE_SHARE = 0.2
"""Share of the rows of all inputs that may change before a view is sooner made from scratch, if that is many."""

_MANY_NOTED = 100_000
"""Rows of a step that are read back by who wants them, instead of being kept at hand."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What dataflows share. Without `spark` everything is computed in this process.

    `on_due` is told when one wants to work at a later time, `on_end` when one has ended.
    """

    tables: Tables
    timeline: Timeline
    arrangements: Arrangements
    turn: asyncio.Lock
    version: Version
    spark: OnSpark | None
    on_due: Callable[[Timestamp, Dataflow], None]
    on_end: Callable[[Dataflow], None]


@dataclass(slots=True)
class Counts:
    """What a dataflow has done since it was begun."""

    steps: int = 0
    updates_in: int = 0
    updates_out: int = 0
    seconds: float = 0.0
    last_seconds: float | None = None
    failures: int = 0


class Dataflow(ViewProgress):
    """Made of a view whose collections are there; it works from `begin` on, until it has ended."""

    def __init__(self, view: View, stores: Stores, errors: Errors, start: Timestamp, around: Surroundings) -> None:
        """`start` is the first time that the view has rows for, if none are written yet."""
        basis = stores.basis
        done = Timestamp(start - 1) if basis is None else basis
        if errors.open is not None:
            done = errors_done(stores)
        tables = [around.tables.table(id) for id in view.inputs]
        super().__init__(around.timeline, around.version, [table.progress for table in tables], done, basis, errors)
        self.view, self.stores, self.counts = view, stores, Counts()
        self.trouble: str | None = None
        self._around, self._tables, self._input_tables = around, around.tables, tables
        self._machine = Machine(view, stores, around.tables, around.arrangements, around.turn)
        self._inputs_known = self._machine.inputs
        self._hold: Hold | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended = self._is_suspect = False
        self.on_behind = self._work

    # Beginning and ending

    def begin(self) -> None:
        """Hold what is read, and do what there is to do."""
        view, basis, errs = self.view, self.basis, self.errors.open
        since = self.stores.output.since.time if basis is not None else self.errors.first
        first = Timestamp(self.done + 1)
        self._table = self._tables.begin(view.item, self.stores.output, first if since is None else since, self)
        held = first if basis is None and errs is None else self.done if basis is None else basis
        self._hold = self._tables.hold(view.inputs, held)
        self._machine.begin(self)
        for table in self._input_tables:
            table.readers.add(self)
        if basis is None and errs is None:
            self.changed = first
        if basis is not None and (self.stores.lacks_states or view.is_temporal):
            self.is_preparing = True
        self.changed = max(self.changed, *self._last_changes())
        if self.is_behind:
            self._work()

    def _last_changes(self) -> list[Timestamp]:
        """When inputs changed last, before they told us."""
        found = [self.done]
        for table in self._input_tables:
            last = table.last_change()
            found += [] if last is None else [last]
            erring = table.progress.erring(Timestamp(self.done + 1), table.progress.complete)
            found += [] if erring is None else [table.progress.complete]
        return found

    def end(self) -> None:
        """Nobody reads the view any more."""
        self._ended = True
        for table in self._input_tables:
            table.readers.discard(self)
        self._machine.end(self)
        if self._task is not None:
            self._task.cancel()
        if self._hold is not None:
            self._hold.release()
        for handle in self.stores.handles:
            if handle is not self.stores.output:
                self._tables.end(handle)
        self._around.on_end(self)

    async def stop(self) -> None:
        """Do nothing more; what is begun is finished or left."""
        self._ended = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.fail(Stopped())

    # As time passes

    def tick(self, _: WriteHandle, time: Timestamp, since: Frontier | None, /) -> Sequence[Append]:
        if self.is_behind or self.failure is not None:
            return ()
        self.settle()
        at = min(self.done, time)
        if since is not None and since.time is not None:
            self.errors.forget(since.time)
        if self.errors.open is not None:
            return self.stores.tick_errors(at)
        return self.stores.tick(at, since) if since is not None or self._holds_back() else ()

    def _holds_back(self) -> bool:
        """Whether inputs could forget something if the view were known to need it no more."""
        basis = self.stores.basis
        return basis is not None and any(table.changed_at > basis for table in self._input_tables)

    def ticked(self) -> None:
        self._release_inputs()

    def _release_inputs(self) -> None:
        """Inputs are held where the view would go on after a crash."""
        basis = self.stores.basis
        if basis is None and self.errors.open is not None:
            basis = self.done
        if self._hold is not None and self._hold.at is not None and basis is not None and basis > self._hold.at:
            self._hold.downgrade(basis)

    # Working

    def _work(self) -> None:
        if self._ended or self.failure is not None:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name=f"holdfast-dataflow-{self.view.id}")

    async def _run(self) -> None:
        pause = _FIRST_PAUSE
        while self.is_behind:
            began, steps = monotonic(), self.counts.steps
            try:
                await self._advance()
            except (Fenced, Stopped) as error:
                self.fail(error)
                return
            except Exception as error:  # whatever it was, nothing has happened: it is tried again
                if self._ended:
                    return
                foreseen = isinstance(error, HoldfastError)
                self.trouble = str(error) if foreseen else f"{type(error).__name__}: {error}"
                self.counts.failures += 1
                extra = {"view": str(self.view.id), "reason": self.trouble}
                log.warning("view not brought up to date", extra=extra, exc_info=None if foreseen else error)
                self._is_suspect = True
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self.trouble, pause = None, _FIRST_PAUSE
                if self.counts.steps > steps:
                    self.counts.last_seconds = monotonic() - began
                    self.counts.seconds += self.counts.last_seconds

    async def _resync(self) -> None:
        """Go on from what is durable: someone else may have written it, or we without knowing."""
        self._machine.reset()
        basis, errors = self.stores.basis, await self.stores.load_errors()
        done = errors_done(self.stores) if errors.open is not None else basis
        if done is not None and done > self.done:
            # What happened up to there is durable, and nobody was told of it.
            self._tables.rewritten(self.view.id, done)
            self.errors = errors
            self.moved(done, basis)
            self._release_inputs()
            self._tables.wake([self.view.id])
        self.is_preparing = self.view.is_temporal and basis is not None
        self._is_suspect = False

    async def _advance(self) -> None:
        """Decide some more times."""
        if self._is_suspect:
            await self._resync()
            return
        if self.is_preparing:
            await self._prepare()
            return
        if self.basis is None and self.errors.open is None:
            await self._begin_at(Timestamp(self.done + 1))
            return
        end = await self._inputs_beyond(self.done)
        start = self.done if self.basis is None else self.basis
        taken = await gather(self._tables, self._inputs_known, start, self.done, end)
        times = self._times(taken)
        if not times:
            self._settled(taken.end)
        elif self.basis is None:
            await self._begin_at(times[0])
        elif self.errors.open is not None:
            await self._retry(taken.up_to(times[0]), self.basis)
        else:
            await self._step(taken, times, self.basis)

    async def _inputs_beyond(self, time: Timestamp) -> Timestamp:
        await self._inputs_reached(Timestamp(time + 1))
        return self._reachable()

    def _times(self, taken: Gathered) -> list[Timestamp]:
        """When something happens that the view may change by, after what is done."""
        found = {time for time in times_of(taken.changes.values()) if time > self.done}
        if self.due is not None and self.due <= taken.end:
            found.add(max(self.due, Timestamp(self.done + 1)))
        for table in self._input_tables:
            start = self.done
            while (erring := table.progress.erring(start, taken.end)) is not None:
                found |= {time for time in (erring.start, erring.end) if time is not None and time > self.done}
                if erring.end is None or erring.end > taken.end:
                    break
                start = erring.end
        return sorted(time for time in found if time <= taken.end)

    def _failing(self, start: Timestamp, end: Timestamp) -> Erring | None:
        """The first error of inputs."""
        found = [table.progress.erring(start, end) for table in self._input_tables]
        return min((each for each in found if each is not None), key=lambda each: each.start, default=None)

    def _settled(self, end: Timestamp) -> None:
        """Nothing happened up to `end`."""
        self.moved(end, self.basis if self.errors.open is not None else end)
        self._tables.wake([self.view.id])

    # Steps

    async def _prepare(self) -> None:
        """Make the states that are missing, and find out when the view changes by itself."""
        basis = self.basis
        assert basis is not None
        if self.stores.lacks_states:
            async with self._from_scratch(basis, None) as (written, _):
                self._expect(await self.stores.rebuild(written.states))
        if self.view.is_temporal:
            await self._find_due(basis)
        self.is_preparing = False
        self.stirred()

    async def _find_due(self, done: Timestamp) -> None:
        """When the view changes by itself next, after `done`."""
        self.due = await self._machine.due(Timestamp(done + 1))
        if self.due is not None:
            self._around.on_due(self.due, self)

    @asynccontextmanager
    async def _from_scratch(
        self, at: Timestamp, basis: Timestamp | None
    ) -> AsyncIterator[tuple[Written, UpdateBatch | None]]:
        """What to write for the view to be what it is at `at`, and its updates, if they are at hand."""
        spark = self._around.spark
        if spark is not None and (basis is not None or self._input_rows() > _FEW_ROWS):
            async with spark.from_scratch(self.view, self.stores, at, basis) as written:
                yield written, None
        else:
            made = await self._machine.from_scratch(at)
            yield Written.of(made), made.output

    def _input_rows(self) -> int:
        return sum(self._tables.size(id) for id in self.view.inputs)

    def _is_large(self, taken: Gathered, times: Sequence[Timestamp]) -> bool:
        """Whether the view is sooner made from scratch than by a step."""
        if self._around.spark is None or len(times) > 1 or taken.rows <= _FEW_ROWS:
            return False
        holds_map = any(handle.row_type.holds_map for handle in self.stores.handles)
        return not holds_map and not self.view.is_temporal and taken.rows > _LARGE_SHARE * self._input_rows()

    async def _begin_at(self, time: Timestamp) -> None:
        """Write the first rows."""
        await self._inputs_reached(time)
        failing = self._failing(time, time)
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
        failing = self._failing(Timestamp(basis + 1), taken.end)
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
                if len(times) == 1 and (taken.end == times[0] or not self.view.is_temporal):
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
        """See whether the view has rows again at the end of what was taken: all of it as if it had happened then."""
        time, failing = taken.end, self._failing(taken.end, taken.end)
        try:
            if failing is not None:
                raise failing.error
            changes = {name: moved(batch, time) for name, batch in taken.changes.items()}
            made = await self._machine.step(changes, basis, time)
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
            self._table.tell_readers(time)
            if before is not None:
                self.errors.heal(time)
            self.errors.begin(time, error)
        if before is None and basis is not None:
            basis = Timestamp(time - 1)
        self.moved(time, basis)
        self._release_inputs()
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
        if self.view.is_temporal:
            await self._find_due(end)
        if output is None or output.rows > _MANY_NOTED:
            self._tables.rewritten(self.view.id, end)
        else:
            for commit in commits_of(output):
                self._tables.committed({self.view.id: commit})
        if heals is not None:
            self._table.tell_readers(end)
            self.errors.heal(end)
        self.counts.steps += 1
        self.counts.updates_in += taken.rows
        self.counts.updates_out += 0 if output is None else output.rows
        self.moved(end, end)
        self._release_inputs()
        self._tables.wake([self.view.id])

    def _expect(self, mismatch: UpperMismatch | None) -> None:
        if mismatch is not None:
            raise UnavailableError(f"view {self.view.id} was written by another up to {mismatch.current}")


def errors_done(stores: Stores) -> Timestamp:
    """The last time up to which it is known that a view errs, which does."""
    assert stores.errors is not None  # it is known from there
    upper = stores.errors.upper.time
    assert upper is not None  # only a collection that ended has none
    return Timestamp(upper - 1)
