"""One view that changes, alone and beside a thousand that do not: the time from a commit until it is seen."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import psycopg

from bench.measure import bar, report
from bench.serving import holdfast_serving

IDLE = 1_000
REPEATS = 100
WARMUPS = 20

Connection = psycopg.Connection[tuple[object, ...]]


def visible(connection: Connection, numbers: range) -> list[float]:
    seconds = []
    for number in numbers:
        connection.execute("INSERT INTO busy VALUES (%s, %s)", (number % 50, number))
        begun = time.perf_counter()
        found = connection.execute("SELECT most FROM active WHERE k = %s", (number % 50,)).fetchall()
        seconds.append(time.perf_counter() - begun)
        assert found == [(number,)]
    return seconds[WARMUPS:]


def main() -> None:
    idle = int(sys.argv[1]) if len(sys.argv) > 1 else IDLE
    with (
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder,
        holdfast_serving(Path(folder) / "data") as ours,
        psycopg.connect(ours.conninfo, autocommit=True) as connection,
    ):
        connection.execute("CREATE TABLE busy (k int, v int)")
        connection.execute("CREATE TABLE quiet (k int, v int)")
        connection.execute("INSERT INTO quiet SELECT x % 100, x FROM generate_series(1, 1000) g (x)")
        connection.execute("CREATE MATERIALIZED VIEW active AS SELECT k, sum(v), max(v) AS most FROM busy GROUP BY k")
        count = WARMUPS + REPEATS
        alone = visible(connection, range(1, count + 1))
        begun = time.perf_counter()
        for number in range(idle):
            connection.execute(
                f"CREATE MATERIALIZED VIEW idle{number} AS SELECT k, sum(v) FROM quiet GROUP BY k".encode()
            )
        connection.execute(f"SELECT count(*) FROM idle{idle - 1}".encode()).fetchall()
        print(f"{idle} views were made in {time.perf_counter() - begun:.1f} s")
        beside = visible(connection, range(count + 1, 2 * count + 1))
        report({"alone": alone, f"beside {idle:,} idle views": beside}, "ms")
        ratio = statistics.median(beside) / statistics.median(alone)
        bar("beside idle views / alone", ratio, 1.2, at_least=False)
        assert not connection.execute("VERIFY MATERIALIZED VIEW active").fetchall()


if __name__ == "__main__":
    main()
