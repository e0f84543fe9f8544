"""Rows from updates: each as often as it is there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from holdfast.adapter.errors import NegativeCount
from holdfast.adapter.tables.shape import array_of, table_of
from holdfast.repr.row import DIFF
from holdfast.repr.update import UpdateBatch


def expanded(snapshot: UpdateBatch, width: int | None = None) -> pa.Table:
    """The rows of a collection at a time, which is consolidated: its first `width` columns, by default all."""
    names = snapshot.row_type.names[:width]
    columns = [snapshot.table.column(index) for index in range(len(names))]
    counts = np.asarray(array_of(snapshot.table[DIFF]))
    if (counts < 0).any():
        raise NegativeCount
    if (counts == 1).all():
        return table_of(columns, names, snapshot.rows)
    positions = pa.array(np.repeat(np.arange(len(counts)), counts))
    return table_of([column.take(positions) for column in columns], names, len(positions))
