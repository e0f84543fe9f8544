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


def nested(start: str, call: str, depth: int) -> str:
    return call.format(nested(start, call, depth - 1)) if depth else start


@pytest.mark.parametrize(
    "value",
    [
        nested("make_date(2000 + g, 2, 28)", "date_trunc('month', {})::date", 6),
        nested("make_date(5874896 + g, 1, 1)", "date_trunc('month', {})::date", 6),
        nested("g::float8 / 3", "trunc({} + 0.5::float8)", 8),
        nested("CASE WHEN g > 1 THEN 'a' END", "lpad(coalesce({}, 'b'), g, 'x')", 6),
        nested("g", "(CASE WHEN g < 4 THEN {0} / ({0} - 1) END)", 3),
        nested("make_date(2000 + g, 2, 28)", "greatest(age({}, '2001-01-01')::text::interval, '1 day')::text::date", 3),
        nested("to_char(make_date(2000 + g, 2, 28), 'YYYY-MM-DD')", "to_char({}::date + 1, 'YYYY-MM-DD')", 4),
    ],
)
def test_calls_within_calls_have_a_short_text_with_the_same_answer(value: str, spark: SparkSession) -> None:
    (part,) = rounds([0])
    query = Query(f"SELECT {value} FROM generate_series(1, 3) AS g ORDER BY g", ordered=True)
    plan, _ = plan_of(query.text, part.catalog, optimized=True)
    assert len(render(plan).text) < 30_000
    compare(spark, part, {}, 0, query)


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
