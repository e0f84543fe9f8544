"""Sets of rows: transactions that only insert, in one table or in two, and transactions that only read."""

from __future__ import annotations

from random import Random

from tests.consistency.anomaly import Anomaly
from tests.consistency.graph import Level
from tests.consistency.history import History
from tests.consistency.sets import check_sets
from tests.consistency.transactions import Append, Read, Transaction, plain
from tests.consistency.workload import Connection
from tests.consistency.workloads.cells import integer, integers
from tests.consistency.workloads.values import Values


class SetAppend:
    name = "sets"

    def __init__(self, level: Level = "strict", keys: int = 400) -> None:
        self._level: Level = level
        self._keys = keys
        self._values = Values(keys, together=4, lasting=40)

    def create(self, connection: Connection) -> None:
        for table in ("sets0", "sets1"):
            connection.execute(f"CREATE TABLE {table} (key integer, value integer)")

    def next(self, random: Random) -> Transaction:
        keys = self._values.some(random)
        if random.randrange(2):
            return Transaction(tuple(Read(key) for key in keys))
        return Transaction(
            tuple(Append(key, self._values.number()) for key in keys for _ in range(random.choice((1, 1, 2))))
        )

    def last(self) -> list[Transaction]:
        return [Transaction(tuple(Read(key) for key in range(self._keys)))]

    def changes(self, value: Transaction) -> bool:
        return any(value.appends)

    def run(self, connection: Connection, value: Transaction) -> Transaction:
        if len(value.steps) > 10:
            return self._all(connection, value)
        done: list[Append | Read] = []
        with connection.transaction():
            for step in value.steps:
                table = f"sets{step.key % 2}"
                if isinstance(step, Append):
                    connection.execute(f"INSERT INTO {table} VALUES (%s, %s)", (step.key, step.value))
                    done.append(step)
                else:
                    rows = connection.execute(f"SELECT value FROM {table} WHERE key = %s", (step.key,)).fetchall()
                    done.append(Read(step.key, integers(row[0] for row in rows)))
        return Transaction(tuple(done))

    def _all(self, connection: Connection, value: Transaction) -> Transaction:
        """Every key by one query."""
        found: dict[int, list[int]] = {}
        for key, each in connection.execute("SELECT * FROM sets0 UNION ALL SELECT * FROM sets1").fetchall():
            found.setdefault(integer(key), []).append(integer(each))
        return Transaction(tuple(Read(read.key, tuple(sorted(found.get(read.key, ())))) for read in value.reads))

    def check(self, history: History[Transaction]) -> list[Anomaly]:
        return check_sets(history, self._level)

    def plain(self, value: Transaction) -> object:
        return plain(value)
