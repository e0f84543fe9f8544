"""Sequences: each operation takes the number after the greatest there is. None is taken twice, and none is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History, Operation, of_status


@dataclass(frozen=True, slots=True)
class Take:
    """Takes the next number, and leaves a mark beside it that no other has."""

    mark: int


@dataclass(frozen=True, slots=True)
class Taken:
    """A read of all numbers and their marks; None while it is not known."""

    numbers: tuple[tuple[int, int], ...] | None = None


Numbering: TypeAlias = Take | Taken


def check_sequence(history: History[Numbering]) -> list[Anomaly]:
    takes = {one.value.mark: one for one in history if isinstance(one.value, Take)}
    found: list[Anomaly] = []
    for operation in of_status(history, "ok"):
        if isinstance(operation.value, Taken):
            found += _wrong(operation, operation.value.numbers or (), takes)
    return found


def _wrong(
    read: Operation[Numbering], numbers: tuple[tuple[int, int], ...], takes: dict[int, Operation[Numbering]]
) -> Iterator[Anomaly]:
    marks = {mark for _, mark in numbers}
    for mark in sorted(marks - takes.keys()):
        yield Anomaly("garbage", (f"nobody has left the mark {mark}", str(read)))
    for mark in sorted(marks & takes.keys()):
        if takes[mark].status == "fail":
            yield Anomaly("G1a", (str(takes[mark]), str(read)))
        elif read.precedes(takes[mark]):
            yield Anomaly("G1c-realtime", (str(read), str(takes[mark])))
    for mark, take in takes.items():
        if take.status == "ok" and take.precedes(read) and mark not in marks:
            yield Anomaly("lost update", (str(take), str(read)))
    if sorted(number for number, _ in numbers) != list(range(1, len(numbers) + 1)):
        yield Anomaly("lost update", ("numbers are not from 1 on, each once", str(read)))
    yield from _disordered(numbers, takes)


def _disordered(numbers: tuple[tuple[int, int], ...], takes: dict[int, Operation[Numbering]]) -> Iterator[Anomaly]:
    """An operation that has a lower number than one that was over before it began."""
    latest: Operation[Numbering] | None = None
    for _, mark in sorted(numbers):
        take = takes.get(mark)
        if take is None:
            continue
        if latest is not None and take.precedes(latest):
            yield Anomaly("disordered", (str(take), str(latest)))
        if latest is None or take.invoked > latest.invoked:
            latest = take
