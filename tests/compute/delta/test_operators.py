"""Each operator alone: all short sequences of updates of few rows, in one step, in two, or in one for each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

import pytest

from holdfast.compute.delta import Step
from holdfast.plan.types import INT4
from tests.compute.delta.lives import Change, History, Life, Row
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, catalog

SHAPES: dict[str, Columns] = {"t": (("a", INT4), ("b", INT4)), "u": (("a", INT4),)}

OF_ONE = {
    "map": "SELECT a + b FROM t",
    "filter": "SELECT * FROM t WHERE a > 0",
    "project": "SELECT b FROM t",
    "table function": "SELECT b, g FROM t, generate_series(0, a) g",
    "union": "SELECT a FROM t UNION ALL SELECT b FROM t",
    "distinct": "SELECT DISTINCT a FROM t",
    "sum": "SELECT a, sum(b), count(b), count(*) FROM t GROUP BY a",
    "global sum": "SELECT sum(b), count(*) FROM t",
    "min": "SELECT a, min(b) FROM t GROUP BY a",
    "global min": "SELECT min(b), count(DISTINCT a) FROM t",
    "global max": "SELECT max(b), min(a) FROM t",
    "extremes": "SELECT a, max(b), sum(b), min(b) FILTER (WHERE b > 0), any_value(a) FROM t GROUP BY a",
    "extreme of extremes": "SELECT min(m) FROM (SELECT a, max(b) AS m FROM t GROUP BY a) q",
    "list": "SELECT array_agg(b ORDER BY b) FILTER (WHERE a > 0) FROM t",
    "grouping sets": "SELECT a, b, count(*) FROM t GROUP BY GROUPING SETS ((a), (b), ())",
    "having": "SELECT a FROM t GROUP BY a HAVING count(*) > 1",
    "top": "SELECT a, b FROM t ORDER BY a DESC, b LIMIT 1",
    "top with ties": "SELECT a FROM t ORDER BY a FETCH FIRST 1 ROW WITH TIES",
    "offset": "SELECT a, b FROM t ORDER BY b, a OFFSET 1",
    "distinct on": "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC",
    "window": "SELECT a, b, rank() OVER (PARTITION BY a ORDER BY b), count(*) OVER () FROM t",
    "frame": "SELECT sum(b) OVER (ORDER BY a, b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    "self join": "SELECT x.b, y.b FROM t x JOIN t y ON x.a = y.a",
    "self outer join": "SELECT x.b, y.a FROM t x LEFT JOIN t y ON x.b = y.a",
    "from now": "SELECT a, b FROM t WHERE mz_now() >= b + 10",
    "until": "SELECT a, b FROM t WHERE mz_now() <= b + 10",
    "for a while": "SELECT a, count(*) FROM t WHERE mz_now() > a + 9 AND mz_now() < b + 11 GROUP BY a",
    "recursion": "WITH MUTUALLY RECURSIVE r (a int, b int) AS (SELECT a, b FROM t UNION "
    "SELECT r.a, t.b FROM r JOIN t ON r.b = t.a) SELECT * FROM r",
}
OF_TWO = {
    "join": "SELECT t.a, t.b FROM t JOIN u ON t.a = u.a",
    "product": "SELECT t.b, u.a FROM t, u WHERE t.a < u.a",
    "left join": "SELECT t.b, u.a FROM t LEFT JOIN u ON t.a = u.a",
    "left join by order": "SELECT t.b, u.a FROM t LEFT JOIN u ON t.a <= u.a",
    "full join": "SELECT t.b, u.a FROM t FULL JOIN u ON t.a = u.a",
    "semi-join": "SELECT b FROM t WHERE EXISTS (SELECT FROM u WHERE u.a = t.a)",
    "anti-join": "SELECT b FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.a = t.a)",
    "in": "SELECT b, a IN (SELECT a FROM u) FROM t",
    "not in": "SELECT b FROM t WHERE a NOT IN (SELECT a FROM u)",
    "not in nulls": "SELECT a, a NOT IN (SELECT b FROM t) FROM u WHERE a NOT IN (SELECT b FROM t)",
    "in, of its group": "SELECT a, b, b IN (SELECT a FROM u WHERE u.a = t.a) FROM t",
    "not in, of its group": "SELECT a, b FROM t WHERE b NOT IN (SELECT a FROM u WHERE u.a = t.a)",
    "not in nulls of its group": "SELECT a FROM u WHERE a NOT IN (SELECT b FROM t WHERE t.a = u.a)",
    "more than all": "SELECT a, b, b > ALL (SELECT a FROM u), a >= ALL (SELECT b FROM t) FROM t",
    "less than any, of its group": "SELECT a FROM u WHERE a < ANY (SELECT b FROM t WHERE t.a = u.a)",
    "any": "SELECT b, a < ANY (SELECT a FROM u) FROM t",
    "all": "SELECT b FROM t WHERE a <= ALL (SELECT a FROM u)",
    "value": "SELECT b, (SELECT max(a) FROM u WHERE u.a >= t.a) FROM t",
    "count": "SELECT b, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t",
    "single value": "SELECT b, (SELECT a FROM u WHERE u.a = t.a) FROM t",
    "except": "SELECT a FROM t EXCEPT SELECT a FROM u",
    "except all": "SELECT a FROM t EXCEPT ALL SELECT a FROM u",
    "intersect": "SELECT a FROM t INTERSECT SELECT a FROM u",
    "intersect all": "SELECT a FROM t INTERSECT ALL SELECT a FROM u",
    "union": "SELECT a FROM t UNION SELECT a FROM u",
    "lateral": "SELECT t.b, l.a FROM t, LATERAL (SELECT a FROM u WHERE u.a >= t.a ORDER BY a LIMIT 1) l",
}

ROWS: dict[str, list[Row]] = {"t": [(0, 1), (1, None)], "u": [(0,), (1,)]}
TIMES = (10, 11)
Move = tuple[int, int, int]
"""A time, the place of a row, and a diff."""


def sequences(moves: Sequence[Move], most: int) -> Iterator[tuple[Move, ...]]:
    """All in which no row goes that is not there."""
    for count in range(1, most + 1):
        for chosen in combinations_with_replacement(moves, count):
            if all(
                sum(diff for time, at, diff in chosen if at == place and time <= end) >= 0
                for place in {at for _, at, _ in chosen}
                for end in TIMES
            ):
                yield chosen


def check(query: str, moves: Sequence[Move], places: Sequence[tuple[str, int]], most: int) -> int:
    """Moves are of the rows of all tables together, whose places are `places`."""
    program, count = program_of(query, catalog(SHAPES)), 0
    known: dict[object, Step | None] = {}
    for chosen in sequences(moves, most):
        changes: dict[str, list[Change]] = {name: [] for name in SHAPES}
        for time, at, diff in chosen:
            name, place = places[at]
            changes[name].append(Change(time, place, diff))
        histories = {
            name: History([type_ for _, type_ in columns], ROWS[name], changes[name])
            for name, columns in SHAPES.items()
        }
        both = {time for time, _, _ in chosen} >= {*TIMES}
        for ends in ((12,), (11, 12)) if both else ((12,),):
            life = Life(program, histories, f"{query} {chosen}", known)
            if not life.hydrate(9):
                continue  # it errs from the first, and there is nothing to go on from
            for upper in ends:
                life.try_to_live(upper)
            # If it errs at one of the times, it does at the last iff the query does.
            assert not life.errs or life.try_to_live(12) is (life.scratch(11) is not None)
            count += 1
    return count


def moves_of(times: Sequence[int], rows: int) -> list[Move]:
    """A row may be there before, and come or go at some times."""
    there = [(5, place, 1) for place in range(rows)]
    return [*there, *((time, place, diff) for time, place, diff in product(times, range(rows), (-1, 1)))]


def check_of_one(query: str, most: int) -> int:
    return check(query, moves_of(TIMES, 2), [("t", 0), ("t", 1)], most)


def check_of_two(query: str, most: int) -> int:
    return check(query, moves_of(TIMES[:1], 4), [("t", 0), ("t", 1), ("u", 0), ("u", 1)], most)


@pytest.mark.parametrize("query", OF_ONE.values(), ids=OF_ONE.keys())
def test_an_operator_over_one_input(query: str) -> None:
    assert check_of_one(query, 2) > 30


@pytest.mark.parametrize("query", OF_TWO.values(), ids=OF_TWO.keys())
def test_an_operator_over_two_inputs(query: str) -> None:
    assert check_of_two(query, 2) > 30


@pytest.mark.parametrize("query", {**OF_ONE, **OF_TWO}.values(), ids={**OF_ONE, **OF_TWO}.keys())
def test_an_operator_is_made_of_states(query: str) -> None:
    histories = {
        name: History([type_ for _, type_ in columns], ROWS[name], [Change(5, 0, 1), Change(5, 1, len(columns))])
        for name, columns in SHAPES.items()
    }
    Life(program_of(query, catalog(SHAPES)), histories, query).check_hydration(9)


@pytest.mark.slow
@pytest.mark.parametrize("query", OF_ONE.values(), ids=OF_ONE.keys())
def test_an_operator_over_one_input_for_longer(query: str) -> None:
    assert check_of_one(query, 5) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("query", OF_TWO.values(), ids=OF_TWO.keys())
def test_an_operator_over_two_inputs_for_longer(query: str) -> None:
    assert check_of_two(query, 5) > 1000
