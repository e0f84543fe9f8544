"""TPC-H from Parquet, through our planner, against the same statements in plain Spark SQL."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.measure import bar, interleaved, report
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import run
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.spark import SparkSettings, start, stop
from holdfast.sql import plan_query
from tests.tpch.data import QUERIES, SCHEMA, TpchCatalog, make

REPEATS = 3
CORRELATED = (2, 17, 20, 21)


def planned(query: str) -> tuple[SparkQuery, tuple[str, ...]]:
    plan = optimize(decorrelate(plan_query(query, TpchCatalog()).plan))
    return render(plan), plan.names


def main() -> None:
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    spark = start(SparkSettings(driver_memory="6g"))
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
        make(Path(name), scale)
        frames = {table: spark.read.parquet(f"{name}/{table}.parquet") for table in SCHEMA}
        for table, frame in frames.items():
            frame.createOrReplaceTempView(table)
        totals = {"plain Spark SQL": 0.0, "ours": 0.0}
        for number, text in QUERIES.items():
            query, names = planned(text)
            seconds = interleaved(
                {
                    "plain Spark SQL": lambda text=text: spark.sql(text).toArrow(),  # type: ignore[misc]  # bound now
                    "ours": lambda query=query, names=names: run(spark, query, frames, (), names),  # type: ignore[misc]
                },
                REPEATS,
            )
            print(f"-- Q{number}")
            medians = report(seconds)
            totals = {who: totals[who] + medians[who] for who in totals}
            if number in CORRELATED:
                bar(f"Q{number} / Spark's own", medians["ours"] / medians["plain Spark SQL"], 1.2, at_least=False)
        print(f"-- all 22 at scale {scale}: {totals['ours']:.1f} s, plain Spark SQL {totals['plain Spark SQL']:.1f} s")
        bar("total / plain Spark SQL", totals["ours"] / totals["plain Spark SQL"], 1.1, at_least=False)
    stop(spark)


if __name__ == "__main__":
    main()
