from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.persist.encoding import Hashes, PartFormat, sort_by_hash
from holdfast.persist.merge import Stream, merge
from holdfast.repr.consolidate import advance_by, consolidate
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batches, multiset, row_types
from tests.persist.paper import INTEGERS


def form(row_type: RowType, key: tuple[str, ...] | None = None) -> PartFormat:
    return PartFormat(ShardId(1), row_type, 0, row_type.names if key is None else key)


class Watched:
    """A stream cut into tables of `size` rows, that knows whether it is being read."""

    def __init__(self, form: PartFormat, batch: UpdateBatch, size: int) -> None:
        self._size = size
        self._table, self._hashes = sort_by_hash(form, batch.table)
        self.stream = Stream(int(self._hashes[0]) if len(self._hashes) else 0, self._read)
        self.begun = self.ended = False

    def _read(self) -> Iterator[tuple[pa.Table, Hashes]]:
        self.begun = True
        for start in range(0, self._table.num_rows, self._size):
            yield self._table.slice(start, self._size), self._hashes[start : start + self._size]
        self.ended = True

    @property
    def is_open(self) -> bool:
        return self.begun and not self.ended


@st.composite
def inputs(draw: st.DrawFn) -> tuple[RowType, tuple[str, ...], list[UpdateBatch], int]:
    row_type = draw(row_types(max_columns=3))
    key = tuple(draw(st.lists(st.sampled_from(row_type.names), unique=True))) if row_type.names else ()
    return row_type, key, draw(st.lists(batches(row_type, 20), max_size=6)), draw(st.integers(1, 7))


def agrees_with_consolidation(given: tuple[RowType, tuple[str, ...], list[UpdateBatch], int], since: int) -> None:
    row_type, key, parts, size = given
    streams = [Watched(form(row_type, key), part, size).stream for part in parts]
    merged = list(merge(form(row_type, key), streams, lambda batch: consolidate(advance_by(batch, at(since)))))
    everything = consolidate(advance_by(UpdateBatch.concat(row_type, parts), at(since)))
    found = UpdateBatch.concat(row_type, merged)
    assert multiset(found) == multiset(everything)
    assert found.rows == everything.rows
    bounds = [
        (int(hashes.min()), int(hashes.max())) for hashes in (form(row_type, key).key_hashes(b.table) for b in merged)
    ]
    assert all(first[1] < second[0] for first, second in pairwise(bounds))


slowly = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=80, suppress_health_check=slowly)
@given(inputs(), st.integers(0, 4))
def test_a_merge_is_the_consolidation_of_all_in_ascending_order(
    given: tuple[RowType, tuple[str, ...], list[UpdateBatch], int], since: int
) -> None:
    agrees_with_consolidation(given, since)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=5000, suppress_health_check=slowly)
@given(inputs(), st.integers(0, 4))
def test_a_merge_is_the_consolidation_of_all_in_ascending_order_for_long(
    given: tuple[RowType, tuple[str, ...], list[UpdateBatch], int], since: int
) -> None:
    agrees_with_consolidation(given, since)


def integers(values: list[int]) -> UpdateBatch:
    return UpdateBatch.from_rows(INTEGERS, [(value,) for value in values], [0] * len(values), [1] * len(values))


def by_hash(count: int) -> list[int]:
    """Numbers in the order of their hashes."""
    table, _ = sort_by_hash(form(INTEGERS), integers(list(range(count))).table)
    return [int(value) for value in table["n"].to_pylist()]


def test_streams_apart_are_read_one_after_another() -> None:
    ordered = by_hash(2000)
    watched = [Watched(form(INTEGERS), integers(ordered[start : start + 100]), 10) for start in range(0, 2000, 100)]
    open_at_once = []
    rows = 0
    for batch in merge(form(INTEGERS), [each.stream for each in reversed(watched)], consolidate):
        open_at_once.append(sum(each.is_open for each in watched))
        rows += batch.rows
    assert rows == 2000
    assert max(open_at_once) <= 2


def test_the_first_batch_comes_before_the_rest_is_read() -> None:
    ordered = by_hash(1000)
    watched = [Watched(form(INTEGERS), integers(ordered[start::4]), 10) for start in range(4)]
    first = next(merge(form(INTEGERS), [each.stream for each in watched], consolidate))
    assert 0 < first.rows <= 40
    assert not any(each.ended for each in watched)


def tracked(
    values: list[int], alive: list[weakref.ref[npt.NDArray[np.int64]]]
) -> Callable[[], Iterator[tuple[pa.Table, Hashes]]]:
    """One table of `values`, in memory of its own that is watched."""

    def read() -> Iterator[tuple[pa.Table, Hashes]]:
        numbers = np.array(values, np.int64)
        alive.append(weakref.ref(numbers))
        times = np.zeros(len(values), np.int64)
        table = pa.Table.from_arrays(
            [pa.array(numbers), pa.array(times), pa.array(times + 1)], schema=INTEGERS.updates_schema
        )
        yield table, form(INTEGERS).key_hashes(table)

    return read


def test_what_is_merged_is_let_go() -> None:
    """A stream read through must not keep its last table until the whole merge ends."""
    ordered = by_hash(3000)
    alive: list[weakref.ref[npt.NDArray[np.int64]]] = []
    streams = []
    for start in range(0, 3000, 100):
        values = ordered[start : start + 100]
        least = int(form(INTEGERS).key_hashes(integers(values[:1]).table)[0])
        streams.append(Stream(least, tracked(values, alive)))
    held = []
    for batch in merge(form(INTEGERS), streams, consolidate):
        del batch
        held.append(sum(each() is not None for each in alive))
    assert len(alive) == 30
    assert max(held) <= 3


def test_equal_hashes_stay_together_over_many_tables() -> None:
    """Without key columns all hashes are equal, and nothing may go out before all is read."""
    watched = [Watched(form(INTEGERS, ()), integers([1, 2, 3, 1]), 1) for _ in range(3)]
    (only,) = merge(form(INTEGERS, ()), [each.stream for each in watched], consolidate)
    assert multiset(only) == {((1,), 0): 6, ((2,), 0): 3, ((3,), 0): 3}
    assert only.rows == 3


def test_nothing_merges_to_nothing() -> None:
    assert list(merge(form(INTEGERS), [], consolidate)) == []
    empty = Watched(form(INTEGERS), UpdateBatch.empty(INTEGERS), 5)
    assert list(merge(form(INTEGERS), [empty.stream], consolidate)) == []


def test_what_cancels_is_not_given_out() -> None:
    plus, minus = integers([1, 2, 3]), UpdateBatch.from_rows(INTEGERS, [(1,), (2,), (3,)], [0] * 3, [-1] * 3)
    watched = [Watched(form(INTEGERS), batch, 1) for batch in (plus, minus)]
    assert list(merge(form(INTEGERS), [each.stream for each in watched], consolidate)) == []
