"""Transfers between accounts, each one statement, and reads of all accounts."""

from __future__ import annotations

from dataclasses import asdict, replace
from random import Random

from tests.consistency.anomaly import Anomaly
from tests.consistency.bank import Balances, Banking, Transfer, check_bank
from tests.consistency.history import History
from tests.consistency.workload import Connection
from tests.consistency.workloads.cells import integer


class Bank:
    name = "bank"

    def __init__(self, accounts: int = 8, total: int = 100) -> None:
        first, rest = divmod(total, accounts)
        self._initial = {account: first + (account < rest) for account in range(accounts)}

    def create(self, connection: Connection) -> None:
        connection.execute("CREATE TABLE accounts (id integer, balance integer)")
        rows = ", ".join(f"({account}, {balance})" for account, balance in self._initial.items())
        connection.execute(f"INSERT INTO accounts VALUES {rows}")

    def next(self, random: Random) -> Banking:
        if random.randrange(2):
            return Balances()
        source, target = random.sample(sorted(self._initial), 2)
        return Transfer(source, target, random.randrange(1, 6))

    def last(self) -> list[Banking]:
        return [Balances()]

    def changes(self, value: Banking) -> bool:
        return isinstance(value, Transfer)

    def run(self, connection: Connection, value: Banking) -> Banking:
        if isinstance(value, Transfer):
            cursor = connection.execute(
                "UPDATE accounts SET balance = balance + CASE id WHEN %(target)s THEN %(amount)s ELSE -%(amount)s END "
                "WHERE id IN (%(source)s, %(target)s) "
                "AND (SELECT balance FROM accounts WHERE id = %(source)s) >= %(amount)s",
                {"source": value.source, "target": value.target, "amount": value.amount},
            )
            assert cursor.rowcount in (0, 2), f"{cursor.rowcount} accounts were changed"
            return replace(value, moved=cursor.rowcount == 2)
        rows = connection.execute("SELECT id, balance FROM accounts").fetchall()
        return Balances(tuple(sorted((integer(account), integer(balance)) for account, balance in rows)))

    def check(self, history: History[Banking]) -> list[Anomaly]:
        return check_bank(history, self._initial)

    def plain(self, value: Banking) -> object:
        return asdict(value)
