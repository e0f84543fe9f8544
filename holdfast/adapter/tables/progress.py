"""How far a table is complete: the last time up to which all that happened to it is known.

Tables that are written are complete up to the timeline's `read_ts`. One that follows from others, a maintained view, is
complete only as far as it was brought up to date, and may err at some times instead of having rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from holdfast.adapter.timeline import Timeline
from holdfast.persist import Append, WriteHandle
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Frontier, Timestamp, after


@dataclass(frozen=True, slots=True)
class Erring:
    """A table errs from `start` on, and no longer at `end`; None: nobody knows until when."""

    start: Timestamp
    end: Timestamp | None
    error: DataError


class Progress(Protocol):
    @property
    def complete(self) -> Timestamp:
        """It only grows."""

    async def reached(self, time: Timestamp, /) -> None:
        """Wait until the table is complete at `time`."""

    def erring(self, start: Timestamp, end: Timestamp, /) -> Erring | None:
        """The first interval of errors that has a time from `start` to `end`, of what is complete."""

    def tick(self, handle: WriteHandle, time: Timestamp, since: Frontier | None, /) -> Sequence[Append]:
        """What the collection of the table, which is `handle`, is told in a commit at `time` in which nothing happens.

        `since` is how far back it need no longer be, if that is to be told.
        """

    def ticked(self) -> None:
        """What `tick` told is durable."""

    def end(self) -> None:
        """The table was dropped, and nobody reads it any more."""


class Timely:
    """The progress of tables that are written: that of the timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    @property
    def complete(self) -> Timestamp:
        return self._timeline.read_ts

    async def reached(self, time: Timestamp) -> None:
        await self._timeline.reached(time)

    def erring(self, *_: Timestamp) -> Erring | None:
        return None

    def tick(self, handle: WriteHandle, time: Timestamp, since: Frontier | None, /) -> Sequence[Append]:
        return [Append(handle, None, handle.upper, after(time), since=since)]

    def ticked(self) -> None:
        pass

    def end(self) -> None:
        pass
