"""A view errs at exactly the times at which its query does, and is right again when what is wrong has gone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan.errors import DataError, DivisionByZero
from tests.compute.delta.lives import Row
from tests.compute.delta.shapes import Updates, life, updates_of

QUERIES = (
    "SELECT k, a / b FROM t",
    "SELECT k FROM t WHERE a / b > 0",
    "SELECT k, a / b FROM t WHERE b <> 0 OR a > 1",
    "SELECT t.k, t.a / u.c FROM t JOIN u ON t.k = u.k",
    "SELECT t.k FROM t JOIN u ON t.k = u.k AND t.a / u.c >= 0",
    "SELECT t.k FROM t, u, t AS v WHERE t.k = u.k AND v.k = u.k AND t.a / u.c >= v.b",
    "SELECT t.k, u.c FROM t LEFT JOIN u ON t.k = u.k AND t.a / u.c >= 0",
    "SELECT t.k, u.c FROM t JOIN u ON t.a / t.b = u.c",
    "SELECT t.k, u.c FROM t JOIN u ON t.a / t.b = 1 / u.c AND t.k < u.k",
    "SELECT t.k, v.k FROM t JOIN u ON t.a / t.b = u.c JOIN t AS v ON v.k = u.k AND v.a / v.b = t.a",
    "SELECT t.k, u.c FROM t LEFT JOIN u ON t.k = 1 / u.c",
    "SELECT t.k, u.c FROM t LEFT JOIN u ON t.b <> 0 AND t.a / t.b = u.c",
    "SELECT t.k, u.c FROM t FULL JOIN u ON t.a / t.b = 1 / u.c",
    "SELECT k FROM t WHERE NOT EXISTS (SELECT FROM u WHERE 1 / u.c = t.a / t.b)",
    "SELECT t.k, t.a / u.c FROM t LEFT JOIN u ON t.k = u.k",
    "SELECT t.k, u.k, t.a / u.c FROM t FULL JOIN u ON t.k = u.k",
    "SELECT k FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND t.a / u.c > 0)",
    "SELECT k FROM t WHERE a NOT IN (SELECT 1 / c FROM u)",
    "SELECT k FROM t WHERE a / b IN (SELECT c FROM u)",
    "SELECT k, sum(a / b) FROM t GROUP BY k",
    "SELECT k, count(*) FILTER (WHERE a / b > 0), max(b) FROM t GROUP BY k",
    "SELECT a / b, count(*) FROM t GROUP BY 1",
    "SELECT t.k, sum(t.a / u.c) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
    "SELECT k, min(1 / c) FROM u GROUP BY k",
    "SELECT k, 1 / (count(*) - 2) FROM t GROUP BY k",
    "SELECT 1 / (count(*) - 1) FROM t",
    "SELECT k FROM t GROUP BY k HAVING 1 / (sum(a) - 1) > 0",
    "SELECT (sum(a) * 20000)::int2 FROM t",
    "SELECT k, sum(a) * 9223372036854775807 FROM t GROUP BY k",
    "SELECT k, (SELECT c FROM u WHERE u.k = t.k) FROM t",
    "SELECT k FROM t WHERE b = (SELECT c FROM u WHERE u.k = t.k)",
    "SELECT k, (SELECT c FROM u) FROM t",
    "SELECT k, CASE WHEN b > 0 THEN (SELECT c FROM u WHERE u.k = t.k) END FROM t",
    "SELECT k, CASE WHEN b <> 0 THEN (SELECT max(c) FROM u WHERE u.k = a / b) END FROM t",
    "SELECT k, CASE WHEN a <> 1 THEN a / b NOT IN (SELECT c FROM u) END FROM t",
    "SELECT k, coalesce(nullif(b, 0), (SELECT count(*) FROM u WHERE 1 / c = a / (a - 1))) FROM t",
    "SELECT k, sum(a / b) OVER (PARTITION BY k ORDER BY a) FROM t",
    "SELECT k, lag(a) OVER (PARTITION BY k ORDER BY a / b, b) FROM t",
    "SELECT k, a FROM t ORDER BY a / b, k, a, b LIMIT 2",
    "SELECT DISTINCT ON (k) k, a, b FROM t ORDER BY k, a / b, a, b",
    "SELECT t.k, l.x FROM t, LATERAL (SELECT t.a / u.c AS x FROM u WHERE u.k = t.k ORDER BY c LIMIT 1) l",
    "SELECT k, g FROM t, generate_series(0, 2, b) g",
    "SELECT k, a / b FROM t UNION ALL SELECT k, 1 / c FROM u",
    "SELECT a / b FROM t EXCEPT SELECT 1 / c FROM u",
    "SELECT a / b FROM t INTERSECT ALL SELECT 1 / c FROM u",
    "SELECT k, a / b FROM t WHERE mz_now() >= a + 11",
    "SELECT k, a / b FROM t WHERE mz_now() >= a + 11 AND mz_now() < a + 14",
    "SELECT t.k, sum(a / c) FROM t, u WHERE t.k = u.k AND mz_now() <= a + 13 GROUP BY t.k",
    "SELECT k FROM t WHERE mz_now() >= 12 / b",
    "WITH MUTUALLY RECURSIVE r (k int, n bigint) AS (SELECT k, a / b FROM t UNION SELECT r.k, r.n + 1 FROM r JOIN u ON "
    "r.k = u.k AND r.n / u.c < 2 WHERE r.n < 3) SELECT * FROM r",
    "SELECT q.k, q.n / u.c FROM (SELECT k, count(*) AS n FROM t GROUP BY k) q JOIN u ON q.k = u.k",
    "SELECT q.k, q.m FROM (SELECT k, max(a) / min(b) AS m FROM t GROUP BY k) q LEFT JOIN u ON q.m = u.c",
)

ROWS: dict[str, list[Row]] = {
    "t": [(1, 1, 1), (1, 2, 0), (1, 0, 0), (2, 1, 1), (2, 1, 0), (None, 1, 0)],
    "u": [(1, 1), (1, 0), (2, 0), (2, 2), (None, 0)],
}
TIMES = (10, 11, 12, 13, 14, 15)


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=12)
@given(data=st.data())
def test_a_view_errs_when_its_query_does(query: str, data: st.DataObject) -> None:
    updates = {name: data.draw(updates_of(rows, TIMES, 6), name) for name, rows in ROWS.items()}
    ends = data.draw(st.lists(st.integers(11, 16), unique=True).map(sorted), "steps")
    view = life(query, updates)
    for upper in (*ends, 17):
        view.try_to_live(upper)
        view.compact()
    # If it errs at one of the last times, it does at the very last iff the query does.
    assert not view.errs or view.try_to_live(17) is (view.scratch(16) is not None)


def test_a_query_that_divides_by_zero_heals_when_the_row_goes() -> None:
    told: dict[str, Updates] = {"t": [((1, 1, 1), 5, 1), ((1, 2, 0), 10, 1), ((1, 2, 0), 12, -1), ((2, 4, 2), 13, 1)]}
    view = life("SELECT k, a / b FROM t", told)
    with pytest.raises(DivisionByZero):
        view.live(11)
    with pytest.raises(DivisionByZero):
        view.live(12)
    view.live(13)
    view.live(14)
    assert sum(made.output.rows for made in view.steps) == 2


def test_a_pair_of_rows_that_are_never_there_together_is_not_evaluated() -> None:
    told: dict[str, Updates] = {"t": [((1, 2, 0), 10, 1)], "u": [((1, 0), 5, 1), ((1, 0), 10, -1)]}
    life("SELECT t.a / u.c FROM t JOIN u ON t.k = u.k", told).live(11)
    life("SELECT t.a FROM t JOIN u ON t.k = u.k AND t.a / u.c > 0", told).live(11)


def test_what_went_before_is_not_evaluated_again() -> None:
    told: dict[str, Updates] = {
        "t": [((1, 2, 0), 10, 1), ((1, 2, 0), 11, -1), ((1, 4, 2), 12, 1)],
        "u": [((1, 0), 14, 1)],
    }
    view = life("SELECT q.x, u.c FROM (SELECT k, a / b AS x FROM t) q JOIN u ON q.k = u.k", told)
    with pytest.raises(DataError):
        view.live(11)
    for upper in (12, 13, 14, 15):
        view.live(upper)


def test_a_row_whose_time_has_come_errs_only_until_it_is_deleted() -> None:
    told: dict[str, Updates] = {"t": [((1, 1, 0), 5, 1), ((1, 1, 0), 14, -1)]}
    view = life("SELECT a / b FROM t WHERE mz_now() >= a + 11", told)
    view.live(12)
    with pytest.raises(DivisionByZero):
        view.live(13)
    with pytest.raises(DivisionByZero):
        view.live(14)
    view.live(15)
