"""Which rows are the same, exactly and for many at once.

Values must be canonical (`holdfast.repr.canonical`), so that equal ones have
equal bits. Null is the same as null.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.arrange.entries import Mask, Positions, UInt32s, entries_of, positions_in, repeats
from holdfast.repr.surrogate import surrogates

_BITS = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}
"""A NaN is not equal to itself, but its bits are."""


def same(left: Sequence[pa.Array], right: Sequence[pa.Array]) -> Mask:
    """For each row whether it is the same in the columns `left` and `right`, at least one, of equal types."""
    result = _same_values(left[0], right[0])
    for ours, theirs in zip(left[1:], right[1:], strict=True):
        result &= _same_values(ours, theirs)
    return result


def representatives(columns: Sequence[pa.Array], words: UInt32s) -> Positions:
    """For each row the position of one that is the same: one for all that are the same, itself for a row alone.

    Rows that are the same have the same of `words`; for those that are not it may happen, and costs time only.
    """
    result = np.arange(len(words))
    rows = result
    while True:
        # Of the rows of each word the first leads. Those that differ from their leader are left for the next round.
        rows, leaders = _led(rows, words)
        if len(rows) == 0:
            return result
        agree = same(taken(columns, rows), taken(columns, leaders))
        result[rows[agree]] = leaders[agree]
        rows = rows[~agree]


def taken(columns: Sequence[pa.Array], positions: Positions) -> list[pa.Array]:
    """The rows of `columns` at `positions`."""
    chosen = pa.array(positions)
    return [column.take(chosen) for column in columns]


def _led(rows: Positions, words: UInt32s) -> tuple[Positions, Positions]:
    """Those of `rows` whose word an earlier one has too, and for each the first that has it."""
    entries = entries_of(words[rows], rows)
    follows = repeats(entries)
    ordered = positions_in(entries)
    leaders = ordered[np.maximum.accumulate(np.where(follows, 0, np.arange(len(ordered))))]
    return ordered[follows], leaders[follows]


def _same_values(left: pa.Array, right: pa.Array) -> Mask:
    if pa.types.is_nested(left.type):
        codes = np.asarray(surrogates(pa.concat_arrays([left, right])))
        nested: Mask = codes[: len(left)] == codes[len(left) :]
        return nested
    if left.type in _BITS:
        left, right = left.view(_BITS[left.type]), right.view(_BITS[right.type])
    equal = pc.equal(left, right)
    if equal.null_count:
        equal = pc.coalesce(equal, pc.and_(left.is_null(), right.is_null()))
    mask: Mask = np.array(equal.to_numpy(zero_copy_only=False), np.bool_)
    return mask
