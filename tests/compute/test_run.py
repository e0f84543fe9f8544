"""Running queries on Spark."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession

import holdfast.compute.run
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.render.internal import COUNT
from holdfast.compute.run import run, stream
from holdfast.errors import UsageError
from holdfast.plan.errors import DivisionByZero, ProgramLimitExceeded
from holdfast.plan.relation import (
    ColumnType,
    Filter,
    LetRec,
    Local,
    Map,
    OrderKey,
    Plan,
    Project,
    Recursive,
    Union,
    Values,
)
from holdfast.plan.scalar import Parameter
from holdfast.plan.types import INT4, INT8, TEXT
from tests.compute.render.build import DIVIDE, EQUAL, PLUS, call, col, number, on_spark, plan_of, table

numbers = table("numbers", INT8)


def test_names_of_columns_may_repeat(spark: SparkSession) -> None:
    plan = Plan(Values(((1, "a"),), (ColumnType(INT4), ColumnType(TEXT))), ("x", "x"))
    found = run(spark, render(plan), {}, (), plan.names)
    assert found.column_names == ["x", "x"]


def test_a_query_without_columns_has_rows(spark: SparkSession) -> None:
    found = run(spark, render(Plan(numbers, ())), {"numbers": spark.range(3)}, (), ())
    assert (found.num_rows, found.num_columns) == (3, 0)


def test_a_missing_input_or_parameter_is_a_bug(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match="reads numbers"):
        run(spark, render(Plan(numbers, ("a",))), {}, (), ("a",))
    with pytest.raises(UsageError, match=r"no parameter \$1"):
        on_spark(spark, plan_of(Map(table("x", INT4), (Parameter(1, INT4),))), {"x": ((INT4,), [])})


def test_names_of_inputs_may_be_anything(spark: SparkSession) -> None:
    name = 'my "db".`t`.x y'
    plan = Plan(table(name, INT8), ("a",))
    assert run(spark, render(plan), {name: spark.range(2)}, (), ("a",)).num_rows == 2


@pytest.mark.parametrize("at_once", [1 << 20, 1], ids=["one job", "a job for each task"])
def test_a_large_result_comes_in_pieces_and_in_order(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(holdfast.compute.run, "_AT_ONCE", at_once)
    monkeypatch.setattr(holdfast.compute.run, "_SHARE", at_once)
    plan = Plan(numbers, ("n",), (OrderKey(col(0, INT8), descending=True),))
    pieces = list(stream(spark, render(plan), {"numbers": spark.range(40_000)}, (), plan.names))
    assert len(pieces) > 1
    assert [value for piece in pieces for value in piece["n"].to_pylist()] == list(range(39_999, -1, -1))


def test_an_error_amid_a_stream_is_ours(spark: SparkSession) -> None:
    plan = plan_of(Map(table("x", INT4), (call(DIVIDE, number(1), col(0)),)))
    frame = spark.sql("SELECT CAST(id AS INT) AS id FROM range(3)")
    with pytest.raises(DivisionByZero):
        list(stream(spark, render(plan), {"x": frame}, (), plan.names))


def test_runs_at_the_same_time_see_their_own_inputs(spark: SparkSession) -> None:
    query = render(Plan(numbers, ("n",)))

    def rows(size: int) -> int:
        return int(run(spark, query, {"numbers": spark.range(size)}, (), ("n",)).num_rows)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(rows, range(12))) == list(range(12))


def test_no_view_is_left(spark: SparkSession) -> None:
    run(spark, render(Plan(numbers, ("n",))), {"numbers": spark.range(1)}, (), ("n",))
    with pytest.raises(DivisionByZero):
        on_spark(spark, plan_of(Map(table("x", INT4), (call(DIVIDE, number(1), col(0)),))), {"x": ((INT4,), [(0,)])})
    assert [view.name for view in spark.catalog.listTables() if view.name.startswith("holdfast_")] == []


def test_the_text_does_not_depend_on_parameters_or_the_run(spark: SparkSession) -> None:
    plan = plan_of(Filter(table("x", INT4), (call(EQUAL, col(0), Parameter(1, INT4)),)))
    query = render(plan)
    given = {"x": ((INT4,), [(1,), (2,), (None,)])}
    assert on_spark(spark, plan, given, (1,), query) == [(1,)]
    assert on_spark(spark, plan, given, (2,), query) == [(2,)]
    assert on_spark(spark, plan, given, (None,), query) == []
    assert render(plan) == query
    assert ":p1" in query.text


def test_a_recursion_that_does_not_end_in_time_is_an_error(spark: SparkSession) -> None:
    local = Local("r", (ColumnType(INT4),))
    more = Map(Union((Values(((0,),), local.columns), local)), (call(PLUS, col(0), number(1)),))
    relation = LetRec((Recursive("r", _last(more), local.columns),), local, limit=2, error_at_limit=True)
    with pytest.raises(ProgramLimitExceeded, match="recursion limit 2"):
        on_spark(spark, plan_of(relation), {})


def _last(relation: Map) -> Project:
    return Project(relation, (1,))


LOST = """
WITH s AS (
  SELECT t.c0 AS c0, t.c1 AS c1, u.c2 AS c2
  FROM (SELECT DISTINCT id AS c0, id % 2 AS c1 FROM range(5) WHERE id % 2 = 1) AS t
  CROSS JOIN (SELECT CAST(id AS STRING) AS c2 FROM range(7)) AS u
  GROUP BY t.c0, t.c1, u.c2
)
SELECT v.c0 AS c0, v.c1 AS c1, row_number() OVER (PARTITION BY v.c0, v.c1 ORDER BY v.c2) AS c2
FROM (
  SELECT x.c0 AS c0, x.c1 AS c1, x.c2 AS c2 FROM s AS x
  UNION ALL
  SELECT y.c0 AS c0, y.c1 AS c1, y.c2 AS c2 FROM s AS y
) AS v
"""


def test_a_plan_that_spark_itself_spoils_is_made_again_without_the_rule_that_did(spark: SparkSession) -> None:
    excluded = "spark.sql.optimizer.excludedRules"
    query = SparkQuery(LOST, (COUNT, COUNT, ColumnType(INT4)), (), (), ())
    try:
        assert run(spark, query, {}, (), ("a", "b", "c")).num_rows == 28
        assert "RemoveRedundantAliases" in (spark.conf.get(excluded) or "")
        assert sum(piece.num_rows for piece in stream(spark, query, {}, (), ("a", "b", "c"))) == 28
    finally:
        spark.conf.unset(excluded)
