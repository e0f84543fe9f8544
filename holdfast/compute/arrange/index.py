"""Indexes of one run of rows: positions, in the order of a hash of theirs or of a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.compute.arrange.entries import (
    HALF,
    LOW,
    Mask,
    Positions,
    UInt32s,
    UInt64s,
    entries_of,
    positions_in,
    repeats,
    words_in,
)

MAX_ROWS = 2**31 - 1
"""Rows of a run: their positions are half of a word."""

_BUCKET_ROWS = 8
"""Rows for each bucket of a directory, about: what is gathered for a key beside its own rows."""

_DIRECTORY_FROM = 1 << 12
"""Rows from which a directory pays: a binary search in fewer stays in the processor's cache."""

_MOST_GATHERED = 16 * _BUCKET_ROWS
"""Entries for each key, on average, above which buckets are skewed and a binary search is better."""


@dataclass(frozen=True, slots=True, eq=False)
class HashIndex:
    """The rows of a run by their words.

    - `entries` has one for each row.
    - The entries whose words begin with the bits `b` are those from `starts[b]` up to `starts[b + 1]`: finding a key
      takes two misses of the processor's cache, however many rows there are. Small runs have no `starts`.
    """

    entries: UInt64s
    starts: npt.NDArray[np.int32] | None
    shift: int

    @classmethod
    def of_words(cls, words: UInt32s) -> HashIndex:
        return cls._of_sorted(entries_of(words, np.arange(len(words))))

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
        positions = positions_in(self.entries)
        chosen = mask[positions]
        moved = (np.cumsum(mask) - 1).astype(np.uint64)[positions[chosen]]
        return self._of_sorted((self.entries[chosen] & ~LOW) | moved)

    def find(self, words: UInt32s) -> tuple[Positions, Positions]:
        """Each pair of one of `words`, by its number, and the position of a row that has it. Words ascend."""
        if self.starts is not None and len(words) * _BUCKET_ROWS < len(self.entries):
            buckets = words >> np.uint32(self.shift)
            begins, ends = self.starts[buckets], self.starts[buckets + np.uint32(1)]
            if int(np.sum(ends - begins, dtype=np.int64)) <= _MOST_GATHERED * len(words):
                which, entries = self._gather(begins, ends)
                own = words_in(entries) == words[which]
                return which[own], positions_in(entries[own])
        # Words so many that searching for one leaves what the next needs in the cache, or skewed ones.
        lows = words.astype(np.uint64) << HALF
        begins, ends = (np.searchsorted(self.entries, lows), np.searchsorted(self.entries, lows | LOW, side="right"))
        which, entries = self._gather(begins, ends)
        return which, positions_in(entries)

    def shared(self) -> Positions:
        """The positions of the rows whose words are not theirs alone, ascending."""
        follows = repeats(self.entries)
        leads = np.append(follows[1:], False)
        return np.sort(positions_in(self.entries[follows | leads]))

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
        order = np.argsort(values)
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
