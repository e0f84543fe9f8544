"""`holdfast demo`: a shop whose views are maintained by a real server, which is killed in the middle of it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import StringIO
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from threading import Thread
from urllib.parse import urlsplit

import psycopg

from holdfast.errors import UnavailableError
from holdfast.shell import Connection, Row, Shell

_PROGRAM_COMMAND = (sys.executable, "-c", "from holdfast.cli import main; main()")
_READY = re.compile(r"postgresql://\S+")
_SOON = 30.0
"""Seconds that a change may take to be told. It takes milliseconds."""

_CUSTOMERS, _PRODUCTS, _ORDERS = 200, 50, 2_000

_ROUNDS = 30
"""Changes that are streamed, and timed."""

_TABLES = (
    "CREATE TABLE customers (id int NOT NULL, name text NOT NULL, town text)",
    "CREATE TABLE products (id int NOT NULL, name text NOT NULL, cents bigint NOT NULL)",
    "CREATE TABLE orders (id int NOT NULL, customer int NOT NULL, state text NOT NULL)",
    "CREATE TABLE items (order_id int NOT NULL, product int NOT NULL, quantity int NOT NULL)",
)

_FILL = (
    f"INSERT INTO customers SELECT x, 'customer ' || x, (ARRAY['Paris', 'Rome', 'Oslo'])[x % 3 + 1] "
    f"FROM generate_series(1, {_CUSTOMERS}) AS made (x)",
    f"INSERT INTO products SELECT x, 'product ' || x, x * 25 FROM generate_series(1, {_PRODUCTS}) AS made (x)",
    f"INSERT INTO orders SELECT x, x % {_CUSTOMERS} + 1, CASE WHEN x % 7 = 0 THEN 'open' ELSE 'paid' END "
    f"FROM generate_series(1, {_ORDERS}) AS made (x)",
    f"INSERT INTO items SELECT x % {_ORDERS} + 1, x % {_PRODUCTS} + 1, x % 4 + 1 "
    f"FROM generate_series(1, {3 * _ORDERS}) AS made (x)",
)

_VIEWS = {
    "order_totals": "SELECT o.id, o.customer, o.state, sum(i.quantity * p.cents) AS cents FROM orders o "
    "JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product GROUP BY o.id, o.customer, o.state",
    "customer_totals": "SELECT c.id, c.name, c.town, count(t.id) AS orders, coalesce(sum(t.cents), 0) AS cents "
    "FROM customers c LEFT JOIN order_totals t ON t.customer = c.id AND t.state = 'paid' GROUP BY c.id, c.name, c.town",
    "towns": "SELECT town, sum(cents) AS cents, max(cents) AS best FROM customer_totals GROUP BY town",
    "best_of_town": "SELECT town, name, cents FROM (SELECT DISTINCT town FROM customers) t, "
    "LATERAL (SELECT name, cents FROM customer_totals c WHERE c.town = t.town ORDER BY cents DESC, name LIMIT 3) b",
    "never_bought": "SELECT p.name FROM products p WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.product = p.id)",
    "ranks": "SELECT name, cents, rank() OVER (PARTITION BY town ORDER BY cents DESC) AS place FROM customer_totals",
}
"""Views on views: a change of an item goes through four of them, all at one time."""


def demo() -> int:
    """Show it; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder:
        _before_the_end(Path(folder) / "data")
        _after_it(Path(folder) / "data")
    print("\nThat was a session. `holdfast serve` starts a server, `holdfast sql` or psql asks it:")
    print("   holdfast serve --data-dir ./holdfast-data &")
    print("   psql -h 127.0.0.1 -p 6875 -U materialize")
    return 0


def _before_the_end(folder: Path) -> None:
    begun = time.monotonic()
    with ExitStack() as stack:
        _say("1. A server starts on an empty folder. It answers before its Spark is up.")
        process, url = stack.enter_context(_server(folder))
        session = _Session(stack.enter_context(psycopg.connect(url, autocommit=True)))
        session.ask("SELECT version(), current_user")
        print(f"   started and answered within {time.monotonic() - begun:.1f} s: {url}")

        _say("2. A small shop: customers, products, orders and their items.")
        for statement in (*_TABLES, *_FILL):
            session.ask(statement)

        _say("3. Views on views, which are kept up to date from here on.")
        for name, query in _VIEWS.items():
            session.ask(f"CREATE MATERIALIZED VIEW {name} AS {query}")
        session.ask("SELECT * FROM towns ORDER BY town")

        _say("4. Another client subscribes to one of them. A change of an item reaches it through four views.")
        told = stack.enter_context(_subscribed(url, "SELECT town, cents FROM towns"))
        _show_changes(told, 3)
        then = session.value("SELECT mz_now()")
        session.ask("INSERT INTO items VALUES (1, 50, 1000)")
        _show_changes(told, 2)
        session.ask("SELECT * FROM best_of_town WHERE town = 'Oslo' ORDER BY cents DESC")

        _say("5. Every time has one answer, and it can be asked for.")
        session.ask(f"SELECT * FROM best_of_town WHERE town = 'Oslo' ORDER BY cents DESC AS OF {then}")

        _say("6. A transaction is there as a whole or not at all, in all views.")
        session.ask("BEGIN")
        session.ask("INSERT INTO orders VALUES (9001, 2, 'paid')")
        session.ask("INSERT INTO items VALUES (9001, 1, 4), (9001, 2, 5)")
        session.ask("COMMIT")
        _show_changes(told, 2)

        _say(f"7. Changes are streamed: {_ROUNDS} commits, each followed by a read of the last view in the chain.")
        _stream(session)

        _say("8. The server is killed with -9 right after it has acknowledged one more change.")
        session.ask("DELETE FROM items WHERE order_id = 1")
        process.kill()
        print(f"   it ended by signal {-process.wait()}.")


