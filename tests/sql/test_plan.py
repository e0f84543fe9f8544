"""Planning as a whole: what a query's columns and parameters are, and the plan it comes to."""

from __future__ import annotations

import pytest

from holdfast.plan.check import check
from holdfast.plan.printer import show
from holdfast.sql import plan_query
from holdfast.sql.errors import IndeterminateDatatype, NotSupported
from tests.sql.catalog import TestCatalog


def plan(text: str) -> str:
    """The text of the plan, which is checked."""
    planned = plan_query(text, TestCatalog())
    check(planned.plan)
    return show(planned.plan)


def test_a_query_becomes_a_plan_with_names_order_and_limit() -> None:
    assert plan("SELECT a, b + 1, c FROM t WHERE a = 1 AND c LIKE 'x%' ORDER BY 2 DESC LIMIT 3") == (
        "Result: a, ?column?, c\n"
        "Order: #1 desc nulls first\n"
        "Limit: 3\n"
        "Project (#0, #4, #2)\n"
        "  Map ((#1 + 1))\n"
        "    Filter (#0 = 1) AND (#2 ~~ 'x%')\n"
        "      Get t"
    )


def test_columns_and_parameters_are_told_with_their_types() -> None:
    planned = plan_query("SELECT a, $1 AS p FROM t WHERE b > $2 AND c = $3", TestCatalog())
    assert [(column.name, str(column.type)) for column in planned.columns] == [("a", "integer"), ("p", "text")]
    assert list(map(str, planned.parameters)) == ["text", "bigint", "text"]


def test_a_parameter_that_nothing_gives_a_type_is_an_error() -> None:
    with pytest.raises(IndeterminateDatatype, match=r"could not determine data type of parameter \$1"):
        plan_query("SELECT $1 IS NULL", TestCatalog())


def test_only_queries_are_planned() -> None:
    with pytest.raises(NotSupported):
        plan_query("COMMIT", TestCatalog())


def test_the_condition_of_a_right_join_may_ask_any_of_a_query() -> None:
    assert plan("SELECT t.b FROM t RIGHT JOIN u ON u.x = ANY (SELECT c FROM t AS other WHERE other.b = t.b)") == (
        "Result: b\n"
        "Project (#4)\n"
        "  LeftJoin on any (#1 = #7)(...)\n"
        "    Get u\n"
        "    Get t\n"
        "    Query of any =\n"
        "      Project (#2)\n"
        "        Filter (#1 = #^4)\n"
        "          Get t"
    )


def test_a_condition_of_having_may_be_a_key_as_a_whole() -> None:
    assert plan("SELECT count(*) FROM t GROUP BY a NOT IN (1, 2) HAVING a NOT IN (1, 2)") == (
        "Result: count\nProject (#1)\n  Filter #0\n    Reduce by (((#0 <> 1) AND (#0 <> 2))) (count(*))\n      Get t"
    )


def test_a_query_inside_knows_that_a_key_may_be_null_where_a_set_lacks_it() -> None:
    planned = plan_query("SELECT (SELECT a FROM u AS v WHERE v.x = t.c) FROM t GROUP BY ROLLUP (a, c)", TestCatalog())
    check(planned.plan)
    planned = plan_query("SELECT 1 FROM t GROUP BY ROLLUP (a) HAVING a = ALL (SELECT t.a FROM u)", TestCatalog())
    check(planned.plan)
