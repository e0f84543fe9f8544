"""How a table is kept: the collection that it is, and the values in its columns.

Columns of the collection are named by their positions. So they can be renamed, and called what persist or Spark would
not take: names that differ only in case, `_time`. That a column is NOT NULL is for those who write to see to.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa

from holdfast.plan.types import Type, arrow_type
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import RowType

_PREFIX = "table "


def collection_of(id: GlobalId) -> str:
    return f"{_PREFIX}{id}"


def is_table(collection: str) -> bool:
    """Whether a collection of this name is that of a table, perhaps of one that is gone."""
    return collection.startswith(_PREFIX)


def row_type_of(types: Sequence[Type]) -> RowType:
    return _row_type(tuple(types))


@lru_cache(maxsize=4096)
def _row_type(types: tuple[Type, ...]) -> RowType:
    return RowType(pa.schema([(f"c{index}", arrow_type(type_)) for index, type_ in enumerate(types)]))


def table_of(columns: Sequence[pa.ChunkedArray | pa.Array], names: Sequence[str], rows: int) -> pa.Table:
    """A table that has so many rows, also if it has no columns."""
    if not columns:
        return pa.table({"": pa.nulls(rows)}).select([])
    return pa.Table.from_arrays(list(columns), names=list(names))


def array_of(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece, copied only if it is in several."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
