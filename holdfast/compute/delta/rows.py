"""Updates as rows for the evaluator: their values, then time and diff; and back.

Few updates are consolidated here, in Python: Arrow's ways to do it take longer to begin than these take in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from holdfast.compute.evaluate.multiset import Multiset
from holdfast.compute.evaluate.scalars import Row
from holdfast.compute.evaluate.values import Value, fitted, fitting_to_arrow, from_arrow, table_of, to_arrow
from holdfast.plan.order import is_itself
from holdfast.plan.relation import Columns
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import Numeric, Type
from holdfast.repr.consolidate import advance_by, consolidate
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.update import UpdateBatch

FEW = 4096
"""Updates up to which Python consolidates them."""

_FLOATS = ("float4", "float8")


def updates_of(batch: UpdateBatch | None, columns: Columns) -> Multiset:
    if batch is None or not batch.rows:
        return Multiset([])
    table = batch.table
    values = _values(table, columns)
    return Multiset(list(zip(*values, *(table.column(len(columns) + i).to_pylist() for i in (0, 1)), strict=True)))


def settled(batch: UpdateBatch | None, columns: Columns, first: Timestamp) -> Multiset:
    """The updates as seen from `first`, consolidated."""
    if batch is None or not batch.rows:
        return Multiset([])
    types = [column.type for column in columns]
    if batch.rows <= FEW and _are_plain(types):
        table = batch.table
        values, width = _values(table, columns), len(columns)
        if not _has_nan(values, types):
            times = [max(time, first) for time in table.column(width).to_pylist()]
            rows = zip(*values, times, strict=True)
            return Multiset(_summed(zip(rows, table.column(width + 1).to_pylist(), strict=True)))
    return updates_of(consolidate(advance_by(batch, at(first))), columns)


def batch_of(updates: Iterable[tuple[Row, int]], types: Sequence[Type]) -> UpdateBatch:
    """Rows with time and diff at the end, each as often as it counts, consolidated."""
    row_type, width = row_type_of(types), len(types)
    made = [row if count == 1 else (*row[:-1], row[-1] * count) for row, count in updates]
    if not made:
        return UpdateBatch.empty(row_type)
    done, convert = False, to_arrow
    if len(made) <= FEW and _are_plain(types):
        fits = [(index, fitted(type_)) for index, type_ in enumerate(types) if isinstance(type_, Numeric)]
        if fits:
            # Numbers that differ only in digits that their type does not have are the same.
            made, convert = [_fit(row, fits) for row in made], fitting_to_arrow
        floats = [index for index, type_ in enumerate(types) if type_.base in _FLOATS]
        done = not any(row[index] != row[index] for index in floats for row in made)
        if done:
            made = _summed((row[:-1], row[-1]) for row in made)
    columns = [convert([row[index] for row in made], type_) for index, type_ in enumerate(types)]
    columns += [pa.array([row[width + place] for row in made], pa.int64()) for place in (0, 1)]
    batch = UpdateBatch(row_type, pa.Table.from_arrays(columns, names=row_type.updates_schema.names))
    return batch if done else consolidate(batch)


def contents(updates: Iterable[Row], columns: Columns, time: Timestamp | int) -> pa.Table:
    """The rows at a time, each as often as it is there."""
    types = [column.type for column in columns]
    there = [row for row in updates if row[-2] <= time]
    counted = Multiset([row[:-2] for row in there], [row[-1] for row in there])
    return table_of(counted.expanded(types), types, [f"c{index}" for index in range(len(types))])


def _values(table: pa.Table, columns: Columns) -> list[list[Value]]:
    return [from_arrow(table.column(index), column.type) for index, column in enumerate(columns)]


def _are_plain(types: Sequence[Type]) -> bool:
    """Whether values in Python are equal where their bits in Arrow are, but for NaN."""
    return all(is_itself(type_) or type_.base in _FLOATS for type_ in types)


def _has_nan(values: Sequence[Sequence[Value]], types: Sequence[Type]) -> bool:
    floats = (column for column, type_ in zip(values, types, strict=True) if type_.base in _FLOATS)
    return any(value != value for column in floats for value in column)


def _fit(row: Row, fits: Sequence[tuple[int, Value]]) -> Row:
    values = list(row)
    for index, fit in fits:
        if values[index] is not None:
            values[index] = fit(values[index])
    return tuple(values)


def _summed(updates: Iterable[tuple[Row, int]]) -> list[Row]:
    """Each row and time once, with the sum of its diffs, where that is not zero."""
    totals: dict[Row, int] = {}
    for row, diff in updates:
        totals[row] = totals.get(row, 0) + diff
    return [(*row, diff) for row, diff in totals.items() if diff]
