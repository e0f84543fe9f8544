"""What a step reads follows the change: the rows of the groups that it touches, not all that there are."""

from __future__ import annotations

from random import Random

import pytest

from holdfast.compute.delta.program import Lookup
from holdfast.plan.types import INT4, INT8, TEXT
from tests.compute.delta.lives import Change, History, Life, Row
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, catalog

GROUPS, MEMBERS, CHANGES = 300, 8, 10
SHAPES: dict[str, Columns] = {
    "t": (("id", INT8), ("k", INT4), ("v", INT8), ("s", TEXT)),
    "u": (("k", INT4), ("w", INT8)),
}

QUERIES = {
    "outer join": "SELECT t.id, t.v, u.w FROM t LEFT JOIN u ON t.k = u.k",
    "full join": "SELECT t.id, t.v, u.w FROM t FULL JOIN u ON t.k = u.k",
    "join": "SELECT t.id, u.w FROM t JOIN u ON t.k = u.k",
    "join by texts": "SELECT t.id, u.w FROM t JOIN u ON t.k::text = u.k::text",
    "join by an expression": "SELECT t.id, u.w FROM t JOIN u ON t.k = -(-u.k)",
    "join by expressions that may fail": "SELECT t.id, u.w FROM t JOIN u ON t.k + 1 = u.k + 1",
    "join by two types": "SELECT t.id, u.w FROM t JOIN u ON t.k = u.k::numeric",
    "join of three by expressions": "SELECT t.id, u.w, v.id FROM t JOIN u ON t.k + 1 = u.k + 1 "
    "JOIN t v ON v.id + 5 = t.id + 5",
    "join by more than an expression": "SELECT t.id, u.w FROM t JOIN u ON t.k = u.k AND t.k + 1 = u.k + 1",
    "outer join by an expression": "SELECT t.id, t.v, u.w FROM t LEFT JOIN u ON t.k = u.k + 0",
    "full join by expressions": "SELECT t.id, t.v, u.w FROM t FULL JOIN u ON t.k + 1 = u.k + 1",
    "exists by an expression": "SELECT id FROM t WHERE EXISTS (SELECT FROM u WHERE u.k + 1 = t.k + 1 AND u.w > t.v)",
    "not exists by an expression": "SELECT id FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k + 1 = t.k + 1)",
    "window": "SELECT id, row_number() OVER (PARTITION BY k ORDER BY v, id), sum(v) OVER (PARTITION BY k) FROM t",
    "top-k": "SELECT k, l.v FROM (SELECT DISTINCT k FROM t) g, "
    "LATERAL (SELECT v FROM t WHERE t.k = g.k ORDER BY v DESC LIMIT 3) l",
    "top-k by number": "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v, id) AS n FROM t) q "
    "WHERE n <= 3",
    "distinct on": "SELECT DISTINCT ON (k) k, v, id FROM t ORDER BY k, v DESC, id",
    "count distinct": "SELECT k, count(DISTINCT s) FROM t GROUP BY k",
    "exists": "SELECT id FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND u.w > t.v)",
    "not exists": "SELECT id FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k)",
    "in": "SELECT id FROM t WHERE k IN (SELECT k FROM u)",
    "not in": "SELECT id FROM t WHERE k NOT IN (SELECT k FROM u)",
    "not in, of its group": "SELECT id FROM t WHERE v NOT IN (SELECT w FROM u WHERE u.k = t.k)",
    "in as a value": "SELECT id, k IN (SELECT k FROM u) FROM t",
    "in, of its group": "SELECT id FROM t WHERE v > 90 OR v IN (SELECT w FROM u WHERE u.k = t.k)",
    "more than all": "SELECT id FROM t WHERE v > ALL (SELECT w FROM u WHERE u.k = t.k)",
    "min": "SELECT k, min(v) FROM t GROUP BY k",
    "min and sum": "SELECT k, min(v), sum(v) FROM t GROUP BY k",
    "value of a query": "SELECT id, (SELECT max(w) FROM u WHERE u.k = t.k) FROM t",
    "except": "SELECT k, s FROM t EXCEPT ALL SELECT k, 'a' FROM u",
}
SUMS = {
    "sum": "SELECT k, sum(v), count(*), avg(v) FROM t GROUP BY k",
    "distinct": "SELECT DISTINCT k FROM t",
    "global sum": "SELECT sum(v), count(*) FROM t",
}


