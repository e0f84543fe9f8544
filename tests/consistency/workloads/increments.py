"""Increments of a few counters, and reads of them."""

from __future__ import annotations

from dataclasses import asdict, replace
from random import Random

from tests.consistency.anomaly import Anomaly
from tests.consistency.counter import Count, Counting, Increment, check_counters
from tests.consistency.history import History
from tests.consistency.workload import Connection
from tests.consistency.workloads.cells import integer


class Counters:
    name = "counters"

    def __init__(self, counters: int = 3) -> None:
        self._counters = counters

    def create(self, connection: Connection) -> None:
        connection.execute("CREATE TABLE counters (id integer, n bigint)")
        connection.execute(f"INSERT INTO counters SELECT id, 0 FROM generate_series(0, {self._counters - 1}) AS id")

    def next(self, random: Random) -> Counting:
        counter = random.randrange(self._counters)
        return Increment(counter) if random.randrange(2) else Count(counter)

    def last(self) -> list[Counting]:
        return [Count(counter) for counter in range(self._counters)]

    def changes(self, value: Counting) -> bool:
        return isinstance(value, Increment)

    def run(self, connection: Connection, value: Counting) -> Counting:
        if isinstance(value, Increment):
            cursor = connection.execute("UPDATE counters SET n = n + 1 WHERE id = %s", (value.counter,))
            assert cursor.rowcount == 1, f"{cursor.rowcount} counters were changed"
            return value
        row = connection.execute("SELECT n FROM counters WHERE id = %s", (value.counter,)).fetchone()
        return replace(value, value=None if row is None else integer(row[0]))

    def check(self, history: History[Counting]) -> list[Anomaly]:
        return check_counters(history)

    def plain(self, value: Counting) -> object:
        return asdict(value)
