"""What was committed last, for those who follow tables: so long as there is room, it need not be read back."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

from holdfast.adapter.tables.commit import TableCommit
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId

_LEAST_BYTES = 4_096
"""What a commit takes, however few its rows are."""


class Recent:
    """The last commits of all tables, in at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit, self._nbytes = limit, 0
        self._order: deque[tuple[GlobalId, int]] = deque()
        self._commits: dict[GlobalId, list[TableCommit]] = {}
        self._complete_from: dict[GlobalId, Timestamp] = {}

    def begin(self, id: GlobalId, start: Timestamp) -> None:
        """Note commits of a table, all of which will be later than `start`."""
        self._commits[id], self._complete_from[id] = [], start

    def end(self, id: GlobalId) -> None:
        self._commits.pop(id, None)
        self._complete_from.pop(id, None)

    def add(self, id: GlobalId, commit: TableCommit) -> None:
        size = commit.nbytes + _LEAST_BYTES
        self._commits[id].append(commit)
        self._order.append((id, size))
        self._nbytes += size
        while self._nbytes > self._limit:
            oldest, freed = self._order.popleft()
            self._nbytes -= freed
            if commits := self._commits.get(oldest):
                self._complete_from[oldest] = commits.pop(0).time

    def reaches(self, id: GlobalId, time: Timestamp) -> bool:
        """Whether all commits of a table that are later than `time` are here."""
        return self._complete_from[id] <= time

    def next(self, id: GlobalId, time: Timestamp) -> TableCommit | None:
        """The first commit of a table that is later than `time`."""
        commits = self._commits[id]
        position = bisect_right(commits, time, key=lambda commit: commit.time)
        return commits[position] if position < len(commits) else None
