"""Single inserts, and reads of the groups that they belong to."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import count
from random import Random

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History
from tests.consistency.long_fork import Forking, ReadGroup, Write, check_long_fork
from tests.consistency.workload import Connection
from tests.consistency.workloads.cells import integers


class LongFork:
    name = "forks"

    def __init__(self, group: int = 3) -> None:
        self._group = group
        self._numbers = count()
        self._last = 0

    def create(self, connection: Connection) -> None:
        connection.execute("CREATE TABLE forks (key integer)")

    def next(self, random: Random) -> Forking:
        if random.randrange(3) == 0:
            self._last = found = next(self._numbers)
            return Write(found)
        return self._read(max(self._last // self._group - random.randrange(2), 0))

    def _read(self, group: int) -> ReadGroup:
        return ReadGroup(tuple(range(group * self._group, (group + 1) * self._group)))

    def last(self) -> list[Forking]:
        return [self._read(group) for group in range(self._last // self._group + 1)]

    def changes(self, value: Forking) -> bool:
        return isinstance(value, Write)

    def run(self, connection: Connection, value: Forking) -> Forking:
        if isinstance(value, Write):
            connection.execute("INSERT INTO forks VALUES (%s)", (value.key,))
            return value
        keys = ", ".join(map(str, value.keys))
        rows = connection.execute(f"SELECT key FROM forks WHERE key IN ({keys})").fetchall()
        return replace(value, there=frozenset(integers(row[0] for row in rows)))

    def check(self, history: History[Forking]) -> list[Anomaly]:
        return check_long_fork(history)

    def plain(self, value: Forking) -> object:
        found = asdict(value)
        return {**found, "there": sorted(found["there"])} if found.get("there") is not None else found
