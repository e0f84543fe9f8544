"""The ledger: all that changes the database, one commit after another.

Whoever wants to change something waits in a queue. All who wait when the commit before has ended share the next one:
one time, and one transaction over the tables they write and the catalog. They are answered once it is durable and the
timeline has passed it. A statement about the catalog is decided when its turn comes, on the catalog that those before
it have made; one that fails fails alone.

Time passes also if nobody writes: a tick is a commit in which nothing happens.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from time import monotonic

from holdfast.adapter.catalog import durable
from holdfast.adapter.catalog.decision import KEPT, Decision
from holdfast.adapter.catalog.durable import CatalogRow
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.origin import origin
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.draft import Draft, created_by
from holdfast.adapter.maintain import Maintainer
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.session.variables import code_limit
from holdfast.adapter.tables import Tables, TableSettings, Write
from holdfast.adapter.tables.commit import TableCommit, commit_of
from holdfast.adapter.timeline import Clock, Timeline, wall_clock
from holdfast.errors import DataCorruption, HoldfastError, OutcomeUnknown, UsageError
from holdfast.persist import Append, Persist, WriteHandle
from holdfast.persist.errors import Fenced, Stopped
from holdfast.repr.frontier import MIN_TIME, MINIMUM, Frontier, Timestamp, after
from holdfast.repr.ids import GlobalId
from holdfast.repr.update import UpdateBatch

log = logging.getLogger(__name__)

CATALOG = "catalog"
"""The collection of the catalog's rows. Its upper is the timeline's."""

_FIRST_COLLECTION = 30.0
"""Seconds after the start when leftovers are looked for first: those who come first have other things to wait for."""

_GATHERING = 0.02
"""Seconds at most for which a commit waits for others who come to write."""

_MANY_ROWS = 20_000
"""Updates that are put together in a thread."""


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """`tick_seconds` is how often time passes if nobody writes. None: only when `tick` is called.

    `garbage_seconds` is how often leftovers of writes that never were committed are looked for.
    For `lease_seconds` after a commit the store is sure to be ours: whoever takes it over waits for as long before it
    commits anything. It is longer than a tick.
    """

    tick_seconds: float | None = 1.0
    garbage_seconds: float = 600.0
    lease_seconds: float = 5.0
    tables: TableSettings = field(default_factory=TableSettings)


@dataclass(slots=True)
class _Write:
    """`planned` is the catalog that was known then. With `reads`, only if those tables are as they were at `as_of`."""

    changes: Mapping[GlobalId, Write]
    planned: CatalogState
    reads: Collection[GlobalId]
    as_of: Timestamp
    done: asyncio.Future[Timestamp | None]


@dataclass(slots=True)
class _CatalogChange:
    decide: Callable[[CatalogState], Decision]
    done: asyncio.Future[Decision]


class Exclusive:
    """The right to write what follows from what was read at `as_of`: nothing is written in between."""

    def __init__(self, as_of: Timestamp, commit: Callable[[Mapping[GlobalId, Write]], Awaitable[Timestamp]]) -> None:
        self.as_of = as_of
        self._commit = commit
        self.writing: asyncio.Future[Timestamp] | None = None

    async def commit(self, changes: Mapping[GlobalId, Write]) -> Timestamp:
        """Write, once; returns when. It is durable then, and visible. Who is cancelled meanwhile may have written."""
        if self.writing is not None:
            raise UsageError("an exclusive right to write is used once")
        self.writing = asyncio.ensure_future(self._commit(changes))
        return await asyncio.shield(self.writing)


class Ledger:
    """Made by `open`, ended by `stop`. `catalog` is as of the last commit."""

    def __init__(
        self,
        persist: Persist,
        handle: WriteHandle,
        catalog: CatalogState,
        timeline: Timeline,
        settings: LedgerSettings,
        runtime: SparkRuntime | None = None,
    ) -> None:
        self.catalog, self.timeline = catalog, timeline
        self.tables = Tables(persist, timeline, settings.tables, lambda id, errs: origin(self.catalog, id, errs))
        self.maintainer = Maintainer(persist, self.tables, timeline, runtime, lambda: code_limit(self.catalog))
        self._persist, self._handle, self._settings = persist, handle, settings
        self._catalog_changed_at = timeline.read_ts
        self._waiting: list[_Write | _CatalogChange] = []
        self._wake = asyncio.Event()
        self._turn = asyncio.Lock()
        self._committing = asyncio.Lock()
        self._failure: HoldfastError | None = None
        self._ours_until = 0.0
        self._stopping = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    @classmethod
    async def open(
        cls,
        persist: Persist,
        *,
        clock: Clock = wall_clock,
        settings: LedgerSettings | None = None,
        runtime: SparkRuntime | None = None,
    ) -> Ledger:
        """The database in a store: a new one, if there is none. Large views are made by the `runtime`."""
        settings = settings or LedgerSettings()
        handle = await persist.create_or_load(CATALOG, durable.ROW_TYPE)
        if handle.upper == MINIMUM:
            timeline = Timeline(MIN_TIME, clock)
            self = cls(persist, handle, CatalogState.initial(), timeline, settings, runtime)
            await self._write_rows([(row, 1) for row in durable.rows(self.catalog)])
        else:
            upper = handle.upper.time
            assert upper is not None  # the catalog's collection never ends
            timeline = Timeline(Timestamp(upper - 1), clock)
            held = await _rows(persist, timeline.read_ts)
            self = cls(persist, handle, await asyncio.to_thread(durable.load, held), timeline, settings, runtime)
            if upgrades := durable.upgrades(held, self.catalog):
                log.info("catalog written anew", extra={"rows": len(upgrades)})
                await self._write_rows(upgrades)
        await self.tables.open([item for item in self.catalog.items.values() if item.kind == "table"])
        await self.maintainer.open(self.catalog)
        log.info("ledger open", extra={"read_ts": timeline.read_ts, "items": len(self.catalog.items)})
        self._begin()
        return self

    def _begin(self) -> None:
        self._loops.append(asyncio.create_task(self._run(), name="holdfast-ledger"))
        if self._settings.tick_seconds is not None:
            self._loops.append(asyncio.create_task(self._ticks(self._settings.tick_seconds), name="holdfast-tick"))
        self._collecting = asyncio.create_task(self._collect(), name="holdfast-garbage")

    @property
    def read_ts(self) -> Timestamp:
        """The latest time that can be read: everything that was acknowledged is visible at it."""
        return self.timeline.read_ts

    @property
    def failure(self) -> HoldfastError | None:
        """Why nothing will be committed any more; None while all is well."""
        return self._failure

    @property
    def is_ours(self) -> bool:
        """Whether nobody else can have committed anything: what is read at `read_ts` is all there is.

        Time that passes while the process is stopped counts.
        """
        return monotonic() < self._ours_until

    async def make_sure(self) -> None:
        """Commit that nothing has happened, unless it is sure that nobody else has committed anything."""
        async with self._committing:
            if not self.is_ours:
                self._check()
                await self._pass_time()

    async def write(self, changes: Mapping[GlobalId, Write]) -> Timestamp:
        """Change tables; returns when. It is durable then, and visible."""
        time = await self.write_unless_changed(changes, (), self.read_ts)
        assert time is not None  # it is on no condition
        return time

    async def write_unless_changed(
        self, changes: Mapping[GlobalId, Write], reads: Collection[GlobalId], as_of: Timestamp
    ) -> Timestamp | None:
        """The same, if the tables `reads` are as they were at `as_of`; else nothing happens, and None is returned."""
        done: asyncio.Future[Timestamp | None] = asyncio.get_running_loop().create_future()
        self._enqueue(_Write(changes, self.catalog, reads, as_of, done))
        return await done

    async def change_catalog(self, decide: Callable[[CatalogState], Decision]) -> Decision:
        """Change the catalog as `decide` says of it when its turn comes. It is durable then."""
        done: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._enqueue(_CatalogChange(decide, done))
        return await done

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[Exclusive]:
        """Keep all others from writing, to write what follows from what is read. Time passes all the same."""
        await self._turn.acquire()
        right = Exclusive(self.read_ts, self._write_now)
        try:
            self._check()
            yield right
        finally:
            if right.writing is None or right.writing.done():
                self._turn.release()
            else:
                right.writing.add_done_callback(lambda _: self._turn.release())

    async def wait_until(self, time: Timestamp) -> None:
        """Wait until `time` can be read."""
        await self.timeline.reached(time)

    async def stop(self) -> None:
        """Finish what waits and refuse what comes. The store stays open."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._wake.set()
        self._collecting.cancel()
        await asyncio.gather(*self._loops, self._collecting, return_exceptions=True)
        self._fail(Stopped())
        await self.maintainer.compute.stop()
        await self.tables.stop()

    # The queue

    def _enqueue(self, work: _Write | _CatalogChange) -> None:
        self._check()
        self._waiting.append(work)
        self._wake.set()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._stopping.is_set():
            raise Stopped

    def _fail(self, error: HoldfastError) -> None:
        """Nothing will be committed any more: all who wait and all who come are told why."""
        if self._failure is not None:
            return
        self._failure = error
        waiting, self._waiting = self._waiting, []
        for work in waiting:
            _fail(work, error)
        self.timeline.fail(error)
        self.tables.fail(error)

    async def _run(self) -> None:
        while self._failure is None:
            await self._wake.wait()
            self._wake.clear()
            async with self._turn:
                await self._gather()
                works: Sequence[_Write | _CatalogChange] = self._waiting
                self._waiting = []
                while works:
                    works = await self._commit_next(works)
            if self._stopping.is_set() and not self._waiting:
                return

    async def _gather(self) -> None:
        """Let those come who are about to write: a commit takes as long for all of them as for one.

        Whoever was answered together comes back one after another. So each turn of the loop brings someone, and the
        first turn that brings nobody ends it: someone who writes alone waits for no more than that.
        """
        until, waiting = monotonic() + _GATHERING, 0
        while waiting < len(self._waiting) and monotonic() < until:
            waiting = len(self._waiting)
            await asyncio.sleep(0)

    async def _commit_next(self, works: Sequence[_Write | _CatalogChange]) -> Sequence[_Write | _CatalogChange]:
        """Commit as many as can share a commit; returns the others."""
        draft = Draft(self.catalog)
        accepted: list[tuple[_Write | _CatalogChange, Decision | None]] = []
        taken = 0
        for work in works:
            taken += 1
            if work.done.done():
                continue  # who asked has gone
            try:
                accepted.append((work, await self._add(draft, work)))
            except Exception as error:
                _fail(work, error)
            if draft.is_full:
                break
        try:
            time = self.read_ts if draft.is_empty else await self._commit(draft)
        except Exception as error:
            for work, _ in accepted:
                _fail(work, error)
            self._unmake(draft.created(*KEPT))
        else:
            for work, decision in accepted:
                _answer(work, decision, time)
        return works[taken:]

    async def _add(self, draft: Draft, work: _Write | _CatalogChange) -> Decision | None:
        match work:
            case _Write():
                if any(self._has_changed(id, work.as_of, draft) for id in work.reads):
                    work.done.set_result(None)
                else:
                    draft.write(work.changes, work.planned)
                return None
            case _CatalogChange():
                # A definition may take long to plan. Whoever reads the catalog meanwhile has the one before.
                decision, catalog = await asyncio.to_thread(draft.decide, work.decide)
                # The collections must be there before the catalog names them. After a crash in between they are ended.
                made: list[Item] = []
                try:
                    for item in created_by(decision.changes, *KEPT):
                        if item.kind == "table":
                            await self.tables.create(item)
                        else:
                            await self.maintainer.create(item, catalog)
                        made.append(item)
                except BaseException:
                    self._unmake(made)
                    raise
                draft.accept(decision, catalog)
                return decision

    def _unmake(self, items: Sequence[Item]) -> None:
        """What was made for items that are in no catalog is not needed."""
        for item in items:
            if item.kind == "table":
                self.tables.drop(item.id)
            else:
                self.maintainer.forget(item)

    def _has_changed(self, id: GlobalId, as_of: Timestamp, draft: Draft) -> bool:
        """Whether a table is another than it was, or is gone, or will be before this draft's next write."""
        return id in draft.writes or id not in draft.catalog.items or self.tables.changed_at(id) > as_of

    # Commits

    async def _write_now(self, changes: Mapping[GlobalId, Write]) -> Timestamp:
        draft = Draft(self.catalog)
        draft.write(changes, self.catalog)
        return self.read_ts if draft.is_empty else await self._commit(draft)

    async def _commit(self, draft: Draft) -> Timestamp:
        """Make what is in a draft durable, then visible."""
        async with self._committing:
            if self._failure is not None:
                raise self._failure
            time = self.timeline.write_ts()
            commits = {id: await self._updates(id, changes, time) for id, changes in draft.writes.items()}
            widened = draft.widened()
            touched = commits.keys() | widened.keys() | {item.id for item in draft.created()}
            appends = [self.tables.append(id, commits.get(id), time, widened.get(id)) for id in touched]
            await self._append([self._catalog_append(durable.updates(draft.changes), time), *appends])
            self._took_effect(draft, commits, time)
            return time

    async def _updates(self, id: GlobalId, changes: Sequence[Write], time: Timestamp) -> TableCommit:
        row_type = self.tables.row_type(id)
        if sum(change.rows for change in changes) < _MANY_ROWS:
            return commit_of(row_type, changes, time)
        return await asyncio.to_thread(commit_of, row_type, changes, time)

    def _catalog_append(self, rows: Sequence[tuple[CatalogRow, int]], time: Timestamp) -> Append:
        """The catalog's share of a commit: it is in every one, since its upper is the timeline's."""
        if not rows:
            return Append(self._handle, None, self._handle.upper, after(time))
        updates = UpdateBatch.from_rows(
            durable.ROW_TYPE, [row for row, _ in rows], [time] * len(rows), [diff for _, diff in rows]
        )
        self._catalog_changed_at = time
        return Append(self._handle, updates, self._handle.upper, after(time))

    async def _append(self, appends: Sequence[Append]) -> None:
        """One transaction. An error of which nothing is known to have come ends the ledger."""
        handles = [append.handle for append in appends]
        began = monotonic()
        try:
            mismatch = await self._persist.multi(handles).compare_and_append(appends)
        except (Fenced, OutcomeUnknown) as error:
            self._fail(error)
            raise
        except HoldfastError:
            raise
        except BaseException as error:
            self._fail(OutcomeUnknown(f"a commit failed: {type(error).__name__}: {error}"))
            raise
        if mismatch is not None:
            failure = UsageError(f"a collection of the database was written by another: {mismatch}")
            self._fail(failure)
            raise failure
        self._ours_until = began + self._settings.lease_seconds

    def _took_effect(self, draft: Draft, commits: Mapping[GlobalId, TableCommit], time: Timestamp) -> None:
        self.tables.committed(commits)
        self.catalog = draft.catalog
        self.timeline.advance(time)
        self.maintainer.begin(draft.created("materialized-view", "index"))
        for item in draft.altered():
            self.tables.changed(item)
        self.tables.wake(commits)
        for item in draft.without("index"):
            self.maintainer.end_index(item)
        for id in draft.dropped():
            self.tables.drop(id)
        self.maintainer.compute.time_passed()

    async def _write_rows(self, rows: Sequence[tuple[CatalogRow, int]]) -> None:
        """Write rows of the catalog that say what it is already."""
        time = self.timeline.write_ts()
        await self._append([self._catalog_append(rows, time)])
        self.timeline.advance(time)

    # As time passes

    async def tick(self) -> None:
        """Let time pass, if the clock has moved on: commit that nothing has happened until now."""
        async with self._committing:
            self._check()
            if not self.timeline.is_behind:
                return
            await self._pass_time()
        await self.tables.end_dropped()

    async def _pass_time(self) -> None:
        time = self.timeline.write_ts()
        catalog = self._catalog_append((), time)
        told = self._handle.since.time
        if told is not None and told < self._catalog_changed_at:
            catalog = replace(catalog, since=Frontier(self.read_ts))
        await self._append([catalog, *self.tables.tick(time)])
        self.timeline.advance(time)
        self.tables.ticked()
        self.maintainer.compute.time_passed()

    async def _ticks(self, seconds: float) -> None:
        while not self._stopping.is_set() and self._failure is None:
            try:
                async with asyncio.timeout(seconds):
                    await self._stopping.wait()
            except TimeoutError:
                try:
                    await self.tick()
                except HoldfastError as error:
                    log.warning("tick failed", extra={"reason": str(error)})

    async def _collect(self) -> None:
        """Delete what writes have left behind that never were committed, now and then."""
        await asyncio.sleep(min(_FIRST_COLLECTION, self._settings.garbage_seconds))
        while True:
            try:
                await self._persist.collect_garbage()
            except Fenced:
                return
            except HoldfastError as error:
                log.warning("garbage not collected", extra={"reason": str(error)})
            await asyncio.sleep(self._settings.garbage_seconds)


async def _rows(persist: Persist, time: Timestamp) -> list[CatalogRow]:
    """The rows of the catalog."""
    reader = await persist.reader(CATALOG)
    try:
        snapshot = await reader.rows(time)
    finally:
        await reader.close()
    kinds, keys, values, diffs = (snapshot.table.column(i).to_pylist() for i in (0, 1, 2, 4))
    if any(diff != 1 for diff in diffs):
        raise DataCorruption("the catalog has a row more than once")
    return list(zip(kinds, keys, values, strict=True))


def _answer(work: _Write | _CatalogChange, decision: Decision | None, time: Timestamp) -> None:
    if work.done.done():
        return
    if isinstance(work, _Write):
        work.done.set_result(time)
    elif decision is not None:
        work.done.set_result(decision)


def _fail(work: _Write | _CatalogChange, error: BaseException) -> None:
    if not work.done.done():
        work.done.set_exception(error)
