"""Which rows are the same, exactly and for many at once.

Values must be canonical (`holdfast.repr.canonical`), so that equal ones have
equal bits. Null is the same as null.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.repr.surrogate import surrogates

Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]

_BITS = {pa.float32(): pa.int32(), pa.float64(): pa.int64()}
"""A NaN is not equal to itself, but its bits are."""


def same(left: Sequence[pa.Array], right: Sequence[pa.Array]) -> Mask:
    """For each row whether it is the same in the columns `left` and `right`, at least one, of equal types."""
    result = _same_values(left[0], right[0])
    for ours, theirs in zip(left[1:], right[1:], strict=True):
        result &= _same_values(ours, theirs)
    return result


def representatives(columns: Sequence[pa.Array], hashes: npt.NDArray[np.int64]) -> Positions:
    """For each row the position of one that is the same: one for all that are the same, itself for a row alone.

    Rows that are the same have the same of `hashes`; for those that are not it may happen, and costs time only.
    """
    result = np.arange(len(hashes))
    open_rows = result
    while True:
        # Of the rows of each hash the first leads. Those that differ from their leader are left for the next round.
        open_rows, leaders = _led(open_rows, hashes)
        if len(open_rows) == 0:
            return result
        agree = same(taken(columns, open_rows), taken(columns, leaders))
        result[open_rows[agree]] = leaders[agree]
        open_rows = open_rows[~agree]


def taken(columns: Sequence[pa.Array], positions: Positions) -> list[pa.Array]:
    """The rows of `columns` at `positions`."""
    chosen = pa.array(positions)
    return [column.take(chosen) for column in columns]


def _led(rows: Positions, hashes: npt.NDArray[np.int64]) -> tuple[Positions, Positions]:
    """Those of `rows` that share their hash with another, and for each the first that has it."""
    rows = rows[np.argsort(hashes[rows], kind="stable")]
    ordered = hashes[rows]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(rows)])
    lengths = np.diff(starts, append=len(rows))
    shared = np.repeat(lengths > 1, lengths)
    return rows[shared], np.repeat(rows[starts], lengths)[shared]


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
