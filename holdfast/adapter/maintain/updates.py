"""Updates of several times: cut, moved, and made commits of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.tables.commit import TableCommit
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

Changes = Mapping[str, UpdateBatch]
"""Updates of inputs, by their names."""


def narrowed(updates: UpdateBatch, row_type: RowType) -> UpdateBatch:
    """Updates with only the first columns: a table may have got some since it was planned with."""
    if updates.row_type == row_type:
        return updates
    return UpdateBatch(row_type, updates.table.select([*row_type.names, TIME, DIFF]))


def up_to(updates: UpdateBatch, end: Timestamp) -> UpdateBatch:
    """Those not later than `end`."""
    if updates.max_time is None or updates.max_time <= end:
        return updates
    return UpdateBatch(updates.row_type, updates.table.filter(pc.less_equal(updates.table[TIME], end)))


def later_than(updates: UpdateBatch, start: Timestamp) -> UpdateBatch:
    if updates.min_time is None or updates.min_time > start:
        return updates
    return UpdateBatch(updates.row_type, updates.table.filter(pc.greater(updates.table[TIME], start)))


def times_of(batches: Iterable[UpdateBatch]) -> list[Timestamp]:
    """When something happens, in order."""
    found = {time for batch in batches if batch.rows for time in pc.unique(batch.table[TIME]).to_pylist()}
    return sorted(found)


def rows_by_time(batches: Iterable[UpdateBatch]) -> tuple[Sequence[Timestamp], Sequence[int]]:
    """The times at which something happens, in order, and how many updates there are up to each."""
    columns = [np.asarray(batch.table[TIME]) for batch in batches if batch.rows]
    if not columns:
        return [], []
    times, counts = np.unique(np.concatenate(columns), return_counts=True)
    return times.tolist(), np.cumsum(counts).tolist()


def commits_of(updates: UpdateBatch) -> list[TableCommit]:
    """What happens at each time, in order: rows that come, then rows that go, each as often as it does."""
    return [_commit(updates, time) for time in times_of([updates])]


def _commit(updates: UpdateBatch, time: Timestamp) -> TableCommit:
    table = updates.table
    if updates.min_time != updates.max_time:
        table = table.filter(pc.equal(table[TIME], time))
    diffs = np.asarray(table[DIFF])
    order = np.argsort(diffs < 0, kind="stable")
    positions = np.repeat(order, np.abs(diffs[order]))
    signs = np.sign(diffs[positions])
    chosen = table.take(pa.array(positions))
    chosen = chosen.set_column(chosen.num_columns - 1, table.schema.field(DIFF), pa.array(signs))
    return TableCommit(time, UpdateBatch(updates.row_type, chosen), int(np.count_nonzero(signs > 0)))
