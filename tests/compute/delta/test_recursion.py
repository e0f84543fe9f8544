"""Recursions: a step goes on from the change where it can, and reads what follows from it; else it is from scratch."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.delta import Program
from holdfast.compute.delta.clock import at_time
from holdfast.compute.delta.program import Recursion, Scratch
from holdfast.compute.delta.show import show_program
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.keys import equality
from holdfast.compute.evaluate.values import rows_of
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.errors import DataError
from holdfast.plan.relation import Plan
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import INT4
from holdfast.sql import plan_query
from tests.compute.delta.lives import Life, Row, meaning
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, Updates, catalog, history, life, updates_of

SHAPES: dict[str, Columns] = {
    "edge": (("a", INT4), ("b", INT4)),
    "kind": (("a", INT4), ("k", INT4)),
}

CLOSURE = "r (a int, b int) AS (SELECT a, b FROM edge UNION SELECT r.a, e.b FROM r JOIN edge e ON r.b = e.a)"
REACHED = "r (a int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM r JOIN edge e ON r.a = e.a)"
IN_TURN = (
    "even (n int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM odd JOIN edge e ON odd.n = e.a), "
    "odd (n int) AS (SELECT {} e.b FROM even JOIN edge e ON even.n = e.a)"
)
GOES_ON = {
    "closure": f"{CLOSURE} SELECT * FROM r",
    "closure by squares": "r (a int, b int) AS (SELECT a, b FROM edge UNION SELECT x.a, y.b FROM r x JOIN r y "
    "ON x.b = y.a) SELECT * FROM r",
    "closure from both ends": "r (a int, b int) AS (SELECT a, b FROM edge UNION SELECT e.a, f.b FROM edge e JOIN r "
    "ON e.b = r.a JOIN edge f ON r.b = f.a) SELECT * FROM r",
    "reached by expressions": "r (a int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM r JOIN edge e "
    "ON r.a + 1 = e.a + 1) SELECT * FROM r",
    "reached by texts": "r (a int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM r JOIN edge e "
    "ON r.a::text = e.a::text) SELECT * FROM r",
    "reached": f"{REACHED} SELECT * FROM r",
    "two sets": f"{IN_TURN.format('DISTINCT')} SELECT n, 0 FROM even UNION ALL SELECT n, 1 FROM odd",
    "a set and what is none": f"{IN_TURN.format('')} SELECT n, 0 FROM even UNION ALL SELECT n, 1 FROM odd",
    "another name for what is none": f"{IN_TURN.format('')}, again (n int) AS (SELECT n FROM odd) SELECT n FROM again",
    "same generation": "s (x int, y int) AS (SELECT p.b, q.b FROM edge p JOIN edge q ON p.a = q.a WHERE p.b <> q.b "
    "UNION SELECT p.b, q.b FROM s JOIN edge p ON p.a = s.x JOIN edge q ON q.a = s.y) SELECT * FROM s",
    "filters and another table": "r (a int, b int, k int) AS (SELECT e.a, e.b, kind.k FROM edge e JOIN kind ON "
    "e.b = kind.a UNION SELECT r.a, e.b, kind.k FROM r JOIN edge e ON r.b = e.a JOIN kind ON e.b = kind.a AND "
    "kind.k >= r.k WHERE r.a <> e.b) SELECT * FROM r WHERE k < 2",
    "around some": "r (a int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM r JOIN edge e ON r.a = e.a "
    "WHERE NOT EXISTS (SELECT FROM kind WHERE kind.a = e.b AND kind.k = 2)) SELECT * FROM r",
    "along some": "r (a int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM edge e JOIN r ON r.a = e.a "
    "WHERE e.b IN (SELECT a FROM kind) AND e.a NOT IN (SELECT k FROM kind WHERE a = 2)) SELECT * FROM r",
    "levels": "r (a int, n int) AS (SELECT a, 0 FROM kind WHERE k = 0 UNION SELECT e.b, r.n + 1 FROM r JOIN edge e "
    "ON r.a = e.a WHERE r.n < 3) SELECT a, min(n) FROM r GROUP BY a",
    "rows that go by themselves": f"{CLOSURE} SELECT a, b FROM r WHERE mz_now() <= a + b + 10",
    "groups above": f"{CLOSURE} SELECT a, count(*), max(b) FROM r GROUP BY a",
    "an outer join above": f"{REACHED} SELECT r.a, kind.k FROM r LEFT JOIN kind ON r.a = kind.a",
    "what is not reached": f"{REACHED} SELECT a FROM kind EXCEPT SELECT a FROM r",
    "a group of a table within": "r (a int, b int) AS (SELECT a, b FROM edge UNION SELECT r.a, m.b FROM r JOIN "
    "(SELECT a, max(b) AS b FROM edge GROUP BY a HAVING count(*) < 3) m ON r.b = m.a) SELECT * FROM r",
    "a join of tables within": "r (a int, b int) AS (SELECT a, b FROM edge UNION SELECT r.a, m.b FROM r JOIN "
    "(SELECT DISTINCT e.a, kind.k AS b FROM edge e JOIN kind ON e.b = kind.a) m ON r.b = m.a) SELECT * FROM r",
    "by a computed column": "r (a int, b int) AS (SELECT a, b FROM edge UNION SELECT r.a, m.b FROM r JOIN "
    "(SELECT a + 1 AS c, b FROM edge) m ON r.b = m.c) SELECT * FROM r",
    "rows of a function": "r (a int) AS (SELECT a FROM kind UNION SELECT g FROM r JOIN edge e ON r.a = e.a, "
    "generate_series(e.b, e.b + 1) g WHERE g < 4) SELECT * FROM r",
    "constants": "r (a int) AS (SELECT 0 UNION SELECT e.b FROM r JOIN edge e ON r.a = e.a) SELECT * FROM r",
    "a product": "r (a int, b int) AS (SELECT a, k FROM kind UNION SELECT r.b, e.a FROM r, edge e WHERE r.a < e.b) "
    "SELECT * FROM r",
    "a recursion over another": f"{CLOSURE} SELECT * FROM (WITH MUTUALLY RECURSIVE s (a int) AS (SELECT a FROM kind "
    "WHERE k = 1 UNION SELECT r.b FROM s JOIN r ON s.a = r.a) SELECT * FROM s) AS q",
    "a query that is used twice": f"{CLOSURE} SELECT x.a, y.b FROM r x JOIN r y ON x.a = y.b",
    "groups that are different": "r (a int) AS (SELECT b FROM (SELECT a AS b FROM kind UNION ALL SELECT e.b FROM r "
    "JOIN edge e ON r.a = e.a) AS q GROUP BY b) SELECT * FROM r",
    "a name that is not read": f"{REACHED}, s (a int) AS (SELECT 1 / (a - 3) FROM kind WHERE k = 2) SELECT * FROM r",
}
FROM_SCRATCH = {
    "all rows": "r (a int, n int) AS (SELECT a, 0 FROM edge UNION ALL SELECT a, n + 1 FROM r WHERE n < 2) "
    "SELECT * FROM r",
    "a limit": "(RETURN AT RECURSION LIMIT 2) " + GOES_ON["closure"],
    "a limit that errs": "(ERROR AT RECURSION LIMIT 3) " + GOES_ON["closure"],
    "without some": "r (a int) AS (SELECT a FROM kind UNION SELECT b FROM edge WHERE a < 2 EXCEPT SELECT a + 3 FROM r "
    "WHERE a < 0) SELECT * FROM r",
    "the least": "r (a int, n int) AS (SELECT a, min(n) FROM (SELECT a, 0 AS n FROM kind UNION ALL SELECT e.b, "
    "r.n + 1 FROM r JOIN edge e ON r.a = e.a WHERE r.n < 5) AS q GROUP BY a) SELECT * FROM r",
    "an outer join": "r (a int, b int) AS (SELECT a, k FROM kind UNION SELECT r.a, e.b FROM r LEFT JOIN edge e "
    "ON r.b = e.a) SELECT * FROM r",
    "some of a name": "r (a int) AS (SELECT a FROM kind WHERE k = 0 UNION SELECT e.b FROM r JOIN edge e ON r.a = e.a "
    "WHERE EXISTS (SELECT FROM kind WHERE kind.a = r.a)) SELECT * FROM r",
    "floats": "r (a double precision) AS (SELECT a FROM kind UNION SELECT e.b FROM r JOIN edge e ON r.a = e.a) "
    "SELECT * FROM r",
    "numbers": "r (a numeric) AS (SELECT a FROM kind UNION SELECT e.b FROM r JOIN edge e ON r.a = e.a) SELECT * FROM r",
    "nothing that is read": f"{REACHED} SELECT a FROM kind",
}
QUERIES = {name: f"WITH MUTUALLY RECURSIVE {query}" for name, query in (GOES_ON | FROM_SCRATCH).items()}

NODES = (0, 1, 2, 3, None)
ROWS: dict[str, list[Row]] = {
    "edge": [(a, b) for a in NODES for b in NODES],
    "kind": [(a, k) for a in NODES for k in (0, 1, 2)],
}
TIMES = (5, 10, 11, 12, 13, 14)
CHANGES = {"edge": 14, "kind": 6}


@cache
def program(query: str) -> Program:
    return program_of(query, catalog(SHAPES))


@pytest.mark.parametrize("name", QUERIES)
def test_a_recursion_goes_on_where_more_rows_never_make_fewer(name: str) -> None:
    stages = program(QUERIES[name]).stages
    assert any(isinstance(stage, Recursion) for stage in stages) is (name in GOES_ON)
    assert any(isinstance(stage, Scratch) for stage in stages) is (name in FROM_SCRATCH)


@cache
def plan(query: str) -> Plan:
    return optimize(decorrelate(plan_query(query, catalog(SHAPES)).plan))


def check_meaning(view: Life, time: int) -> None:
    """What the program takes for the view is what the query says, which was not made to go on from changes."""
    rows = {name: view.histories[name].rows(time) for name in SHAPES}
    made = view.scratch(time)
    try:
        wanted = plan(view.name)
        said = evaluate(replace(wanted, relation=at_time(wanted.relation, time + 1)), rows)
    except DataError:
        assert made is None
        return
    assert made is not None
    types = view.program.columns
    assert Counter(map(equality(types), rows_of(said, types))) == meaning(made.output, types)


def lived(data: st.DataObject, query: str, updates: dict[str, Updates]) -> None:
    ends = data.draw(st.lists(st.integers(11, 14), unique=True).map(sorted), "steps")
    histories = {name: history(columns, updates[name]) for name, columns in SHAPES.items()}
    view = Life(program(query), histories, query)
    while not view.hydrate(max(view.lower, 9)):
        # It errs when it is made.
        view.lower = max(view.lower, 9) + 1
        if view.lower == 15:
            return
    for upper in (end for end in (*ends, 15) if end > view.lower):
        view.try_to_live(upper)
        if data.draw(st.booleans(), "restarted"):
            view.restart()
            view.compact()
    for time in (9, 11, 14):
        check_meaning(view, time)
        if view.scratch(time) is not None:
            view.check_hydration(time)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_recursion_is_what_it_is_from_scratch_when_rows_come_and_go(query: str, data: st.DataObject) -> None:
    lived(data, query, {name: data.draw(updates_of(ROWS[name], TIMES, most), name) for name, most in CHANGES.items()})


@pytest.mark.parametrize("name", GOES_ON)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_a_recursion_is_what_it_is_from_scratch_when_rows_come(name: str, data: st.DataObject) -> None:
    def some(table: str) -> st.SearchStrategy[list[tuple[Row, int, int]]]:
        update = st.tuples(st.sampled_from(ROWS[table]), st.sampled_from(TIMES), st.just(1))
        return st.lists(update, max_size=CHANGES[table])

    lived(data, QUERIES[name], {table: data.draw(some(table), table) for table in SHAPES})


def test_a_long_life_of_a_larger_graph() -> None:
    """Of which each change is a path, a loop or a bridge to many rows, or none."""
    random = Random(7)
    there: list[Row] = []
    updates: list[tuple[Row, int, int]] = []
    for time in range(5, 60):
        for _ in range(random.randrange(4)):
            if there and random.randrange(5) < 2:
                updates.append((there.pop(random.randrange(len(there))), time, -1))
            else:
                row = (random.randrange(14), random.randrange(14))
                there.append(row)
                updates.append((row, time, 1))
    kinds: Updates = [((0, 0), 5, 1), ((1, 0), 30, 1), ((0, 0), 45, -1)]
    for name in ("closure", "closure by squares", "two sets", "same generation", "groups above"):
        view = life(QUERIES[name], {"edge": updates, "kind": kinds}, SHAPES)
        while view.lower < 60:
            view.live(min(60, view.lower + random.choice((1, 2, 5))))


# What a step reads


def chains(count: int, changes: Updates, query: str, until: int = 11) -> Life:
    """A graph of chains of five edges each: ten rows of the closure for a chain and its parts."""
    edges: list[tuple[Row, int, int]] = [
        ((10 * chain + place, 10 * chain + place + 1), 5, 1) for chain in range(count) for place in range(5)
    ]
    kinds: list[tuple[Row, int, int]] = [((10 * chain, 0), 5, 1) for chain in range(count)]
    view = life(query, {"edge": [*edges, *changes], "kind": kinds}, SHAPES)
    view.live(until)
    return view


def looked_up(view: Life) -> int:
    return sum(cost.looked_up for cost in view.steps[-1].costs)


COME: Updates = [((15, 20), 10, 1), ((12, 40), 10, 1)]
GO: Updates = [((12, 13), 10, -1), ((20, 21), 10, -1)]


@pytest.mark.parametrize("name", ["closure", "reached", "two sets", "same generation", "groups above"])
@pytest.mark.parametrize("changes", [COME, GO, [*COME, *GO]], ids=["come", "go", "both"])
def test_a_step_reads_what_follows_from_the_change_and_not_the_graph(name: str, changes: Updates) -> None:
    few, many = (looked_up(chains(count, changes, QUERIES[name])) for count in (5, 50))
    assert 0 < few == many


def test_times_at_which_rows_only_come_are_taken_together() -> None:
    edges: list[Row] = [(15, 20), (12, 40), (25, 30), (45, 10), (2, 10), (35, 0)]
    together = chains(6, [(edge, 10, 1) for edge in edges], QUERIES["closure"], until=16)
    one_by_one = chains(6, [(edge, 10 + place, 1) for place, edge in enumerate(edges)], QUERIES["closure"], until=16)
    assert 0 < looked_up(one_by_one) <= 2 * looked_up(together)


def test_a_step_without_changes_reads_nothing() -> None:
    view = chains(3, [], QUERIES["closure"])
    assert looked_up(view) == 0
    assert not any(cost.ran for cost in view.steps[-1].costs)


def test_an_edge_that_is_there_twice_may_go_once_for_nothing() -> None:
    view = chains(3, [((12, 13), 5, 1), ((12, 13), 10, -1)], QUERIES["closure"])
    assert 0 < looked_up(view) <= 2
    assert view.steps[-1].output.rows == 0


def test_a_program_says_what_its_rounds_do() -> None:
    text = show_program(program(QUERIES["closure"]))
    assert text.index("d s0: at each time, until nothing changes") < text.index("What follows from changes:")
    assert "s0 before, where (#1) in" in text
    assert text.endswith("Changes of s0: d s0\nChanges of the view: d s0")


def test_a_recursion_is_kept_once_for_all_who_read_it() -> None:
    made = program(QUERIES["a query that is used twice"])
    assert len(made.states) == 1
    assert sum(isinstance(stage, Recursion) for stage in made.stages) == 1
