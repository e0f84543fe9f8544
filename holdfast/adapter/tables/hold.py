"""Holds: the right to read tables at a time, for as long as it is held.

They live in memory. After a crash nobody holds anything, so nothing stands in the way of history being forgotten.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import count

from holdfast.errors import UsageError
from holdfast.repr.frontier import Timestamp

_order = count()


class Held:
    """The holds on one table."""

    def __init__(self, on_free: Callable[[], None]) -> None:
        self._heap: list[tuple[Timestamp, int, Hold]] = []
        self._holds = 0
        self._on_free = on_free

    @property
    def is_free(self) -> bool:
        return not self._holds

    def least(self) -> Timestamp | None:
        """The earliest time that is held."""
        while self._heap and self._heap[0][2].at != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def add(self, hold: Hold, at: Timestamp) -> None:
        self._holds += 1
        self.move(hold, at)

    def move(self, hold: Hold, at: Timestamp) -> None:
        heapq.heappush(self._heap, (at, next(_order), hold))

    def remove(self) -> None:
        self._holds -= 1
        if not self._holds:
            self._heap.clear()
            self._on_free()


class Hold:
    """While held, the since of the tables does not pass `at`, which is None once it is released.

    It does not say that the tables are complete at that time yet.
    """

    def __init__(self, tables: Sequence[Held], at: Timestamp) -> None:
        self.at: Timestamp | None = at
        self._tables = tables
        for table in tables:
            table.add(self, at)

    def downgrade(self, at: Timestamp) -> None:
        """Give up the right to read before `at`. A hold never moves back."""
        if self.at is None or at < self.at:
            raise UsageError(f"hold cannot retreat from {self.at} to {at}")
        if at == self.at:
            return
        self.at = at
        for table in self._tables:
            table.move(self, at)

    def release(self) -> None:
        """Give the right back. Again does nothing."""
        if self.at is None:
            return
        self.at = None
        for table in self._tables:
            table.remove()

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
