"""The timeline: the times at which statements read and write.

- Times never decrease, whatever the clock does and however often the database is opened.
- A write is strictly later than every read before it, and not before the write frontier of what it writes.
- A read sees all writes up to and including its time: at one time, writes come first.

All that is acknowledged is at or before `read_ts`, which follows from what is durable: it is the last time at which
the catalog's collection is complete. So it needs nothing of its own to be written down.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

from holdfast.errors import HoldfastError
from holdfast.persist.settings import wall_clock_ms
from holdfast.repr.frontier import MIN_TIME, Timestamp, timestamp

Clock: TypeAlias = Callable[[], int]
"""Milliseconds since 1970, if all is well. It may stand still, or jump either way."""

wall_clock: Clock = wall_clock_ms


class Timeline:
    """`read_ts` only grows. It moves once what happened at the new time is durable."""

    def __init__(self, read_ts: Timestamp = MIN_TIME, clock: Clock = wall_clock) -> None:
        self._read_ts, self._clock = read_ts, clock
        self._waiting: list[tuple[Timestamp, int, asyncio.Future[None]]] = []
        self._order = count()
        self._failure: HoldfastError | None = None

    @property
    def read_ts(self) -> Timestamp:
        """The latest time that can be read: everything that was acknowledged is visible at it."""
        return self._read_ts

    def write_ts(self) -> Timestamp:
        """When the next write happens."""
        return timestamp(max(self._clock(), self._read_ts + 1))

    @property
    def is_behind(self) -> bool:
        """Whether the clock has moved on since the last write."""
        return self._clock() > self._read_ts

    def advance(self, time: Timestamp) -> None:
        """What happened at `time` is durable: reads see it from now on."""
        assert time > self._read_ts
        self._read_ts = time
        while self._waiting and self._waiting[0][0] <= time:
            _, _, waiter = heapq.heappop(self._waiting)
            if not waiter.done():
                waiter.set_result(None)

    async def reached(self, time: Timestamp) -> None:
        """Wait until `time` can be read."""
        if time <= self._read_ts:
            return
        if self._failure is not None:
            raise self._failure
        waiter = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (time, next(self._order), waiter))
        try:
            await waiter
        except asyncio.CancelledError:
            self._waiting = [waiting for waiting in self._waiting if waiting[2] is not waiter]
            heapq.heapify(self._waiting)
            raise

    def fail(self, error: HoldfastError) -> None:
        """Nothing will happen any more."""
        self._failure = error
        waiting, self._waiting = self._waiting, []
        for _, _, waiter in waiting:
            if not waiter.done():
                waiter.set_exception(error)
