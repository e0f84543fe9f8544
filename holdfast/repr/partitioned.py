"""Partitioned offsets: the times of an upstream that is many sequences at once.

A message of a topic is at `(partition, offset)`, and messages of different
partitions are not ordered. A frontier must also speak of partitions that do
not exist yet, so a time holds a range of partitions: with partitions 0 and 1
at offsets 3 and 1, the frontier is {(0, 3), (1, 1), ((1, +inf), 0)}. A new
partition splits the open range, which only advances the frontier: nothing can
appear at a time that was closed before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NewType

from holdfast.errors import UsageError
from holdfast.repr.antichain import Antichain

Partition = NewType("Partition", int)
Offset = NewType("Offset", int)


@dataclass(frozen=True, slots=True)
class PartitionRange:
    """The partition numbers strictly between `after` and `before`; None is unbounded.

    Never empty. Each set of consecutive numbers has one representation: a
    single partition `p` is the range between `p - 1` and `p + 1`.
    """

    after: int | None
    before: int | None

    def __post_init__(self) -> None:
        if self.after is not None and self.before is not None and self.before - self.after < 2:
            raise UsageError(f"partition range ({self.after}, {self.before}) is empty")

    @classmethod
    def single(cls, partition: Partition) -> PartitionRange:
        return cls(partition - 1, partition + 1)

    def contains(self, other: PartitionRange) -> bool:
        return (self.after is None or (other.after is not None and self.after <= other.after)) and (
            self.before is None or (other.before is not None and other.before <= self.before)
        )

    def intersection(self, other: PartitionRange) -> PartitionRange | None:
        """The partitions in both, or None if there are none."""
        after = max((end for end in (self.after, other.after) if end is not None), default=None)
        before = min((end for end in (self.before, other.before) if end is not None), default=None)
        if after is not None and before is not None and before - after < 2:
            return None
        return PartitionRange(after, before)

    def __str__(self) -> str:
        if self.after is not None and self.before is not None and self.before - self.after == 2:
            return str(self.after + 1)
        after = "-inf" if self.after is None else str(self.after)
        before = "+inf" if self.before is None else str(self.before)
        return f"({after}, {before})"


@dataclass(frozen=True, slots=True)
class PartitionedOffset:
    """The same offset in every partition of a range.

    `a` is less or equal `b` iff `a.partitions` contains `b.partitions` and
    `a.offset <= b.offset`.
    """

    partitions: PartitionRange
    offset: Offset

    def less_equal(self, other: PartitionedOffset) -> bool:
        return self.offset <= other.offset and self.partitions.contains(other.partitions)

    def join(self, other: PartitionedOffset) -> tuple[PartitionedOffset, ...]:
        """The partitions in both at the later offset; nothing if they share none."""
        shared = self.partitions.intersection(other.partitions)
        return () if shared is None else (PartitionedOffset(shared, max(self.offset, other.offset)),)

    def sort_key(self) -> tuple[int, ...]:
        after, before = self.partitions.after, self.partitions.before
        return (after is not None, after or 0, before is None, before or 0, self.offset)

    def __str__(self) -> str:
        return f"({self.partitions}, {self.offset})"


def message_time(partition: Partition, offset: Offset) -> PartitionedOffset:
    """The time of one message."""
    return PartitionedOffset(PartitionRange.single(partition), offset)


def topic_frontier(offsets: Mapping[Partition, Offset]) -> Antichain[PartitionedOffset]:
    """The frontier of a topic whose partitions have been read up to `offsets`, and all others not at all.

    It covers every partition number from 0 on exactly once. Partitions and
    offsets are not negative.
    """
    for partition, offset in offsets.items():
        if partition < 0 or offset < 0:
            raise UsageError(f"partition {partition} at offset {offset} is negative")
    elements: list[PartitionedOffset] = []
    last = -1
    for partition in sorted(offsets):
        if partition - last >= 2:
            elements.append(PartitionedOffset(PartitionRange(last, partition), Offset(0)))
        elements.append(message_time(partition, offsets[partition]))
        last = partition
    elements.append(PartitionedOffset(PartitionRange(last, None), Offset(0)))
    return Antichain.of(elements)


def offset_of(frontier: Antichain[PartitionedOffset], partition: Partition) -> Offset:
    """How far `partition` has been read. The frontier must cover it exactly once, as a topic's does."""
    single = PartitionRange.single(partition)
    covering = [time for time in frontier.elements if time.partitions.contains(single)]
    if len(covering) != 1:
        raise UsageError(f"frontier {frontier} covers partition {partition} {len(covering)} times")
    return covering[0].offset
