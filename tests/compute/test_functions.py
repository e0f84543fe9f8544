"""Python functions that Spark calls."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from holdfast.plan.errors import DivisionByZero, InvalidParameterValue
from holdfast.plan.functions.function import Any, Function, ResultColumns, TableFunction, Types
from holdfast.plan.relation import ColumnType, Filter, FlatMap, Map, Plan
from holdfast.plan.scalar import Coalesce
from holdfast.plan.types import DATE, INT4, TEXT, TIME, TIMESTAMPTZ, Type, array_of, map_of
from tests.compute.render.build import GREATER, PYTHON_DIVIDE, assert_same, call, col, number, on_spark, plan_of, table

pairs = table("pairs", INT4, INT4)
GIVEN = {"pairs": ((INT4, INT4), [(1, 2), (4, 0), (None, 3)])}


def _shown(types: Types, value: object) -> str:
    return f"{types.arguments[0]}: {value}"


def _fail(value: int) -> int:
    raise InvalidParameterValue(f'Bad "{value}". With a dot,\nand a line')


def _twice(value: object) -> object:
    return value


def _or_zero(value: int | None) -> int:
    return value or 0


def _one() -> int:
    return 1


def test_a_function_is_told_the_types_of_its_call(spark: SparkSession) -> None:
    shown = Function("shown", (Any.ANY,), TEXT, _shown, typed=True)
    plan = plan_of(Map(pairs, (call(shown, col(0)),)))
    assert_same(spark, plan, GIVEN)


def test_functions_that_are_not_strict_see_nulls_and_others_do_not(spark: SparkSession) -> None:
    or_zero = Function("or_zero", (INT4,), INT4, _or_zero, strict=False)
    strict = Function("or_zero_strict", (INT4,), INT4, _or_zero)
    assert_same(spark, plan_of(Map(pairs, (call(or_zero, col(0)), call(strict, col(0))))), GIVEN)


def test_functions_without_arguments_are_run_for_each_row(spark: SparkSession) -> None:
    one = Function("one", (), INT4, _one, stability="volatile")
    assert_same(spark, plan_of(Filter(Map(pairs, (call(one),)), (call(GREATER, col(2), number(0)),))), GIVEN)


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (DATE, [2**31 - 1, 0, None]),
        (TIME, [1, None]),
        (TIMESTAMPTZ, [-(2**63), None]),
        (array_of(TIME), [(1, None), None]),
        (map_of(DATE), [(("a", 1),), None]),
    ],
    ids=str,
)
def test_values_pass_through_python_as_they_are(spark: SparkSession, type_: Type, values: list[object]) -> None:
    same = Function("same", (type_,), type_, _twice)
    relation = table("x", type_)
    assert_same(
        spark, plan_of(Map(relation, (call(same, col(0, type_)),))), {"x": ((type_,), [(value,) for value in values])}
    )


def test_an_error_of_a_function_reaches_the_user_whole(spark: SparkSession) -> None:
    fail = Function("fail", (INT4,), INT4, _fail, fails=True)
    with pytest.raises(InvalidParameterValue) as found:
        on_spark(spark, plan_of(Map(pairs, (call(fail, col(1)),))), GIVEN)
    assert str(found.value) in {f'Bad "{value}". With a dot,\nand a line' for value in (2, 0, 3)}


def test_an_error_that_a_function_did_not_announce_is_still_ours(spark: SparkSession) -> None:
    fail = Function("surprise", (INT4,), INT4, _fail)
    with pytest.raises(InvalidParameterValue, match='Bad "'):
        on_spark(spark, plan_of(Map(pairs, (call(fail, col(1)),))), GIVEN)


def test_an_error_of_a_row_that_is_filtered_out_is_not_raised(spark: SparkSession) -> None:
    some = Filter(pairs, (call(GREATER, col(1), number(0)),))
    assert_same(spark, plan_of(Map(some, (call(PYTHON_DIVIDE, col(0), col(1)),))), GIVEN)
    with pytest.raises(DivisionByZero, match="division by zero"):
        on_spark(spark, plan_of(Map(pairs, (call(PYTHON_DIVIDE, col(0), col(1)),))), GIVEN)


def test_coalesce_does_not_run_what_it_does_not_need(spark: SparkSession) -> None:
    needless = Coalesce((col(0), call(PYTHON_DIVIDE, number(1), call(PYTHON_DIVIDE, number(1), col(1)))))
    with pytest.raises(DivisionByZero):
        on_spark(spark, plan_of(Map(pairs, (needless,))), {"pairs": ((INT4, INT4), [(None, 0)])})
    assert_same(spark, plan_of(Map(pairs, (needless,))), {"pairs": ((INT4, INT4), [(1, 0), (2, 1)])})


def test_an_error_of_a_table_function_is_ours(spark: SparkSession) -> None:
    def rows(value: int) -> list[tuple[int]]:
        return [(_fail(value),)]

    fails = TableFunction("rows", (INT4,), ResultColumns(("a",), (INT4,), (False,)), rows, fails=True)
    with pytest.raises(InvalidParameterValue, match='Bad "'):
        on_spark(spark, plan_of(FlatMap(pairs, fails, (col(1),), (ColumnType(INT4),))), GIVEN)


def test_a_function_that_replaces_another_of_its_name_is_called_instead(spark: SparkSession) -> None:
    def version(number: int) -> Function:
        return Function("versioned", (INT4,), INT4, lambda _: number)

    for number_ in (1, 2):
        plan = Plan(Map(table("x", INT4), (call(version(number_), col(0)),)), ("a", "b"))
        assert on_spark(spark, plan, {"x": ((INT4,), [(0,)])}) == [(0, number_)]
