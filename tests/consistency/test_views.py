"""Internal consistency: every output of a view is the right one for what was committed at its time, whatever dies.

Money goes from account to account; what is left of it in all accounts is nothing, at every time, through a chain of
views. Writers write, readers ask and subscribers listen while the server, or its Spark, is killed.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random

import psutil
import psycopg
import pytest

from tests.consistency.places import in_a_file
from tests.consistency.workload import Connection
from tests.serving import ENOUGH, ServerProcess, running_server
from tests.verified import verify_all

ACCOUNTS = 10

VIEWS = {
    "accepted": "SELECT id FROM transactions",
    "outer_join": "SELECT t1.id AS id, t2.id AS other_id FROM (SELECT id FROM transactions) t1 "
    "LEFT JOIN (SELECT id FROM transactions) t2 ON t1.id = t2.id",
    "credits": "SELECT to_account AS account, sum(amount) AS credits FROM transactions GROUP BY to_account",
    "debits": "SELECT from_account AS account, sum(amount) AS debits FROM transactions GROUP BY from_account",
    "balance": "SELECT coalesce(c.account, d.account) AS account, coalesce(credits, 0) - coalesce(debits, 0) "
    "AS balance FROM credits c FULL JOIN debits d ON c.account = d.account",
    "total": "SELECT coalesce(sum(balance), 0) AS total FROM balance",
}

Row = tuple[object, ...]


@dataclass
class Listener:
    """Follows a view, in as many connections as it takes, from where it has heard all; `check` sees every time."""

    server: ServerProcess
    view: str
    contents: Counter[Row] = field(default_factory=Counter)
    closed: int = 0
    checked: int = 0

    def listen(self, over: threading.Event) -> None:
        while not over.is_set():
            with suppress(psycopg.OperationalError), self.server.connect(seconds=5) as connection:
                self._follow(connection, over)

    def _follow(self, connection: Connection, over: threading.Event) -> None:
        options = "WITH (PROGRESS, SNAPSHOT = false)" if self.closed else "WITH (PROGRESS)"
        since = f" AS OF {self.closed - 1}" if self.closed else ""
        waiting: list[tuple[int, int, Row]] = []
        with connection.cursor() as cursor:
            for told in cursor.stream(f"SUBSCRIBE (SELECT * FROM {self.view}) {options}{since}".encode()):
                at, progressed, diff, *values = told
                when = int(str(at))
                if not progressed:
                    waiting.append((when, int(str(diff)), tuple(values)))
                    continue
                self._close(when, waiting)
                waiting = [each for each in waiting if each[0] >= when]
                if over.is_set():
                    return

    def _close(self, upper: int, waiting: list[tuple[int, int, Row]]) -> None:
        """All that happened before `upper` is known."""
        for at in sorted({at for at, _, _ in waiting if at < upper}):
            assert at >= self.closed - (self.closed == 0), "a time was told again"
            for when, diff, row in waiting:
                if when == at:
                    self.contents[row] += diff
            self._check(at)
        self.closed = max(self.closed, upper)

    def _check(self, at: int) -> None:
        self.checked += 1
        there = {row: count for row, count in self.contents.items() if count}
        assert all(count > 0 for count in there.values()), (self.view, at, there)
        if self.view == "total":
            assert {tuple(map(str, row)): count for row, count in there.items()} == {("0",): 1}, (at, there)
        if self.view == "outer_join":
            assert all(other is not None for _, other in there), (at, there)


def write(connection: Connection, chance: Random) -> None:
    """Some transfers; now and then some are taken back."""
    number = chance.randrange(10**9)
    if chance.random() < 0.25:
        connection.execute(f"DELETE FROM transactions WHERE id % 5 = {number % 5}")
        return
    rows = []
    for place in range(chance.choice((1, 1, 3, 20))):
        source = chance.randrange(ACCOUNTS)
        rows.append(f"({number + place}, {source}, {(source + 1) % ACCOUNTS}, {chance.randrange(1, 9)})")
    connection.execute(f"INSERT INTO transactions VALUES {', '.join(rows)}".encode())


def read(connection: Connection) -> None:
    """What sums must agree on, read in one transaction."""
    with connection.transaction():
        ((total,),) = connection.execute("SELECT total FROM total").fetchall()
        assert str(total) == "0"
        ((credited,),) = connection.execute("SELECT coalesce(sum(credits), 0) FROM credits").fetchall()
        ((debited,),) = connection.execute("SELECT coalesce(sum(debits), 0) FROM debits").fetchall()
        ((accepted,),) = connection.execute("SELECT count(*) FROM accepted").fetchall()
        ((counted,),) = connection.execute("SELECT count(*) FROM transactions").fetchall()
        ((lone,),) = connection.execute("SELECT count(*) FROM outer_join WHERE other_id IS NULL").fetchall()
    assert str(credited) == str(debited)
    assert (accepted, lone) == (counted, 0)


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("views") / "data", "--http", "off", *in_a_file()) as started:
        yield started


def kill_spark(server: ServerProcess) -> None:
    for child in psutil.Process(server.process.pid).children(recursive=True):
        if "java" in child.name():
            child.kill()


def lived(server: ServerProcess, kills: int, times: int, seed: int) -> None:
    """With so many kills, between which every view that changes is seen to do so at so many times."""
    with server.connect() as connection:
        connection.execute("CREATE TABLE transactions (id bigint, from_account int, to_account int, amount int)")
        for name, query in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
            connection.execute(f"ALTER MATERIALIZED VIEW {name} SET (RETAIN HISTORY = FOR '10min')".encode())
    over, failures = threading.Event(), list[BaseException]()

    def kept_up(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)
            over.set()

    def again(step: Callable[[Connection], None]) -> None:
        while not over.is_set():
            # Whoever loses the server while it is away comes back with a new connection.
            with suppress(psycopg.OperationalError), server.connect(seconds=5) as connection:
                while not over.is_set():
                    step(connection)

    listeners = [Listener(server, name) for name in ("total", "outer_join", "balance")]
    chance = Random(seed)
    work: dict[str, Callable[[], None]] = {
        "writer": lambda: again(lambda connection: write(connection, chance)),
        "reader": lambda: again(read),
        **{listener.view: partial(listener.listen, over) for listener in listeners},
    }
    threads = [threading.Thread(target=kept_up, args=(each,), name=name, daemon=True) for name, each in work.items()]
    for thread in threads:
        thread.start()
    busy = [listener for listener in listeners if listener.view != "total"]  # which says zero once and for all
    for number in range(kills + 1):
        heard = [listener.checked for listener in busy]
        until = time.monotonic() + ENOUGH
        while any(listener.checked < before + times for listener, before in zip(busy, heard, strict=True)):
            assert time.monotonic() < until, "a view stands still"
            if over.wait(0.05):
                break
        if over.is_set() or number == kills:
            break
        if number % 3 == 2:
            kill_spark(server)
        else:
            server.restart()
    over.set()
    with server.connect() as connection:
        # Who listens is told once more, and sees that it is over.
        connection.execute("INSERT INTO transactions VALUES (-1, 0, 1, 1)")
        for thread in threads:
            thread.join(ENOUGH)
        assert failures == []
        assert [thread.name for thread in threads if thread.is_alive()] == []
        assert all(listener.checked for listener in listeners)
        verify_all(connection)


def test_views_are_consistent_at_every_time_whatever_dies(server: ServerProcess) -> None:
    lived(server, kills=3, times=10, seed=int(time.time()))


@pytest.mark.slow
def test_views_are_consistent_for_long(server: ServerProcess) -> None:
    lived(server, kills=60, times=200, seed=int(time.time()))
