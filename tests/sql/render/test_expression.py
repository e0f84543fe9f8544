from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_expression
from holdfast.sql.render.query import SQL


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(a)", "a"),
        ("((a * b)) + (c)", "a * b + c"),
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("(a = b) = c", "(a = b) = c"),
        ("not (a and b) or c", "NOT (a AND b) OR c"),
        ("cast(a as int)", "a::integer"),
        ("(-1)::bigint", "(-1)::bigint"),
        ("a != b", "a <> b"),
        ("x is not null and y", "x IS NOT NULL AND y"),
        ("a between (b) and c + 1", "a BETWEEN b AND c + 1"),
        ("timestamp '2024-01-01'", "'2024-01-01'::timestamp without time zone"),
        ("extract(year from a)", 'EXTRACT("year" FROM a)'),
        ("(a + b) at time zone 'UTC'", "(a + b) AT TIME ZONE 'UTC'"),
        ("trim(both 'x' from a)", "TRIM(BOTH 'x' FROM a)"),
        ("position('a' in b)", "pg_catalog.\"position\"(b, 'a')"),
        ("count(distinct a) filter (where b)", "count(DISTINCT a) FILTER (WHERE b)"),
        ("coalesce(a, list[1], map['a'=>1])", "COALESCE(a, LIST[1], MAP['a' => 1])"),
        ("(a).b[1][2:3].c", "(a).b[1][2 : 3].c"),
        ("case when a then b end", "CASE WHEN a THEN b END"),
        ("a like b escape c", "a LIKE b ESCAPE c"),
        ("a not in (1, 2)", "a NOT IN (1, 2)"),
        ("a operator(pg_catalog.+) b + c", "a OPERATOR(pg_catalog.+) b + c"),
    ],
)
def test_canonical_text_has_no_more_parentheses_than_it_needs(text: str, canonical: str) -> None:
    assert SQL.expression(parse_expression(text)) == canonical
