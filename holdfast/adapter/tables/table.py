"""A table that is open: where it is kept, how far back it can be read, and who holds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from holdfast.adapter.tables.commit import TableCommit
from holdfast.adapter.tables.hold import Held
from holdfast.adapter.tables.kept import Kept
from holdfast.adapter.tables.progress import Progress
from holdfast.persist import WriteHandle
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import Type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


class Reader(Protocol):
    """Who wants to know at once when a table has changed."""

    def input_changed(self, time: Timestamp) -> None:
        """Something happened to the table at `time`, which it is not complete at yet."""


class Table:
    """`since` only grows, and never past a hold. What persist keeps may reach further back, never less far.

    `changed_at` is a time at or after the last change. `kept` is what is in memory, if it is; while it is being read,
    `meanwhile` is what was committed. A table that is dropped can still be read by those who hold it.
    """

    def __init__(
        self,
        id: GlobalId,
        handle: WriteHandle,
        types: Sequence[Type],
        retain: int | None,
        since: Timestamp,
        progress: Progress,
        on_free: Callable[[Table], None],
    ) -> None:
        self.id, self.handle, self.progress = id, handle, progress
        self.types, self.row_type = tuple(types), row_type_of(types)
        self.retain = retain
        self.held = Held(lambda: on_free(self))
        self.kept: Kept | None = None
        self.meanwhile: list[TableCommit] | None = None
        self.is_dropped = False
        self.readers: set[Reader] = set()
        upper = handle.upper.time
        assert upper is not None  # only a collection that ended has none
        self.changed_at = Timestamp(max(upper - 1, 0))
        self._since = since

    def since(self, retain: int) -> Timestamp:
        """The earliest time that can be read, if `retain` is what most tables remember."""
        wanted = self.progress.complete - (retain if self.retain is None else self.retain)
        held = self.held.least()
        if held is not None and held < wanted:
            wanted = held
        if wanted > self._since:
            self._since = Timestamp(wanted)
        return self._since

    @property
    def earliest(self) -> Timestamp:
        """The earliest time that could be read when that was asked last."""
        return self._since

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

    def stored_bytes(self) -> int:
        return sum(batch.size for batch in self.handle.state.batches)
