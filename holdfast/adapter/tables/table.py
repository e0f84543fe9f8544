"""A table that is open: where it is kept, how far back it can be read, and who holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from holdfast.adapter.tables.commit import TableCommit
from holdfast.adapter.tables.kept import Kept
from holdfast.compute.maintain import Progress, ReadCapability, Reader
from holdfast.persist import WriteHandle
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import Type
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId

_OFFSET = 4
"""Bytes that say where a value begins whose type has no width."""


class Table:
    """`since` only grows, and never past a capability. What persist keeps may reach further back, never less far.

    `claims` are the read capabilities of the catalog's: by the items for which the table is there, which are itself, or
    the indexes of a view that is not materialized. They follow what the table is to remember. Once none is left it is
    dropped: it can still be read by those who hold other capabilities, all of which are among its `holders`.

    `changed_at` is a time at or after the last change. `kept` is what is in memory, if it is; while it is being read,
    `meanwhile` is what was committed.
    """

    def __init__(
        self,
        id: GlobalId,
        handle: WriteHandle,
        types: Sequence[Type],
        retain: int | None,
        claims: Mapping[GlobalId, ReadCapability],
        progress: Progress,
    ) -> None:
        """There are claims, all at the earliest time that can be read."""
        self.id, self.handle, self.progress = id, handle, progress
        self.types, self.row_type = tuple(types), row_type_of(types)
        self.retain = retain
        self._claims = dict(claims)
        first = next(iter(claims.values()))
        self.holders, earliest = first.holders, first.frontier.time
        assert earliest is not None  # they were not dropped yet
        self._since = earliest
        self.kept: Kept | None = None
        self.meanwhile: list[TableCommit] | None = None
        self.readers: set[Reader] = set()
        upper = handle.upper.time
        assert upper is not None  # only a collection that ended has none
        self.changed_at = Timestamp(max(upper - 1, 0))
        self._good_at: Timestamp | None = None

    def since(self, retain: int) -> Timestamp:
        """The earliest time that can be read, if `retain` is what most tables remember."""
        wanted = Timestamp(self.progress.complete - (retain if self.retain is None else self.retain))
        if wanted > self._since:
            for claim in self._claims.values():
                claim.advance(wanted)
            held = self.holders.least()
            self._since = max(self._since, wanted if held is None else min(held, wanted))
        return self._since

    def is_good(self, time: Timestamp) -> bool:
        """Whether the table is known to have rows at `time`.

        It is asked of one time again and again, and what is known of a time stays true.
        """
        if time != self._good_at:
            if self.progress.complete < time or self.progress.erring(time, time) is not None:
                return False
            self._good_at = time
        return True

    @property
    def earliest(self) -> Timestamp:
        """The earliest time that could be read when that was asked last."""
        return self._since

    @property
    def is_dropped(self) -> bool:
        """Whether it is in no catalog any more."""
        return not self._claims

    def capability(self, at: Timestamp) -> ReadCapability:
        """The right to read the table from `at` on, which it can be."""
        return ReadCapability(self.id, Frontier(at), self.holders)

    def claim(self, index: GlobalId) -> None:
        """The table is there for an index too, unless it is there anyway."""
        if self.id not in self._claims and index not in self._claims:
            self._claims[index] = self.capability(self._since)

    def unclaim(self, item: GlobalId) -> ReadCapability | None:
        """It is no longer there for an item. The claim, if there was one, is for the caller to drop."""
        return self._claims.pop(item, None)

    def widen(self, types: Sequence[Type]) -> None:
        """The table has more columns from now on."""
        self.types, self.row_type = tuple(types), row_type_of(types)
        self.kept = self.meanwhile = None

    def note(self, commit: TableCommit) -> None:
        """What was committed last. The table is not complete at its time yet."""
        self.changed_at = commit.time
        if self.kept is not None:
            self.kept.note(commit)
        if self.meanwhile is not None:
            self.meanwhile.append(commit)
        self.tell_readers(commit.time)

    def tell_readers(self, time: Timestamp) -> None:
        """Something happened to the table at `time`, which it is not complete at yet."""
        for reader in self.readers:
            reader.input_changed(time)

    def rewritten(self, time: Timestamp) -> None:
        """The table is another at `time`, in ways that only persist knows."""
        self.changed_at = time
        self.kept = self.meanwhile = None
        self.tell_readers(time)

    def last_change(self) -> Timestamp | None:
        """When the collection changed last, as far as persist knows. None: never."""
        return max((part.max_time for batch in self.handle.state.batches for part in batch.parts), default=None)

    @property
    def readable(self) -> Timestamp | None:
        """The last time at which persist itself has the table complete. None: it never had anything."""
        upper = self.handle.upper.time
        return Timestamp(upper - 1) if upper else None

    def stored_rows(self) -> int:
        """How many rows persist has, all history aside."""
        return sum(part.sums.diffs for batch in self.handle.state.batches for part in batch.parts)

    def expected_bytes(self) -> int:
        """What all rows would take in memory, about: those in persist take less, being compressed."""
        widths = [_width(field.type) for field in self.row_type.schema]
        texts = sum(batch.size for batch in self.handle.state.batches) if None in widths else 0
        return self.stored_rows() * sum(width or _OFFSET for width in widths) + texts


def _width(data_type: pa.DataType) -> int | None:
    """Bytes of a value. None: they differ, as those of texts do."""
    try:
        return int(data_type.bit_width + 7) // 8
    except ValueError:
        return None
