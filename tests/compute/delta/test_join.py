"""Joins by columns of different types: rows find each other where SQL says that values are equal."""

from __future__ import annotations

from decimal import Decimal

import pytest

from holdfast.compute.delta.program import Lookup
from holdfast.plan.relation import Join, Relation, inputs
from holdfast.plan.types import FLOAT4, FLOAT8, INT2, INT4, INT8, TEXT, Modified, Type, numeric
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, Updates, catalog, life

PAIRS: tuple[tuple[Type, Type, object, object], ...] = (
    (FLOAT4, FLOAT8, 1.5, 1.5),
    (INT2, INT8, 3, 3),
    (INT8, INT4, 3, 3),
    (numeric(10, 2), numeric(12, 4), Decimal("1.50"), Decimal("1.5000")),
    (INT4, FLOAT8, 2, 2.0),
    (INT8, numeric(10, 2), 2, Decimal("2.00")),
    (TEXT, Modified("varchar", 5), "a", "a"),
)
QUERIES = (
    "SELECT t.i, u.i FROM t JOIN u ON t.k = u.k",
    "SELECT t.i, u.i FROM t LEFT JOIN u ON t.k = u.k",
    "SELECT t.i FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k)",
    "SELECT t.i, (SELECT sum(i) FROM u WHERE u.k = t.k) FROM t",
)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("left", "right", "one", "other"), PAIRS, ids=lambda each: str(each))
def test_values_of_two_types_are_found_by_each_other(
    left: Type, right: Type, one: object, other: object, query: str
) -> None:
    shapes: dict[str, Columns] = {"t": (("k", left), ("i", INT4)), "u": (("k", right), ("i", INT4))}
    told: dict[str, Updates] = {
        "t": [((one, 1), 5, 1), ((one, 2), 11, 1), ((None, 3), 10, 1), ((one, 1), 13, -1)],
        "u": [((other, 1), 10, 1), ((None, 2), 10, 1), ((other, 2), 12, 1), ((other, 1), 14, -1)],
    }
    view = life(query, told, shapes)
    for upper in (11, 12, 13, 15):
        view.live(upper)
    assert any(made.output.rows for made in view.steps)


@pytest.mark.parametrize(
    "on", ["t.k = u.k", "u.k = t.k", "t.k::int8 = u.k", "t.k IS NOT DISTINCT FROM u.k", "t.s = u.v AND t.i = u.i"]
)
@pytest.mark.parametrize("kind", ["LEFT JOIN", "FULL JOIN", "SEMI", "ANTI"])
def test_rows_are_looked_up_by_columns_of_two_types(on: str, kind: str) -> None:
    """A value that one of the columns has no room for is one that it has not."""
    shapes: dict[str, Columns] = {
        "t": (("k", INT4), ("i", INT4), ("s", TEXT)),
        "u": (("k", INT8), ("i", INT2), ("v", Type("varchar"))),
    }
    exists = f"SELECT * FROM t WHERE {'NOT ' * (kind == 'ANTI')}EXISTS (SELECT FROM u WHERE {on})"
    query = exists if kind in ("SEMI", "ANTI") else f"SELECT * FROM t {kind} u ON {on}"
    program = program_of(query, catalog(shapes))
    assert not program.states
    found = {(stage.source, stage.columns) for stage in program.stages if isinstance(stage, Lookup)}
    assert len(found) == 2
    assert all(columns for _, columns in found)
    told: dict[str, Updates] = {
        "t": [((1, 1, "a"), 5, 1), ((2, 2, "b"), 10, 1), ((None, None, None), 10, 1), ((1, 1, "a"), 12, -1)],
        "u": [((1, 1, "a"), 10, 1), ((2**40, 1, "b"), 10, 1), ((2, 2, "b"), 11, 1), ((2**32 + 1, 2, None), 11, 1)],
    }
    view = life(query, told, shapes)
    for upper in (11, 12, 13):
        view.live(upper)


