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

QUERIES, PART = 20, 10
KNOWN = {30_007}
"""Seeds of queries that show what is expected to fail below."""


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
            if seed not in KNOWN:
                compare(spark, part, inputs, seed, query)


def compare(spark: SparkSession, part: Round, inputs: dict[str, DataFrame], seed: int, query: Query) -> None:
    plan, types = plan_of(query.text, part.catalog, optimized=True)
    expected = evaluated(plan, types, part.catalog)
    found = on_spark(spark, plan, types, inputs)
    difference = found.differs(expected, ordered=query.ordered)
    assert difference is None or either(found, expected), part.report(seed, query.text, difference or "")


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="Spark orders jsonb by its text")
def test_jsonb_has_its_order_on_spark(spark: SparkSession) -> None:
    (part,) = rounds([0])
    compare(spark, part, {}, 0, Query("VALUES ('[2, 2]'::jsonb), ('[]'), ('1') ORDER BY 1", ordered=True))
