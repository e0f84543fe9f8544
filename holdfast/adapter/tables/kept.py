"""A table kept in memory: its contents, and what was committed and is not in them yet.

A commit only notes what it did. Whoever reads next puts it in, at once if it is little, in a thread if it is much. So
writing does not wait for memory, and tables that are written and not read cost little.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from holdfast.adapter.tables.background import Background
from holdfast.adapter.tables.by_key import merge_runs
from holdfast.adapter.tables.commit import TableCommit
from holdfast.adapter.tables.contents import Contents
from holdfast.adapter.tables.expand import expanded
from holdfast.adapter.tables.index import Part
from holdfast.compute.evaluate.scalars import Row
from holdfast.repr.consolidate import as_of
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

log = logging.getLogger(__name__)

_AT_ONCE = 500
"""Updates that are put in without a thread: rows that come take microseconds, those that go some ten each."""

_FEW_COMMITS = 32
"""Commits that are put in without a thread: each takes a tenth of a millisecond or a few."""

_FEW_ROWS = 20_000
"""Rows that are filtered without a thread."""

_FEW_TO_INDEX = 5_000
"""Rows that are indexed without a thread."""

_MANY_REMOVED = 5_000
"""Rows that go at one time after which finding each of them takes longer than finding them together."""

_MANY_WAITING = 256
"""Commits after which they are put in even if nobody reads."""


class Kept:
    """The contents of a table from some time on. Only one at a time changes them: who holds `lock`."""

    def __init__(self, contents: Contents, row_type: RowType, background: Background) -> None:
        self._contents, self._row_type, self._background = contents, row_type, background
        self._waiting: list[TableCommit] = []
        self._lock = asyncio.Lock()
        self._upkeep: asyncio.Task[None] | None = None
        self.is_broken = False

    @property
    def rows(self) -> int:
        """How many rows there are, as far as commits are put in."""
        return self._contents.rows

    @property
    def nbytes(self) -> int:
        return self._contents.nbytes + sum(commit.nbytes for commit in self._waiting)

    def note(self, commit: TableCommit) -> None:
        """What was committed last."""
        self._waiting.append(commit)
        if len(self._waiting) > _MANY_WAITING:
            self.keep_up()

    async def view(self, time: Timestamp) -> pa.Table | None:
        """All rows at `time`. None: so far back they are not kept."""
        if self._is_ready() and self._is_quick(time):
            return self._contents.view(time) if time >= self._contents.floor else None
        async with self._lock:
            await self._put_in()
            if time < self._contents.floor:
                return None
            if self._is_quick(time):
                return self._contents.view(time)
            return await asyncio.to_thread(self._contents.view, time)

    def _is_quick(self, time: Timestamp) -> bool:
        return self._contents.has_view(time) or self._contents.rows <= _FEW_ROWS

    async def lookup(self, by: tuple[Part, ...], values: Sequence[object], time: Timestamp) -> list[Row] | None:
        """The rows at `time` where these have these values.

        None: so far back they are not kept, there are too many to look at each, or all have to be.
        """
        if self._is_ready() and by in self._contents.indexes:
            return self._contents.lookup(by, values, time) if time >= self._contents.floor else None
        async with self._lock:
            await self._put_in()
            if time < self._contents.floor:
                return None
            if by not in self._contents.indexes:
                await self._index(by)
            return self._contents.lookup(by, values, time)

    def found(
        self, by: tuple[Part, ...], values: Sequence[object], time: Timestamp, outputs: Sequence[int]
    ) -> list[Row] | None:
        """The columns `outputs` of what `lookup` finds, if nothing has to be waited for."""
        if self._is_ready() and by in self._contents.indexes and time >= self._contents.floor:
            return self._contents.lookup(by, values, time, outputs)
        return None

    def _is_ready(self) -> bool:
        """Whether nobody changes the contents, and all that was committed is in them: now, if it was little."""
        if self._lock.locked():
            return False
        if self._waiting:
            if not self._applies_at_once(self._waiting):
                return False
            self._apply(self._take())
        return True

    def _applies_at_once(self, commits: Sequence[TableCommit]) -> bool:
        if len(commits) > _FEW_COMMITS or sum(commit.updates.rows for commit in commits) > _AT_ONCE:
            return False
        ready = self._contents.finds_rows or self._contents.rows <= _FEW_ROWS
        return ready or all(commit.inserts == commit.updates.rows for commit in commits)

    async def _put_in(self) -> None:
        """Put in what was committed. Only for who holds the lock."""
        commits = self._take()
        if self._applies_at_once(commits):
            self._apply(commits)
        else:
            await asyncio.to_thread(self._apply, commits)

    def _take(self) -> list[TableCommit]:
        taken, self._waiting = self._waiting, []
        return taken

    def _apply(self, commits: Sequence[TableCommit]) -> None:
        try:
            for commit in commits:
                if commit.updates.rows - commit.inserts <= _MANY_REMOVED:
                    self._contents.apply(commit)
                elif not self._contents.apply_many(commit):
                    self._contents = self._recounted(commit)
        except BaseException:
            self.is_broken = True
            raise

    def _recounted(self, commit: TableCommit) -> Contents:
        """The contents from the time of the commit on."""
        # All that was before is put in, and nothing else. Nobody may be left who reads as far back as the commit.
        view = self._contents.view(max(commit.time, self._contents.floor))
        columns = [*view.columns, np.full(view.num_rows, commit.time), np.ones(view.num_rows, np.int64)]
        before = pa.Table.from_arrays([*columns], schema=self._row_type.updates_schema)
        updates = UpdateBatch(self._row_type, pa.concat_tables([before, commit.updates.table]))
        found = Contents.of(self._contents.types, expanded(as_of(updates, commit.time)), commit.time)
        for by in self._contents.indexes:
            found.add_index(by)
        return found

    async def add_index(self, by: tuple[Part, ...]) -> None:
        """Find rows by these from now on."""
        async with self._lock:
            await self._put_in()
            if by not in self._contents.indexes:
                await self._index(by)

    async def _index(self, by: tuple[Part, ...]) -> None:
        if self._contents.rows <= _FEW_TO_INDEX:
            self._contents.add_index(by)
        else:
            await asyncio.to_thread(self._contents.add_index, by)

    # Upkeep

    def settle(self, floor: Timestamp, *, ahead: bool) -> None:
        """Times before `floor` will not be read any more. `ahead`: what was committed is put in before anyone reads."""
        if not self._lock.locked():
            self._contents.settle(floor)
            if self._contents.is_wasteful or self._contents.is_crowded or (ahead and self._waiting):
                self.keep_up()

    def keep_up(self) -> None:
        """Do what is due, beside everything else."""
        if self._upkeep is None or self._upkeep.done():
            self._upkeep = self._background.start(self._keep_up(), "holdfast-table-upkeep")

    async def _keep_up(self) -> None:
        try:
            async with self._lock:
                await self._put_in()
                if self._contents.is_wasteful:
                    self._contents = await asyncio.to_thread(self._contents.compacted)
            await self._merge_runs()
        except Exception:
            self.is_broken = True
            log.exception("table in memory failed")

    async def _merge_runs(self) -> None:
        for index in list(self._contents.indexes.values()):
            while runs := index.slots.crowded():
                merged = await asyncio.to_thread(merge_runs, runs)
                async with self._lock:
                    index.slots.replace(runs, merged)
