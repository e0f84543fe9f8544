"""Times, and frontiers: bounds on the times that may still appear.

There is one system timeline: milliseconds since 1970, unsigned, as far as a
signed 64-bit column reaches. A frontier is an antichain of times. Ours are
totally ordered, so it holds one time or none. The empty frontier is the
greatest: no time is in advance of it, and a collection whose `upper` is empty
is finished. (Partially ordered times: `holdfast.repr.antichain`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

from holdfast.errors import UsageError

Timestamp = NewType("Timestamp", int)

MIN_TIME = Timestamp(0)
MAX_TIME = Timestamp(2**63 - 1)


def timestamp(value: int) -> Timestamp:
    """`value` as a time, refused where the timeline does not reach."""
    if not MIN_TIME <= value <= MAX_TIME:
        raise UsageError(f"time {value} is outside the timeline [{MIN_TIME}, {MAX_TIME}]")
    return Timestamp(value)


@dataclass(frozen=True, slots=True)
class Frontier:
    """All times in advance of `time`; with None, no time at all."""

    time: Timestamp | None

    def less_equal(self, time: Timestamp) -> bool:
        """Whether `time` is in advance of this frontier."""
        return self.time is not None and self.time <= time

    def __le__(self, other: Frontier) -> bool:
        return other.time is None or self.less_equal(other.time)

    def __lt__(self, other: Frontier) -> bool:
        return self != other and self <= other

    def join(self, other: Frontier) -> Frontier:
        """The least frontier in advance of both: the later one."""
        return other if self <= other else self

    def meet(self, other: Frontier) -> Frontier:
        """The greatest frontier that both are in advance of: the earlier one."""
        return self if self <= other else other

    def advance(self, time: Timestamp) -> Timestamp:
        """`time` as seen from this frontier: times before it can no longer be told apart.

        No time is in advance of the empty frontier, so it advances nothing.
        """
        return time if self.time is None or self.time <= time else self.time

    def __str__(self) -> str:
        return "{}" if self.time is None else f"{{{self.time}}}"


MINIMUM = Frontier(MIN_TIME)
EMPTY = Frontier(None)


def at(time: int) -> Frontier:
    """The frontier of `time` alone."""
    return Frontier(timestamp(time))


def after(time: Timestamp) -> Frontier:
    """The frontier of the times strictly later than `time`."""
    return EMPTY if time == MAX_TIME else Frontier(Timestamp(time + 1))
