"""Statistics of the columns of a part: bounds and nulls, by which it can be left out of a read.

The bounds are those that the Parquet writer found as it wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from holdfast.persist.part import Bound, ColumnStats
from holdfast.repr.row import RowType

_LONGEST_BOUND = 64
"""Bytes of a string that statistics keep."""


def bounded_columns(table: pa.Table) -> list[str]:
    """The columns whose bounds may be written down.

    Parquet's bounds leave out NaN, which for us and for Spark is the greatest number: Spark would take them for bounds
    of all values, and leave out rows. So a column with NaN has none, neither in the file nor with us.
    """
    return [field.name for field in table.schema if _has_bounds(table[field.name])]


def _has_bounds(column: pa.ChunkedArray) -> bool:
    if pa.types.is_floating(column.type):
        return not pc.any(pc.is_nan(column)).as_py()
    return not pa.types.is_nested(column.type)


def column_stats(
    row_type: RowType, table: pa.Table, bounded: Sequence[str], written: pq.FileMetaData
) -> tuple[tuple[str, ColumnStats], ...]:
    """Bounds of each column, from what the Parquet writer found as it wrote."""
    leaves = {written.schema.column(index).path: index for index in range(written.num_columns)} if bounded else {}
    found = []
    for field in row_type.schema:
        nulls = table[field.name].null_count
        if field.name in bounded:
            leaf = leaves[field.name]
            chunks = [written.row_group(group).column(leaf).statistics for group in range(written.num_row_groups)]
            found.append((field.name, _bounds(field.type, chunks, nulls)))
        else:
            found.append((field.name, ColumnStats(None, None, nulls)))
    return tuple(found)


def _bounds(data_type: pa.DataType, chunks: Sequence[pq.Statistics | None], nulls: int) -> ColumnStats:
    known = [chunk for chunk in chunks if chunk is not None and chunk.has_min_max]
    unknown = any(chunk is None or (not chunk.has_min_max and chunk.num_values) for chunk in chunks)
    if unknown or not known:
        return ColumnStats(None, None, nulls)
    lower = min(_stored(data_type, chunk.min_raw) for chunk in known)
    upper: Bound | None = max(_stored(data_type, chunk.max_raw) for chunk in known)
    if isinstance(lower, str | bytes) and len(lower) > _LONGEST_BOUND:
        lower = lower[:_LONGEST_BOUND]
    if isinstance(upper, str | bytes) and len(upper) > _LONGEST_BOUND:
        upper = None
    return ColumnStats(lower, upper, nulls)


def _stored(data_type: pa.DataType, raw: Any) -> Any:  # a bound, of which Python cannot say that two compare
    """A value as `physical` gives it, from how Parquet stores it."""
    if pa.types.is_string(data_type):
        return raw if isinstance(raw, str) else raw.decode()
    if pa.types.is_decimal(data_type) and isinstance(raw, bytes):
        return int.from_bytes(raw, "big", signed=True)
    return raw


def physical(scalar: pa.Scalar) -> Bound | None:
    """A value as statistics keep it: dates and times as numbers, decimals without their point."""
    if not scalar.is_valid:
        return None
    kind = scalar.type
    if pa.types.is_date32(kind):
        return int(scalar.cast(pa.int32()).as_py())
    if pa.types.is_temporal(kind):
        return int(scalar.cast(pa.int64()).as_py())
    value = scalar.as_py()
    if pa.types.is_decimal(kind):
        sign, digits, _ = value.as_tuple()
        return (-1 if sign else 1) * int("".join(map(str, digits)))
    assert isinstance(value, bool | int | float | str | bytes)
    return value
