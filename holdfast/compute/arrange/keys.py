"""Keys that are looked for: different ones, as values of the columns they are looked for in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.arrange.entries import (
    Mask,
    Positions,
    UInt32s,
    entries_of,
    positions_in,
    repeats,
    words_in,
    words_of,
)
from holdfast.compute.arrange.same import representatives, same, taken
from holdfast.errors import UsageError
from holdfast.repr.canonical import canonical
from holdfast.repr.row import canonical_type


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Different keys, in the order of their words.

    - `words` are different and ascend.
    - The keys with the word at `n` are the rows of `columns` from `starts[n]` up to `starts[n + 1]`: one, as a rule.
    """

    columns: list[pa.Array]
    words: UInt32s
    starts: Positions

    @classmethod
    def of(cls, types: Sequence[pa.DataType], keys: Sequence[pa.Array | pa.ChunkedArray]) -> Keys:
        """The rows of `keys` that can be values of columns of these `types`, as many and at least one."""
        if len({len(column) for column in keys}) > 1:
            raise UsageError(f"columns of keys have {[len(column) for column in keys]} values")
        columns = _conformed(types, keys)
        words = words_of(columns, len(columns[0]))
        different = np.flatnonzero(representatives(columns, words) == np.arange(len(words)))
        entries = entries_of(words[different], different)
        starts = np.flatnonzero(~repeats(entries))
        return cls(taken(columns, positions_in(entries)), words_in(entries[starts]), np.append(starts, len(entries)))

    def match(self, which: Positions, columns: Sequence[pa.Array]) -> Mask:
        """For each row of `columns`, whose word is that at `which`, whether it is one of the keys."""
        first, count = self.starts[which], np.diff(self.starts)[which]
        found = same(columns, taken(self.columns, first))
        for number in range(1, int(count.max(initial=0))):
            rows = np.flatnonzero(~found & (count > number))
            found[rows] = same(taken(columns, rows), taken(self.columns, first[rows] + number))
        return found


def _conformed(types: Sequence[pa.DataType], keys: Sequence[pa.Array | pa.ChunkedArray]) -> list[pa.Array]:
    """`keys` as values of `types`, without the rows that have an integer that is too large for its type."""
    fitting: Mask | None = None
    columns: list[pa.Array] = []
    for data_type, key in zip(types, keys, strict=True):
        column = _array(key)
        if pa.types.is_integer(data_type) and pa.types.is_integer(column.type):
            if column.type.bit_width + pa.types.is_unsigned_integer(column.type) > data_type.bit_width:
                fits = _fits(column, data_type)
                fitting = fits if fitting is None else fitting & fits
            column = column.cast(data_type, safe=False)
        elif column.type != data_type:
            if not pa.types.is_null(column.type) and canonical_type("key", column.type) != data_type:
                raise UsageError(f"key of type {column.type} is looked for in a column of type {data_type}")
            column = column.cast(data_type)
        columns.append(_array(canonical(pa.chunked_array([column], data_type))))
    if fitting is None or bool(fitting.all()):
        return columns
    return taken(columns, np.flatnonzero(fitting))


def _fits(column: pa.Array, data_type: pa.DataType) -> Mask:
    """Where `column` is null, or an integer that `data_type`, which is signed, has too."""
    most = 2 ** (data_type.bit_width - 1) - 1
    fits = pc.less_equal(column, pa.scalar(most, column.type))
    if pa.types.is_signed_integer(column.type):
        fits = pc.and_(fits, pc.greater_equal(column, pa.scalar(-most - 1, column.type)))
    mask: Mask = np.array(fits.fill_null(True).to_numpy(zero_copy_only=False), np.bool_)
    return mask


def _array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
