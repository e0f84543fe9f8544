"""Tables as persist has them.

All tables are complete up to the timeline's `read_ts`, but the collections of those that were not written lately are
not told so at each commit. Nothing has happened to them since, so what they hold is what they held.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from pyspark.sql import SparkSession

from holdfast.adapter.tables.table import Table
from holdfast.persist import Changes, Persist, ReadHandle
from holdfast.persist.spark.difference import Change, changed
from holdfast.persist.spark.frames import Frames
from holdfast.persist.spark.scan import Snapshot, SparkReader
from holdfast.repr.frontier import Frontier, Timestamp, after
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

_STEP_ROWS = 65_536
"""Updates that are read at a time, or a few more."""


class Stored:
    def __init__(self, persist: Persist) -> None:
        self._persist, self._frames = persist, Frames()

    async def snapshot(self, table: Table, time: Timestamp) -> UpdateBatch:
        """The table at `time`, consolidated."""
        readable = table.readable
        if readable is None or not table.handle.state.batches:
            return UpdateBatch.empty(table.row_type)
        time = min(time, readable)
        async with self._reader(table, time) as reader:
            return _narrowed(await reader.rows(time), table.row_type)

    async def updates(self, table: Table, time: Timestamp, columns: Sequence[int]) -> AsyncIterator[UpdateBatch]:
        """Some columns of the table at `time`, as updates that are not consolidated, piece by piece."""
        readable = table.readable
        if readable is None or not table.handle.state.batches:
            return
        time = min(time, readable)
        async with self._reader(table, time) as reader:
            async for batch in reader.updates(time, _named(table, columns)):
                yield batch

    async def updates_between(
        self, table: Table, start: Timestamp, end: Timestamp, columns: Sequence[int]
    ) -> AsyncIterator[UpdateBatch]:
        """Some columns of what happened later than `start`, up to `end`: updates that are not consolidated."""
        readable = table.readable
        if readable is None or readable <= start:
            return
        lower, upper = Timestamp(start + 1), after(min(end, readable))
        async with self._reader(table, start) as reader:
            async for batch in reader.updates_between(lower, upper, _named(table, columns)):
                yield batch

    @asynccontextmanager
    async def pinned(
        self, spark: SparkSession, table: Table, time: Timestamp, columns: Sequence[int] | None = None
    ) -> AsyncIterator[Snapshot]:
        """The table at `time` for Spark, while it is read."""
        readable = table.readable
        assert readable is not None  # a table is made with a commit that advances it
        time = min(time, readable)
        async with (
            self._reader(table, time) as reader,
            SparkReader(spark, reader, self._frames).snapshot(time, _named(table, columns)) as snapshot,
        ):
            yield snapshot

    @asynccontextmanager
    async def change(
        self, spark: SparkSession, table: Table, start: Timestamp, end: Timestamp, columns: Sequence[int]
    ) -> AsyncIterator[Change]:
        """What happened later than `start`, up to `end`, for Spark, while it is read. Something is known to have."""
        readable = table.readable
        assert readable is not None
        upper = after(min(end, readable))
        async with (
            self._reader(table, start) as reader,
            changed(spark, reader, Timestamp(start + 1), upper, _named(table, columns)) as found,
        ):
            yield found

    async def changes(self, table: Table, start: Timestamp, end: Timestamp) -> AsyncIterator[Changes]:
        """The updates later than `start`, up to `end`, in steps: each with all up to where it ends."""
        readable = table.readable
        if readable is None or readable <= start:
            return
        end = min(end, readable)
        async with self._reader(table, start) as reader:
            while start < end:
                lower, upper = Timestamp(start + 1), self._step(table, start, end)
                batches = [batch async for batch in reader.changes(lower, upper)]
                yield Changes(_narrowed(UpdateBatch.concat(reader.row_type, batches), table.row_type), upper)
                assert upper.time is not None
                start = Timestamp(upper.time - 1)

    def _step(self, table: Table, start: Timestamp, end: Timestamp) -> Frontier:
        """Where to end a step: between two batches of the collection, once they hold enough."""
        rows = 0
        for batch in table.handle.state.batches:
            if batch.lower > end:
                break
            if batch.lower > start + 1 and rows >= _STEP_ROWS:
                return Frontier(batch.lower)
            rows = batch.rows if batch.lower <= start + 1 else rows + batch.rows
        return after(end)

    @asynccontextmanager
    async def _reader(self, table: Table, since: Timestamp) -> AsyncIterator[ReadHandle]:
        reader = await self._persist.reader(table.handle.name, since=Frontier(since))
        try:
            yield reader
        finally:
            await reader.close()


def _named(table: Table, columns: Sequence[int] | None) -> Sequence[str]:
    names = table.row_type.names
    return names if columns is None else [names[index] for index in columns]


def _narrowed(updates: UpdateBatch, row_type: RowType) -> UpdateBatch:
    """Updates with no more columns than the table had when it was asked: it may have got some since."""
    if updates.row_type == row_type:
        return updates
    return UpdateBatch(row_type, updates.table.select([*row_type.names, TIME, DIFF]))
