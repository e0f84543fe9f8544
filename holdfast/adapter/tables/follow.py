"""Following a table: its changes in order, as they happen, and how far they are complete.

A follower asks for one step at a time and keeps nothing else: one that is slow falls behind, and reads what it missed
from where it is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from holdfast.adapter.tables.recent import Recent
from holdfast.adapter.tables.stored import Stored
from holdfast.adapter.tables.table import Table
from holdfast.adapter.timeline import Timeline
from holdfast.errors import HoldfastError
from holdfast.persist import Changes
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp, after
from holdfast.repr.update import UpdateBatch


class Follower:
    """One who follows a table, to be woken when it changes or time passes."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()


class Followers:
    def __init__(self, timeline: Timeline, recent: Recent, stored: Stored) -> None:
        self._timeline, self._recent, self._stored = timeline, recent, stored
        self._followers: dict[Table, set[Follower]] = {}
        self._failure: HoldfastError | None = None

    def wake(self, table: Table) -> None:
        for follower in self._followers.get(table, ()):
            follower.wake.set()

    def wake_all(self) -> None:
        for table in self._followers:
            self.wake(table)

    def fail(self, error: HoldfastError) -> None:
        """Nothing will happen any more."""
        self._failure = error
        self.wake_all()

    async def follow(self, table: Table, start: Timestamp) -> AsyncIterator[Changes]:
        """The changes later than `start`, for one who holds the table at that time.

        Each step has all updates from where the one before ended to its `upper`, if any. The upper of a table that is
        dropped becomes empty, and that is the end.
        """
        follower = Follower()
        self._followers.setdefault(table, set()).add(follower)
        try:
            while True:
                follower.wake.clear()
                if self._failure is not None:
                    raise self._failure
                if start < self._timeline.read_ts:
                    async for step in self._steps(table, start):
                        yield step
                        start = _last(step.upper)
                    continue
                if table.is_dropped:
                    yield Changes(UpdateBatch.empty(table.row_type), EMPTY)
                    return
                await follower.wake.wait()
        finally:
            self._followers[table].discard(follower)
            if not self._followers[table]:
                del self._followers[table]

    async def _steps(self, table: Table, start: Timestamp) -> AsyncIterator[Changes]:
        end = self._timeline.read_ts
        if not self._recent.reaches(table.id, start):
            async for step in self._stored.changes(table, start, end):
                yield step
                start = _last(step.upper)
        elif (commit := self._recent.next(table.id, start)) is not None:
            yield Changes(commit.updates, after(commit.time))
            return
        if start < end:
            yield Changes(UpdateBatch.empty(table.row_type), after(end))


def _last(upper: Frontier) -> Timestamp:
    assert upper.time is not None  # the timeline does not end
    return Timestamp(upper.time - 1)