def _stream(session: _Session) -> None:
    """Changes of all kinds, and how long each took to commit, and then to be seen through four views."""
    commits, visible = [], []
    for number in range(_ROUNDS):
        order = 10_000 + number
        begun = time.perf_counter()
        session.run(
            "BEGIN",
            f"INSERT INTO orders VALUES ({order}, {number % _CUSTOMERS + 1}, 'paid')",
            f"INSERT INTO items VALUES ({order}, {number % _PRODUCTS + 1}, 2), ({order}, 7, 1)",
            "COMMIT",
        )
        committed = time.perf_counter()
        session.run("SELECT sum(cents) FROM towns")
        commits.append(committed - begun)
        visible.append(time.perf_counter() - committed)
    print(f"   {'':<28}{'median':>10}{'worst':>10}")
    for name, seconds in (("transaction of 3 rows", commits), ("from its commit to visible", visible)):
        print(f"   {name:<28}{median(seconds) * 1e3:>7.1f} ms{max(seconds) * 1e3:>7.1f} ms")


def _after_it(folder: Path) -> None:
    begun = time.monotonic()
    with ExitStack() as stack:
        _say("9. It is started again. Views go on where they were: nothing is computed anew.")
        process, url = stack.enter_context(_server(folder))
        session = _Session(stack.enter_context(psycopg.connect(url, autocommit=True)))
        session.ask("SELECT * FROM towns ORDER BY town")
        print(f"   started and answered within {time.monotonic() - begun:.1f} s.")
        session.ask("INSERT INTO customers VALUES (9001, 'late', 'Oslo')")

        _say("10. Every view is computed from scratch and compared with what was maintained: no row differs.")
        session.run("SET statement_timeout = 0")  # Spark may still be starting
        for name in _VIEWS:
            session.ask(f"VERIFY MATERIALIZED VIEW {name}")

        _say("11. A second server on the same folder is refused.")
        command = _command(folder, "--log-level", "error")
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        print(*(f"   {line}" for line in refused.stderr.splitlines()), sep="\n")

        if sys.stdin.isatty() and sys.stdout.isatty():
            _say("12. It is yours: ask it anything, or leave with \\q.")
            where = urlsplit(url)
            subprocess.run([*_PROGRAM_COMMAND, "sql", "--port", str(where.port)], check=False)

        _say("SIGTERM stops it in good order.")
        process.send_signal(signal.SIGTERM)
        print(f"   it ended with status {process.wait()}.")


def _command(folder: Path, *flags: str) -> list[str]:
    ports = ("--listen", "127.0.0.1:0", "--http", "off")
    return [*_PROGRAM_COMMAND, "serve", "--data-dir", str(folder), *ports, *flags]


@contextmanager
def _server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, once it is ready, and its URL."""
    process = subprocess.Popen(_command(folder, "--log-level", "error"), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as said:
        try:
            found = _READY.search(said.readline())
            if found is None:
                raise UnavailableError("the server did not start")
            yield process, found[0]
        finally:
            process.kill()
            process.wait()


class _Session:
    """Shows what is asked and what is answered."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._answer = connection, StringIO()
        self._shell = Shell(connection, self._answer, self._answer)

    def ask(self, query: str) -> None:
        print(f"   => {query};", flush=True)
        self._shell.execute(query)
        for line in self._answer.getvalue().splitlines():
            print(f"   {line}")
        self._answer.seek(0)
        self._answer.truncate()

    def run(self, *queries: str) -> None:
        """Ask without a word."""
        for query in queries:
            self._connection.execute(query.encode())

    def value(self, query: str) -> str:
        """The one value that is answered, which is shown too."""
        ((found,),) = self._connection.execute(query.encode()).fetchall()
        self.ask(query)
        return str(found)


@contextmanager
def _subscribed(url: str, query: str) -> Iterator[SimpleQueue[Row]]:
    """The changes of a query, as another client is told them."""
    told: SimpleQueue[Row] = SimpleQueue()
    print(f"   the other client => SUBSCRIBE ({query});")
    with psycopg.connect(url, autocommit=True) as connection:

        def listen() -> None:
            with suppress(psycopg.Error), connection.cursor() as cursor:  # it ends when the server does
                for row in cursor.stream(f"SUBSCRIBE ({query})".encode()):
                    told.put(row)

        listener = Thread(target=listen, daemon=True)
        listener.start()
        yield told
        listener.join(_SOON)


def _show_changes(told: SimpleQueue[Row], count: int) -> None:
    for _ in range(count):
        at, diff, *values = told.get(timeout=_SOON)
        print(f"   the other client is told: at {at}, {diff:+d} x ({', '.join(map(str, values))})", flush=True)


def _say(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)
