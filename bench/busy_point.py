"""Point reads by a prepared statement, 16 connections, while another commits changes that a view maintains.

Read are the table that changes, by an index, and the view of it, by one too. In PostgreSQL, which commits the same
changes at the same rate, there are two tables with indexes, and no view that follows them. Processors are kept awake
for both.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from bench.awake import awake
from bench.measure import bar
from bench.serving import Serving, holdfast_serving, pgbench_logged, postgres_serving

ROWS = 1_000_000
ROUNDS = 5
SECONDS = 6
COMMITS = 8
"""A second."""
CHANGED = 100

READS = {
    "facts": "\\set id random(1, {rows})\nSELECT v FROM facts WHERE id = :id;\n",
    "totals": "\\set k random(0, {keys} - 1)\nSELECT total FROM totals WHERE k = :k;\n",
}
TOTALS = "SELECT k, sum(v) AS total, count(*) AS n, max(v) AS most FROM facts GROUP BY k"

Connection = psycopg.Connection[tuple[object, ...]]


def fill(connection: Connection, rows: int, kind: str) -> None:
    """`kind` is what the totals are: a table, or a view that is maintained."""
    connection.execute("CREATE TABLE facts (id int, k int, v bigint)")
    series = f"SELECT g, g::bigint * 7919 % {rows // 10}, g % 1000 FROM generate_series(1, {rows}) g"
    connection.execute(f"INSERT INTO facts {series}".encode())
    connection.execute(f"CREATE {kind} totals AS {TOTALS}".encode())
    connection.execute("CREATE INDEX ON facts (id)")
    connection.execute("CREATE INDEX ON totals (k)")
    for read in ("SELECT v FROM facts WHERE id = 1", "SELECT total FROM totals WHERE k = 0"):
        assert len(connection.execute(read.encode()).fetchall()) == 1


@dataclass(slots=True)
class Writer:
    """Commits changes at a steady rate, or as fast as it can if that is slower."""

    serving: Serving
    rows: int
    number: int = 0
    seconds: list[float] = field(default_factory=list)
    """What each commit took."""
    wrote: float = 0.0
    """For how long it has committed."""

    def commit(self, connection: Connection) -> None:
        first = self.rows + 1 + self.number * CHANGED
        keys = self.rows // 10
        changed = ", ".join(str((first + i, (first + i) * 31 % keys, self.number)) for i in range(CHANGED))
        begun = time.perf_counter()
        connection.execute(f"INSERT INTO facts VALUES {changed}".encode())
        self.seconds.append(time.perf_counter() - begun)
        self.number += 1

    def told(self) -> str:
        """What it has done since this was asked last."""
        rate, median = len(self.seconds) / self.wrote, statistics.median(self.seconds)
        self.seconds, self.wrote = [], 0.0
        return f"{rate:.1f} commits/s of {median * 1e3:.1f} ms"

    @contextmanager
    def writing(self) -> Iterator[None]:
        over, failed = threading.Event(), list[BaseException]()

        def run() -> None:
            try:
                with psycopg.connect(self.serving.conninfo, autocommit=True) as connection:
                    due = time.perf_counter()
                    while not over.wait(max(due - time.perf_counter(), 0)):
                        self.commit(connection)
                        due += 1 / COMMITS
            except BaseException as error:
                failed.append(error)

        begun, thread = time.perf_counter(), threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self.wrote += time.perf_counter() - begun
        if failed:
            raise failed[0]


def measured(servers: dict[str, Writer], script: Path, seconds: int) -> tuple[dict[str, float], dict[str, float]]:
    """The medians over some rounds of the rate, and of the 99th percentile of what a read takes, in seconds."""
    rates: dict[str, list[float]] = {name: [] for name in servers}
    slow: dict[str, list[float]] = {name: [] for name in servers}
    flags = ("-M", "prepared", "-c", "16", "-j", "1", "-T", str(seconds))
    for round_number in range(1 + ROUNDS):
        for name, writer in servers.items():
            with writer.writing():
                rate, took = pgbench_logged(writer.serving, script, *flags)
            if round_number:
                rates[name].append(rate)
                slow[name].append(statistics.quantiles(took, n=100)[98])
    return (
        {name: statistics.median(values) for name, values in rates.items()},
        {name: statistics.median(values) for name, values in slow.items()},
    )


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    with (
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder,
        holdfast_serving(Path(folder) / "data") as ours,
        postgres_serving() as theirs,
    ):
        with psycopg.connect(ours.conninfo, autocommit=True) as connection:
            fill(connection, rows, "MATERIALIZED VIEW")
            connection.execute("SELECT count(*) FROM generate_series(1, 10000000)")  # once it is answered, Spark is up
        with psycopg.connect(theirs.conninfo, autocommit=True) as connection:
            fill(connection, rows, "TABLE")
            connection.execute("VACUUM ANALYZE")
        writers = {"ours": Writer(ours, rows), "PostgreSQL": Writer(theirs, rows)}
        for read, text in READS.items():
            script = Path(folder) / f"{read}.sql"
            script.write_text(text.format(rows=rows, keys=rows // 10))
            with awake():
                rates, slow = measured(writers, script, seconds)
            for name, writer in writers.items():
                print(
                    f"{f'{read}, {name}':<44} median {rates[name]:8.0f} reads/s   p99 {slow[name] * 1e3:8.3f} ms   "
                    f"beside {writer.told()}   ({ROUNDS} runs of {seconds} s)"
                )
            bar(f"{read}: rate / PostgreSQL's", rates["ours"] / rates["PostgreSQL"], 0.5, at_least=True)
            bar(f"{read}: p99 / PostgreSQL's", slow["ours"] / slow["PostgreSQL"], 5, at_least=False)
        check(ours, writers["ours"])
        check(theirs, writers["PostgreSQL"])


def check(serving: Serving, writer: Writer) -> None:
    """All that was written is there, and the view is right."""
    with psycopg.connect(serving.conninfo, autocommit=True) as connection:
        count = connection.execute("SELECT count(*) FROM facts").fetchall()
        assert count == [(writer.rows + writer.number * CHANGED,)], count
        if serving.process is not None:
            assert not connection.execute("VERIFY MATERIALIZED VIEW totals").fetchall()


if __name__ == "__main__":
    main()
