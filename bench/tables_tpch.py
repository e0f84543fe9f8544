"""TPC-H from Holdfast's tables, asked over the wire, against the same statements in plain Spark SQL over Parquet."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import psycopg

from bench.measure import bar, interleaved, report
from bench.serving import holdfast_serving
from holdfast.spark import SparkSettings, start, stop
from tests.tpch.data import QUERIES, SCHEMA, make

REPEATS = 3
_CHUNK, _TRANSACTION = 1 << 20, 1 << 29
"""Bytes that are sent at a time, and those of a transaction, about: what one writes is held in memory until it ends."""


def load(connection: psycopg.Connection[tuple[object, ...]], folder: Path) -> None:
    for table, columns in SCHEMA.items():
        connection.execute(f"CREATE TABLE {table} ({columns.replace('money', 'numeric(15, 2)')})")
        with (folder / f"{table}.csv").open("rb") as file:
            file.readline()  # the names of the columns
            while lines := file.readlines(_CHUNK):
                with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN WITH (FORMAT CSV)") as into:
                    sent = 0
                    while lines:
                        into.write(b"".join(lines))
                        sent += sum(map(len, lines))
                        lines = file.readlines(_CHUNK) if sent < _TRANSACTION else []


def main() -> None:
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
        folder = Path(name)
        make(folder, scale)
        make(folder, scale, "csv")
        with holdfast_serving(folder / "data") as ours, psycopg.connect(ours.conninfo, autocommit=True) as connection:
            connection.execute("SET statement_timeout = 0")
            load(connection, folder)
            spark = start(SparkSettings(driver_memory="2g"))
            for table in SCHEMA:
                spark.read.parquet(f"{name}/{table}.parquet").createOrReplaceTempView(table)
            totals = {"plain Spark SQL": 0.0, "ours": 0.0}
            for number, text in QUERIES.items():
                seconds = interleaved(
                    {
                        "plain Spark SQL": lambda text=text: spark.sql(text).toArrow(),  # type: ignore[misc]  # bound
                        "ours": lambda text=text: connection.execute(text).fetchall(),  # type: ignore[misc]  # bound
                    },
                    REPEATS,
                )
                print(f"-- Q{number}", flush=True)
                medians = report(seconds)
                totals = {who: totals[who] + medians[who] for who in totals}
            stop(spark)
        print(f"-- all 22 at scale {scale}: {totals['ours']:.1f} s, plain Spark SQL {totals['plain Spark SQL']:.1f} s")
        bar("total / plain Spark SQL", totals["ours"] / totals["plain Spark SQL"], 1.3, at_least=False)


if __name__ == "__main__":
    main()
