"""From starting the server to its first answer, and what it holds in memory: idle, and after many statements."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import psycopg

from bench.measure import bar
from bench.serving import Serving, holdfast_serving

REPEATS = 5
STATEMENTS = 100_000
_MEGABYTE = 2**20


def first_answer(folder: Path) -> float:
    begin = time.perf_counter()
    with holdfast_serving(folder) as serving, psycopg.connect(serving.conninfo, autocommit=True) as connection:
        connection.execute("SELECT count(*) FROM t")
        return time.perf_counter() - begin


def resident(serving: Serving) -> float:
    """Megabytes of the server and of Spark's Java."""
    assert serving.process is not None
    family = [serving.process, *serving.process.children(recursive=True)]
    return float(sum(process.memory_info().rss for process in family)) / _MEGABYTE


def wait_for_spark(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """A query that only Spark answers."""
    connection.execute("SELECT count(*) FROM t a JOIN t b ON a.a < b.a")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder:
        data = Path(folder) / "data"
        with holdfast_serving(data) as serving, psycopg.connect(serving.conninfo, autocommit=True) as connection:
            connection.execute("CREATE TABLE t (a int, b text)")
            connection.execute("INSERT INTO t SELECT g, 'x' FROM generate_series(1, 2000) g")
        seconds = [first_answer(data) for _ in range(REPEATS)]
        print(f"start to first answer: median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s")
        bar("start to first answer, s", statistics.median(seconds), 2, at_least=False)
        with holdfast_serving(data) as serving, psycopg.connect(serving.conninfo, autocommit=True) as connection:
            wait_for_spark(connection)
            idle = resident(serving)
            for number in range(STATEMENTS):
                if number % 10:
                    connection.execute("SELECT b FROM t WHERE a = %s", (number % 2000,))
                else:
                    connection.execute("UPDATE t SET b = %s WHERE a = %s", (f"x{number}", number % 2000))
            later = resident(serving)
        print(f"memory idle with Spark: {idle:.0f} MB; after {STATEMENTS} statements: {later:.0f} MB")
        bar("memory after many statements / idle", later / idle, 1.1, at_least=False)


if __name__ == "__main__":
    main()
