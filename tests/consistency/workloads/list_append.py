"""Lists: updates of one statement that append to texts, and transactions that read several of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.consistency.anomaly import Anomaly
from tests.consistency.graph import Level
from tests.consistency.history import History
from tests.consistency.lists import check_lists
from tests.consistency.transactions import Append, Read, Transaction, plain
from tests.consistency.workload import Connection
from tests.consistency.workloads.cells import integer
from tests.consistency.workloads.values import Values


class ListAppend:
    name = "lists"

    def __init__(self, level: Level = "strict", keys: int = 200) -> None:
        self._level: Level = level
        self._keys = keys
        self._values = Values(keys, together=4, lasting=40)

    def create(self, connection: Connection) -> None:
        connection.execute("CREATE TABLE lists (key integer, items text)")
        connection.execute(f"INSERT INTO lists SELECT key, '' FROM generate_series(0, {self._keys - 1}) AS key")

    def next(self, random: Random) -> Transaction:
        keys = self._values.some(random)
        if random.randrange(2):
            return Transaction(tuple(Read(key) for key in keys))
        return Transaction(tuple(Append(key, self._values.number()) for key in keys))

    def last(self) -> list[Transaction]:
        return [Transaction(tuple(Read(key) for key in range(self._keys)))]

    def changes(self, value: Transaction) -> bool:
        return any(value.appends)

    def run(self, connection: Connection, value: Transaction) -> Transaction:
        if self.changes(value):
            self._append(connection, list(value.appends))
            return value
        done: list[Read] = []
        with connection.transaction():
            if len(value.steps) > 10:
                rows = connection.execute("SELECT key, items FROM lists").fetchall()
                found = {integer(key): str(items) for key, items in rows}
                return Transaction(tuple(Read(read.key, _items(found.get(read.key))) for read in value.reads))
            for read in value.reads:
                row = connection.execute("SELECT items FROM lists WHERE key = %s", (read.key,)).fetchone()
                done.append(Read(read.key, _items(None if row is None else str(row[0]))))
        return Transaction(tuple(done))

    def _append(self, connection: Connection, appends: Sequence[Append]) -> None:
        """All appends are one statement, which finds a row for each."""
        cases = " ".join(f"WHEN {append.key} THEN ' {append.value}'" for append in appends)
        keys = ", ".join(str(append.key) for append in appends)
        cursor = connection.execute(f"UPDATE lists SET items = items || CASE key {cases} END WHERE key IN ({keys})")
        assert cursor.rowcount == len(appends), f"{cursor.rowcount} of {len(appends)} lists were there"

    def check(self, history: History[Transaction]) -> list[Anomaly]:
        return check_lists(history, self._level)

    def plain(self, value: Transaction) -> object:
        return plain(value)


def _items(text: str | None) -> tuple[int, ...]:
    assert text is not None, "a list is gone"
    return tuple(map(int, text.split()))
