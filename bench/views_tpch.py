"""TPC-H queries as maintained views, made, refreshed and changed by a tenth, against the same in plain Spark SQL.

A refresh is a transaction of new orders with their lines, 1,500 rows, or takes the lines of one back. A tenth of the
lines come a second time, and go; then a tenth of the orders with their lines, in one transaction, and go by two: with
new keys, and with keys among those that there are. What counts for a view is the time from a commit until the view can
be read as of it.

Plain Spark keeps no history. Ours keeps a second, instead of the minute that is the default: a tenth that comes and
goes every few seconds would double the table, for every read of it.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import psycopg
from pyspark.sql import SparkSession

from bench.measure import bar, report
from bench.serving import holdfast_serving
from bench.tables_tpch import load
from holdfast.spark import SparkSettings, start, stop
from tests.tpch.data import QUERIES, SCHEMA, columns, make

CHOSEN = (1, 3, 5, 9, 18)
PARTS = ("hydration", "refresh", "tenth", "orders", "among")
ORDERS = 300
"""In a refresh, with four lines each: 1,500 rows."""
REPEATS = 5
WARMUPS = 2
LARGE_WARMUPS = 4
"""Of large changes, and of the queries they are compared with: Java still compiles what they run in the third round."""

GEOMETRIC = {1.0: 0.15, 10.0: 0.02}
"""The bar of the geometric mean of refreshes, by scale."""

AGAIN = 100
"""What is added to the number of a line that comes a second time."""

ANEW = 100_000_000
"""What is added to the keys of orders that come once more, for each time that they do: new orders have new keys."""

UNUSED = 8
"""What is added to the keys of orders that come among the others: of any 32 keys TPC-H's tables have the first 8."""

HISTORY = "RETAIN HISTORY FOR '1s'"

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
    first = 10_000_000_000 + number * ORDERS
    return range(first, first + ORDERS)


def tenth_comes(connection: Connection, _: int) -> None:
    """A tenth of the lines once more, in the same orders."""
    names = [name for name, _ in columns("lineitem")]
    values = ", ".join(f"{name} + {AGAIN}" if name == "l_linenumber" else name for name in names)
    connection.execute(f"INSERT INTO lineitem SELECT {values} FROM lineitem WHERE l_orderkey % 10 = 3".encode())


def tenth_goes(connection: Connection, _: int) -> None:
    connection.execute(f"DELETE FROM lineitem WHERE l_linenumber > {AGAIN}".encode())


def orders_come(connection: Connection, folder: Path, shift: int) -> None:
    """A tenth of the orders once more, with their lines and keys that are greater by `shift`, in one transaction."""
    with connection.transaction(), connection.cursor() as cursor:
        for table in ("orders", "lineitem"):
            with (
                cursor.copy(f"COPY {table} FROM STDIN (FORMAT csv)") as copy,
                (folder / f"{table}.csv").open() as lines,
            ):
                next(lines)  # the names of the columns
                for line in lines:
                    key, _, rest = line.partition(",")
                    if int(key) % 10 == 3:
                        copy.write(f"{int(key) + shift},{rest}")


def orders_go(connection: Connection, keys: str) -> None:
    connection.execute(f"DELETE FROM orders WHERE o_orderkey {keys}".encode())
    connection.execute(f"DELETE FROM lineitem WHERE l_orderkey {keys}".encode())


def made(connection: Connection, number: int) -> float:
    """Make a view; returns the seconds until it can be read."""
    begun = time.perf_counter()
    connection.execute(f"CREATE MATERIALIZED VIEW q{number} WITH ({HISTORY}) AS {QUERIES[number]}".encode())
    seen(connection, number)
    return time.perf_counter() - begun


def dropped(connection: Connection, number: int) -> None:
    connection.execute(f"DROP MATERIALIZED VIEW q{number}".encode())


def seen(connection: Connection, number: int) -> float:
    """Seconds until the view has what was committed."""
    begun = time.perf_counter()
    connection.execute(f"SELECT * FROM q{number} LIMIT 1".encode()).fetchall()
    return time.perf_counter() - begun


def verify(connection: Connection, number: int) -> None:
    differing = connection.execute(f"VERIFY MATERIALIZED VIEW q{number}".encode()).fetchall()
    assert not differing, differing[:5]


@contextmanager
def on_spark(folder: Path) -> Iterator[SparkSession]:
    """Plain Spark, beside ours."""
    spark = start(SparkSettings(driver_memory="3g"))
    for table in SCHEMA:
        spark.read.parquet(f"{folder}/{table}.parquet").createOrReplaceTempView(table)
    yield spark
    stop(spark)


def ask(spark: SparkSession, number: int) -> None:
    spark.sql(QUERIES[number]).toArrow()


def make_table(spark: SparkSession, number: int, path: str) -> None:
    spark.sql(QUERIES[number]).write.mode("overwrite").parquet(path)


