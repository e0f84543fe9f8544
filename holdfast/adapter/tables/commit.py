"""What happened to a table at one time: rows that came and rows that went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.tables.shape import array_of
from holdfast.compute.evaluate.values import table_of
from holdfast.errors import UsageError
from holdfast.plan.types import Type
from holdfast.repr.cut import times_of
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType, canonical_type
from holdfast.repr.update import UpdateBatch


@dataclass(frozen=True, slots=True)
class TableChange:
    """Rows to insert and rows to delete, each as often as it is listed: columns in the order of the table's."""

    added: pa.Table
    removed: pa.Table

    @property
    def rows(self) -> int:
        return int(self.added.num_rows + self.removed.num_rows)


@dataclass(frozen=True, slots=True, eq=False)
class RowShape:
    """The columns of rows that are told by their values. `nothing` has no rows."""

    types: tuple[Type, ...]
    nothing: pa.Table


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """Rows to insert, by their values. Those of one shape become columns together, when they are committed."""

    shape: RowShape
    values: Sequence[tuple[object, ...]]

    @property
    def rows(self) -> int:
        return len(self.values)

    def in_columns(self) -> TableChange:
        nothing = self.shape.nothing
        return TableChange(table_of(self.values, self.shape.types, nothing.schema.names), nothing)


Write = TableChange | InsertedRows
"""What one transaction does to a table."""


@dataclass(frozen=True, slots=True)
class TableCommit:
    """Changes at `time`: the first `inserts` of the updates add their rows, the others take them away."""

    time: Timestamp
    updates: UpdateBatch
    inserts: int

    @property
    def columns(self) -> list[pa.Array]:
        """The rows of all updates."""
        return [array_of(self.updates.table.column(index)) for index in range(len(self.updates.row_type.names))]

    @property
    def nbytes(self) -> int:
        return int(self.updates.table.nbytes)


def check_change(row_type: RowType, change: Write) -> None:
    """Refuse what is no change of a table with rows like these. Columns may be missing at the end: they are null."""
    for table in (change.shape.nothing,) if isinstance(change, InsertedRows) else (change.added, change.removed):
        found = table.schema.types
        if found == row_type.schema.types:
            continue
        if len(found) > len(row_type.names):
            raise UsageError(f"a change has {len(found)} columns, the table {len(row_type.names)}")
        for field, expected in zip(table.schema, row_type.schema.types, strict=False):
            if canonical_type(field.name, field.type) != expected:
                raise UsageError(
                    f'column "{field.name}" of a change has type {field.type}, that of the table {expected}'
                )


def commit_of(row_type: RowType, writes: Sequence[Write], time: Timestamp) -> TableCommit:
    """Changes of some rows, which were checked, as updates at `time`."""
    changes = in_columns(writes)
    added = [change.added for change in changes if change.added.num_rows]
    removed = [change.removed for change in changes if change.removed.num_rows]
    inserts, deletes = (sum(int(table.num_rows) for table in tables) for tables in (added, removed))
    columns = [_column(field.type, index, [*added, *removed]) for index, field in enumerate(row_type.schema)]
    diffs = np.ones(inserts + deletes, np.int64)
    diffs[inserts:] = -1
    columns += [pa.array(np.full(inserts + deletes, time)), pa.array(diffs)]
    table = pa.Table.from_arrays(columns, schema=row_type.updates_schema)
    return TableCommit(time, UpdateBatch(row_type, table), inserts)


def in_columns(writes: Iterable[Write]) -> list[TableChange]:
    """The same changes, in columns."""
    changes: list[TableChange] = []
    by_shape: dict[RowShape, list[tuple[object, ...]]] = {}
    for write in writes:
        if isinstance(write, InsertedRows):
            by_shape.setdefault(write.shape, []).extend(write.values)
        else:
            changes.append(write)
    return [*changes, *(InsertedRows(shape, values).in_columns() for shape, values in by_shape.items())]


def _column(data_type: pa.DataType, index: int, tables: Sequence[pa.Table]) -> pa.Array:
    pieces = [
        pa.nulls(table.num_rows, data_type) if index >= table.num_columns else _cast(table.column(index), data_type)
        for table in tables
    ]
    return pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces)


def _cast(column: pa.ChunkedArray, data_type: pa.DataType) -> pa.Array:
    return array_of(column if column.type == data_type else column.cast(data_type))


def commits_of(updates: UpdateBatch) -> list[TableCommit]:
    """What happens at each time, in order: rows that come, then rows that go, each as often as it does."""
    return [_at(updates, time) for time in times_of([updates])]


def _at(updates: UpdateBatch, time: Timestamp) -> TableCommit:
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
