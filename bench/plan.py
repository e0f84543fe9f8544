"""Planning, from SQL to Spark's text: TPC-H's queries against sqlglot's optimizer, and a query with a parameter."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from sqlglot import parse_one
from sqlglot.optimizer import optimize as sqlglot_optimize

from bench.measure import bar
from holdfast.adapter.known import Known
from holdfast.adapter.plan_cache import Compiled, PlanCache
from holdfast.compute.render import render
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.sql import plan_query
from tests.tpch.data import QUERIES, SCHEMA, TpchCatalog

REPEATS = 15
POINT = "SELECT o_totalprice, o_orderdate FROM orders WHERE o_orderkey = $1"
CATALOG = TpchCatalog()
SQLGLOT_SCHEMA: dict[str, object] = {
    table: dict(column.replace("money", "decimal(15, 2)").split(maxsplit=1) for column in text.split(","))
    for table, text in SCHEMA.items()
}


def ours(query: str) -> None:
    render(optimize(decorrelate(plan_query(query, CATALOG).plan)))


def theirs(query: str) -> None:
    sqlglot_optimize(parse_one(query, dialect="postgres"), schema=SQLGLOT_SCHEMA, dialect="postgres").sql("spark")


def median_ms(work: Callable[[], object], repeats: int = REPEATS) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) * 1000


def main() -> None:
    for query in QUERIES.values():
        ours(query)
        theirs(query)
    plan_ms, peer_ms = {}, {}
    for number, query in QUERIES.items():
        plan_ms[number] = median_ms(lambda query=query: ours(query))  # type: ignore[misc]  # bound now
        peer_ms[number] = median_ms(lambda query=query: theirs(query), 5)  # type: ignore[misc]  # bound now
    middle, peer = statistics.median(plan_ms.values()), statistics.median(peer_ms.values())
    slowest = max(plan_ms, key=lambda number: plan_ms[number])
    print(f"TPC-H query, parse to Spark text: median {middle:.1f} ms, slowest Q{slowest} {plan_ms[slowest]:.1f} ms")
    print(f"the same texts through sqlglot.optimizer.optimize: median {peer:.1f} ms")
    bar("planning, median, ms", middle, 25, at_least=False)
    bar(
        "planning / sqlglot, median of each query's ratio",
        statistics.median(plan_ms[n] / peer_ms[n] for n in QUERIES),
        1,
        at_least=False,
    )
    bar("a point query with a parameter, ms", median_ms(lambda: ours(POINT), 200), 1, at_least=False)
    cache, known = PlanCache[Compiled](), Known(0, "bench", "bench", "bench")
    cached = median_ms(
        lambda: cache.made(POINT, lambda: Compiled(plan_query(POINT, CATALOG))).prepared(lambda: known), 1000
    )
    bar("the same from the plan cache, us", cached * 1000, 50, at_least=False)


if __name__ == "__main__":
    main()