def histories(random: Random) -> dict[str, History]:
    """Tables of many groups, of which a few change at time 10: rows come to half of those, and go from the others."""
    rows: dict[str, list[Row]] = {
        "t": [
            (place, place % GROUPS, random.randrange(100), random.choice("abc")) for place in range(GROUPS * MEMBERS)
        ],
        "u": [(place % GROUPS, random.randrange(100)) for place in range(GROUPS * MEMBERS // 2)],
    }
    made = {}
    for name, known in rows.items():
        changes = [Change(5, place, 1) for place in range(len(known))]
        touched = random.sample(range(GROUPS), CHANGES)
        changes += [Change(10, group, -1) for group in touched[: CHANGES // 2]]
        for group in touched[CHANGES // 2 :]:
            old = known[group]
            known.append((10**6 + group, *old[1:]) if name == "t" else old)
            changes.append(Change(10, len(known) - 1, 1))
        made[name] = History([type_ for _, type_ in SHAPES[name]], known, changes)
    return made


def stepped(query: str) -> Life:
    life = Life(program_of(query, catalog(SHAPES)), histories(Random(1)), query)
    assert life.hydrate(9)
    life.live(11)
    return life


def found(life: Life) -> int:
    return sum(cost.looked_up for cost in life.steps[-1].costs)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_a_step_reads_the_rows_of_the_groups_that_it_touches(query: str) -> None:
    life = stepped(query)
    inputs = life.program.inputs
    groups = {
        row
        for name in inputs
        for row in life.histories[name].between(10, 11).table.column("c1" if name == "t" else "c0").to_pylist()
    }
    touched = len(groups) * sum({"t": MEMBERS + 1, "u": MEMBERS // 2 + 1}[name] for name in inputs)
    assert 0 < found(life) <= 2 * touched


@pytest.mark.parametrize("query", SUMS.values(), ids=SUMS.keys())
def test_a_step_of_sums_reads_one_row_for_each_group(query: str) -> None:
    assert 0 < found(stepped(query)) <= CHANGES


@pytest.mark.parametrize(
    ("query", "value", "of_its_group"),
    [
        ("SELECT k, min(v), max(v) FROM t GROUP BY k", 50, False),
        ("SELECT k, min(v), sum(v) FROM t GROUP BY k", 100, False),
        ("SELECT k, max(v) FROM t GROUP BY k", 100, True),
        ("SELECT k, max(v) FILTER (WHERE v < 100) FROM t GROUP BY k", 100, False),
        ("SELECT min(v), max(id) FROM t", 50, False),
    ],
)
def test_a_group_is_read_only_when_its_extreme_goes(query: str, value: int, of_its_group: bool) -> None:
    """All groups have values from 0 to 100; a row comes to one of them, and goes."""
    rows: list[Row] = [(v, k, v, "a") for k in range(3) for v in (0, 30, 70, 100)]
    rows.append((-1, 1, value, "a"))
    changes = [Change(5, place, 1) for place in range(len(rows) - 1)]
    changes += [Change(10, len(rows) - 1, 1), Change(11, len(rows) - 1, -1)]
    history = History([type_ for _, type_ in SHAPES["t"]], rows, changes)
    life = Life(program_of(query, catalog(SHAPES)), {"t": history}, query)
    assert life.hydrate(9)
    of_rows = {stage.name for stage in life.program.stages if isinstance(stage, Lookup) and stage.source == "t"}
    read = []
    for upper in (11, 12):
        life.live(upper)
        read.append(sum(cost.looked_up for cost in life.steps[-1].costs if cost.stage in of_rows))
    assert read == [0, 4 + 1 if of_its_group else 0]


def test_a_step_without_changes_reads_nothing() -> None:
    for query in (*QUERIES.values(), *SUMS.values()):
        life = stepped(query)
        life.live(13)
        assert found(life) == 0
        assert not any(cost.ran for cost in life.steps[-1].costs)
