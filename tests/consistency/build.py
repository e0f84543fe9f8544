"""Small histories, written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tests.consistency.history import Operation, Status
from tests.consistency.transactions import Append, Read, Transaction

Value = TypeVar("Value")


def a(key: int, value: int) -> Append:
    return Append(key, value)


def r(key: int, *values: int) -> Read:
    return Read(key, values)


def t(*steps: Append | Read) -> Transaction:
    return Transaction(steps)


def together(*values: Value | tuple[Value, Status]) -> list[Operation[Value]]:
    """Operations that all begin before any ends, each of a process of its own."""
    return [_operation(number, value, number, len(values) + number) for number, value in enumerate(values)]


def in_turn(*values: Value | tuple[Value, Status]) -> list[Operation[Value]]:
    """Operations one after another, each of a process of its own."""
    return [_operation(number, value, 2 * number, 2 * number + 1) for number, value in enumerate(values)]


def of_one_process(*values: Value | tuple[Value, Status]) -> list[Operation[Value]]:
    return [_operation(0, value, 2 * number, 2 * number + 1) for number, value in enumerate(values)]


def _operation(process: int, value: Value | tuple[Value, Status], begin: int, end: int) -> Operation[Value]:
    status: Status = "ok"
    if isinstance(value, tuple):
        value, status = value
    return Operation(process, value, status, begin, None if status == "info" else end)


def followed_by(history: Sequence[Operation[Value]], *values: Value) -> list[Operation[Value]]:
    """Then each of these, one after another, all of one process."""
    last = max(one.completed or one.invoked for one in history) + 1
    process = max(one.process for one in history) + 1
    more = [
        Operation(process, value, "ok", last + 2 * place, last + 2 * place + 1) for place, value in enumerate(values)
    ]
    return [*history, *more]
