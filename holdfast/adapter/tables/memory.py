"""Which tables are in memory: those that have an index, and those that were read last, in a bounded number of bytes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress

from holdfast.adapter.tables.background import Background
from holdfast.adapter.tables.commit import TableCommit
from holdfast.adapter.tables.contents import Contents
from holdfast.adapter.tables.expand import expanded
from holdfast.adapter.tables.index import Part
from holdfast.adapter.tables.kept import Kept
from holdfast.adapter.tables.stored import Stored
from holdfast.adapter.tables.table import Table
from holdfast.errors import HoldfastError
from holdfast.persist.rest import Rest
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId

_REST = 5_000
"""Milliseconds after a change until a table that has no index is made ready to be read."""


class Memory:
    def __init__(self, stored: Stored, background: Background, limit: int, rest: Rest) -> None:
        self._stored, self._background, self._limit, self._rest = stored, background, limit, rest
        self._tables: OrderedDict[GlobalId, Table] = OrderedDict()
        self._newest: Table | None = None
        self._loading: dict[GlobalId, asyncio.Future[Kept | None]] = {}
        self._wanted: dict[GlobalId, dict[GlobalId, tuple[Part, ...] | None]] = {}

    def want(self, table: Table, index: GlobalId, by: tuple[Part, ...] | None) -> None:
        """Keep a table for an index, however large it is, and find rows by these."""
        self._wanted.setdefault(table.id, {})[index] = by
        self._background.start(self._prepare(table, by), "holdfast-index")

    def wanted(self, id: GlobalId) -> Mapping[GlobalId, tuple[Part, ...] | None]:
        """What the indexes of a table find rows by."""
        return self._wanted.get(id, {})

    def unwant(self, id: GlobalId, index: GlobalId) -> None:
        """An index of the table is gone."""
        self._wanted.get(id, {}).pop(index, None)
        if not self._wanted.get(id):
            self._wanted.pop(id, None)

    async def _prepare(self, table: Table, by: tuple[Part, ...] | None) -> None:
        """Read a table before it is asked for. Who asks then is told what goes wrong."""
        with suppress(HoldfastError, asyncio.CancelledError):
            kept = await self.of(table)
            if kept is not None and by is not None:
                await kept.add_index(by)

    async def of(self, table: Table) -> Kept | None:
        """The table in memory; it is read if it is not there. None: it is too large."""
        kept = table.kept
        if kept is not None and not kept.is_broken:
            self.touch(table)
            return kept
        if not self.fits(table):
            return None
        if table.id not in self._loading:
            table.kept = None
            load = asyncio.ensure_future(self._load(table))
            self._loading[table.id] = load
            load.add_done_callback(lambda _: self._loading.pop(table.id))
        return await asyncio.shield(self._loading[table.id])

    def fits(self, table: Table) -> bool:
        """Whether a table is in memory, or would be if it were read."""
        there = table.kept is not None and not table.kept.is_broken
        return there or table.id in self._wanted or table.expected_bytes() <= self._limit

    def touch(self, table: Table) -> None:
        """A table that is in memory was read."""
        if table is not self._newest:
            self._tables.move_to_end(table.id)
            self._newest = table

    async def _load(self, table: Table) -> Kept | None:
        """Read the table at the last time at which it is complete; what is committed meanwhile is put in after it."""
        meanwhile = table.meanwhile = list[TableCommit]()
        types, row_type, floor = table.types, table.row_type, table.changed_at
        try:
            snapshot = await self._stored.snapshot(table, table.progress.complete)
            contents = await asyncio.to_thread(lambda: Contents.of(types, expanded(snapshot), floor))
        finally:
            current = table.meanwhile is meanwhile
            if current:
                table.meanwhile = None
        if not current or (contents.nbytes > self._limit and table.id not in self._wanted):
            return None
        table.kept = Kept(contents, row_type, self._background)
        for commit in meanwhile:
            table.kept.note(commit)
        self._tables[table.id] = table
        self.touch(table)
        self.make_room()
        return table.kept

    def make_room(self) -> None:
        """Let go of the tables that were not read for the longest time, if all of them are too much.

        Those that have an index stay.
        """
        total = sum(table.kept.nbytes for table in self._tables.values() if table.kept is not None)
        for table in list(self._tables.values()):
            if table.kept is None or table.kept.is_broken:
                self.forget(table)
            elif total > self._limit and table.id not in self._wanted:
                total -= table.kept.nbytes
                self.forget(table)

    def forget(self, table: Table) -> None:
        table.kept = None
        self._tables.pop(table.id, None)
        if table is self._newest:
            self._newest = None

    def settle(self, floor: Callable[[Table], Timestamp]) -> None:
        """Nobody will read a table before its floor any more. Those that have an index are made ready to be read, and
        others once those who wait for what follows from the last change have had their time, and nobody asks for rest.
        """
        for table in self._tables.values():
            if table.kept is not None:
                rests = table.progress.complete - table.changed_at >= _REST and not self._rest.is_asked
                table.kept.settle(floor(table), ahead=rests or table.id in self._wanted)

    async def stop(self) -> None:
        """Read nothing more."""
        loading = list(self._loading.values())
        for load in loading:
            load.cancel()
        await asyncio.gather(*loading, return_exceptions=True)
