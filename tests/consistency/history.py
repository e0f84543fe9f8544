"""Histories: what clients asked, when, and what came of it.

Times are places in one order of events: an operation is invoked before it is sent, and completes after its answer has
come. So one that completes before another is invoked was over before that began.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Generic, Literal, TypeAlias, TypeVar

Value = TypeVar("Value")
Status: TypeAlias = Literal["ok", "fail", "info"]


@dataclass(frozen=True, slots=True)
class Operation(Generic[Value]):
    """What one process asked for. It asks for nothing else until it has an answer.

    - `ok`: it happened, and `value` has what was read.
    - `fail`: it did not happen, and never will.
    - `info`: nobody knows, and it may still happen. The process that asked is gone: `completed` is None.
    """

    process: int
    value: Value
    status: Status
    invoked: int
    completed: int | None

    def precedes(self, other: Operation[Value]) -> bool:
        """Whether this was over before the other began."""
        return self.completed is not None and self.completed < other.invoked

    def __str__(self) -> str:
        end = "..." if self.completed is None else str(self.completed)
        return f"[{self.invoked}, {end}] process {self.process} {self.status}: {self.value}"


History: TypeAlias = Sequence[Operation[Value]]


class Recorder(Generic[Value]):
    """Writes a history while threads make it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._events, self._processes = count(1), count()
        self._operations: dict[int, Operation[Value]] = {}

    def process(self) -> int:
        """A process that has asked for nothing yet."""
        with self._lock:
            return next(self._processes)

    def invoke(self, process: int, value: Value) -> int:
        """The operation begins; without an end it is `info`."""
        with self._lock:
            now = next(self._events)
            self._operations[now] = Operation(process, value, "info", now, None)
            return now

    def complete(self, invoked: int, status: Literal["ok", "fail"], value: Value | None = None) -> None:
        """The operation that was invoked then ends, perhaps with a value that says what was read."""
        with self._lock:
            begun = self._operations[invoked]
            self._operations[invoked] = replace(
                begun, status=status, completed=next(self._events), value=begun.value if value is None else value
            )

    def history(self) -> tuple[Operation[Value], ...]:
        with self._lock:
            return tuple(self._operations.values())


def of_status(history: Iterable[Operation[Value]], *statuses: Status) -> list[Operation[Value]]:
    return [operation for operation in history if operation.status in statuses]


def save(history: History[Value], path: Path, plain: Callable[[Value], object]) -> None:
    """The history as lines of JSON, for people to look at."""
    with path.open("w") as file:
        for one in history:
            line = {
                "process": one.process,
                "status": one.status,
                "invoked": one.invoked,
                "completed": one.completed,
                "value": plain(one.value),
            }
            file.write(json.dumps(line) + "\n")
