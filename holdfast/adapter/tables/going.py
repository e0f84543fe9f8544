"""Many rows that go, found at once among those of a table by the numbers that they have.

To find each by itself takes ten microseconds, and to count all rows anew copies the table. Here rows are paired by a
hash of their numbers, and what was paired is compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.adapter.tables.keys import Int64s
from holdfast.adapter.tables.segment import Segment
from holdfast.repr.consolidate import hashes_of_words

_MARKS = 24
"""Bits of a hash by which most rows that stay are told from those that go, in a table of a byte for each value."""


def places_of(going: Sequence[pa.Array], segments: Sequence[Segment]) -> list[tuple[Segment, Int64s]] | None:
    """In which segments living rows that are the same as those of `going` are, and where: one for each of them.

    None: they were not all found. They may be there: rows without numbers, or with NaN, or with the same numbers as
    others, are not told apart here.
    """
    wanted = hashes_of_words(going)
    if wanted is None:
        return None
    near, hashes = _near(segments, wanted)
    order, going_order = np.argsort(hashes, kind="stable"), np.argsort(wanted, kind="stable")
    hashes, wanted = hashes[order], wanted[going_order]
    # Of rows with one hash the first goes with the first, the second with the second.
    rank = np.arange(len(wanted)) - wanted.searchsorted(wanted)
    pair = hashes.searchsorted(wanted) + rank
    if len(pair) == 0 or pair.max() >= len(hashes) or (hashes[pair] != wanted).any():
        return None
    slots = near[order[pair]]
    by_slot = np.argsort(slots)
    return _same_places(slots[by_slot], [column.take(pa.array(going_order[by_slot])) for column in going], segments)


def _near(segments: Sequence[Segment], wanted: npt.NDArray[np.uint64]) -> tuple[Int64s, npt.NDArray[np.uint64]]:
    """The slots of living rows that have the same marks as some that go, at least, and their hashes."""
    shift = np.uint64(64 - _MARKS)
    marks = np.zeros(1 << _MARKS, np.bool_)
    marks[wanted >> shift] = True
    slots, found = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    for segment in segments:
        hashes = hashes_of_words(segment.columns)
        assert hashes is not None  # all have columns of the same types
        near = marks[hashes >> shift]
        near[np.fromiter(segment.dead, np.int64, len(segment.dead))] = False
        places = np.flatnonzero(near)
        slots.append(places + segment.start)
        found.append(hashes[places])
    return np.concatenate(slots), np.concatenate(found)


def _same_places(
    slots: Int64s, going: Sequence[pa.Array], segments: Sequence[Segment]
) -> list[tuple[Segment, Int64s]] | None:
    """The places of slots in order, if the rows there are those that go, in the same order."""
    found = []
    for segment in segments:
        begin, end = (int(slots.searchsorted(bound)) for bound in (segment.start, segment.start + segment.count))
        if begin == end:
            continue
        places = slots[begin:end] - segment.start
        taken = pa.array(places)
        for ours, theirs in zip(segment.columns, going, strict=True):
            if not ours.take(taken).equals(theirs.slice(begin, end - begin)):
                return None
        found.append((segment, places))
    return found
