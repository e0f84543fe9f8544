"""Updates of several times: cut where some of them are wanted, and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch


def narrowed(updates: UpdateBatch, row_type: RowType) -> UpdateBatch:
    """Updates with only the first columns: a table may have got some since it was planned with."""
    if updates.row_type == row_type:
        return updates
    return UpdateBatch(row_type, updates.table.select([*row_type.names, TIME, DIFF]))


def widened(updates: UpdateBatch, columns: Sequence[int], row_type: RowType) -> UpdateBatch:
    """Updates of some columns of rows, in the order of these, as updates of such rows: all other columns are null."""
    table, places = updates.table, {column: place for place, column in enumerate(columns)}
    if len(places) == len(row_type.names):
        return UpdateBatch(row_type, table)
    arrays = [
        table.column(places[index]) if index in places else pa.nulls(table.num_rows, field.type)
        for index, field in enumerate(row_type.schema)
    ]
    schema = row_type.updates_schema
    return UpdateBatch(row_type, pa.Table.from_arrays([*arrays, table[TIME], table[DIFF]], schema=schema))


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
