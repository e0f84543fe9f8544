"""Shards on paper: parts that exist only as lists of updates, and what reading and merging them means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pyarrow as pa

from holdfast.persist.batch import Slice, bounded, own_slices
from holdfast.persist.part import Part, Sums
from holdfast.persist.shard import Merge, ShardState
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType

Update = tuple[int, int, int]
"""A row, its time and its diff."""

INTEGERS = RowType.of(("n", pa.int64()))

MODULUS = 2**64
MULTIPLIER = 0x9E37_79B9_7F4A_7C15
"""Spreads small rows over all hashes."""


def shard(name: str = "orders", shard_id: int = 1, row_type: RowType = INTEGERS) -> ShardState:
    """A new shard."""
    return ShardState(ShardId(shard_id), name, "columns", row_type.names, (row_type,))


def sums(updates: Iterable[Update]) -> Sums:
    listed = list(updates)
    content = sum(diff * row * MULTIPLIER for row, _, diff in listed) % MODULUS
    return Sums(sum(diff for _, _, diff in listed), content)


def at_time(updates: Iterable[Update], time: int) -> Counter[int]:
    """The collection at `time`."""
    totals: Counter[int] = Counter()
    for row, update_time, diff in updates:
        if update_time <= time:
            totals[row] += diff
    return Counter({row: diff for row, diff in totals.items() if diff})


def consolidated(updates: Iterable[Update]) -> list[Update]:
    totals: Counter[tuple[int, int]] = Counter()
    for row, time, diff in updates:
        totals[row, time] += diff
    return sorted((row, time, diff) for (row, time), diff in totals.items() if diff)


class Paper:
    """The updates of every part made here, by its key."""

    def __init__(self) -> None:
        self.updates: dict[str, list[Update]] = {}

    def part(self, updates: Sequence[Update]) -> Part:
        """A part that truly describes `updates`, which are not empty."""
        key = f"s1/e1-{len(self.updates):04x}-0.parquet"
        self.updates[key] = list(updates)
        times, diffs = [time for _, time, _ in updates], [diff for _, _, diff in updates]
        hashes = sorted(row * MULTIPLIER % MODULUS - MODULUS // 2 for row, _, _ in updates)
        return Part(
            key=key,
            schema_id=0,
            rows=len(updates),
            size=100 * len(updates),
            sha256=f"{len(self.updates):064x}",
            min_time=Timestamp(min(times)),
            max_time=Timestamp(max(times)),
            min_diff=min(diffs),
            max_diff=max(diffs),
            sums=sums(updates),
            min_hash=hashes[0],
            max_hash=hashes[-1],
            stats=(),
        )

    def small_part(self, updates: Sequence[Update]) -> Part:
        """A part of updates that nobody has hashed."""
        part = self.part(updates)
        return replace(part, sums=Sums(part.sums.diffs, None), min_hash=-MODULUS // 2, max_hash=MODULUS // 2 - 1)

    def parts(self, updates: Sequence[Update], size: int = 3) -> list[Part]:
        """Parts of at most `size` updates."""
        return [self.part(updates[start : start + size]) for start in range(0, len(updates), size)]

    def read(self, slices: Iterable[Slice]) -> list[Update]:
        return [
            update
            for piece in slices
            for update in self.updates[piece.part.key]
            if piece.lower <= update[1] and not piece.upper.less_equal(Timestamp(update[1]))
        ]

    def merge(self, state: ShardState, start: int, stop: int, since: Frontier) -> Merge:
        """The batches from `start` to `stop`, merged."""
        chosen = list(bounded(state.batches, state.upper))[start:stop]
        read = self.read(piece for batch, end in chosen for piece in own_slices(batch, end))
        advanced = consolidated((row, since.advance(Timestamp(time)), diff) for row, time, diff in read)
        return Merge(tuple(batch for batch, _ in chosen), tuple(self.parts(advanced)), since, sums(read))
