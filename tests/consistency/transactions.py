"""Transactions over keys that only grow: appends to them, and reads of all that they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tests.consistency.history import History, Operation


@dataclass(frozen=True, slots=True)
class Append:
    """No value is appended to a key twice."""

    key: int
    value: int

    def __str__(self) -> str:
        return f"append {self.value} to {self.key}"


@dataclass(frozen=True, slots=True)
class Read:
    """`values` is None while it is not known."""

    key: int
    values: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"read {self.key}" if self.values is None else f"read {self.key}: {list(self.values)}"


@dataclass(frozen=True, slots=True)
class Transaction:
    steps: tuple[Append | Read, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.steps))

    @property
    def appends(self) -> Iterator[Append]:
        return (step for step in self.steps if isinstance(step, Append))

    @property
    def reads(self) -> Iterator[Read]:
        return (step for step in self.steps if isinstance(step, Read))


Transactions: TypeAlias = History[Transaction]


def plain(transaction: Transaction) -> object:
    """The transaction as JSON has it."""
    return [
        ["append", step.key, step.value] if isinstance(step, Append) else ["read", step.key, step.values]
        for step in transaction.steps
    ]


class Writers:
    """Who appended what, and which operations have happened: those that are ok, and others that were seen."""

    def __init__(self, history: Transactions) -> None:
        self.by_value: dict[tuple[int, int], int] = {}
        self.history = history
        for node, operation in enumerate(history):
            for append in operation.value.appends:
                if self.by_value.setdefault((append.key, append.value), node) != node:
                    raise ValueError(f"{append.value} was appended to {append.key} twice")
        seen = {
            self.by_value.get((read.key, value))
            for operation in history
            if operation.status == "ok"
            for read in operation.value.reads
            for value in read.values or ()
        }
        self.happened: list[tuple[int, Operation[Transaction]]] = [
            (node, operation)
            for node, operation in enumerate(history)
            if operation.status == "ok" or (operation.status == "info" and node in seen)
        ]

    def reads(self) -> Iterator[tuple[int, Operation[Transaction], Read]]:
        for node, operation in self.happened:
            if operation.status == "ok":
                for read in operation.value.reads:
                    yield node, operation, read

    def appended(self) -> Iterator[tuple[int, Append]]:
        for node, operation in self.happened:
            for append in operation.value.appends:
                yield node, append

    def last_of(self, node: int, key: int) -> int:
        """The last value that a transaction appended to a key."""
        return [append.value for append in self.history[node].value.appends if append.key == key][-1]


def own_before(transaction: Transaction, read: Read) -> Iterable[int]:
    """What the transaction itself had appended to the key when it read it."""
    for step in transaction.steps:
        if step is read:
            return
        if isinstance(step, Append) and step.key == read.key:
            yield step.value
