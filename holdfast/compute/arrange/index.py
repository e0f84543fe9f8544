"""Indexes of one run of rows: positions, in the order of a hash of theirs or of a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.compute.arrange.same import Mask, Positions
from holdfast.repr.hash import hash_rows

UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]

MAX_ROWS = 2**31 - 1
"""Rows of a run: their positions are half of a word."""

_HALF = np.uint64(32)
_LOW = np.uint64(2**32 - 1)

_BUCKET_ROWS = 8
"""Rows for each bucket of a directory, about: what is gathered for a key beside its own rows."""

_DIRECTORY_FROM = 1 << 12
"""Rows from which a directory pays: a binary search in fewer stays in the processor's cache."""

_MOST_GATHERED = 16 * _BUCKET_ROWS
"""Entries for each key, on average, above which buckets are skewed and a binary search is better."""


def words_of(columns: Sequence[pa.Array], rows: int) -> UInt32s:
    """The words by which rows are found: the high halves of their hashes. Equal rows have equal words."""
    hashes = hash_rows(columns, rows).view(np.uint64)
    return (hashes >> _HALF).astype(np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class HashIndex:
    """The rows of a run by their words.

    - `entries` has one number for each row, its word above its position, in order. Plain numbers are sorted several
      times faster than positions by something else, so runs are merged by sorting their entries.
    - The entries whose words begin with the bits `b` are those from `starts[b]` up to `starts[b + 1]`: finding a key
      takes two misses of the processor's cache, however many rows there are. Small runs have no `starts`.
    """

    entries: UInt64s
    starts: npt.NDArray[np.int32] | None
    shift: int

    @classmethod
    def of_words(cls, words: UInt32s) -> HashIndex:
        entries = words.astype(np.uint64) << _HALF
        entries |= np.arange(len(words), dtype=np.uint64)
        entries.sort()
        return cls._of_sorted(entries)

    @classmethod
    def merged(cls, indexes: Sequence[HashIndex], offsets: Sequence[int]) -> HashIndex:
        """The index of runs put one after another, the first rows of which are then at `offsets`."""
        moved = [index.entries + np.uint64(offset) for index, offset in zip(indexes, offsets, strict=True)]
        entries = np.concatenate(moved)
        entries.sort()
        return cls._of_sorted(entries)

    @classmethod
    def _of_sorted(cls, entries: UInt64s) -> HashIndex:
        if len(entries) < _DIRECTORY_FROM:
            return cls(entries, None, 0)
        bits = (len(entries) // _BUCKET_ROWS).bit_length()
        shift = 32 - bits
        firsts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(shift + 32)
        starts = np.append(np.searchsorted(entries, firsts), len(entries)).astype(np.int32)
        return cls(entries, starts, shift)

    @property
    def nbytes(self) -> int:
        return int(self.entries.nbytes) + (0 if self.starts is None else int(self.starts.nbytes))

    def kept(self, mask: Mask) -> HashIndex:
        """The index of the rows where `mask` holds, put together in their order."""
        positions = self.entries & _LOW
        chosen = mask[positions]
        moved = (np.cumsum(mask) - 1).astype(np.uint64)[positions[chosen]]
        return self._of_sorted((self.entries[chosen] & ~_LOW) | moved)

    def find(self, words: UInt32s) -> tuple[Positions, Positions]:
        """Each pair of one of `words`, by its number, and the position of a row that has it. Words ascend."""
        if self.starts is not None:
            buckets = words >> np.uint32(self.shift)
            begins, ends = self.starts[buckets], self.starts[buckets.astype(np.int64) + 1]
            if int(np.sum(ends - begins, dtype=np.int64)) <= _MOST_GATHERED * len(words):
                which, entries = self._gather(begins, ends)
                own = (entries >> _HALF) == words[which]
                return which[own], (entries[own] & _LOW).astype(np.int64)
        lows = words.astype(np.uint64) << _HALF
        which, entries = self._gather(
            np.searchsorted(self.entries, lows), np.searchsorted(self.entries, lows | _LOW, side="right")
        )
        return which, (entries & _LOW).astype(np.int64)

    def shared(self) -> Positions:
        """The positions of the rows whose words are not theirs alone."""
        equal = np.zeros(len(self.entries) + 1, np.bool_)
        np.less_equal(self.entries[1:] ^ self.entries[:-1], _LOW, out=equal[1:-1])
        return (self.entries[equal[1:] | equal[:-1]] & _LOW).astype(np.int64)

    def _gather(self, begins: npt.NDArray[np.integer], ends: npt.NDArray[np.integer]) -> tuple[Positions, UInt64s]:
        """The entries of some stretches, and the number of the stretch that each is of."""
        counts = (ends - begins).astype(np.int64)
        which = np.repeat(np.arange(len(counts)), counts)
        # What is taken off the number of an entry among all gathered, to have its place here.
        ahead = np.cumsum(counts) - counts - begins
        return which, self.entries[np.arange(len(which)) - ahead[which]]


@dataclass(frozen=True, slots=True, eq=False)
class ValueIndex:
    """The rows of a run by their values in an int64 column, ascending. Rows that have null there are left out."""

    values: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int32]

    @classmethod
    def of_column(cls, column: pa.Array) -> ValueIndex:
        present = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        return cls._of(np.asarray(column.drop_null()), present.astype(np.int32))

    @classmethod
    def merged(cls, indexes: Sequence[ValueIndex], offsets: Sequence[int]) -> ValueIndex:
        """The index of runs put one after another, the first rows of which are then at `offsets`."""
        moved = [index.positions + np.int32(offset) for index, offset in zip(indexes, offsets, strict=True)]
        return cls._of(np.concatenate([index.values for index in indexes]), np.concatenate(moved))

    @classmethod
    def _of(cls, values: npt.NDArray[np.int64], positions: npt.NDArray[np.int32]) -> ValueIndex:
        # A stable sort makes use of stretches that are in order already.
        order = np.argsort(values, kind="stable")
        return cls(values[order], positions[order])

    @property
    def nbytes(self) -> int:
        return int(self.values.nbytes) + int(self.positions.nbytes)

    def kept(self, mask: Mask) -> ValueIndex:
        """The index of the rows where `mask` holds, put together in their order."""
        chosen = mask[self.positions]
        moved = (np.cumsum(mask) - 1).astype(np.int32)
        return ValueIndex(self.values[chosen], moved[self.positions[chosen]])

    def below(self, value: int) -> Positions:
        """The positions of the rows whose values are less than `value`, which may be any integer."""
        limits = np.iinfo(np.int64)
        count = len(self.values) if value > limits.max else int(np.searchsorted(self.values, max(value, limits.min)))
        return self.positions[:count].astype(np.int64)
