"""Long fork: two reads that saw two writes in opposite order, each one that the other did not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History, Operation, of_status


@dataclass(frozen=True, slots=True)
class Write:
    """Each key is written once."""

    key: int


@dataclass(frozen=True, slots=True)
class ReadGroup:
    """Which of the keys of a group are there; None while it is not known."""

    keys: tuple[int, ...]
    there: frozenset[int] | None = None


Forking: TypeAlias = Write | ReadGroup


def check_long_fork(history: History[Forking]) -> list[Anomaly]:
    groups: defaultdict[tuple[int, ...], list[Operation[Forking]]] = defaultdict(list)
    for operation in of_status(history, "ok"):
        if isinstance(operation.value, ReadGroup):
            groups[operation.value.keys].append(operation)
    return [anomaly for reads in groups.values() for anomaly in _forks(reads)]


def _forks(reads: Sequence[Operation[Forking]]) -> list[Anomaly]:
    """In order of size each read must have all that the one before it has."""
    ordered = sorted(reads, key=lambda read: len(_there(read)))
    return [
        Anomaly("long fork", (str(one), str(other)))
        for one, other in pairwise(ordered)
        if not _there(one) <= _there(other)
    ]


def _there(read: Operation[Forking]) -> frozenset[int]:
    assert isinstance(read.value, ReadGroup)
    return read.value.there or frozenset()
