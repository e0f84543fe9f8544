"""When a materialized view is brought up to date, where that is not with every change. Times are milliseconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.adapter.catalog.objects import Refresh
from holdfast.repr.frontier import Timestamp


@dataclass(frozen=True, slots=True)
class RefreshSchedule:
    """The refreshes of a view, by its strategies, of which there are some."""

    strategies: tuple[Refresh, ...]

    def first(self, time: Timestamp) -> Timestamp:
        """The first time that the view has rows for if it is made at `time`."""
        if any(each.kind == "at-creation" for each in self.strategies):
            return time
        return self.next(time) or time

    def next(self, time: Timestamp) -> Timestamp | None:
        """The first refresh at `time` or after; None if there is none."""
        found = next_refresh(self.strategies, time)
        return None if found is None else Timestamp(found)


def next_refresh(strategies: Sequence[Refresh], time: int) -> int | None:
    """The first refresh at `time` or after; None if there is none. That of its creation is not among them."""
    return min((found for each in strategies for found in _from(each, time)), default=None)


def last_refresh(strategies: Sequence[Refresh], time: int) -> int | None:
    """The last refresh before `time`; None if there is none. That of its creation is not among them."""
    return max((found for each in strategies for found in _before(each, time)), default=None)


def _from(strategy: Refresh, time: int) -> Iterator[int]:
    if strategy.at is None:
        return
    if strategy.interval is not None:
        yield time + (strategy.at - time) % strategy.interval
    elif strategy.at >= time:
        yield strategy.at


def _before(strategy: Refresh, time: int) -> Iterator[int]:
    if strategy.at is None:
        return
    if strategy.interval is not None:
        yield time - 1 - (time - 1 - strategy.at) % strategy.interval
    elif strategy.at < time:
        yield strategy.at
