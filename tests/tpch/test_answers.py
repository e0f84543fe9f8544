"""The 22 queries, on Spark, give PostgreSQL's answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from holdfast.compute.render import render
from holdfast.compute.run import run
from holdfast.plan.check import check
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.sql import plan_query
from tests.differential.ask import answer_of, ask_postgres
from tests.tpch.data import QUERIES, SCHEMA, Connection, TpchCatalog

SCALES = (0.01, pytest.param(0.1, marks=pytest.mark.slow))


@pytest.mark.parametrize("number", QUERIES)
@pytest.mark.parametrize("scale", SCALES)
def test_a_query_of_tpch_gives_the_answer_of_postgresql(
    number: int,
    scale: float,
    spark: SparkSession,
    tpch_files: Callable[[float], Path],
    tpch_schema: Callable[[float], Connection],
) -> None:
    query = QUERIES[number]
    plan = optimize(decorrelate(plan_query(query, TpchCatalog()).plan))
    check(plan, decorrelated=True)
    frames = {table: spark.read.parquet(str(tpch_files(scale) / f"{table}.parquet")) for table in SCHEMA}
    table = run(spark, render(plan), frames, (), plan.names)
    types = [column.type for column in plan.relation.columns[: len(plan.names)]]
    expected = ask_postgres(tpch_schema(scale), query)
    assert expected.error is None
    assert answer_of(table, types).differs(expected, ordered=True) is None
