"""TPC-H queries as maintained views, under refreshes of 1,500 rows, against the same queries in plain Spark SQL.

Of each refresh, half are new orders with their lines, half take old ones back. What counts for a view is the time from
the commit until it can be read as of it.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import psycopg

from bench.measure import bar, report
from bench.serving import holdfast_serving
from bench.tables_tpch import load
from holdfast.spark import SparkSettings, start, stop
from tests.tpch.data import QUERIES, SCHEMA, make

CHOSEN = (1, 3, 5, 9, 18)
ORDERS = 300
"""In a refresh, with four lines each: 1,500 rows."""
REPEATS = 5

Connection = psycopg.Connection[tuple[object, ...]]


def refresh(connection: Connection, orders: int, number: int) -> None:
    """New orders, and as many of the last refresh's, or of the first, taken back."""
    chance = Random(number)
    first = 10_000_000 + number * ORDERS
    new = range(first, first + ORDERS // 2)
    kept, lines = [], []
    for key in new:
        day = f"199{chance.randrange(2, 9)}-0{chance.randrange(1, 9)}-1{chance.randrange(9)}"
        customer, price = chance.randrange(1, orders // 10), chance.randrange(1000, 300000)
        kept.append(f"({key}, {customer}, 'O', {price}.50, '{day}', '1-URGENT', 'Clerk#1', 0, 'new')")
        for line in range(1, 5):
            part, supplier = chance.randrange(1, orders // 8), chance.randrange(1, max(orders // 150, 2))
            amount = f"{chance.randrange(1, 50)}, {chance.randrange(1000, 90000)}.10, 0.05, 0.02"
            rest = f"'N', 'O', '{day}', '{day}', '{day}', 'NONE', 'MAIL', 'new'"
            lines += [f"({key}, {part}, {supplier}, {line}, {amount}, {rest})"]
    with connection.transaction():
        connection.execute(f"INSERT INTO orders VALUES {', '.join(kept)}".encode())
        connection.execute(f"INSERT INTO lineitem VALUES {', '.join(lines)}".encode())
    gone = ", ".join(str(key) for key in range(first - ORDERS, first - ORDERS // 2))
    if number:
        connection.execute(f"DELETE FROM lineitem WHERE l_orderkey IN ({gone})".encode())
        connection.execute(f"DELETE FROM orders WHERE o_orderkey IN ({gone})".encode())


def main() -> None:
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
        folder = Path(name)
        make(folder, scale)
        make(folder, scale, "csv")
        spark = start(SparkSettings(driver_memory="3g"))
        for table in SCHEMA:
            spark.read.parquet(f"{name}/{table}.parquet").createOrReplaceTempView(table)
        plain: dict[int, list[float]] = {number: [] for number in CHOSEN}
        made: dict[int, float] = {}
        for number in CHOSEN:
            for _ in range(REPEATS + 1):
                begun = time.perf_counter()
                spark.sql(QUERIES[number]).toArrow()
                plain[number].append(time.perf_counter() - begun)
            del plain[number][0]
            begun = time.perf_counter()
            spark.sql(QUERIES[number]).write.parquet(f"{name}/made{number}")
            made[number] = time.perf_counter() - begun
        stop(spark)
        ratios = []
        flags = ("--memory", "6GB")
        with (
            holdfast_serving(folder / "data", *flags) as ours,
            psycopg.connect(ours.conninfo, autocommit=True) as connection,
        ):
            connection.execute("SET statement_timeout = 0")
            load(connection, folder)
            orders = int(1_500_000 * scale)
            for number in CHOSEN:
                begun = time.perf_counter()
                connection.execute(f"CREATE MATERIALIZED VIEW q{number} AS {QUERIES[number]}".encode())
                connection.execute(f"SELECT count(*) FROM q{number}".encode()).fetchall()
                took = time.perf_counter() - begun
                bar(f"Q{number}: hydration / CREATE TABLE AS", took / made[number], 1.3, at_least=False)
                seconds = []
                for round_number in range(REPEATS + 1):
                    refresh(connection, orders, 100 * number + round_number)
                    begun = time.perf_counter()
                    connection.execute(f"SELECT * FROM q{number} LIMIT 1".encode()).fetchall()
                    seconds.append(time.perf_counter() - begun)
                medians = report({f"Q{number}, plain Spark SQL": plain[number], f"Q{number}, refreshed": seconds[1:]})
                ratio = medians[f"Q{number}, refreshed"] / medians[f"Q{number}, plain Spark SQL"]
                bar(f"Q{number}: refresh / plain Spark SQL", ratio, 0.3, at_least=False)
                ratios.append(ratio)
                differing = connection.execute(f"VERIFY MATERIALIZED VIEW q{number}".encode()).fetchall()
                assert not differing, differing[:5]
                connection.execute(f"DROP MATERIALIZED VIEW q{number}".encode())
        bar("geometric mean", math.exp(statistics.fmean(map(math.log, ratios))), 0.15, at_least=False)


if __name__ == "__main__":
    main()
