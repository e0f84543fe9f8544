"""Laws of time, seen by clients of a server that is killed in between: on metadata in a file and in PostgreSQL.

In the reference they are I36 to I39, I41, I43, I44 and I46. Elsewhere they are laws of one part; here of the whole.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, pairwise
from random import Random

import psycopg
import pytest

from tests.consistency.places import in_a_file, in_postgres
from tests.consistency.workload import Connection
from tests.serving import ENOUGH, ServerProcess, running_server

_NUMBERS = count(1)


@pytest.fixture(scope="module", params=["in_a_file", "in_postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    flags = in_a_file()
    if request.param == "in_postgres":
        flags = in_postgres(request.getfixturevalue("postgres_server"))
    with running_server(tmp_path_factory.mktemp("laws") / "data", "--http", "off", *flags) as started:
        yield started
        assert started.complaints == []


@pytest.fixture
def names() -> Callable[[str], str]:
    """Names of a test's own: tables outlive it."""
    number = next(_NUMBERS)
    return lambda name: f"{name}{number}"


def integers(connection: Connection, query: str) -> tuple[int, ...]:
    """The one row of a query, which has numbers only."""
    (row,) = connection.execute(query).fetchall()
    return tuple(int(str(value or 0)) for value in row)


@dataclass
class Clients:
    """Threads that work at the same time. What goes wrong in one is raised by `join`."""

    server: ServerProcess
    _threads: list[threading.Thread] = field(default_factory=list)
    _failures: list[BaseException] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def start(self, work: Callable[[Connection], None]) -> None:
        """`work` is called again and again, with a connection that was good when it was last used."""

        def run() -> None:
            try:
                while not self.over.is_set():
                    # Whoever loses the server while it is away comes back with a new connection.
                    with suppress(psycopg.OperationalError), self.server.connect(seconds=5) as connection:
                        while not self.over.is_set():
                            work(connection)
            except BaseException as failure:
                self._failures.append(failure)
                self.over.set()

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    def join(self) -> None:
        self.over.set()
        for thread in self._threads:
            thread.join(ENOUGH)
            assert not thread.is_alive()
        if self._failures:
            raise self._failures[0]


@dataclass
class Reached:
    """How far something is. Others wait for it to be so far."""

    value: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def to(self, value: int) -> None:
        with self._changed:
            self.value = max(self.value, value)
            self._changed.notify_all()

    def add(self) -> None:
        with self._changed:
            self.value += 1
            self._changed.notify_all()

    def wait(self, value: int, clients: Clients) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.value >= value or clients.over.is_set(), ENOUGH)
        if self.value < value:
            clients.join()
        assert self.value >= value


def test_times_only_grow_and_a_write_lies_between_the_reads_around_it(
    server: ServerProcess, names: Callable[[str], str]
) -> None:
    """Also where the server is killed between two of them."""
    table = names("grows")
    query = f"SELECT mz_now()::text, max(n) FROM {table}"
    reads: list[int] = []
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {table} (n integer) WITH (RETAIN HISTORY FOR '1 hour')")
        reads.append(integers(connection, query)[0])
    for life in range(3):
        with server.connect() as writer, server.connect() as reader:
            for step in range(10):
                number = life * 10 + step + 1
                writer.execute(f"INSERT INTO {table} VALUES ({number})")
                now, seen = integers(reader, query)
                assert seen == number
                reads.append(now)
        if life < 2:
            server.restart()
    with server.connect() as connection:
        changes = connection.execute(
            f"SUBSCRIBE {table} WITH (SNAPSHOT = false) AS OF {reads[0]} UP TO {reads[-1] + 1}"
        ).fetchall()
    times = {int(str(number)): int(str(time)) for time, _, number in changes}
    assert sorted(times) == list(range(1, 31))
    for number, (before, after) in enumerate(pairwise(reads), start=1):
        assert before < times[number] <= after


def test_whoever_asks_later_sees_no_less(server: ServerProcess, names: Callable[[str], str]) -> None:
    """In whichever session: what was acknowledged, and what anyone has seen, is seen from then on."""
    table = names("later")
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {table} (n integer)")
    clients, floor, asked, numbers = Clients(server), Reached(), Reached(), count(1)

    def write(connection: Connection) -> None:
        number = next(numbers)
        connection.execute(f"INSERT INTO {table} VALUES ({number})")
        floor.to(number)

    def read(connection: Connection) -> None:
        before = floor.value
        (seen,) = integers(connection, f"SELECT max(n) FROM {table}")
        assert seen >= before
        floor.to(seen)
        asked.add()

    clients.start(write)
    for _ in range(3):
        clients.start(read)
    asked.wait(100, clients)
    server.restart()
    asked.wait(asked.value + 100, clients)
    clients.join()


def test_statements_of_a_transaction_agree(server: ServerProcess, names: Callable[[str], str]) -> None:
    """A view and what it is made from, and two tables that are written together."""
    one, other, view = names("one"), names("other"), names("view")
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {one} (n integer)")
        connection.execute(f"CREATE TABLE {other} (n integer)")
        connection.execute(f"CREATE VIEW {view} AS SELECT sum(n) AS total, count(*) AS number FROM {one}")
    clients, asked, numbers = Clients(server), Reached(), count(1)

    def write(connection: Connection) -> None:
        number = next(numbers)
        with connection.transaction():
            connection.execute(f"INSERT INTO {one} VALUES ({number})")
            connection.execute(f"INSERT INTO {other} VALUES ({number})")
        if number % 5 == 0:
            connection.execute(f"DELETE FROM {one} WHERE n = {number}")
            connection.execute(f"DELETE FROM {other} WHERE n = {number}")

    def read(connection: Connection) -> None:
        with connection.transaction():
            time, total, number = integers(connection, f"SELECT mz_now()::text, sum(n), count(*) FROM {one}")
            again = integers(connection, f"SELECT mz_now()::text, total, number FROM {view}")
            assert again == (time, total, number)
            apart = f"({one}.n IS NULL OR {other}.n IS NULL) AND n % 5 <> 0"
            both = f"SELECT count(*) FROM {one} FULL JOIN {other} USING (n) WHERE {apart}"
            assert integers(connection, both) == (0,)
        asked.add()

    clients.start(write)
    for _ in range(2):
        clients.start(read)
    asked.wait(60, clients)
    clients.join()


