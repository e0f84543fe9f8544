"""How much is done of the views that Spark is making."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from holdfast.repr.ids import GlobalId


class Hydrations:
    def __init__(self) -> None:
        self._shares: dict[GlobalId, float] = {}

    def share(self, id: GlobalId) -> float | None:
        """How much of a view is done, from 0 to 1; None if it is not being made, or nothing is known of it yet."""
        return self._shares.get(id)

    @contextmanager
    def watched(self, id: GlobalId, collections: int) -> Iterator[Callable[[Sequence[float]], None]]:
        """What is given is to be told how much of each job is done, while a view of so many collections is made.

        Each of them takes a job or more, so that there are at least as many. What was done stays done, even if it turns
        out that there was more to do.
        """

        def told(jobs: Sequence[float]) -> None:
            if jobs:
                share = sum(jobs) / max(len(jobs), collections)
                self._shares[id] = max(share, self._shares.get(id, 0.0))

        try:
            yield told
        finally:
            self._shares.pop(id, None)
