"""Inserts of what a query finds to be the next number, and reads of all numbers."""

from __future__ import annotations

from dataclasses import asdict
from itertools import count
from random import Random

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History
from tests.consistency.sequence import Numbering, Take, Taken, check_sequence
from tests.consistency.workload import Connection
from tests.consistency.workloads.cells import integer


class Numbers:
    name = "numbers"

    def __init__(self) -> None:
        self._marks = count(1)

    def create(self, connection: Connection) -> None:
        connection.execute("CREATE TABLE numbers (n bigint, mark integer)")

    def next(self, random: Random) -> Numbering:
        return Taken() if random.randrange(3) == 0 else Take(next(self._marks))

    def last(self) -> list[Numbering]:
        return [Taken()]

    def changes(self, value: Numbering) -> bool:
        return isinstance(value, Take)

    def run(self, connection: Connection, value: Numbering) -> Numbering:
        if isinstance(value, Take):
            cursor = connection.execute(
                "INSERT INTO numbers SELECT coalesce(max(n), 0) + 1, %s::integer FROM numbers", (value.mark,)
            )
            assert cursor.rowcount == 1, f"{cursor.rowcount} numbers were taken"
            return value
        rows = connection.execute("SELECT n, mark FROM numbers").fetchall()
        return Taken(tuple(sorted((integer(number), integer(mark)) for number, mark in rows)))

    def check(self, history: History[Numbering]) -> list[Anomaly]:
        return check_sequence(history)

    def plain(self, value: Numbering) -> object:
        return asdict(value)
