"""All tables of the database: what is in them at which times.

The ledger tells what was committed; reads are answered from memory where it has the table at their time, else from
persist. Tables that are written are complete up to the timeline's `read_ts`, maintained ones as far as they say.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.origin import Errs
from holdfast.adapter.tables.background import Background
from holdfast.adapter.tables.commit import TableCommit, commits_of
from holdfast.adapter.tables.ending import Ending
from holdfast.adapter.tables.expand import expanded
from holdfast.adapter.tables.follow import Followers
from holdfast.adapter.tables.hold import Hold
from holdfast.adapter.tables.index import Part
from holdfast.adapter.tables.memory import Memory
from holdfast.adapter.tables.progress import Timely
from holdfast.adapter.tables.recent import Recent
from holdfast.adapter.tables.settings import TableSettings
from holdfast.adapter.tables.shape import collection_of, is_table
from holdfast.adapter.tables.stored import Stored
from holdfast.adapter.tables.table import Table
from holdfast.adapter.timeline import Timeline
from holdfast.compute.evaluate.scalars import Row
from holdfast.compute.maintain import Erring, Holders, Progress, ReadCapability
from holdfast.errors import DataCorruption, HoldfastError
from holdfast.persist import Append, Changes, Persist, WriteHandle
from holdfast.persist.errors import AsOfBeforeSince, UnknownCollection
from holdfast.persist.spark.difference import Change
from holdfast.persist.spark.scan import Snapshot
from holdfast.plan.errors import DataError
from holdfast.plan.row_types import row_type_of
from holdfast.repr.frontier import Frontier, Timestamp, after
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

log = logging.getLogger(__name__)

_TICK_TABLES = 256
"""Tables whose collections are told at one tick how far they are complete: some ten milliseconds of a thread."""

_READ_BACK = 64 << 20
"""Bytes of a table that are read again for each query, if there is no room for them."""

_FEW_ROWS = 20_000
"""Rows that are counted without a thread."""


class Tables:
    """`origin` says where an error of a table comes from, if that is known, given which of the others err then."""

    def __init__(
        self,
        persist: Persist,
        timeline: Timeline,
        settings: TableSettings,
        origin: Callable[[GlobalId, Errs], str | None],
    ) -> None:
        self._persist, self._timeline, self._settings, self._origin = persist, timeline, settings, origin
        self._tables: dict[GlobalId, Table] = {}
        self._stored = Stored(persist)
        self._background = Background()
        self._memory = Memory(self._stored, self._background, settings.memory_bytes, persist.rest)
        self._recent = Recent(settings.recent_bytes)
        self._followers = Followers(self._recent, self._stored, self._error)
        self._timely = Timely(timeline)
        self._turns: deque[Table] = deque()
        self._told: list[Table] = []
        self.ending = Ending(persist, self._background)

    # What sessions ask

    def frontiers(self, id: GlobalId) -> tuple[Frontier, Frontier]:
        """Where the table begins to be readable, and up to where it is complete."""
        table = self._table(id)
        return Frontier(table.since(self._settings.retain_ms)), after(table.progress.complete)

    def hold(self, ids: Iterable[GlobalId], at: Timestamp) -> Hold:
        """Keep the tables readable at `at`."""
        tables = [self._table(id) for id in ids]
        for table in tables:
            self._check_since(table, at)
        return Hold([table.capability(at) for table in tables])

    def acquire(self, ids: Iterable[GlobalId]) -> list[ReadCapability]:
        """The right to read tables from as early on as they can be: as early as who had it before the database was
        closed, if nobody has read them since.
        """
        tables = [self._table(id) for id in ids]
        return [table.capability(table.earliest) for table in tables]

    def size(self, id: GlobalId) -> int:
        """How many rows there are, roughly."""
        table = self._table(id)
        return table.stored_rows() if table.kept is None else table.kept.rows

    def is_at_hand(self, id: GlobalId) -> bool:
        """Whether all rows are in memory, or can be, or are not much to read back."""
        table = self._table(id)
        return self._memory.fits(table) or table.expected_bytes() <= _READ_BACK

    async def rows(self, id: GlobalId, as_of: Timestamp, columns: Sequence[int] | None = None) -> pa.Table:
        """All rows at `as_of`, each as often as it is there."""
        table = self._table(id)
        await self._readable(table, as_of)
        kept = await self._memory.of(table)
        found = None if kept is None else await kept.view(as_of)
        if found is None:
            found = await self._read_back(table, as_of)
        return found if columns is None else found.select(list(columns))

    async def durable_rows(self, id: GlobalId, as_of: Timestamp) -> pa.Table:
        """All rows at `as_of`, read back, whatever is in memory."""
        table = self._table(id)
        await self._readable(table, as_of)
        return await self._read_back(table, as_of)

    async def _read_back(self, table: Table, as_of: Timestamp) -> pa.Table:
        snapshot = await self._stored.snapshot(table, as_of)
        return expanded(snapshot) if snapshot.rows < _FEW_ROWS else await asyncio.to_thread(expanded, snapshot)

    async def lookup(
        self, id: GlobalId, by: tuple[Part, ...], values: tuple[object, ...], as_of: Timestamp
    ) -> Sequence[Row] | None:
        """The rows at `as_of` where these have these values.

        None: the table is not in memory at that time, or `rows` is the better way, or the only one.
        """
        table = self._table(id)
        if as_of > table.progress.complete:
            await table.progress.reached(as_of)
        self._check_errors(table, as_of)
        kept = await self._memory.of(table)
        return None if kept is None else await kept.lookup(by, values, as_of)

    def found(
        self, id: GlobalId, by: tuple[Part, ...], values: tuple[object, ...], outputs: Sequence[int]
    ) -> Sequence[Row] | None:
        """The columns `outputs` of what `lookup` finds at `read_ts`, if nothing has to be waited for; else None."""
        table = self._tables.get(id)
        kept = None if table is None else table.kept
        if table is None or kept is None or kept.is_broken:
            return None
        read_ts = self._timeline.read_ts
        if not table.is_good(read_ts):
            return None
        self._memory.touch(table)
        return kept.found(by, values, read_ts, outputs)

    def lagging(self, id: GlobalId) -> Progress | None:
        """How far a table is that is in memory, and would be read there if it were complete at `read_ts`."""
        table = self._tables.get(id)
        if table is None or table.kept is None or table.progress.complete >= self._timeline.read_ts:
            return None
        return table.progress

    @asynccontextmanager
    async def frame(self, spark: SparkSession, id: GlobalId, as_of: Timestamp) -> AsyncIterator[DataFrame]:
        """All rows at `as_of`, each as often as it is there, for Spark to read in the block."""
        async with self.pinned(spark, id, as_of) as snapshot:
            yield await asyncio.to_thread(snapshot.rows)

    @asynccontextmanager
    async def pinned(
        self, spark: SparkSession, id: GlobalId, as_of: Timestamp, columns: Sequence[int] | None = None
    ) -> AsyncIterator[Snapshot]:
        """The table at `as_of`, or some columns of it, for Spark to read in the block."""
        table = self._table(id)
        await self._readable(table, as_of)
        async with self._stored.pinned(spark, table, as_of, columns) as snapshot:
            yield snapshot

    def change(
        self, spark: SparkSession, id: GlobalId, start: Timestamp, end: Timestamp, columns: Sequence[int]
    ) -> AbstractAsyncContextManager[Change]:
        """What happened later than `start`, up to `end`, at which the table is complete, for one who holds it at
        `start`, for Spark to read in the block. Something did.
        """
        return self._stored.change(spark, self._table(id), start, end, columns)

    def takes_back(self, id: GlobalId) -> bool:
        """Whether rows are known to have gone again, so that it takes more than a scan to tell which there are."""
        batches = self._table(id).handle.state.batches
        return not all(part.inserts_only for batch in batches for part in batch.parts)

    async def changes(self, id: GlobalId, start: Timestamp, *, prompt: bool = False) -> AsyncGenerator[Changes, None]:
        """The updates at times later than `start`, as they happen.

        Each step has all updates since the one before up to its `upper`; there may be none. Such steps come as time
        passes, or, to who is `prompt`, soon after anything has happened to the database. The table stays readable from
        where the last step ended. The last step of a table that is dropped has an empty upper.
        """
        table = self._table(id)
        with self.hold([id], start) as hold:
            async for step in self._followers.follow(table, start, prompt=prompt):
                if step.upper.time is not None:
                    hold.downgrade(Timestamp(step.upper.time - 1))
                yield step

    def _table(self, id: GlobalId) -> Table:
        table = self._tables.get(id)
        if table is None:
            raise UnknownCollection(collection_of(id))
        return table

    async def _readable(self, table: Table, as_of: Timestamp) -> None:
        await table.progress.reached(as_of)
        self._check_since(table, as_of)
        self._check_errors(table, as_of)

    def _check_since(self, table: Table, at: Timestamp) -> None:
        since = table.since(self._settings.retain_ms)
        if at < since:
            raise AsOfBeforeSince(table.handle.name, at, Frontier(since))

    def _check_errors(self, table: Table, as_of: Timestamp) -> None:
        erring = table.progress.erring(as_of, as_of)
        if erring is not None:
            raise self._error(table, as_of, erring)

    def _error(self, table: Table, at: Timestamp, erring: Erring) -> DataError:
        """What is raised where someone reads a table that errs at a time."""

        def errs(id: GlobalId) -> bool | None:
            found = self._tables.get(id)
            return None if found is None else found.progress.erring(at, at) is not None

        # All who read the table get that error, so what is said of it is said of a copy.
        error = copy(erring.error)
        error.where = self._origin(table.id, errs)
        return error

    # What the ledger tells

    async def open(self, items: Sequence[Item]) -> None:
        """Find the tables that there are, and end those that are in no catalog: nobody was told of them."""
        handles = await self._persist.writers([collection_of(item.id) for item in items])
        for item in items:
            handle = handles.get(collection_of(item.id))
            if handle is None:
                raise DataCorruption(f"table {item.id} is in the catalog, but nothing is stored of it")
            self._begin(item, handle, handle.since.time)
        await self.ending.end_strays(is_table, handles.keys())

    async def create(self, item: Item) -> None:
        """Make the collection of a table that is to be in the catalog with the next commit."""
        row_type = row_type_of([column.type for column in item.columns])
        handle = await self._persist.create_or_load(collection_of(item.id), row_type)
        self._begin(item, handle, None)

    def _begin(self, item: Item, handle: WriteHandle, since: Timestamp | None) -> None:
        first = Frontier(self._timeline.read_ts if since is None else since)
        claim = ReadCapability(item.id, first, Holders(lambda: self._end(item.id)))
        self.begin(item, handle, {item.id: claim}, self._timely)

    def begin(
        self, item: Item, handle: WriteHandle, claims: Mapping[GlobalId, ReadCapability], progress: Progress
    ) -> None:
        """There is a table from now on, kept in the collection `handle`, that can be read from where its claims are.

        Once the last of its capabilities is dropped, whoever made them says that it has `ended`.
        """
        types = [column.type for column in item.columns]
        table = Table(item.id, handle, types, item.retain_history, claims, progress)
        self._tables[item.id] = table
        self._recent.begin(item.id, progress.complete)
        self._turns.append(table)

    def keep(self, id: GlobalId, index: GlobalId, by: tuple[Part, ...] | None) -> None:
        """A table has an index: it stays in memory, and rows are found by these. It may be there for that."""
        table = self._table(id)
        table.claim(index)
        self._memory.want(table, index, by)

    def indexes(self, id: GlobalId) -> Mapping[GlobalId, tuple[Part, ...] | None]:
        """The indexes of a table, and what they find rows by. None: by nothing, they only keep it in memory."""
        return self._memory.wanted(id)

    def release(self, id: GlobalId, index: GlobalId) -> None:
        """An index of a table is gone. If the table was there only for it, it is dropped."""
        self._memory.unwant(id, index)
        if id in self._tables:
            self._unclaim(self._tables[id], index)

    def collection(self, id: GlobalId) -> Table:
        """For those who maintain tables from others."""
        return self._table(id)

    def append(self, id: GlobalId, commit: TableCommit | None, time: Timestamp, widened: Item | None = None) -> Append:
        """What a commit at `time` does to a table, and that it has more columns from then on."""
        table = self._tables[id]
        row_type = None if widened is None else row_type_of([column.type for column in widened.columns])
        updates = None if commit is None else commit.updates
        return Append(table.handle, updates, table.handle.upper, after(time), row_type)

    def row_type(self, id: GlobalId) -> RowType:
        return self._tables[id].row_type

    def changed_at(self, id: GlobalId) -> Timestamp:
        """A time at or after the table's last change. Of one that is not complete yet that may be any time."""
        table, read_ts = self._tables[id], self._timeline.read_ts
        return table.changed_at if table.progress.complete >= read_ts else read_ts

    def committed(self, commits: Mapping[GlobalId, TableCommit]) -> None:
        """What happened is durable; the tables are about to be complete there."""
        for id, commit in commits.items():
            table = self._tables[id]
            self._recent.add(id, commit)
            table.note(commit)

    def written(self, id: GlobalId, updates: UpdateBatch) -> None:
        """What happened to a table at some times is durable; it is about to be complete there."""
        for commit in commits_of(updates):
            self.committed({id: commit})

    def rewritten(self, id: GlobalId, time: Timestamp) -> None:
        """A table changed at `time`, durably, in ways that are not told."""
        self._recent.begin(id, time)
        self._tables[id].rewritten(time)

    async def between(self, id: GlobalId, start: Timestamp, end: Timestamp) -> AsyncGenerator[Changes, None]:
        """The updates later than `start`, up to `end`, at which the table is complete, for one who holds it at `start`.

        They come in steps: each has all from where the one before ended to its upper.
        """
        table = self._table(id)
        while start < end and self._recent.reaches(id, start):
            commit = self._recent.next(id, start)
            if commit is None or commit.time > end:
                return
            yield Changes(commit.updates, after(commit.time))
            start = commit.time
        if start < end:
            async for step in self._stored.changes(table, start, end):
                yield step

    def updates(self, id: GlobalId, as_of: Timestamp, columns: Sequence[int]) -> AsyncIterator[UpdateBatch]:
        """Some columns of the table at `as_of`, at which it is complete, for one who holds it there: updates, not yet
        consolidated, piece by piece. Errors do not count.
        """
        return self._stored.updates(self._table(id), as_of, columns)

    def updates_between(
        self, id: GlobalId, start: Timestamp, end: Timestamp, columns: Sequence[int]
    ) -> AsyncIterator[UpdateBatch]:
        """Some columns of what happened later than `start`, up to `end`, at which the table is complete, for one who
        holds it at `start`: updates, not yet consolidated, piece by piece.
        """
        return self._stored.updates_between(self._table(id), start, end, columns)

    def changed(self, item: Item) -> None:
        """A table is as `item` says from now on."""
        table = self._tables[item.id]
        table.retain = item.retain_history
        if len(item.columns) != len(table.types):
            table.widen([column.type for column in item.columns])

    def drop(self, id: GlobalId) -> None:
        """A table is in no catalog any more. It ends once nobody holds it."""
        self._unclaim(self._tables[id], id)

    def _unclaim(self, table: Table, item: GlobalId) -> None:
        claim = table.unclaim(item)
        if claim is None:
            return
        if table.is_dropped:
            self._followers.changed([table])
        claim.drop()

    def wake(self, ids: Iterable[GlobalId]) -> None:
        """The timeline has passed what happened to these tables."""
        self._followers.changed(self._tables[id] for id in ids)

    def fail(self, error: HoldfastError) -> None:
        """Nothing will happen any more."""
        self._followers.fail(error)

    def _end(self, id: GlobalId) -> None:
        self.ending.end(self._tables[id].handle)
        self.ended(id)

    def ended(self, id: GlobalId) -> None:
        """Nobody has a capability to read a table any more: it is forgotten."""
        table = self._tables.pop(id)
        self._memory.forget(table)
        self._recent.end(id)
        self._turns.remove(table)

    # As time passes

    def tick(self, time: Timestamp) -> list[Append]:
        """What a commit at `time` in which nothing happens tells some tables: that they are complete, and how far back
        they need no longer be. All have their turn.
        """
        appends: list[Append] = []
        self._told = []
        for _ in range(min(_TICK_TABLES, len(self._turns))):
            table = self._turns.popleft()
            self._turns.append(table)
            self._told.append(table)
            appends += table.progress.tick(table.handle, time, self._since_to_tell(table))
        return appends

    def _since_to_tell(self, table: Table) -> Frontier | None:
        """Unless nothing has happened since what persist was told last: then there is nothing to forget."""
        told = table.handle.since.time
        since = table.since(self._settings.retain_ms)
        return Frontier(since) if told is not None and told < min(since, table.changed_at) else None

    def ticked(self) -> None:
        """Time has passed."""
        for table in self._told:
            table.progress.ticked()
        self._followers.ticked()
        retain = self._settings.retain_ms
        self._memory.settle(lambda table: Timestamp(max(table.since(retain), table.progress.complete - retain)))
        self._memory.make_room()

    async def end_dropped(self) -> None:
        """Try again to end the tables that were dropped while others read them."""
        await self.ending.retry()

    async def stop(self) -> None:
        await self._memory.stop()
        await self._background.finish()
