"""Read capabilities: the right to read a collection from a time on, for as long as it is held.

They live in memory. After a crash nobody holds any, so nothing stands in the way of history being forgotten.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from holdfast.errors import UsageError
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp
from holdfast.repr.ids import GlobalId

_order = count()

_FEW = 64
"""Times that are remembered though nobody is at them any more, besides one for each capability."""


class ReadCapability:
    """While held, the since of the collection does not pass `frontier`, which is empty once it is dropped.

    It does not say that the collection is complete at that time yet. `holders` are all that there are of it.
    """

    def __init__(self, id: GlobalId, frontier: Frontier, holders: Holders) -> None:
        """`frontier` is not empty: that would be no right."""
        self.id, self.frontier, self.holders = id, frontier, holders
        holders.add(self)

    def downgrade(self, frontier: Frontier) -> None:
        """Give up the right to read before `frontier`. A capability never moves back."""
        old, new = self.frontier.time, frontier.time  # times are compared sooner than frontiers, and this is done often
        if old == new:
            return
        if old is None or (new is not None and new < old):
            raise UsageError(f"read capability of {self.id} cannot retreat from {self.frontier} to {frontier}")
        self.frontier = frontier
        if new is None:
            self.holders.remove()
        else:
            self.holders.move(self)

    def advance(self, time: Timestamp) -> None:
        """The same up to `time`, if it was not dropped and is not there yet."""
        held = self.frontier.time
        if held is not None and held < time:
            self.downgrade(Frontier(time))

    def drop(self) -> None:
        """Give the right back. Again does nothing."""
        self.downgrade(EMPTY)


class Holders:
    """The read capabilities of one collection. `on_free` is told when the last of them is dropped.

    Where capabilities were before they were downgraded is forgotten when it is looked at, or takes more room than they.
    """

    def __init__(self, on_free: Callable[[], None]) -> None:
        self._heap: list[tuple[Timestamp, int, ReadCapability]] = []
        self._count = 0
        self._on_free = on_free

    @property
    def count(self) -> int:
        """How many there are."""
        return self._count

    def least(self) -> Timestamp | None:
        """The earliest time that is held. None: none is."""
        while self._heap and self._heap[0][2].frontier.time != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def add(self, capability: ReadCapability) -> None:
        self._count += 1
        self.move(capability)

    def move(self, capability: ReadCapability) -> None:
        time = capability.frontier.time
        assert time is not None  # else it would be removed
        heapq.heappush(self._heap, (time, next(_order), capability))
        if len(self._heap) > 2 * self._count + _FEW:
            self._heap = [entry for entry in self._heap if entry[2].frontier.time == entry[0]]
            heapq.heapify(self._heap)

    def remove(self) -> None:
        self._count -= 1
        if not self._count:
            self._heap.clear()
            self._on_free()
