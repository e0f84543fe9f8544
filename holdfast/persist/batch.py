"""Batches: which parts hold the updates of which times.

A shard's batches are kept in the order of their `lower`s. A batch ends where the next one begins, the last
one at the shard's `upper`, and before the first `lower` there are no updates. So no list of batches can
have a gap or an overlap: every time below `upper` belongs to exactly one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.persist.part import Part
from holdfast.repr.frontier import EMPTY, MIN_TIME, MINIMUM, Frontier, Timestamp


@dataclass(frozen=True, slots=True)
class Batch:
    """Updates from `lower` on.

    - While `since` is the minimum, times are as written. Parts may reach beyond the batch (a part written
      before its times were sealed is named by every batch that it has times for); what lies outside the
      batch's bounds is not its.
    - Otherwise times before `since` have been advanced to it, and all of every part is the batch's.
    - `parts` may be empty: then all that was in the batch has cancelled.
    """

    lower: Timestamp
    since: Frontier
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)


@dataclass(frozen=True, slots=True)
class Slice:
    """The updates of `part` with `lower <= time`, and `time < upper` unless `upper` is empty."""

    part: Part
    lower: Timestamp
    upper: Frontier

    @property
    def whole(self) -> bool:
        """Whether no update of the part is left out."""
        return self.part.within(Frontier(self.lower), self.upper)


def bounded(batches: Sequence[Batch], upper: Frontier) -> Iterator[tuple[Batch, Frontier]]:
    """Each batch with the frontier where it ends."""
    for position, batch in enumerate(batches):
        is_last = position + 1 == len(batches)
        yield batch, upper if is_last else Frontier(batches[position + 1].lower)


def own_slices(batch: Batch, end: Frontier) -> list[Slice]:
    """All updates of a batch that ends at `end`."""
    if batch.since == MINIMUM:
        return [Slice(part, batch.lower, end) for part in batch.parts]
    return [Slice(part, MIN_TIME, EMPTY) for part in batch.parts]


def slices(batches: Sequence[Batch], shard_upper: Frontier, lower: Timestamp, upper: Frontier) -> list[Slice]:
    """What to read for the updates with `lower <= time` and before `upper`.

    Batches must have been compacted to times before `lower` at most, unless `lower` is the least time.
    """
    found = []
    for batch, end in bounded(batches, shard_upper):
        if upper.less_equal(batch.lower):
            break
        if end <= Frontier(lower):
            continue
        for own in own_slices(batch, end):
            piece = Slice(own.part, max(own.lower, lower), own.upper.meet(upper))
            if piece.lower <= piece.part.max_time and not piece.upper.less_equal(piece.part.min_time):
                found.append(piece)
    return found
