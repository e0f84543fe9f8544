"""A part: immutable updates, as the metadata describes them.

They are a Parquet file in the blob store or, if they are few, bytes that the
metadata keeps with the description. The description is what makes a part
trustworthy: a reader accepts bytes only if they have this length and this hash,
and a merge is accepted only if the sums of what it wrote are the sums of what
it read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from holdfast.repr.frontier import Frontier, Timestamp

Bound: TypeAlias = bool | int | float | str | bytes

_SUMS_MODULUS = 2**64


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """Bounds of one column of a part: `lower <= value <= upper` for every value that is not null.

    None bounds say nothing (a type without useful order, or values too long to keep).
    """

    lower: Bound | None
    upper: Bound | None
    nulls: int


@dataclass(frozen=True, slots=True)
class Sums:
    """A fingerprint of a multiset of updates, blind to their times and order.

    `diffs` is the sum of the diffs, `content` the sum of diff x hash(row) modulo 2^64. Both are linear:
    updates that cancel contribute nothing, so consolidation and the advancing of times leave them alone.
    `content` is None where nobody has hashed the rows yet.
    """

    diffs: int = 0
    content: int | None = 0

    def __add__(self, other: Sums) -> Sums:
        if self.content is None or other.content is None:
            return Sums(self.diffs + other.diffs, None)
        return Sums(self.diffs + other.diffs, (self.content + other.content) % _SUMS_MODULUS)

    def agree(self, other: Sums) -> bool:
        """Whether both may be the sums of the same updates."""
        unknown = self.content is None or other.content is None
        return self.diffs == other.diffs and (unknown or self.content == other.content)


@dataclass(frozen=True, slots=True)
class Part:
    """A part is never empty.

    Its updates are sorted by the hash of their key, and its sums are known: both unless it is small and was written
    as it came. Whoever reads such a part sorts it then, in no time, and its hash bounds say nothing.

    `inline` are its bytes if it has no blob; whoever has the description then has the part.
    """

    key: str
    schema_id: int
    rows: int
    size: int
    sha256: str
    min_time: Timestamp
    max_time: Timestamp
    min_diff: int
    max_diff: int
    sums: Sums
    min_hash: int
    max_hash: int
    stats: tuple[tuple[str, ColumnStats], ...]
    inline: bytes | None = field(default=None, repr=False)

    @property
    def is_sorted(self) -> bool:
        return self.sums.content is not None

    @property
    def inserts_only(self) -> bool:
        """Whether every update is one insertion, so that the updates are the rows themselves."""
        return self.min_diff == self.max_diff == 1

    def within(self, lower: Frontier, upper: Frontier) -> bool:
        """Whether all its times are in advance of `lower` and not of `upper`."""
        return lower.less_equal(self.min_time) and not upper.less_equal(self.max_time)


def total(parts: Iterable[Part]) -> Sums:
    return sum((part.sums for part in parts), Sums())
