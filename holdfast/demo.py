"""`holdfast demo`: a session with a real server, which is killed in the middle of it."""

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
from threading import Thread

import psycopg

from holdfast.errors import UnavailableError
from holdfast.shell import Connection, Row, Shell

_PROGRAM = "from holdfast.cli import main; main()"
_READY = re.compile(r"postgresql://\S+")
_SOON = 30.0
"""Seconds that a change may take to be told. It takes milliseconds."""

_MANY = 200_000
"""Rows that are for Spark to group."""


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

        _say("2. Tables. Another client subscribes to a query over them.")
        session.ask("CREATE TABLE accounts (id int NOT NULL, owner text, cents bigint)")
        session.ask("CREATE TABLE transfers (source int, target int, cents bigint)")
        session.ask("INSERT INTO accounts VALUES (1, 'ada', 50000), (2, 'bob', 30000)")
        told = stack.enter_context(_subscribed(url, "SELECT owner, cents FROM accounts WHERE cents > 40000"))
        _show_changes(told, 1)

        _say("3. A transaction is there as a whole or not at all. The other client is told what changed, and when.")
        then = session.value("SELECT mz_now()")
        session.ask("BEGIN")
        session.ask("INSERT INTO accounts VALUES (3, 'eve', 90000)")
        session.ask("INSERT INTO transfers VALUES (2, 3, 90000)")
        session.ask("COMMIT")
        _show_changes(told, 1)
        session.ask("BEGIN")
        session.ask("INSERT INTO accounts VALUES (5, 'mallory', 1000000)")
        session.ask("ROLLBACK")
        session.ask("UPDATE accounts SET cents = cents - 1 WHERE owner = 'ada'")
        _show_changes(told, 2)

        _say("4. Every time has one answer, and it can be asked for.")
        session.ask("SELECT * FROM accounts ORDER BY id")
        session.ask(f"SELECT * FROM accounts ORDER BY id AS OF {then}")

        _say(f"5. What is more than a few rows is a job of Spark's: {_MANY:,} rows are made, and grouped.")
        session.ask("SET statement_timeout = 0")  # Spark may still be starting
        session.ask("CREATE TABLE events (id int, kind text, cents bigint)")
        session.ask(
            f"INSERT INTO events SELECT x, 'kind ' || x % 3, x % 100 FROM generate_series(1, {_MANY}) AS made (x)"
        )
        session.ask("SELECT kind, count(*), sum(cents) FROM events GROUP BY kind ORDER BY kind")

        _say("6. The server is killed with -9 right after it has acknowledged one more row.")
        session.ask("INSERT INTO accounts VALUES (4, 'joe', 700)")
        process.kill()
        print(f"   it ended by signal {-process.wait()}.")


def _after_it(folder: Path) -> None:
    begun = time.monotonic()
    with ExitStack() as stack:
        _say("7. It is started again. Everything that was acknowledged is there, with nothing to repair or unlock.")
        process, url = stack.enter_context(_server(folder))
        session = _Session(stack.enter_context(psycopg.connect(url, autocommit=True)))
        session.ask("SELECT * FROM accounts ORDER BY id")
        print(f"   started and answered within {time.monotonic() - begun:.1f} s.")
        session.ask("SELECT id, kind FROM events WHERE id IN (1, 200000) ORDER BY id")

        _say("8. A second server on the same folder is refused.")
        command = _command(folder, "--log-level", "error")
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        print(*(f"   {line}" for line in refused.stderr.splitlines()), sep="\n")

        _say("9. SIGTERM stops it in good order.")
        process.send_signal(signal.SIGTERM)
        print(f"   it ended with status {process.wait()}.")


def _command(folder: Path, *flags: str) -> list[str]:
    ports = ("--listen", "127.0.0.1:0", "--http", "off")
    return [sys.executable, "-c", _PROGRAM, "serve", "--data-dir", str(folder), *ports, *flags]


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
