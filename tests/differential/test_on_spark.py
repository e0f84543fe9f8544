"""Random queries have the same answers on Spark as without."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.render import render
from holdfast.compute.run import run
from holdfast.errors import HoldfastError
from holdfast.plan.relation import Plan
from holdfast.plan.types import Type, spark_type
from tests.differential.answer import Answer, either
from tests.differential.ask import answer_of, evaluated, plan_of
from tests.differential.generate import Query
from tests.differential.rounds import Round, rounds

QUERIES, PART = 60, 20


def frames(spark: SparkSession, part: Round) -> dict[str, DataFrame]:
    return {
        table.name: spark.createDataFrame(
            part.catalog.contents[table.name], ", ".join(f"{name} {spark_type(type_)}" for name, type_ in table.columns)
        )
        for table in part.tables
    }


def on_spark(spark: SparkSession, plan: Plan, types: tuple[Type, ...], inputs: dict[str, DataFrame]) -> Answer:
    try:
        return answer_of(run(spark, render(plan), inputs, (), plan.names), types)
    except HoldfastError as error:
        return Answer(error=sqlstate(error))


@pytest.mark.parametrize("first", range(30_000, 30_000 + QUERIES, PART))
def test_random_queries_have_the_same_answer_on_spark(first: int, spark: SparkSession) -> None:
    for part in rounds(range(first, first + PART)):
        inputs = frames(spark, part)
        for seed, query in part.queries():
            compare(spark, part, inputs, seed, query)


def compare(spark: SparkSession, part: Round, inputs: dict[str, DataFrame], seed: int, query: Query) -> None:
    plan, types = plan_of(query.text, part.catalog, optimized=True)
    expected = evaluated(plan, types, part.catalog)
    found = on_spark(spark, plan, types, inputs)
    difference = found.differs(expected, ordered=query.ordered)
    assert difference is None or either(found, expected), part.report(seed, query.text, difference or "")


JSON = "(VALUES ('[2, 2]'::jsonb, 1), ('[]', 1), ('1', 2), (null, 2), ('\"b\"', 1), ('{\"a\": 1}', 2)) AS v (j, k)"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT * FROM {JSON} ORDER BY j",
        f"SELECT k FROM {JSON} ORDER BY j DESC",
        f"SELECT * FROM {JSON} ORDER BY k, j NULLS FIRST LIMIT 4",
        f"SELECT * FROM {JSON} ORDER BY k LIMIT 4",
        f"SELECT * FROM (SELECT * FROM {JSON} ORDER BY k LIMIT 4) AS x",
        f"SELECT DISTINCT ON (k) * FROM {JSON} ORDER BY k, j",
        f"SELECT * FROM (SELECT DISTINCT ON (k) * FROM {JSON}) AS x ORDER BY k",
        f"SELECT *, row_number() OVER (PARTITION BY k ORDER BY j DESC) FROM {JSON} ORDER BY 1, 2, 3",
        f"SELECT *, row_number() OVER (), rank() OVER (ORDER BY j) FROM {JSON} ORDER BY 1, 2",
        f"SELECT k, row_number() OVER (ORDER BY j -> 0 DESC, k, j) FROM {JSON} ORDER BY 2",
        f"SELECT ARRAY[j, '1'] AS a FROM {JSON} ORDER BY a LIMIT 3",
        f"SELECT ROW(k, j) FROM {JSON} ORDER BY ROW(k, j)",
        f"SELECT j -> 0 FROM {JSON} ORDER BY j -> 0, j",
        f"SELECT k FROM {JSON} ORDER BY j FETCH FIRST 2 ROWS WITH TIES",
    ],
)
def test_jsonb_has_its_order_on_spark(query: str, spark: SparkSession) -> None:
    (part,) = rounds([0])
    compare(spark, part, {}, 0, Query(query, ordered=True))