def timed(run: Callable[[], object]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def hydration(connection: Connection, number: int, making: Callable[[], object]) -> None:
    """A view and a table made in turns. What is made for the first times does not count: that compiles."""
    ours, theirs = [], []
    for _ in range(WARMUPS + REPEATS):
        theirs.append(timed(making))
        ours.append(made(connection, number))
        if len(ours) == WARMUPS + REPEATS:
            verify(connection, number)
        dropped(connection, number)
    print(f"Q{number}, hydrated for the first time in {ours[0]:.3f} s")
    names = f"Q{number}, CREATE TABLE AS", f"Q{number}, hydration"
    plain, maintained = report(dict(zip(names, (theirs[WARMUPS:], ours[WARMUPS:]), strict=True))).values()
    bar(f"Q{number}: hydration / CREATE TABLE AS", maintained / plain, 1.3, at_least=False)


def refresh(connection: Connection, number: int, asking: Callable[[], object], orders: int) -> float:
    """Refreshes of a view; returns the ratio to the query in plain Spark SQL."""
    asked, came, went = [], [], []
    for each in range(100 * number, 100 * number + WARMUPS + REPEATS):
        asked.append(timed(asking))
        arrive(connection, orders, each)
        came.append(seen(connection, number))
        leave(connection, each)
        went.append(seen(connection, number))
    seconds = {"1,500 rows came": came[WARMUPS:], "1,200 rows went": went[WARMUPS:]}
    return compare(number, asked[WARMUPS:], seconds, "refresh", 0.3)


def large(
    connection: Connection,
    number: int,
    asking: Callable[[], object],
    what: str,
    come: Callable[[int], None],
    go: Callable[[int], None],
) -> None:
    # Before anything changes: when much has, our server still merges what is stored while it is not asked.
    asked = [timed(asking) for _ in range(LARGE_WARMUPS + REPEATS)]
    came, went = [], []
    for each in range(1, LARGE_WARMUPS + REPEATS + 1):
        turn = 10 * number + each
        come(turn)
        came.append(seen(connection, number))
        go(turn)
        went.append(seen(connection, number))
    print(f"Q{number}, {what} for the first time: came in {came[0]:.3f} s, went in {went[0]:.3f} s")
    seconds = {f"{what} came": came[LARGE_WARMUPS:], f"{what} went": went[LARGE_WARMUPS:]}
    compare(number, asked[LARGE_WARMUPS:], seconds, what, 1.2)


def compare(number: int, asked: list[float], seconds: dict[str, list[float]], what: str, limit: float) -> float:
    medians = report({f"Q{number}, {name}": values for name, values in {"plain Spark SQL": asked, **seconds}.items()})
    plain, *ours = medians.values()
    ratio = max(ours) / plain
    bar(f"Q{number}: {what} / plain Spark SQL", ratio, limit, at_least=False)
    return ratio


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.views_tpch", description=__doc__)
    parser.add_argument("scale", nargs="?", type=float, default=1.0)
    parser.add_argument("--queries", nargs="+", type=int, choices=QUERIES, default=CHOSEN, metavar="NUMBER")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    said = parser.parse_args()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
        folder = Path(name)
        make(folder, said.scale)
        make(folder, said.scale, "csv")
        with (
            on_spark(folder) as spark,
            holdfast_serving(folder / "data", "--memory", "6GB") as ours,
            psycopg.connect(ours.conninfo, autocommit=True) as connection,
        ):
            connection.execute("SET statement_timeout = 0")
            load(connection, folder)
            for table in ("orders", "lineitem"):
                connection.execute(f"ALTER TABLE {table} SET ({HISTORY})".encode())
            # Before any row was taken back: plain Spark reads files that have none to take back either.
            for number in said.queries if "hydration" in said.parts else ():
                hydration(connection, number, partial(make_table, spark, number, f"{folder}/q{number}"))
            ratios = []
            for number in said.queries if {*PARTS[1:]} & {*said.parts} else ():
                asking = partial(ask, spark, number)
                print(f"Q{number}, made in {made(connection, number):.3f} s", flush=True)
                if "refresh" in said.parts:
                    ratios.append(refresh(connection, number, asking, int(1_500_000 * said.scale)))
                change = partial(large, connection, number, asking)
                if "tenth" in said.parts:
                    change("a tenth", partial(tenth_comes, connection), partial(tenth_goes, connection))
                if "orders" in said.parts:
                    change(
                        "a tenth of orders",
                        lambda turn: orders_come(connection, folder, turn * ANEW),
                        lambda turn: orders_go(connection, f"BETWEEN {turn * ANEW} AND {(turn + 1) * ANEW}"),
                    )
                if "among" in said.parts:
                    change(
                        "a tenth of orders among others",
                        lambda _: orders_come(connection, folder, UNUSED),
                        lambda _: orders_go(connection, f"% 32 BETWEEN {UNUSED} AND {2 * UNUSED - 1}"),
                    )
                verify(connection, number)
                dropped(connection, number)
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            bar("geometric mean of refreshes", mean, GEOMETRIC.get(said.scale, 0.15), at_least=False)
    print(f"scale {said.scale:g}, in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
