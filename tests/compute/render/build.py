"""Plans for tests of rendering, run on Spark and by the evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add, eq, gt, lt

import pyarrow as pa
from pyspark.sql import SparkSession

from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.keys import equality
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import run
from holdfast.plan.errors import DivisionByZero
from holdfast.plan.functions.function import Aggregate, Any, Function, ResultColumns, TableFunction
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.relation import AggregateCall, ColumnType, Get, OrderKey, Plan, Relation
from holdfast.plan.scalar import Call, Column, Constant, Scalar
from holdfast.plan.types import BOOL, INT4, INT8, TEXT, Type, array_of, spark_type


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero
    return left // right


EQUAL = Function("=", (INT4, INT4), BOOL, eq, "{0} = {1}", infix=True)
LESS = Function("<", (INT4, INT4), BOOL, lt, "{0} < {1}", infix=True)
GREATER = Function(">", (INT4, INT4), BOOL, gt, "{0} > {1}", infix=True)
PLUS = Function("+", (INT4, INT4), INT4, add, "{0} + {1}", infix=True)
DIVIDE = Function(
    "/",
    (INT4, INT4),
    INT4,
    _divide,
    f"CASE WHEN {{1}} = 0 THEN {failure(DivisionByZero, 'division by zero')} ELSE {{0}} div {{1}} END",
    fails=True,
    infix=True,
)
UPPER = Function("upper", (TEXT,), TEXT, str.upper, "upper({0})")

PYTHON_EQUAL = Function("=", (INT4, INT4), BOOL, eq, infix=True)
PYTHON_PLUS = Function("+", (INT4, INT4), INT4, add, infix=True)
PYTHON_DIVIDE = Function("/", (INT4, INT4), INT4, _divide, fails=True, infix=True)


def _count(rows: Sequence[tuple[object, ...]]) -> int:
    return len(rows)


def _sum(rows: Sequence[tuple[int]]) -> int | None:
    return sum(value for (value,) in rows) if rows else None


def _collect(rows: Sequence[tuple[int]]) -> tuple[int, ...] | None:
    return tuple(value for (value,) in rows) or None


COUNT_ROWS = Aggregate("count", (), INT8, _count, "count(1)", null_when_empty=False)
COUNT = Aggregate("count", (Any.ANY,), INT8, _count, "count({distinct}{0})", null_when_empty=False)
SUM = Aggregate("sum", (INT4,), INT8, _sum, "sum({distinct}CAST({0} AS BIGINT))")
PYTHON_SUM = Aggregate("sum", (INT4,), INT8, _sum)
COLLECT = Aggregate("collect", (INT4,), array_of(INT4), _collect, strict=False, ordered=True)


def _upto(limit: int) -> list[tuple[int, str]]:
    return [(i, str(i)) for i in range(limit)]


def _numbers(limit: int) -> list[tuple[int]]:
    return [(i,) for i in range(1, limit + 1)]


UPTO = TableFunction("upto", (INT4,), ResultColumns(("a", "b"), (INT4, TEXT), (False, False)), _upto)
NUMBERS = TableFunction(
    "numbers",
    (INT4,),
    ResultColumns(("a",), (INT4,), (False,)),
    _numbers,
    "CASE WHEN {0} > 0 THEN sequence(1, {0}) ELSE array() END",
)


def call(function: Function, *arguments: Scalar) -> Call:
    result = function.result
    assert isinstance(result, Type)
    return Call(function, arguments, result, True)


def aggregate(
    function: Aggregate,
    *arguments: Scalar,
    order: Sequence[OrderKey] = (),
    distinct: bool = False,
    filter_: Scalar | None = None,
) -> AggregateCall:
    assert isinstance(function.result, Type)
    return AggregateCall(function, arguments, function.result, True, distinct, filter_, tuple(order))


def number(value: int | None) -> Constant:
    return Constant(value, INT4)


def long(value: int | None) -> Constant:
    return Constant(value, INT8)


def col(index: int, type_: Type = INT4) -> Column:
    return Column(index, type_, True)


def table(name: str, *types: Type) -> Get:
    return Get(name, tuple(ColumnType(type_) for type_ in types))


def plan_of(relation: Relation, *order: OrderKey, shown: int | None = None, limit: Scalar | None = None) -> Plan:
    width = len(relation.columns) if shown is None else shown
    return Plan(relation, tuple(f"n{i}" for i in range(width)), order, limit)


Given = Mapping[str, tuple[Sequence[Type], Sequence[tuple[object, ...]]]]


def tables_of(given: Given) -> dict[str, pa.Table]:
    return {
        name: table_of(list(rows), types, [f"x{i}" for i in range(len(types))]) for name, (types, rows) in given.items()
    }


def on_spark(
    spark: SparkSession, plan: Plan, given: Given, parameters: Sequence[object] = (), query: SparkQuery | None = None
) -> list[tuple[object, ...]]:
    """The rows as Spark finds them."""
    frames = {
        name: spark.createDataFrame(
            table, ", ".join(f"x{i} {spark_type(type_)}" for i, type_ in enumerate(given[name][0]))
        )
        for name, table in tables_of(given).items()
    }
    found = run(spark, query or render(plan), frames, parameters, plan.names)
    assert found.column_names == list(plan.names)
    return rows_of(found, [column.type for column in plan.relation.columns[: len(plan.names)]])


def in_memory(plan: Plan, given: Given, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
    """The rows as the evaluator finds them."""
    found = evaluate(plan, tables_of(given), parameters)
    return rows_of(found, [column.type for column in plan.relation.columns[: len(plan.names)]])


def assert_same(spark: SparkSession, plan: Plan, given: Given, parameters: Sequence[object] = ()) -> None:
    """Both find the same rows, in the same order if the plan has one."""
    key = equality([column.type for column in plan.relation.columns[: len(plan.names)]])
    found = [key(row) for row in on_spark(spark, plan, given, parameters)]
    expected = [key(row) for row in in_memory(plan, given, parameters)]
    if plan.order:
        assert found == expected
    else:
        assert sorted(found, key=repr) == sorted(expected, key=repr)
