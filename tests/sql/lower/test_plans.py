"""What each construct comes to: small plans, as text."""

from __future__ import annotations

from textwrap import dedent

import pytest

from holdfast.plan.check import check
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.printer import show
from holdfast.sql import plan_query
from tests.sql.catalog import TestCatalog

PLANS = [
    # Joins.
    (
        "SELECT * FROM t, u",
        """
        CrossJoin
          Get t
          Get u
        """,
    ),
    (
        "SELECT t.a, x FROM t RIGHT JOIN u ON t.b = u.a",
        """
        Project (#3, #1)
          LeftJoin on (#4 = #0)
            Get u
            Get t
        """,
    ),
    (
        "SELECT a FROM t FULL JOIN u USING (a)",
        """
        Project (#7)
          Map (coalesce(int8(#0), #4))
            FullJoin on (#0 = #4)
              Get t
              Get u
        """,
    ),
    (
        "SELECT * FROM t, generate_series(1, t.a)",
        """
        FlatMap generate_series(1, #0)
          Get t
        """,
    ),
    (
        "SELECT * FROM t LEFT JOIN generate_series(1, t.a) AS g ON true",
        """
        FlatMap outer generate_series(1, #0)
          Get t
        """,
    ),
    (
        "SELECT * FROM t LEFT JOIN LATERAL (SELECT x FROM u WHERE u.a = t.b LIMIT 2) AS s ON s.x = t.c",
        """
        OuterApply on (#4 = #2)
          Get t
          TopK limit 2
            Project (#1)
              Filter (#0 = #^1)
                Get u
        """,
    ),
    (
        "SELECT 1 FROM t, (SELECT 1 FROM u WHERE u.a = 1) AS s",
        """
        Project (#5)
          Map (1)
            CrossJoin
              Get t
              Project (#3)
                Map (1)
                  Filter (#0 = 1)
                    Get u
        """,
    ),
    # Expressions.
    (
        "SELECT a FROM t WHERE a = 1 AND (b = 2 OR c = 'x') AND d IS NOT NULL",
        """
        Project (#0)
          Filter (#0 = 1) AND ((#1 = 2) OR (#2 = 'x')) AND is_not_null(#3)
            Get t
        """,
    ),
    (
        "SELECT a FROM t WHERE (a, c) < (1, 'x')",
        """
        Project (#0)
          Filter ((#0 < 1) OR ((#0 = 1) AND (#2 < 'x')))
            Get t
        """,
    ),
    (
        "SELECT CASE a WHEN 1 THEN 'x' ELSE c END FROM t",
        """
        Project (#4)
          Map (CASE WHEN (#0 = 1) THEN 'x' ELSE #2 END)
            Get t
        """,
    ),
    # Queries inside of expressions.
    (
        "SELECT a FROM t WHERE a IN (SELECT a FROM u)",
        """
        Project (#0)
          Filter any (#0 = #4)(...)
            Get t
            Query of any =
              Project (#0)
                Get u
        """,
    ),
    (
        "SELECT a FROM t WHERE a > ALL (SELECT a FROM u)",
        """
        Project (#0)
          Filter not(any not((#0 > #4))(...))
            Get t
            Query of any =
              Project (#0)
                Get u
        """,
    ),
    # Grouping.
    (
        "SELECT b, sum(a) FROM t GROUP BY b HAVING count(*) > 1 ORDER BY max(a)",
        """
        Order: #2 nulls last
        Project (#0, #1, #3)
          Filter (#2 > 1)
            Reduce by (#1) (sum(#0), count(*), max(#0))
              Get t
        """,
    ),
    (
        "SELECT a, c, count(*) FROM t GROUP BY a",
        """
        Reduce by (#0, #2) (count(*))
          Get t
        """,
    ),
    (
        "SELECT b, grouping(b) FROM t GROUP BY ROLLUP (b)",
        """
        With grouped =
          Get t
        Return
          Union
            Project (#0, #1)
              Map (0)
                Reduce by (#1)
                  Local grouped
            Project (#0, #1)
              Map (null, 1)
                Reduce
                  Local grouped
        """,
    ),
    (
        "SELECT (SELECT count(*) FROM u WHERE u.a = sum(t.a) + t.b) FROM t GROUP BY t.b",
        """
        Project (#2)
          Map (scalar(...))
            Reduce by (#1) (sum(#0))
              Get t
            Query of scalar =
              Reduce (count(*))
                Filter (#0 = (#^1 + #^0))
                  Get u
        """,
    ),
    (
        "SELECT b, rank() OVER (ORDER BY sum(a) DESC) FROM t GROUP BY b",
        """
        Project (#0, #2)
          Window (rank() over (order by #1 desc nulls first))
            Reduce by (#1) (sum(#0))
              Get t
        """,
    ),
    # Distinct rows, and the first of each group.
    (
        "SELECT DISTINCT b + 1 AS z FROM t ORDER BY z",
        """
        Order: #0 nulls last
        Distinct
          Project (#4)
            Map ((#1 + 1))
              Get t
        """,
    ),
    (
        "SELECT DISTINCT ON (b) a FROM t ORDER BY b, c DESC NULLS LAST",
        """
        Order: #1 nulls last, #2 desc nulls last
        TopK group (#1) order (#1 nulls last, #2 desc nulls last) limit 1
          Project (#0, #1, #2)
            Get t
        """,
    ),
    # Functions that return rows, in the SELECT list.
    (
        "SELECT a, generate_series(1, a), generate_series(1, 2) FROM t",
        """
        Project (#0, #4, #5)
          Apply
            Get t
            Project (#0, #2)
              Map (coalesce(#1, #3))
                FullJoin on (#1 = #3)
                  FlatMap generate_series(1, #^0) with ordinality
                    Values
                      ()
                  FlatMap generate_series(1, 2) with ordinality
                    Values
                      ()
        """,
    ),
    (
        "SELECT generate_series(1, generate_series(1, 2))",
        """
        Project (#1)
          FlatMap generate_series(1, #0)
            FlatMap generate_series(1, 2)
              Values
                ()
        """,
    ),
    # Set operations.
    (
        "SELECT a FROM t UNION SELECT a FROM t UNION SELECT a FROM v",
        """
        Distinct
          Union
            Project (#0)
              Get t
            Project (#0)
              Get t
            Project (#0)
              Reduce by (#0) (count(*))
                Get t
        """,
    ),
    (
        "SELECT b FROM t EXCEPT ALL SELECT a FROM u",
        """
        Threshold
          Union
            Project (#1)
              Get t
            Negate
              Project (#0)
                Get u
        """,
    ),
    (
        "SELECT a, b FROM t INTERSECT ALL SELECT 1, a FROM u",
        """
        With intersected =
          Project (#0, #1)
            Get t
        Return
          Threshold
            Union
              Local intersected
              Negate
                Threshold
                  Union
                    Local intersected
                    Negate
                      Project (#3, #0)
                        Map (1)
                          Get u
        """,
    ),
    # Common tables.
    (
        "WITH x AS (SELECT a FROM t), y AS (SELECT 1) SELECT x.a FROM x, x AS z ORDER BY 1 LIMIT 1",
        """
        Order: #0
        Limit: 1
        With x =
          Project (#0)
            Get t
        Return
          Project (#0)
            CrossJoin
              Local x
              Local x
        """,
    ),
    (
        "WITH MUTUALLY RECURSIVE (RETURN AT RECURSION LIMIT 9) r (n bigint) AS (SELECT 1 UNION SELECT n + 1 FROM r) "
        "SELECT n FROM r",
        """
        With recursive (return at limit 9)
          r =
            Distinct
              Union
                Map (1)
                  Values
                    ()
                Project (#1)
                  Map ((#0 + 1))
                    Local r
        Return
          Local r
        """,
    ),
    # Limits.
    (
        "SELECT a FROM t ORDER BY c LIMIT (SELECT 1)",
        """
        Order: #1 nulls last
        Project (#0, #1)
          Filter (#2 <= coalesce(int8(scalar(...)), 9223372036854775807))
            Window (row_number() over (order by #1 nulls last, #0, #1 nulls last))
              Project (#0, #2)
                Get t
            Query of scalar =
              Map (1)
                Values
                  ()
        """,
    ),
]


@pytest.mark.parametrize(("query", "expected"), PLANS, ids=[query for query, _ in PLANS])
def test_a_query_comes_to_a_plan(query: str, expected: str) -> None:
    plan = plan_query(query, TestCatalog()).plan
    check(plan)
    check(decorrelate(plan), decorrelated=True)
    assert show(plan).partition("\n")[2] == dedent(expected).strip()


def test_a_recursive_table_is_assigned_to_the_types_declared_for_it() -> None:
    query = "WITH MUTUALLY RECURSIVE r (n numeric(5, 2)) AS (SELECT 1) SELECT n FROM r"
    planned = plan_query(query, TestCatalog())
    check(planned.plan)
    assert [str(column.type) for column in planned.columns] == ["numeric(5,2)"]


def test_an_order_is_over_columns_that_may_be_null_once_their_query_is_joined() -> None:
    counted = "SELECT n FROM t, LATERAL (SELECT count(u.a) FROM u WHERE t.b > 0) AS c (n)"
    plan = plan_query(f"(SELECT 1::bigint) EXCEPT ({counted}) ORDER BY 1", TestCatalog()).plan
    check(plan)
    check(decorrelate(plan), decorrelated=True)
