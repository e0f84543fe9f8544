"""Views over a few small tables whose rows and updates tests say themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from hypothesis import strategies as st

from holdfast.compute.delta import Program
from holdfast.plan.types import INT4, INT8, Type
from tests.compute.delta.lives import Change, History, Life, Row
from tests.compute.delta.queries import program_of
from tests.differential.ask import Tables
from tests.differential.schema import Table

Columns = tuple[tuple[str, Type], ...]
Updates = Iterable[tuple[Row, int, int]]
"""Rows, times and diffs."""

T: Columns = (("k", INT4), ("a", INT4), ("b", INT8))
U: Columns = (("k", INT4), ("c", INT8))
SHAPES: Mapping[str, Columns] = {"t": T, "u": U}


def catalog(shapes: Mapping[str, Columns] = SHAPES) -> Tables:
    return Tables([Table(name, columns, ()) for name, columns in shapes.items()])


def history(columns: Columns, updates: Updates) -> History:
    known = list(updates)
    rows = list(dict.fromkeys(row for row, _, _ in known))
    changes = [Change(time, rows.index(row), diff) for row, time, diff in known]
    return History([type_ for _, type_ in columns], rows, changes)


def life(query: str, updates: Mapping[str, Updates], shapes: Mapping[str, Columns] = SHAPES) -> Life:
    """A view made at time 9."""
    histories = {name: history(columns, updates.get(name, ())) for name, columns in shapes.items()}
    made = Life(_program(query, tuple(shapes.items())), histories, query)
    assert made.hydrate(9)
    return made


@cache
def _program(query: str, shapes: tuple[tuple[str, Columns], ...]) -> Program:
    return program_of(query, catalog(dict(shapes)))


def updates_of(rows: Sequence[Row], times: Sequence[int], most: int) -> st.SearchStrategy[list[tuple[Row, int, int]]]:
    """Rows that come and go at some of the times: never one that is not there."""

    def possible(moves: list[tuple[int, int, bool]]) -> list[tuple[Row, int, int]]:
        counts, found = [0] * len(rows), list[tuple[Row, int, int]]()
        for time, place, goes in sorted(moves):
            diff = -1 if goes and counts[place] else 1
            counts[place] += diff
            found.append((rows[place], time, diff))
        return found

    move = st.tuples(st.sampled_from(times), st.integers(0, len(rows) - 1), st.booleans())
    return st.lists(move, max_size=most).map(possible)
