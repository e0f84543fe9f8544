"""Code that Spark generates and compiles for maintained views: none for a small step, which is no job of Spark's.

Then what it compiles for large changes of one shape, which go to Spark from scratch.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import holdfast
from bench.measure import bar, report

ROWS = 200_000
"""More than this process makes a view of by itself."""
CHANGED = 100
REPEATS = 20
WARMUPS = 5
LARGE = 60_000
"""Rows of one change that are too many for this process."""
LARGE_REPEATS = 5

VIEWS = {
    "groups": "SELECT k, sum(v) AS total, count(*) AS n, max(v) AS most FROM facts GROUP BY k",
    "joined": "SELECT f.id, f.k, f.v, d.name FROM facts f JOIN dims d ON f.k = d.k",
    "ranked": "SELECT * FROM (SELECT id, k, v, row_number() OVER (PARTITION BY k ORDER BY v DESC, id) AS n FROM facts) "
    "r WHERE n <= 3",
}


@dataclass(frozen=True, slots=True)
class Done:
    """What Spark has done since it was started."""

    compilations: int
    jobs: int

    @classmethod
    def by(cls, database: holdfast.Database) -> Done:
        spark: Any = database.spark()  # what it counts is not in PySpark's types
        context = spark.sparkContext
        metrics = context._jvm.org.apache.spark.metrics.source.CodegenMetrics
        return cls(metrics.METRIC_COMPILATION_TIME().getCount(), context._jsc.sc().dagScheduler().numTotalJobs())

    def __sub__(self, other: Done) -> Done:
        return Done(self.compilations - other.compilations, self.jobs - other.jobs)


def change(database: holdfast.Database, first: int, count: int, keys: int) -> tuple[float, Done]:
    """Take a row, and then add some in one commit; returns the seconds from then until all views have them.

    Beside what Spark did meanwhile: it may have made the rows before. Views that were read in between take one change
    after the other, and not both in one step.
    """
    last = first + count - 1
    key = last * 31 % keys
    database.sql(f"DELETE FROM facts WHERE id = {first // CHANGED % keys}")
    for name in VIEWS:
        database.sql(f"SELECT k FROM {name} WHERE k = 0")
    database.sql("BEGIN")
    database.sql(f"INSERT INTO facts SELECT g, g::bigint * 31 % {keys}, g FROM generate_series({first}, {last}) g")
    before = Done.by(database)
    database.sql("COMMIT")
    begun = time.perf_counter()
    assert database.sql("SELECT most FROM groups WHERE k = $1", [key]).rows() == [(last,)]
    assert database.sql("SELECT v FROM joined WHERE id = $1", [last]).rows() == [(last,)]
    assert (last,) in database.sql("SELECT v FROM ranked WHERE k = $1", [key]).rows()
    return time.perf_counter() - begun, Done.by(database) - before


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    keys = rows // 10
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder, holdfast.open(Path(folder)) as database:
        database.sql("CREATE TABLE facts (id int, k int, v bigint)")
        database.sql("CREATE TABLE dims (k int, name text)")
        database.sql(f"INSERT INTO facts SELECT g, g * 7919 % {keys}, g % 1000 FROM generate_series(1, {rows}) g")
        database.sql(f"INSERT INTO dims SELECT g, 'name ' || g FROM generate_series(0, {keys - 1}) g")
        for name, query in VIEWS.items():
            database.sql(f"CREATE MATERIALIZED VIEW {name} AS {query}")
        first = 2 * rows
        small = []
        for _ in range(WARMUPS + REPEATS):
            small.append(change(database, first, CHANGED, keys))
            first += CHANGED
        report({f"{len(VIEWS)} views, {CHANGED} rows": [seconds for seconds, _ in small[WARMUPS:]]}, "ms")
        done_small = [done for _, done in small[WARMUPS:]]
        bar("jobs of Spark's for a small step, at most", max(done.jobs for done in done_small), 0, at_least=False)
        most = max(done.compilations for done in done_small)
        bar("compilations for a small step, at most", most, 0, at_least=False)
        large = []
        for _ in range(WARMUPS + LARGE_REPEATS):
            large.append(change(database, first, LARGE, keys))
            first += LARGE
            done = large[-1][1]
            print(f"{LARGE:,} rows: {done.compilations} compilations in {done.jobs} jobs", flush=True)
        report({f"{len(VIEWS)} views, {LARGE:,} rows": [seconds for seconds, _ in large[WARMUPS:]]})
        most = max(done.compilations for _, done in large[WARMUPS:])
        bar("compilations for a large change like those before, at most", most, 0, at_least=False)
        for name in VIEWS:
            assert not database.sql(f"VERIFY MATERIALIZED VIEW {name}").rows()


if __name__ == "__main__":
    main()
