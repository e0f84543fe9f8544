"""Update batches: changes to a collection, as Arrow tables.

An update `(row, time, diff)` says that at `time` the multiplicity of `row`
changes by `diff`. A batch is a multiset of updates: their order means nothing,
and updates of one row and time mean the same as one update with their sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.errors import UsageError
from holdfast.repr.canonical import canonical
from holdfast.repr.frontier import MIN_TIME, Timestamp
from holdfast.repr.row import DIFF, TIME, RowType, canonical_type


@dataclass(frozen=True, slots=True, eq=False)
class UpdateBatch:
    """Updates of one row type. Batches are compared by what they mean, so `==` is identity.

    - The schema of `table` is exactly `row_type.updates_schema`; columns that are not nullable have no nulls.
    - Times are on the timeline. Diffs may be zero and need not be consolidated.
    - Every value is canonical (`holdfast.repr.canonical`), so equal rows have equal bits.
    - `min_time` and `max_time` are those of the updates, None iff there are none.
    """

    row_type: RowType
    table: pa.Table
    min_time: Timestamp | None = field(init=False)
    max_time: Timestamp | None = field(init=False)

    def __post_init__(self) -> None:
        """Takes any table whose columns have, up to canonical types, the names and types of the updates schema."""
        table = _conform(self.row_type, self.table)
        times = np.asarray(table[TIME])
        first, last = (int(times.min()), int(times.max())) if len(times) else (None, None)
        if first is not None and first < MIN_TIME:
            raise UsageError(f"update has time {first}, before the timeline begins")
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "min_time", first)
        object.__setattr__(self, "max_time", last)

    @classmethod
    def from_table(cls, table: pa.Table) -> UpdateBatch:
        """The updates of `table`, whose own schema says the row type."""
        return cls(RowType.of_updates(table.schema), table)

    @classmethod
    def from_rows(
        cls, row_type: RowType, rows: Iterable[Sequence[object]], times: Iterable[int], diffs: Iterable[int]
    ) -> UpdateBatch:
        """One update for each row, time and diff, which must be equally many."""
        updates: list[tuple[object, ...]] = []
        for row, time, diff in zip(rows, times, diffs, strict=True):
            if len(row) != len(row_type.names):
                raise UsageError(f"row {row} is not of type {row_type}")
            updates.append((*row, time, diff))
        schema = row_type.updates_schema
        columns = [pa.array([update[i] for update in updates], schema.field(i).type) for i in range(len(schema))]
        return cls(row_type, pa.table(columns, names=schema.names))

    @classmethod
    def empty(cls, row_type: RowType) -> UpdateBatch:
        return cls(row_type, row_type.updates_schema.empty_table())

    @classmethod
    def concat(cls, row_type: RowType, batches: Iterable[UpdateBatch]) -> UpdateBatch:
        """All updates of `batches`, each of which is of `row_type`. No values are copied."""
        found = list(batches)
        for batch in found:
            if batch.row_type != row_type:
                raise UsageError(f"batch of row type {batch.row_type} among batches of {row_type}")
        if len(found) == 1:
            return found[0]
        return cls(row_type, pa.concat_tables([row_type.updates_schema.empty_table(), *(each.table for each in found)]))

    @property
    def rows(self) -> int:
        """How many updates there are, whatever their diffs."""
        return int(self.table.num_rows)

    @property
    def diff_sum(self) -> int:
        """The sum of all diffs, which need not fit 64 bits."""
        diffs = self.table[DIFF]
        high, low = pc.shift_right(diffs, 32), pc.bit_wise_and(diffs, 0xFFFF_FFFF)
        return ((pc.sum(high).as_py() or 0) << 32) + (pc.sum(low).as_py() or 0)


def _conform(row_type: RowType, table: pa.Table) -> pa.Table:
    """`table` with exactly the schema of updates and canonical values; itself where nothing is to be changed."""
    schema = row_type.updates_schema
    if not table.schema.equals(schema, check_metadata=True):
        if table.schema.names != schema.names:
            raise UsageError(f"updates have columns {table.schema.names}, not {schema.names}")
        columns = [_cast(expected, column) for expected, column in zip(schema, table.columns, strict=True)]
        table = pa.Table.from_arrays(columns, schema=schema)
    for position in row_type.required:
        if table.column(position).null_count:
            raise UsageError(f'column "{schema.field(position).name}" has nulls and is not nullable')
    if row_type.has_variants:
        table = pa.Table.from_arrays([canonical(column) for column in table.columns], schema=schema)
    return table


def _cast(expected: pa.Field, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if column.type.equals(expected.type, check_metadata=True):
        return column
    if canonical_type(expected.name, column.type) != expected.type:
        raise UsageError(f'column "{expected.name}" has type {column.type}, not {expected.type}')
    return column.cast(expected.type)
