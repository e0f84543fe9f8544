"""Counters: what is added one by one is there when read, neither more nor less, and never less than before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History, Operation, of_status


@dataclass(frozen=True, slots=True)
class Increment:
    """Adds one."""

    counter: int


@dataclass(frozen=True, slots=True)
class Count:
    """A read; `value` is None while it is not known."""

    counter: int
    value: int | None = None


Counting: TypeAlias = Increment | Count


def check_counters(history: History[Counting]) -> list[Anomaly]:
    """All counters begin at 0."""
    found: list[Anomaly] = []
    for counter in sorted({operation.value.counter for operation in history}):
        found += _check([operation for operation in history if operation.value.counter == counter])
    return found


def _check(history: History[Counting]) -> Iterator[Anomaly]:
    reads = [one for one in of_status(history, "ok") if isinstance(one.value, Count)]
    increments = [one for one in of_status(history, "ok", "info") if isinstance(one.value, Increment)]
    over = sorted(one.completed for one in increments if one.completed is not None)
    begun = sorted(one.invoked for one in increments)
    for read in reads:
        assert read.completed is not None
        least, most = bisect_left(over, read.invoked), bisect_left(begun, read.completed)
        value = _value(read)
        if value < least:
            yield Anomaly("lost update", (f"{least} increments were over before", str(read)))
        if value > most:
            yield Anomaly("garbage", (f"only {most} increments had begun", str(read)))
    yield from _not_monotonic(reads)


def _not_monotonic(reads: History[Counting]) -> Iterator[Anomaly]:
    """A read that shows less than one that was over before it began."""
    by_end = sorted(reads, key=lambda read: read.completed or 0)
    highest: Operation[Counting] | None = None
    place = 0
    for read in sorted(reads, key=lambda read: read.invoked):
        while place < len(by_end) and by_end[place].precedes(read):
            if highest is None or _value(by_end[place]) > _value(highest):
                highest = by_end[place]
            place += 1
        if highest is not None and _value(read) < _value(highest):
            yield Anomaly("nonmonotonic read", (str(highest), str(read)))


def _value(read: Operation[Counting]) -> int:
    assert isinstance(read.value, Count)
    return read.value.value or 0
