"""Arrangements of some columns: as if of all, but that others are null."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compute.arrange import Arranged, Narrow
from holdfast.repr.frontier import MAX_TIME, Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch
from tests.build import batch, multiset

WIDE = RowType.of(("a", pa.int64()), ("b", pa.string()), ("c", pa.int64()), ("d", pa.float64()))
END = Timestamp(MAX_TIME)

ROWS = st.tuples(st.integers(0, 2), st.sampled_from(["x", "y"]), st.integers(0, 2), st.just(0.5))
UPDATES = st.lists(st.tuples(ROWS, st.integers(1, 3), st.sampled_from([-1, 1])), max_size=8)


def blank(updates: UpdateBatch, columns: set[int]) -> UpdateBatch:
    """`updates` with null in all other columns."""
    table = updates.table
    for place, field in enumerate(WIDE.schema):
        if place not in columns:
            table = table.set_column(place, field, pa.nulls(table.num_rows, field.type))
    return UpdateBatch(WIDE, table)


@given(st.sets(st.integers(0, 3)).map(lambda some: some | {0, 2}), st.lists(UPDATES, max_size=3), st.integers(1, 4))
def test_what_is_found_is_what_all_columns_would_find_with_the_others_null(
    columns: set[int], histories: list[list[tuple[tuple[object, ...], int, int]]], before: int
) -> None:
    wide, narrow = Arranged(WIDE), Narrow(WIDE, columns)
    for updates in histories:
        wide.append(batch(WIDE, updates))
        narrow.append(batch(WIDE, updates))
    until, keys = Timestamp(before), [pa.array([1, 2]), pa.array([0, 1])]
    for found, expected in [
        (narrow.all(until), wide.all(until)),
        (narrow.lookup((2, 0), keys, until), wide.lookup((2, 0), keys, until)),
        (narrow.lookup((), [], until), wide.all(until)),
        (narrow.due(2, 2, until), wide.due(2, 2, until)),
    ]:
        assert found.row_type == WIDE
        assert multiset(found) == multiset(blank(expected, columns))


def test_rows_that_differ_in_other_columns_alone_are_one() -> None:
    narrow = Narrow(WIDE, {0})
    narrow.append(batch(WIDE, "1, 'x', 1, None | 1 | +1\n1, 'y', 2, None | 2 | -1\n2, 'y', 2, None | 2 | +1"))
    assert multiset(narrow.all(END)) == multiset(
        batch(WIDE, "1, None, None, None | 1 | +1\n1, None, None, None | 2 | -1\n2, None, None, None | 2 | +1")
    )
    assert narrow.nbytes < narrow.rows * 4 * 8


def test_first_rows_are_loaded_without_the_columns_that_are_not_kept() -> None:
    narrow = Narrow(WIDE, {2, 0})
    narrow.load([batch(RowType.of(("a", pa.int64()), ("c", pa.int64())), "1, 3 | 4 | +1\n2, 1 | 4 | +1")])
    assert narrow.earliest(2, END) == 1
    assert multiset(narrow.lookup((2,), [pa.array([3])], END)) == {((1, None, 3, None), 4): 1}


def test_updates_may_come_without_the_columns_that_are_not_kept() -> None:
    narrow, kept = Narrow(WIDE, {2, 0}), RowType.of(("a", pa.int64()), ("c", pa.int64()))
    narrow.append(batch(WIDE, "1, 'x', 3, None | 4 | +1"))
    narrow.add([batch(kept, "1, 3 | 5 | -1\n2, 3 | 5 | +1"), batch(kept, "2, 1 | 5 | +1")])
    narrow.add([])
    assert multiset(narrow.lookup((2,), [pa.array([3])], END)) == {
        ((1, None, 3, None), 4): 1,
        ((1, None, 3, None), 5): -1,
        ((2, None, 3, None), 5): 1,
    }
    assert narrow.rows == 4


@pytest.mark.parametrize("columns", [set(), {0}])
def test_who_looks_at_no_column_still_counts_rows(columns: set[int]) -> None:
    narrow = Narrow(WIDE, columns)
    narrow.append(batch(WIDE, "1, 'x', 1, None | 1 | +1\n2, 'y', 2, None | 2 | +3"))
    assert sum(narrow.all(END).table[DIFF].to_pylist()) == 4
    assert narrow.all(END).table.column_names == [*WIDE.names, TIME, DIFF]