def test_increments_of_many_are_counted_once_each(server: ServerProcess, names: Callable[[str], str]) -> None:
    table = names("counter")
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {table} (v integer)")
        connection.execute(f"INSERT INTO {table} VALUES (0)")
    clients, begun, acknowledged = Clients(server), Reached(), Reached()

    def increment(connection: Connection) -> None:
        begun.add()
        assert connection.execute(f"UPDATE {table} SET v = v + 1").rowcount == 1
        acknowledged.add()

    for _ in range(4):
        clients.start(increment)
    acknowledged.wait(30, clients)
    server.restart()
    acknowledged.wait(acknowledged.value + 30, clients)
    clients.join()
    with server.connect() as connection:
        (value,) = integers(connection, f"SELECT v FROM {table}")
    assert acknowledged.value <= value <= begun.value


def change_at_random(connection: Connection, table: str, random: Random) -> None:
    number = random.randrange(8)
    connection.execute(
        random.choice(
            (
                f"INSERT INTO {table} VALUES ({number}, 'x'), ({number}, 'x')",
                f"INSERT INTO {table} VALUES ({number}, NULL)",
                f"UPDATE {table} SET k = k + 1 WHERE k = {number}",
                f"UPDATE {table} SET v = 'y' WHERE k < {number}",
                f"DELETE FROM {table} WHERE k = {number}",
            )
        )
    )


def of_time(query: str, time: int) -> str:
    return f"{query} AS OF {time}"


Rows = Counter[tuple[object, ...]]


def rows_of(connection: Connection, query: str) -> Rows:
    return Counter(connection.execute(query).fetchall())


def queries(table: str) -> Sequence[str]:
    return (
        f"SELECT k, v FROM {table}",
        f"SELECT v, count(*), sum(k) FROM {table} GROUP BY v",
        f"SELECT one.k, other.v FROM {table} AS one JOIN {table} AS other ON one.k = other.k + 1",
        f"SELECT k FROM {table} ORDER BY k DESC, v LIMIT 3",
    )


def test_what_was_read_at_a_time_is_read_again_as_of_it_also_after_a_kill(
    server: ServerProcess, names: Callable[[str], str]
) -> None:
    table, random = names("kept"), Random(1)
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {table} (k integer, v text) WITH (RETAIN HISTORY FOR '1 hour')")
        answers: dict[tuple[int, str], Rows] = {}
        for _ in range(12):
            change_at_random(connection, table, random)
            with connection.transaction():
                (time,) = integers(connection, f"SELECT mz_now()::text FROM {table} UNION SELECT mz_now()::text")
                answers |= {(time, query): rows_of(connection, query) for query in queries(table)}
        before = {asked: rows_of(connection, of_time(asked[1], asked[0])) for asked in answers}
        assert before == answers
    server.restart()
    with server.connect() as connection:
        change_at_random(connection, table, random)
        assert {asked: rows_of(connection, of_time(asked[1], asked[0])) for asked in answers} == answers


def test_a_time_that_is_gone_or_yet_to_come_is_said_to_be(server: ServerProcess, names: Callable[[str], str]) -> None:
    table = names("bounded")
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {table} (k integer)")
        with pytest.raises(psycopg.Error, match="could not find a valid timestamp for the query") as found:
            connection.execute(f"SELECT * FROM {table} AS OF 1")
        assert found.value.sqlstate == "22023"
        connection.execute("SET statement_timeout = '100ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute(f"SELECT * FROM {table} AS OF 9000000000000")


@pytest.mark.parametrize("which", range(4), ids=["rows", "groups", "join", "first"])
def test_changes_add_up_to_what_is_read_at_each_time(
    server: ServerProcess, names: Callable[[str], str], which: int
) -> None:
    """And what a line of progress says is complete does not change any more."""
    table = names("followed")
    query = queries(table)[which]
    with server.connect() as connection, server.connect() as follower, server.connect() as reader:
        connection.execute(f"CREATE TABLE {table} (k integer, v text) WITH (RETAIN HISTORY FOR '1 hour')")
        connection.execute(f"INSERT INTO {table} SELECT n % 5, 'x' FROM generate_series(1, 20) AS s (n)")
        clients, changed, random = Clients(server), Reached(), Random(which)

        def change(own: Connection) -> None:
            change_at_random(own, table, random)
            changed.add()

        clients.start(change)
        changed.wait(5, clients)
        (start,) = integers(reader, "SELECT mz_now()::text")
        total: Rows = Counter()
        complete, checked = 0, 0
        with follower.cursor() as cursor:
            for line in cursor.stream(f"SUBSCRIBE ({query}) WITH (PROGRESS) AS OF {start}"):
                time, progressed, diff, *row = line
                assert int(str(time)) >= complete
                if str(progressed) in ("t", "True"):
                    complete = int(str(time))
                    if complete > start:
                        assert min(total.values(), default=0) >= 0
                        assert +total == rows_of(reader, of_time(query, complete - 1))
                        checked += 1
                else:
                    total[tuple(row)] += int(str(diff))
                if checked == 20:
                    break
        clients.join()
