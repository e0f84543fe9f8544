"""TPC-H queries as maintained views, under refreshes of 1,500 rows, against the same queries in plain Spark SQL.

A refresh is a transaction of new orders with their lines, or takes those of one back. What counts for a view is the
time from its commit until the view can be read as of it.
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


def arrive(connection: Connection, orders: int, number: int) -> None:
    """New orders with their lines, in one transaction."""
    chance = Random(number)
    kept, lines = [], []
    for key in keys_of(number):
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


def leave(connection: Connection, number: int) -> None:
    """The lines of such orders are gone."""
    keys = keys_of(number)
    connection.execute(f"DELETE FROM lineitem WHERE l_orderkey BETWEEN {keys[0]} AND {keys[-1]}".encode())


def keys_of(number: int) -> range:
    first = 10_000_000 + number * ORDERS
    return range(first, first + ORDERS)


def seen(connection: Connection, number: int) -> float:
    """Seconds until the view has what was committed."""
    begun = time.perf_counter()
    connection.execute(f"SELECT * FROM q{number} LIMIT 1".encode()).fetchall()
    return time.perf_counter() - begun


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
                came, went = [], []
                for refresh in range(100 * number, 100 * number + REPEATS + 1):
                    arrive(connection, orders, refresh)
                    came.append(seen(connection, number))
                    leave(connection, refresh)
                    went.append(seen(connection, number))
                medians = report(
                    {
                        f"Q{number}, plain Spark SQL": plain[number],
                        f"Q{number}, 1,500 rows came": came[1:],
                        f"Q{number}, 1,200 rows went": went[1:],
                    }
                )
                slower = max(medians[f"Q{number}, 1,500 rows came"], medians[f"Q{number}, 1,200 rows went"])
                ratio = slower / medians[f"Q{number}, plain Spark SQL"]
                bar(f"Q{number}: refresh / plain Spark SQL", ratio, 0.3, at_least=False)
                ratios.append(ratio)
                differing = connection.execute(f"VERIFY MATERIALIZED VIEW q{number}".encode()).fetchall()
                assert not differing, differing[:5]
                connection.execute(f"DROP MATERIALIZED VIEW q{number}".encode())
        bar("geometric mean", math.exp(statistics.fmean(map(math.log, ratios))), 0.15, at_least=False)


if __name__ == "__main__":
    main()
