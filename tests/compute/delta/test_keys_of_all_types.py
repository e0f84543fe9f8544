"""Rows are found, grouped and compared by values of every kind of type, by what they are and not how they came."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdfast.compute.delta.program import Lookup
from holdfast.plan.text import read_of
from holdfast.plan.types import FLOAT8, INT4, JSONB, NUMERIC, NUMRANGE, Map, Type, array_of, list_of, map_of
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, catalog, life, updates_of

TEXTS: dict[Type, tuple[str, ...]] = {
    JSONB: ("1", "1.0", '{"b": [1e0], "a": "x"}', '{"a": "x", "b": [1.00]}', "null"),
    array_of(JSONB): ("{1}", "{1.0}", "{}", '{"[2.50]",null}'),
    array_of(FLOAT8): ("{0}", "{-0}", "{NaN,1}", "{NaN,1.0}", "{}"),
    NUMERIC: ("1", "1.00", "2.5"),
    NUMRANGE: ("[1,2.50)", "[1.0,2.5)", "empty", "[1,1)", "(,3]"),
    list_of(FLOAT8): ("{0}", "{-0}", "{NULL}"),
    map_of(FLOAT8): ("{a=>0,b=>1}", "{b=>1,a=>-0}", "{}", "{a=>NULL}"),
}
"""Texts of values, some of which are equal."""
GROUPING = (
    "SELECT DISTINCT x FROM t",
    "SELECT x, count(*), sum(k) FROM t GROUP BY x",
    "SELECT x, max(k) FROM t GROUP BY x",
    "SELECT x, array_agg(k ORDER BY k) FROM t GROUP BY x",
    "SELECT k, count(*) OVER (PARTITION BY x) FROM t",
    "SELECT x FROM t EXCEPT ALL SELECT x FROM u",
    "SELECT x FROM t INTERSECT SELECT x FROM u",
    "SELECT x FROM t UNION SELECT x FROM u",
)
COMPARING = (
    "SELECT k, string_agg(x::text, ' ' ORDER BY x) FROM t GROUP BY k",
    "SELECT DISTINCT ON (k) k, x FROM t ORDER BY k, x",
    "SELECT k, x FROM t ORDER BY x FETCH FIRST 1 ROW WITH TIES",
    "SELECT t.k, t.x, u.x FROM t JOIN u ON t.x = u.x",
    "SELECT t.k, t.x, u.x FROM t LEFT JOIN u ON t.x = u.x",
    "SELECT k, x FROM t WHERE x IN (SELECT x FROM u)",
    "SELECT k, x FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.x = t.x)",
    "SELECT k, (SELECT count(*) FROM u WHERE u.x = t.x) FROM t",
    "SELECT q.n, u.k FROM (SELECT x, count(*) AS n FROM t GROUP BY x) q JOIN u ON q.x = u.x",
)
"""Maps are grouped, but not compared."""
CASES = [
    *product(TEXTS, GROUPING),
    *product((type_ for type_ in TEXTS if not isinstance(type_, Map)), COMPARING),
]


def shapes(type_: Type) -> dict[str, Columns]:
    return dict.fromkeys(("t", "u"), (("k", INT4), ("x", type_)))


@pytest.mark.parametrize("type_", TEXTS, ids=str)
def test_rows_are_looked_up_by_values_of_the_type(type_: Type) -> None:
    program = program_of("SELECT x, count(*) FROM t GROUP BY x", catalog(shapes(type_)))
    assert [stage.columns for stage in program.stages if isinstance(stage, Lookup)] == [(0,)]


@pytest.mark.parametrize(("type_", "query"), CASES, ids=str)
@settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_views_by_values_of_the_type(type_: Type, query: str, data: st.DataObject) -> None:
    values = [*dict.fromkeys(map(read_of(type_), TEXTS[type_])), None]
    rows = [(k, value) for k in (1, 2) for value in values]
    updates = {name: data.draw(updates_of(rows, (5, 10, 11, 12, 13), 8), name) for name in ("t", "u")}
    ends = data.draw(st.lists(st.integers(11, 13), unique=True).map(sorted), "steps")
    view = life(query, updates, shapes(type_))
    for upper in (*ends, 14):
        view.live(upper)
        view.restart()


def test_a_zero_with_a_sign_goes_as_it_came() -> None:
    query = "SELECT DISTINCT ON (k) k, '-0'::float8, ARRAY[j] FROM t WHERE mz_now() < k + 11 ORDER BY k, j"
    rows = [((1, "1"), 5, 1), ((2, "1"), 5, 1), ((2, "2"), 10, 1)]
    view = life(query, {"t": rows}, {"t": (("k", INT4), ("j", JSONB))})
    for upper in (11, 12, 13, 14, 15):
        view.live(upper)
    assert sum(made.output.diff_sum for made in view.steps) == 0


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT ARRAY[0.0::float8 * (k - 2)] AS x FROM t",
        "SELECT ARRAY[0.0::float8 * (k - 2)] AS x, count(*) FROM t GROUP BY ARRAY[0.0::float8 * (k - 2)]",
        "SELECT 0.0::float8 * (k - 2) AS x, max(k) FROM t GROUP BY 0.0::float8 * (k - 2)",
    ],
)
@settings(max_examples=10, phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_which_zero_stands_for_a_group_is_not_chance(query: str, data: st.DataObject) -> None:
    updates = data.draw(updates_of([(1,), (2,), (3,)], (5, 10, 11, 12), 6))
    view = life(f"SELECT *, x::text FROM ({query}) q", {"t": updates}, {"t": (("k", INT4),)})
    for upper in (11, 12, 13):
        view.live(upper)
