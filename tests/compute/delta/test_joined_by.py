"""Which columns of others must equal those of a change, for their rows to be of use."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from holdfast.compute.delta import joined_by, nothing_without
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import INT8
from holdfast.sql import plan_query
from tests.compute.delta.shapes import Columns, catalog

TABLES: dict[str, Columns] = dict.fromkeys("tuv", (("a", INT8), ("b", INT8)))

CASES: dict[str, Mapping[str, Mapping[int, int]]] = {
    "SELECT 1 FROM t JOIN u ON t.a = u.b": {"u": {1: 0}},
    "SELECT 1 FROM t JOIN u ON t.a = u.a AND t.b = u.b": {"u": {0: 0, 1: 1}},
    "SELECT 1 FROM t JOIN u ON t.a = u.a JOIN v ON v.a = u.a": {"u": {0: 0}, "v": {0: 0}},
    "SELECT 1 FROM t JOIN u ON t.a = u.a JOIN v ON v.b = u.b": {"u": {0: 0}},
    "SELECT 1 FROM t JOIN u ON t.a = u.a + 1": {},
    "SELECT 1 FROM t JOIN u ON t.a = u.a JOIN u w ON w.b = t.b": {},
    "SELECT 1 FROM t WHERE EXISTS (SELECT FROM u WHERE u.b = t.a)": {"u": {1: 0}},
    "SELECT 1 FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.b = t.a)": {"u": {1: 0}},
    "SELECT 1 FROM t JOIN (SELECT b, sum(a) FROM u GROUP BY b) AS s ON s.b = t.a": {"u": {1: 0}},
    "SELECT 1 FROM t JOIN (SELECT sum(a) AS a FROM u GROUP BY b) AS s ON s.a = t.a": {},
    "SELECT 1 FROM t LEFT JOIN u ON t.a = u.b": {},
}


@pytest.mark.parametrize("query", CASES)
def test_columns_of_others_that_equal_some_of_a_change(query: str) -> None:
    plan = optimize(decorrelate(plan_query(query, catalog(TABLES)).plan))
    assert joined_by(plan.relation, "t") == CASES[query]


NEEDED: dict[str, str] = {
    "SELECT 1 FROM t JOIN u ON t.a = u.b": "tu",
    "SELECT a FROM t UNION ALL SELECT b FROM t JOIN u USING (a, b)": "t",
    "SELECT 1 FROM t WHERE EXISTS (SELECT FROM u WHERE u.b = t.a)": "tu",
    "SELECT 1 FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.b = t.a)": "t",
    "SELECT 1 FROM t JOIN (SELECT b, sum(a) FROM u GROUP BY b) AS s ON s.b = t.a": "tu",
    "SELECT 1 FROM t JOIN (SELECT sum(a) AS a, count(*) AS c FROM u) AS s ON s.c = t.a": "t",
    "SELECT 1 FROM t LEFT JOIN u ON t.a = u.b": "",
}


@pytest.mark.parametrize("query", NEEDED)
def test_collections_without_which_there_is_nothing(query: str) -> None:
    plan = optimize(decorrelate(plan_query(query, catalog(TABLES)).plan))
    assert nothing_without(plan.relation) == set(NEEDED[query])
