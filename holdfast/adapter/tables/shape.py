"""How a table is kept: the collection that it is, and the values in its columns."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from holdfast.repr.ids import GlobalId

_PREFIX = "table "


def collection_of(id: GlobalId) -> str:
    return f"{_PREFIX}{id}"


def is_table(collection: str) -> bool:
    """Whether a collection of this name is that of a table, perhaps of one that is gone."""
    return collection.startswith(_PREFIX)


def table_of(columns: Sequence[pa.ChunkedArray | pa.Array], names: Sequence[str], rows: int) -> pa.Table:
    """A table that has so many rows, also if it has no columns."""
    if not columns:
        return pa.table({"": pa.nulls(rows)}).select([])
    return pa.Table.from_arrays(list(columns), names=list(names))


def array_of(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece, copied only if it is in several."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
