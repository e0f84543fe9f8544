"""Following a table: its changes in order, as they happen, and how far they are complete.

A follower asks for one step at a time and keeps nothing else: one that is slow falls behind, and reads what it missed
from where it is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable

from holdfast.adapter.tables.recent import Recent
from holdfast.adapter.tables.stored import Stored
from holdfast.adapter.tables.table import Table
from holdfast.compute.maintain import Erring
from holdfast.errors import HoldfastError
from holdfast.persist import Changes
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp, after
from holdfast.repr.update import UpdateBatch

_SOON = 0.02
"""Seconds after a commit until those who follow other tables, and want to know, are told that time has passed."""


class Followers:
    """Those who follow tables: for each an event, set when there is more to tell.

    `error` makes what is raised of a table that errs at a time.
    """

    def __init__(self, recent: Recent, stored: Stored, error: Callable[[Table, Timestamp, Erring], DataError]) -> None:
        self._recent, self._stored, self._error = recent, stored, error
        self._followers: dict[Table, set[asyncio.Event]] = {}
        self._prompt: set[asyncio.Event] = set()
        self._soon: asyncio.TimerHandle | None = None
        self._failure: HoldfastError | None = None

    def changed(self, tables: Iterable[Table]) -> None:
        """Something has happened to these tables."""
        for table in tables:
            _set(self._followers.get(table, ()))
        if self._prompt and self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(_SOON, self._wake_prompt)

    def ticked(self) -> None:
        """Time has passed for all tables."""
        for events in self._followers.values():
            _set(events)

    def _wake_prompt(self) -> None:
        self._soon = None
        _set(self._prompt)

    def fail(self, error: HoldfastError) -> None:
        """Nothing will happen any more."""
        self._failure = error
        if self._soon is not None:
            self._soon.cancel()
        self.ticked()

    async def follow(self, table: Table, start: Timestamp, *, prompt: bool) -> AsyncIterator[Changes]:
        """The changes later than `start`, for one who holds the table at that time.

        Each step has all updates from where the one before ended to its `upper`, if any. The upper of a table that is
        dropped becomes empty, and that is the end. A table that errs from some time on ends with its error.
        """
        more = asyncio.Event()
        self._followers.setdefault(table, set()).add(more)
        if prompt:
            self._prompt.add(more)
        try:
            while True:
                more.clear()
                if self._failure is not None:
                    raise self._failure
                if start < (end := table.progress.complete):
                    erring = table.progress.erring(Timestamp(start + 1), end)
                    if erring is not None:
                        end = Timestamp(max(start, erring.start - 1))
                        if start == end:
                            raise self._error(table, Timestamp(max(start + 1, erring.start)), erring)
                    async for step in self._steps(table, start, end):
                        yield step
                        start = _last(step.upper)
                    continue
                if table.is_dropped:
                    yield Changes(UpdateBatch.empty(table.row_type), EMPTY)
                    return
                await more.wait()
        finally:
            self._prompt.discard(more)
            self._followers[table].discard(more)
            if not self._followers[table]:
                del self._followers[table]

    async def _steps(self, table: Table, start: Timestamp, end: Timestamp) -> AsyncIterator[Changes]:
        if not self._recent.reaches(table.id, start):
            async for step in self._stored.changes(table, start, end):
                yield step
                start = _last(step.upper)
        elif (commit := self._recent.next(table.id, start)) is not None and commit.time <= end:
            yield Changes(commit.updates, after(commit.time))
            return
        if start < end:
            yield Changes(UpdateBatch.empty(table.row_type), after(end))


def _set(events: Iterable[asyncio.Event]) -> None:
    for event in events:
        event.set()


def _last(upper: Frontier) -> Timestamp:
    assert upper.time is not None  # the timeline does not end
    return Timestamp(upper.time - 1)
