"""WITH RECURSIVE gives PostgreSQL's rows, and is refused where PostgreSQL refuses it."""

from __future__ import annotations

import psycopg
import pytest

from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog
from holdfast.sql.errors import DatatypeMismatch, InvalidColumnReference, InvalidRecursion, WrongSyntax
from holdfast.sql.parser import parse_one
from holdfast.sql.render import render
from tests.postgres import PostgresServer

EDGES = "edges (a, b) AS (VALUES (1, 2), (2, 3), (3, 1), (4, 5), (5, 5))"

QUERIES = (
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t ORDER BY 1",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n / 2 FROM t WHERE n > 0) SELECT n, count(*) FROM t "
    "GROUP BY 1 ORDER BY 1",
    f"WITH RECURSIVE {EDGES}, r AS (SELECT a, b FROM edges UNION SELECT r.a, e.b FROM r JOIN edges e ON r.b = e.a) "
    "SELECT * FROM r ORDER BY 1, 2",
    f"WITH RECURSIVE {EDGES}, p (a, path) AS (SELECT 1, ARRAY[1] UNION ALL SELECT e.b, path || e.b FROM p, edges e "
    "WHERE e.a = p.a AND e.b <> ALL (path)) SELECT a, path FROM p ORDER BY path",
    "WITH RECURSIVE t AS (SELECT 'a' AS s UNION ALL SELECT s || 'b' FROM t WHERE length(s) < 4) SELECT s FROM t "
    "ORDER BY 1",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3), u AS (SELECT n * 2 AS m FROM t) "
    "SELECT * FROM u ORDER BY 1",
    "WITH RECURSIVE t AS (SELECT 1 AS n) SELECT * FROM t",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION SELECT v FROM t LEFT JOIN (VALUES (2), (3)) x (v) ON v > n) "
    "SELECT * FROM t ORDER BY 1",
    "SELECT v, (WITH RECURSIVE t (n) AS (SELECT v UNION ALL SELECT n - 1 FROM t WHERE n > 0) SELECT sum(n) FROM t) "
    "FROM (VALUES (3), (4), (NULL)) x (v) ORDER BY 1",
    "SELECT v, n FROM (VALUES (2), (3), (3)) x (v), LATERAL (WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL "
    "SELECT n + 1 FROM t WHERE n < v) SELECT n FROM t) y ORDER BY 1, 2",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE EXISTS (SELECT 1 WHERE n < 4)) "
    "SELECT * FROM t ORDER BY 1",
)


def answer(sql: str) -> list[tuple[object, ...]]:
    plan = optimize(decorrelate(plan_query(sql, EmptyCatalog()).plan))
    return list(rows_of(evaluate(plan, {}), [column.type for column in plan.relation.columns[: len(plan.names)]]))


@pytest.mark.parametrize("sql", QUERIES)
def test_the_rows_are_postgresqls(sql: str, postgres_server: PostgresServer) -> None:
    with psycopg.connect(postgres_server.url) as connection:
        theirs = connection.execute(sql).fetchall()
    ours = [tuple(list(value) if isinstance(value, tuple) else value for value in row) for row in answer(sql)]
    assert ours == theirs


@pytest.mark.parametrize("sql", QUERIES)
def test_it_is_written_as_it_is_read(sql: str) -> None:
    statement = parse_one(sql).statement
    assert render(parse_one(render(statement)).statement) == render(statement)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ("(SELECT n FROM t)", InvalidRecursion, "does not have the form non-recursive-term UNION"),
        ("(SELECT 1 AS n UNION ALL SELECT n FROM t ORDER BY 1)", InvalidRecursion, "does not have the form"),
        ("(SELECT n FROM t UNION ALL SELECT 1)", InvalidRecursion, "must not appear within its non-recursive term"),
        ("(SELECT 1 AS n UNION ALL SELECT a.n FROM t a, t b)", InvalidRecursion, "must not appear more than once"),
        ("(SELECT 1 AS n UNION ALL SELECT max(n) FROM t)", InvalidRecursion, "not read row by row"),
        ("(SELECT 1 AS n UNION ALL SELECT 1 WHERE 1 IN (SELECT n FROM t))", InvalidRecursion, "not read row by row"),
        (
            "(SELECT 1 AS n UNION ALL SELECT 1 FROM (VALUES (1)) x LEFT JOIN t ON true)",
            InvalidRecursion,
            "not read row by row",
        ),
        ("(SELECT 1 AS n UNION ALL SELECT n + 0.5 FROM t)", DatatypeMismatch, "type integer in non-recursive term"),
        ("(SELECT 1 AS n UNION ALL SELECT n, n FROM t)", WrongSyntax, "must have the same number of columns"),
        ("(a, b) AS (SELECT 1 UNION ALL SELECT a FROM t)", InvalidColumnReference, "has 1 columns available but 2"),
    ],
)
def test_what_cannot_recur_is_refused(table: str, error: type[Exception], message: str) -> None:
    declared = table if table.startswith("(a") else f"AS {table}"
    with pytest.raises(error, match=message.replace("(", r"\(")):
        answer(f"WITH RECURSIVE t {declared} SELECT * FROM t")
