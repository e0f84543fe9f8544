"""Maintained views: from a commit of 100 rows to their being seen in the views, in units of Spark's smallest job.

One view has groups of a million rows, one joins them with a hundred thousand others. Each takes turns with the same
over ten times as many rows, in another server, or as many times as the second argument says: 1 leaves that out.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import psycopg

from bench.measure import bar, report
from bench.serving import holdfast_serving
from holdfast.spark import SparkSettings, start, stop

ROWS = 1_000_000
TIMES = 10
CHANGED = 100
REPEATS = 60
WARMUPS = 10
_CHUNK = 50_000

Connection = psycopg.Connection[tuple[object, ...]]

VIEWS = {
    "groups": "SELECT k, sum(v) AS total, count(*) AS n, max(v) AS most FROM facts GROUP BY k",
    "joined": "SELECT f.id, f.v, d.name FROM facts f JOIN dims d ON f.k = d.k",
}
BARS = {"groups": (6, 10), "joined": (8, 14)}
"""The most that the median and the 99th percentile may take, in floors."""


def fill(connection: Connection, rows: int) -> None:
    connection.execute("CREATE TABLE facts (id int, k int, v bigint)")
    connection.execute("CREATE TABLE dims (k int, name text)")
    keys = rows // 10
    with connection.cursor() as cursor:
        with cursor.copy("COPY facts FROM STDIN") as into:
            for begin in range(0, rows, _CHUNK):
                into.write("".join(f"{i}\t{i * 7919 % keys}\t{i % 1000}\n" for i in range(begin, begin + _CHUNK)))
        with cursor.copy("COPY dims FROM STDIN") as into:
            into.write("".join(f"{k}\tname {k}\n" for k in range(keys)))


def hydrated(connection: Connection, name: str, query: str) -> float:
    """Make a view; returns the seconds until it can be read."""
    begun = time.perf_counter()
    connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")
    connection.execute(f"SELECT * FROM {name} WHERE {'k = 0' if name == 'groups' else 'id = 0'}").fetchall()
    return time.perf_counter() - begun


def visible(connection: Connection, name: str, rows: int, number: int) -> float:
    """Change some rows in one commit; returns the seconds from then until the view has them.

    Nothing else is left to do for the view when that begins: it was read after the commit before.
    """
    keys = rows // 10
    first = 10 * rows + number * CHANGED
    changed = [(first + i, (first + i) * 31 % keys, 2000 + number) for i in range(CHANGED)]
    connection.execute(f"DELETE FROM facts WHERE id = {number}".encode())
    look(connection, name, changed[-1])
    connection.execute(f"INSERT INTO facts VALUES {', '.join(map(str, changed))}".encode())
    begun = time.perf_counter()
    found = look(connection, name, changed[-1])
    took = time.perf_counter() - begun
    assert found == [(2000 + number,)], found
    return took


def look(connection: Connection, name: str, row: tuple[int, int, int]) -> list[tuple[object, ...]]:
    """What the view says of a row."""
    if name == "groups":
        return connection.execute("SELECT most FROM groups WHERE k = %s", (row[1],)).fetchall()
    return connection.execute("SELECT v FROM joined WHERE id = %s", (row[0],)).fetchall()


@contextmanager
def maintained(name: str, rows: int) -> Iterator[Callable[[int], float]]:
    """A view over so many rows, of a server of its own: what a change takes, by its number."""
    with (
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder,
        holdfast_serving(Path(folder) / "data", "--memory", "6GB") as ours,
        psycopg.connect(ours.conninfo, autocommit=True) as connection,
    ):
        connection.execute("SET statement_timeout = 0")
        fill(connection, rows)
        print(f"{name} of {rows:,} rows: hydrated in {hydrated(connection, name, VIEWS[name]):.1f} s", flush=True)
        yield partial(visible, connection, name, rows)
        differing = connection.execute(f"VERIFY MATERIALIZED VIEW {name}").fetchall()
        assert not differing, differing[:5]


def measured(name: str, sizes: Sequence[int]) -> list[list[float]]:
    """What changes take of views over so many rows each, which take turns."""
    with ExitStack() as stack:
        views = {f"{name} of {rows:,} rows": stack.enter_context(maintained(name, rows)) for rows in sizes}
        found: dict[str, list[float]] = {label: [] for label in views}
        for number in range(WARMUPS + REPEATS):
            for label, change in views.items():
                found[label].append(change(number))
    counted = {label: seconds[WARMUPS:] for label, seconds in found.items()}
    report(counted, "ms")
    return list(counted.values())


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    times = int(sys.argv[2]) if len(sys.argv) > 2 else TIMES
    spark = start(SparkSettings(driver_memory="1g"))
    floors = []
    for _ in range(WARMUPS + REPEATS):
        begun = time.perf_counter()
        spark.sql("SELECT 1").toArrow()
        floors.append(time.perf_counter() - begun)
    stop(spark)
    floor = report({"floor: SELECT 1 to Arrow": floors[WARMUPS:]}, "ms")["floor: SELECT 1 to Arrow"]
    for name, (p50, p99) in BARS.items():
        found, *more = measured(name, [rows] if times == 1 else [rows, times * rows])
        median = statistics.median(found)
        bar(f"{name}: p50 / floor", median / floor, p50, at_least=False)
        bar(f"{name}: p99 / floor", statistics.quantiles(found, n=100)[98] / floor, p99, at_least=False)
        for larger in more:
            ratio = statistics.median(larger) / median
            bar(f"{name}: {times} times the rows, same change", ratio, 1.3, at_least=False)


if __name__ == "__main__":
    main()
