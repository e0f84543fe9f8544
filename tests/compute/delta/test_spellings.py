"""Values that are equal but not written the same: found by one another, and taken back as they came."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdfast.plan.types import INT4, JSONB, array_of
from tests.compute.delta.lives import Row
from tests.compute.delta.shapes import Columns, life, updates_of

SHAPES: dict[str, Columns] = {
    "t": (("k", INT4), ("j", JSONB)),
    "u": (("k", INT4), ("j", JSONB)),
    "v": (("e", array_of(JSONB)),),
}
QUERIES = (
    "SELECT DISTINCT j FROM t",
    "SELECT j, count(*), sum(k) FROM t GROUP BY j",
    "SELECT j, max(k) FROM t GROUP BY j",
    "SELECT k, max(j::text), array_agg(j ORDER BY j) FROM t GROUP BY k",
    "SELECT k, j, row_number() OVER (PARTITION BY k ORDER BY j::text) FROM t",
    "SELECT k, count(*) OVER (PARTITION BY j) FROM t",
    "SELECT DISTINCT ON (k) k, j FROM t ORDER BY k, j",
    "SELECT t.k, t.j, u.j FROM t JOIN u ON t.j = u.j",
    "SELECT t.k, t.j, u.j FROM t LEFT JOIN u ON t.j = u.j",
    "SELECT k, j FROM t WHERE j IN (SELECT j FROM u)",
    "SELECT k, j FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.j = t.j)",
    "SELECT j FROM t EXCEPT ALL SELECT j FROM u",
    "SELECT j FROM t INTERSECT SELECT j FROM u",
    "SELECT j FROM t UNION SELECT j FROM u",
    "SELECT k, (SELECT count(*) FROM u WHERE u.j = t.j) FROM t",
    "SELECT e, count(*) FROM v GROUP BY e",
    "SELECT DISTINCT e FROM v",
    "SELECT q.n, u.k FROM (SELECT j, count(*) AS n FROM t GROUP BY j) q JOIN u ON q.j = u.j",
)
ROWS: dict[str, list[Row]] = {
    "t": [(1, "1"), (1, "1.0"), (2, "1.00"), (2, "2"), (1, None)],
    "u": [(1, "1"), (1, "1.0"), (2, "2"), (None, None)],
    "v": [(("1",),), (("1.0",),), (None,), (("2", "1.0"),)],
}


def test_a_zero_with_a_sign_goes_as_it_came() -> None:
    query = "SELECT DISTINCT ON (k) k, '-0'::float8, ARRAY[j] FROM t WHERE mz_now() < k + 11 ORDER BY k, j"
    view = life(query, {"t": [((1, "1"), 5, 1), ((2, "1.0"), 5, 1), ((2, "2"), 10, 1)]}, SHAPES)
    for upper in (11, 12, 13, 14, 15):
        view.live(upper)
    assert sum(made.output.diff_sum for made in view.steps) == 0


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=15, phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_equal_values_that_are_written_differently(query: str, data: st.DataObject) -> None:
    updates = {name: data.draw(updates_of(rows, (5, 10, 11, 12, 13), 6), name) for name, rows in ROWS.items()}
    ends = data.draw(st.lists(st.integers(11, 13), unique=True).map(sorted), "steps")
    view = life(query, updates, SHAPES)
    for upper in (*ends, 14):
        view.live(upper)
        view.restart()
