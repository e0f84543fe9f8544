"""What must be true of rows for a view to have a use for them. That all others may be left out is tested with the law:
lives take no others.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from holdfast.compute.arrange import Arranged
from holdfast.compute.delta import Found, sieve_of, sifted
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.plan.types import FLOAT8, INT4, INT8, TEXT
from holdfast.repr.frontier import Timestamp
from tests.compute.delta.lives import Row
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, catalog, history

TABLES: dict[str, Columns] = {
    "t": (("k", INT4), ("a", INT4), ("x", FLOAT8)),
    "u": (("k", INT4), ("b", INT4), ("x", FLOAT8)),
    "v": (("k", INT4), ("b", INT4), ("c", INT8)),
    "w": (("k", INT4), ("s", TEXT)),
}

Told = dict[str, tuple[int, list[tuple[str, tuple[int, ...], tuple[int, ...]]]]]
"""Of each table, how many conditions there are on its own columns, and by which of them it is joined with what."""

BY_KEY: Told = {"t": (0, [("u", (0,), (0,))]), "u": (0, [("t", (0,), (0,))])}
NOTHING: Told = {"t": (0, []), "u": (0, [])}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT k FROM t WHERE a > 2 AND k = 1", {"t": (2, [])}),
        ("SELECT k FROM t WHERE a > 2 OR a IS NULL", {"t": (1, [])}),
        ("SELECT a, count(*) FROM t WHERE k > 2 GROUP BY a", {"t": (1, [])}),
        ("SELECT 1 FROM t WHERE k > 2 UNION ALL SELECT 2 FROM t WHERE a > 2", {"t": (0, [])}),
        ("SELECT 1 FROM t WHERE k > 2 UNION ALL SELECT 2 FROM t WHERE k > 2 AND a > 2", {"t": (1, [])}),
        ("SELECT 1 FROM t JOIN u USING (k)", BY_KEY),
        ("SELECT b, sum(a) FROM t JOIN u USING (k) WHERE a > 1 GROUP BY b", {**BY_KEY, "t": (1, BY_KEY["t"][1])}),
        ("SELECT 1 FROM t JOIN u ON t.k = u.k AND t.a = u.b", {"t": (0, [("u", (0, 1), (0, 1))])}),
        ("SELECT 1 FROM t JOIN u ON t.k = u.b JOIN v ON v.k = u.k", {"u": (0, [("t", (0,), (1,)), ("v", (0,), (0,))])}),
        ("SELECT 1 FROM t JOIN u ON t.k + 1 = u.k", NOTHING),
        ("SELECT 1 FROM t JOIN u ON t.x = u.x", NOTHING),
        ("SELECT 1 FROM t JOIN u ON t.k IS NOT DISTINCT FROM u.k", NOTHING),
        ("SELECT 1 FROM t LEFT JOIN u USING (k)", NOTHING),
        ("SELECT 1 FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k)", BY_KEY),
        ("SELECT 1 FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k)", {**BY_KEY, "t": (0, [])}),
        ("SELECT 1 / a FROM t JOIN u USING (k)", BY_KEY),
        ("SELECT 1 FROM w JOIN u USING (k) WHERE s LIKE 'a%'", {"w": (1, [("u", (0,), (0,))])}),
        ("SELECT 1 FROM w JOIN u USING (k) WHERE s LIKE 'a_'", {"w": (0, [])}),
        ("SELECT 1 FROM (SELECT k, 1 / a AS o FROM t OFFSET 0) AS t JOIN u USING (k)", NOTHING),
        ("SELECT 1 FROM (SELECT k, sum(a) FROM t GROUP BY k) AS t JOIN u USING (k)", {"t": (0, [])}),
        ("SELECT 1 FROM t JOIN u USING (k) UNION ALL SELECT 2 FROM t", {**BY_KEY, "t": (0, [])}),
        ("SELECT k, a, rank() OVER (PARTITION BY a ORDER BY k) FROM t WHERE a > 1", {"t": (1, [])}),
    ],
)
def test_what_must_be_true_of_rows(query: str, expected: Told) -> None:
    found = sieve_of(program_of(query, catalog(TABLES)))
    told = {
        name: (len(use.predicates), [(link.other, link.columns, link.own) for link in use.links])
        for name, use in found.items()
    }
    assert told == {**told, **expected}


def arranged(name: str, *rows: Row) -> Arranged:
    made = history(TABLES[name], [(row, 1, 1) for row in rows])
    found = Arranged(made.row_type)
    found.append(made.between(0, 10))
    return found


def left(
    query: str, changes: dict[str, list[Row]], before: dict[str, list[Row]], most: int | None = None
) -> dict[str, list[object]]:
    """The first columns of the changes that are left of each table."""
    found: dict[str, Found] = {name: arranged(name, *before.get(name, ())) for name in TABLES}
    came = {
        name: history(TABLES[name], [(row, 10, 1) for row in rows]).between(10, 11) for name, rows in changes.items()
    }
    kept, _ = sifted(sieve_of(program_of(query, catalog(TABLES))), came, found, Timestamp(10), most)
    return {name: kept[name].table.column(0).to_pylist() for name in kept}


JOINED = "SELECT 1 FROM t JOIN u ON t.k = u.k WHERE t.a > 1 AND u.b > 1"


def test_rows_are_left_that_find_others_before_or_among_what_changed() -> None:
    changes: dict[str, list[Row]] = {
        "t": [(1, 2, None), (2, 2, None), (3, 2, None), (4, 1, None), (None, 2, None), (5, 2, None)],
        "u": [(1, 2, None), (3, 1, None), (7, 2, None), (8, 2, None)],
    }
    before: dict[str, list[Row]] = {
        "u": [(2, 2, None), (5, 1, None), (None, 2, None)],
        "t": [(7, 2, None), (8, 0, None)],
    }
    # 3 and 5 find none that counts, 4 and 8 do not count themselves, and nothing equals null.
    assert left(JOINED, changes, before) == {"t": [1, 2], "u": [1, 7]}


def test_what_is_found_must_find_something_itself_in_smaller_collections() -> None:
    query = "SELECT 1 FROM t JOIN u ON t.k = u.k JOIN v ON u.b = v.b WHERE v.c > 1"
    before: dict[str, list[Row]] = {
        "u": [(n, n % 3, None) for n in range(9)],
        "v": [(0, 1, 2), (0, 2, 0)],
    }
    # Of three values of u.b, one is that of a row that counts.
    assert left(query, {"t": [(n, 0, None) for n in range(12)]}, before) == {"t": [1, 4, 7]}
    # What is larger is not asked: many rows may go with each.
    before["v"] = [(n, n % 3, 2 if n % 3 == 1 else 0) for n in range(20)]
    assert left(query, {"t": [(n, 0, None) for n in range(12)]}, before) == {"t": list(range(9))}


def test_what_has_gone_is_not_found() -> None:
    found: dict[str, Found] = {name: arranged(name) for name in TABLES}
    u = history(TABLES["u"], [((1, 2, None), 1, 1), ((1, 2, None), 3, -1), ((2, 2, None), 1, 1)])
    known = Arranged(u.row_type)
    known.append(u.between(0, 10))
    changes = {"t": history(TABLES["t"], [((k, 2, None), 10, 1) for k in (1, 2)]).between(10, 11)}
    kept, useful = sifted(sieve_of(program_of(JOINED, catalog(TABLES))), changes, found | {"u": known}, Timestamp(10))
    assert kept["t"].table.column(0).to_pylist() == [2]
    keys = [pa.array([1, 2], pa.int32())]
    assert useful["u"].lookup((0,), keys, Timestamp(10)).table.column(0).to_pylist() == [2]


def test_what_changes_is_asked_again_once_others_are_few() -> None:
    query = "SELECT 1 FROM t JOIN u ON t.k = u.k JOIN v ON u.b = v.b"
    changes: dict[str, list[Row]] = {
        "t": [(n, 0, None) for n in range(6)],
        "u": [(n, n % 4, None) for n in range(8)],
    }
    assert left(query, changes, {"v": [(0, 3, 0)]}) == {"t": [3], "u": [3]}


def test_what_is_too_much_is_given_up() -> None:
    changes: dict[str, list[Row]] = {"t": [(n, 2, None) for n in range(10)]}
    before: dict[str, list[Row]] = {"u": [(n, 2, None) for n in range(4)]}
    assert left(JOINED, changes, before, 4) == {"t": [0, 1, 2, 3]}
    with pytest.raises(TooManyRows):
        left(JOINED, changes, before, 3)
    with pytest.raises(TooManyRows):
        left("SELECT k FROM t WHERE a > 1", changes, before, 9)
