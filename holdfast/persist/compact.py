"""Compaction: fewer, larger parts with the same contents at every time in advance of `since`.

Which batches to merge is a pure decision:

- *Tiers*: `FAN` neighbours of about one size are merged into one of the next size, so the number of
  batches grows with the logarithm of the updates, and each update is rewritten once a tier. The smallest
  wait for `SMALL_FAN`: merging a few small batches takes as long as appending them did.
- *Waste*: once history that nobody may read any more makes up half of what is stored, all of it is
  merged, so a collection takes room in proportion to its rows and the history it must keep. So are the last batches,
  if it is half of them and much: rows that come in numbers and go again do not wait for others of their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa

from holdfast.persist.batch import Batch, Slice, bounded, own_slices
from holdfast.persist.encoding import Hashes, PartFormat, Stage, encode_sorted, rows_per_part, sort_by_hash, sums
from holdfast.persist.merge import Stream, merge
from holdfast.persist.part import Part, Sums
from holdfast.persist.parts import Parts
from holdfast.persist.rest import Rest
from holdfast.persist.shard import Merge, ShardState
from holdfast.repr.consolidate import advance_by, consolidate
from holdfast.repr.frontier import EMPTY, Frontier, after
from holdfast.repr.row import DIFF
from holdfast.repr.update import UpdateBatch

FAN = 8
SMALL_FAN = 32
SMALLEST_TIER = 1024
"""Batches of fewer updates are all of one tier."""
MANY = 100_000
"""Updates of the last batches that are merged because most are needless, at least; and those of a merge that waits
while someone asks for rest.
"""


@dataclass(frozen=True, slots=True)
class MergeTask:
    """`inputs` are neighbouring batches of `state`, to be merged with their times advanced to `since`."""

    state: ShardState
    inputs: tuple[Batch, ...]
    since: Frontier

    @property
    def slices(self) -> list[Slice]:
        ends = {batch.lower: end for batch, end in bounded(self.state.batches, self.state.upper)}
        return [piece for batch in self.inputs for piece in own_slices(batch, ends[batch.lower])]

    @property
    def size(self) -> int:
        return sum(batch.size for batch in self.inputs)

    @property
    def is_large(self) -> bool:
        """Whether it takes a processor for seconds."""
        return sum(batch.rows for batch in self.inputs) >= MANY


class Merger(Protocol):
    """Something that merges: in process, or on Spark."""

    def __call__(self, task: MergeTask, parts: Parts, stage: Stage, rest: Rest) -> Merge: ...


def choose(state: ShardState) -> MergeTask | None:
    """The next merge worth doing, if any."""
    if state.since == EMPTY or len(state.batches) == 0:
        return None
    inputs = _wasteful(state) or _crowded(state)
    return MergeTask(state, inputs, state.since) if inputs else None


def _crowded(state: ShardState) -> tuple[Batch, ...]:
    """The neighbours of the lowest tier that has enough of them.

    A batch counts as no smaller than any after it, so the batches of a tier are neighbours, and what came before
    a large batch is not left behind. A large one is not rewritten for the small ones after it.
    """
    tiers = list(accumulate((_tier(batch.rows) for batch in reversed(state.batches)), max))[::-1]
    for tier in sorted(set(tiers)):
        start, count = tiers.index(tier), tiers.count(tier)
        if count >= (FAN if tier else SMALL_FAN):
            return state.batches[start : start + count]
    return ()


def _wasteful(state: ShardState) -> tuple[Batch, ...]:
    """Batches whose times can no longer be told apart, if most of their updates are needless: all of them, or the last,
    if these are many. They are as many as possible.
    """
    old, needed, rows = list[Batch](), list[_Needed](), list[int]()
    for batch, end in bounded(state.batches, state.upper):
        if state.since.time is None or not end <= after(state.since.time):
            break
        settled = end.time is not None and batch.since.time is not None and end <= after(batch.since.time)
        old.append(batch)
        rows.append(batch.rows)
        needed.append(_Needed(sum(part.sums.diffs for part in batch.parts), batch.rows if settled else 0))
    for start, (total, least) in enumerate(zip(_from_each(rows), _from_each(needed), strict=True)):
        enough = start == 0 or (len(old) - start > 1 and total >= MANY)
        if enough and total > 2 * least.updates + SMALLEST_TIER:
            return tuple(old[start:])
    return ()


@dataclass(frozen=True, slots=True)
class _Needed:
    """What is known of the updates that are left of some when they are merged: the sum of their diffs, and how many
    there are that were merged before.
    """

    diffs: int
    settled: int

    def __add__(self, other: _Needed) -> _Needed:
        return _Needed(self.diffs + other.diffs, self.settled + other.settled)

    @property
    def updates(self) -> int:
        return max(abs(self.diffs), self.settled)


_Added = TypeVar("_Added", int, _Needed)


def _from_each(values: list[_Added]) -> list[_Added]:
    """The sum of each and all that come after it."""
    return list(accumulate(reversed(values)))[::-1]


def _tier(rows: int) -> int:
    tier, limit = 0, SMALLEST_TIER
    while rows >= limit:
        tier, limit = tier + 1, limit * FAN
    return tier


def merge_in_process(task: MergeTask, parts: Parts, stage: Stage, rest: Rest) -> Merge:
    """Merge as a stream, a few row groups of each input at a time, if it is large with pauses while someone asks for
    rest.
    """
    form = PartFormat.of(task.state)
    read = _ReadSums(form)
    streams = [Stream(s.min_hash, partial(read.through, s.open)) for s in parts.streams(task.state, task.slices)]

    def advanced(batch: UpdateBatch) -> UpdateBatch:
        if task.is_large:
            rest.pause()
        return consolidate(advance_by(batch, task.since))

    written = tuple(_written(form, merge(form, streams, advanced), parts, stage))
    return Merge(task.inputs, written, task.since, read.total)


class _ReadSums:
    """Adds up what passes through."""

    def __init__(self, form: PartFormat) -> None:
        self._form = form
        self.total = Sums()

    def through(self, tables: Callable[[], Iterator[tuple[pa.Table, Hashes]]]) -> Iterator[tuple[pa.Table, Hashes]]:
        for table, hashes in tables():
            self.total += sums(table[DIFF].to_numpy(), self._form.content_hashes(table, hashes))
            yield table, hashes


def _written(form: PartFormat, batches: Iterator[UpdateBatch], parts: Parts, stage: Stage) -> Iterator[Part]:
    """Parts of full size of the batches, which come in ascending hash order."""
    held: list[tuple[pa.Table, Hashes]] = []
    number = 0

    def flush(step: int) -> Iterator[Part]:
        nonlocal number
        table = pa.concat_tables([table for table, _ in held])
        hashes = np.concatenate([hashes for _, hashes in held])
        held.clear()
        for start in range(0, table.num_rows, step):
            number += 1
            piece = encode_sorted(
                form, stage.key(f"m{number}"), table.slice(start, step), hashes[start : start + step], None
            )
            yield parts.put(piece)

    step = 1
    for batch in batches:
        held.append(sort_by_hash(form, batch.table))
        step = rows_per_part(batch.table)
        if sum(table.num_rows for table, _ in held) >= step:
            yield from flush(step)
    if held:
        yield from flush(step)
