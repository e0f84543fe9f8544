"""Tables sorted by Arrow, where it has our order of values."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.plan.relation import OrderKey, Relation
from holdfast.plan.scalar import Column
from holdfast.plan.types import Type

FLOATS = frozenset(("float4", "float8"))

_NUMBERS = frozenset(("bool", "int2", "int4", "int8", "uint2", "uint4", "oid", "mz_timestamp"))
_TEXTS = frozenset(("text", "varchar", "bpchar", "name", "uuid", "bytea"))
_TIMES = frozenset(("date", "time", "timestamp", "timestamptz"))
SAME_ORDER = _NUMBERS | _TEXTS | _TIMES
"""Bases that Arrow compares and sorts as we do: texts by bytes, dates and timestamps by number, infinite ones too."""

_SORTABLE = SAME_ORDER | FLOATS | {"numeric", "uint8"}


def is_sortable(order: Sequence[OrderKey], relation: Relation, *, break_ties: bool) -> bool:
    """Whether Arrow can sort the rows of the relation by `order` and, with `break_ties`, then by all columns."""
    types = [key.expression.type for key in order]
    if break_ties:
        types += [column.type for column in relation.columns]
    return all(isinstance(key.expression, Column) for key in order) and all(type_.base in _SORTABLE for type_ in types)


def sorted_table(
    table: pa.Table,
    types: Sequence[Type],
    order: Sequence[OrderKey],
    start: int,
    count: int | None,
    *,
    break_ties: bool,
) -> pa.Table:
    """`count` rows from `start` on, sorted by `order`, which is sortable. Ties are told apart or stay as they are."""
    columns = _Keys(table, types)
    for key in order:
        if isinstance(key.expression, Column):
            columns.add(key.expression.index, descending=key.descending, nulls_first=key.nulls_first)
    if break_ties:
        for index in range(len(types)):
            columns.add(index, descending=False, nulls_first=False)
    if not columns.sort_keys:
        return table.slice(start, count)
    if break_ties and count is not None and start + count < table.num_rows:
        # Without ties there is one answer, which is found without sorting the rest.
        found = pc.select_k_unstable(columns.table(), start + count, sort_keys=columns.sort_keys)
    else:
        found = pc.sort_indices(columns.table(), sort_keys=columns.sort_keys)
    return table.take(found.slice(start, count))


class _Keys:
    """Columns for Arrow to sort by: nulls and NaN, which it keeps at the end, are in columns of their own."""

    def __init__(self, table: pa.Table, types: Sequence[Type]) -> None:
        self._given, self._types = table, types
        self._columns: list[pa.ChunkedArray] = []
        self._added: set[int] = set()
        self.sort_keys: list[tuple[str, str]] = []

    def add(self, index: int, *, descending: bool, nulls_first: bool) -> None:
        if index in self._added:
            return  # rows that are still equal agree in it
        self._added.add(index)
        column = self._given.column(index)
        if column.null_count:
            self._add(pc.is_null(column), descending=nulls_first)
        if self._types[index].base in FLOATS:
            self._add(pc.is_nan(column), descending=descending)
        self._add(column, descending=descending)

    def _add(self, column: pa.ChunkedArray, *, descending: bool) -> None:
        self.sort_keys.append((str(len(self._columns)), "descending" if descending else "ascending"))
        self._columns.append(column)

    def table(self) -> pa.Table:
        return pa.Table.from_arrays(self._columns, names=[name for name, _ in self.sort_keys])
