"""Workloads: what clients ask of a database, and how they ask it.

All of it is PostgreSQL's SQL, and within what Holdfast's transactions are: some statements that only read, some that
only insert, or one statement that changes rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeAlias, TypeVar

import psycopg

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]
Value = TypeVar("Value")


class Workload(Protocol[Value]):
    """Called by several threads at once, each with a connection and chance of its own."""

    @property
    def name(self) -> str: ...

    def create(self, connection: Connection) -> None:
        """Make the tables, and what is in them at first."""

    def next(self, random: Random) -> Value:
        """Something to ask for."""

    def last(self) -> Sequence[Value]:
        """What is asked for when all else is over: all there is."""

    def changes(self, value: Value) -> bool:
        """Whether it changes anything, so that one must wonder whether it happened."""

    def run(self, connection: Connection, value: Value) -> Value:
        """Ask for it, and return it with what was read."""

    def check(self, history: History[Value]) -> list[Anomaly]: ...

    def plain(self, value: Value) -> object:
        """The value as JSON has it."""