@pytest.mark.parametrize(
    "on",
    [
        "t.i + 1 = u.i * 2",
        "t.s = u.v || 'x'",
        "lower(t.s) = upper(u.v)",
        "t.s::int = u.i",
        "t.i = u.k::numeric",
        "t.i - 1 IS NOT DISTINCT FROM u.i - 2",
        "t.k = u.k AND t.i + 1 = u.i",
        "t.i + 1 = u.i AND t.s < u.v",
        "t.i + u.i = 3",
    ],
)
@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "FULL JOIN", "SEMI", "ANTI"])
def test_rows_are_joined_by_expressions(on: str, kind: str) -> None:
    shapes: dict[str, Columns] = {
        "t": (("k", INT4), ("i", INT4), ("s", TEXT)),
        "u": (("k", INT8), ("i", INT4), ("v", TEXT)),
    }
    exists = f"SELECT * FROM t WHERE {'NOT ' * (kind == 'ANTI')}EXISTS (SELECT FROM u WHERE {on})"
    told: dict[str, Updates] = {
        "t": [((1, 1, "1"), 5, 1), ((2, 2, "3"), 10, 1), ((None, None, None), 10, 1), ((1, 1, "1"), 12, -1)],
        "u": [((1, 1, "2"), 10, 1), ((1, 3, ""), 10, 1), ((2, 2, None), 11, 1), ((None, None, "1"), 13, 1)],
    }
    view = life(exists if kind in ("SEMI", "ANTI") else f"SELECT * FROM t {kind} u ON {on}", told, shapes)
    for upper in (11, 12, 13, 14):
        view.live(upper)


def test_rows_of_a_join_that_are_found_by_what_it_joins_by_are_not_kept() -> None:
    shapes: dict[str, Columns] = {"t": (("a", INT4), ("b", INT4)), "u": (("a", INT4), ("c", INT4))}
    by_key = "SELECT t.b, u.c FROM t JOIN u ON t.a = u.a WHERE t.a IN (SELECT a FROM t GROUP BY a HAVING count(*) > 1)"
    by_other = by_key.replace("WHERE t.a IN", "WHERE u.c IN")
    joins = [
        [_joins(state.relation) for state in program_of(query, catalog(shapes)).states] for query in (by_key, by_other)
    ]
    assert not any(joins[0])
    assert any(joins[1]), "what rows are asked for by is not what they are joined by"


def test_lines_that_come_with_their_orders_are_joined_once_with_all_else() -> None:
    shapes: dict[str, Columns] = {
        "lines": (("o", INT4), ("p", INT4)),
        "parts": (("p", INT4), ("cost", INT4)),
        "orders": (("o", INT4), ("c", INT4)),
    }
    told: dict[str, Updates] = {
        "parts": [((part, 10 * part), 5, 1) for part in range(7)],
        "orders": [((order, 1), 5 if order < 10 else 10, 1) for order in range(20)],
        "lines": [((order, part), 5 if order < 10 else 10, 1) for order in range(20) for part in range(3)],
    }
    query = "SELECT sum(cost) FROM lines JOIN parts USING (p) JOIN orders USING (o)"
    view = life(query, told, shapes)
    view.live(11)
    looked_up = sum(cost.looked_up for cost in view.steps[-1].costs)
    assert looked_up == 3 + 1, "three parts, and the one row of totals"


@pytest.mark.parametrize(
    "query",
    ["SELECT 1 / (t.i - u.i) FROM t JOIN u ON t.k = u.k", "SELECT sum(1 / (t.i - u.i)) FROM t JOIN u ON t.k = u.k"],
)
def test_nothing_is_evaluated_for_rows_that_never_met(query: str) -> None:
    shapes: dict[str, Columns] = {"t": (("k", INT4), ("i", INT4)), "u": (("k", INT4), ("i", INT4))}
    told: dict[str, Updates] = {
        "t": [((1, 0), 5, 1), ((1, 0), 10, -1), ((1, 1), 10, 1), ((2, 3), 5, 1), ((2, 3), 10, -1)],
        "u": [((1, 0), 10, 1), ((2, 1), 5, 1), ((2, 1), 10, -1), ((2, 3), 10, 1)],
    }
    view = life(query, told, shapes)
    view.live(11)
    assert view.steps[-1].output.rows


def _joins(relation: Relation) -> bool:
    return isinstance(relation, Join) or any(map(_joins, inputs(relation)))
