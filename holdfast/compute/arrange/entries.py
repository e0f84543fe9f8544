"""Entries: positions of rows in the order of their hashes.

An entry is one number, the word of a row above its position. Plain numbers
are sorted several times faster than positions by something else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.repr.hash import hash_rows

Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]
UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]

HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)


def words_of(columns: Sequence[pa.Array], rows: int) -> UInt32s:
    """The words of rows: the high halves of their hashes. Equal rows have equal words."""
    hashes = hash_rows(columns, rows).view(np.uint64)
    return (hashes >> HALF).astype(np.uint32)


def entries_of(words: UInt32s, positions: Positions) -> UInt64s:
    """The entries of rows with these words at these positions, in order."""
    entries = words.astype(np.uint64) << HALF
    entries |= positions.view(np.uint64)
    entries.sort()
    return entries


def words_in(entries: UInt64s) -> UInt32s:
    return (entries >> HALF).astype(np.uint32)


def positions_in(entries: UInt64s) -> Positions:
    return (entries & LOW).view(np.int64)


def repeats(entries: UInt64s) -> Mask:
    """Whether an entry has the word of the one before."""
    mask = np.zeros(len(entries), np.bool_)
    np.less_equal(entries[1:] ^ entries[:-1], LOW, out=mask[1:])
    return mask
