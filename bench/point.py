"""Point reads by a prepared statement, 16 connections: a table of a million rows, against PostgreSQL with an index."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import psycopg

from bench.awake import awake
from bench.measure import bar
from bench.serving import holdfast_serving, pgbench, postgres_serving

ROWS = 1_000_000
ROUNDS = 5
SECONDS = 4


def main() -> None:
    with (
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder,
        holdfast_serving(Path(folder) / "data") as ours,
        postgres_serving() as theirs,
    ):
        script = Path(folder) / "point.sql"
        script.write_text(f"\\set k random(1, {ROWS})\nSELECT v FROM kv WHERE k = :k;\n")
        for serving in (ours, theirs):
            with psycopg.connect(serving.conninfo, autocommit=True) as connection:
                connection.execute("CREATE TABLE kv (k int, v text)")
                connection.execute(f"INSERT INTO kv SELECT g, 'value ' || g FROM generate_series(1, {ROWS}) g")
                if serving is theirs:
                    connection.execute("CREATE INDEX ON kv (k)")
                    connection.execute("VACUUM ANALYZE kv")
                connection.execute("SELECT v FROM kv WHERE k = 1")
        rates: dict[str, list[float]] = {"ours": [], "PostgreSQL": []}
        flags = ("-M", "prepared", "-c", "16", "-j", "1", "-T", str(SECONDS))
        with awake():
            for _ in range(ROUNDS):
                rates["ours"].append(pgbench(ours, script, *flags))
                rates["PostgreSQL"].append(pgbench(theirs, script, *flags))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for name, rate in medians.items():
        print(f"{name:<44} median {rate:8.0f} reads/s   ({ROUNDS} runs of {SECONDS} s)")
    bar("rate of point reads / PostgreSQL's", medians["ours"] / medians["PostgreSQL"], 0.5, at_least=True)


if __name__ == "__main__":
    main()
