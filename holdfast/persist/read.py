"""Reading collections: as of a time, as changes, or both without gap or double.

Readers of one collection at one time all get the same multiset. What they get
is consolidated, so they get the same rows too, though in no particular order.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa

from holdfast.errors import UsageError
from holdfast.persist.batch import Slice
from holdfast.persist.commit import Committer
from holdfast.persist.encoding import PartFormat
from holdfast.persist.errors import AsOfBeforeSince, CorruptPart, LeaseExpired, ReadTimeout
from holdfast.persist.merge import merge
from holdfast.persist.metadata import Metadata
from holdfast.persist.parts import Parts
from holdfast.persist.shard import Expired, Lease, ReaderId, ShardState, SincePassed
from holdfast.persist.watch import Watch
from holdfast.repr.consolidate import as_of as collapse
from holdfast.repr.consolidate import consolidate
from holdfast.repr.frontier import Frontier, Timestamp, after
from holdfast.repr.ids import ShardId
from holdfast.repr.row import TIME, RowType
from holdfast.repr.update import UpdateBatch

Item = TypeVar("Item")


class ReadHost(Protocol):
    """What a handle needs of the instance it belongs to."""

    committer: Committer
    metadata: Metadata
    parts: Parts
    watch: Watch
    readers: set[ReadHandle]

    def lease_end(self) -> int:
        """Until when a lease renewed now is good."""

    def check_open(self) -> None:
        """Raise if the instance can serve no reads any more."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Updates, and the frontier up to which all updates have now been told."""

    updates: UpdateBatch
    upper: Frontier


@dataclass(frozen=True, slots=True)
class Pinned:
    """A version of a shard and what to read of it, safe from garbage collection while pinned."""

    state: ShardState
    slices: list[Slice]

    @property
    def form(self) -> PartFormat:
        return PartFormat.of(self.state)


class ReadHandle:
    """The right to read a collection at times in advance of `since`, for as long as it is held.

    While it is held, compaction does not take the collection's since past ours. A handle loses that right if its
    process is silent for longer than the lease `reader`; it then gets errors, never wrong rows. `lasting` is a hold
    that stays then, and when the handle is closed.
    """

    def __init__(
        self,
        host: ReadHost,
        shard: ShardId,
        name: str,
        reader: ReaderId | None,
        since: Frontier,
        lasting: ReaderId | None = None,
    ) -> None:
        self.shard, self.name = shard, name
        self._host, self._reader, self._lasting = host, reader, lasting
        self._since = since
        self._pins: dict[int, int] = {}
        self._expired = False

    @property
    def since(self) -> Frontier:
        """The times that this handle may read are in advance of it."""
        return self._since

    @property
    def row_type(self) -> RowType:
        return self._state().row_type

    @property
    def upper(self) -> Frontier:
        """The latest upper that this instance has seen."""
        return self._state().upper

    # Reading

    async def wait_for_upper(self, past: Timestamp, timeout: float | None = None) -> Frontier:
        """Wait until the collection is complete at `past`."""
        return (await self._complete_at(past, timeout)).upper

    async def snapshot(self, as_of: Timestamp, timeout: float | None = None) -> AsyncIterator[UpdateBatch]:
        """The collection at `as_of`, as batches of ascending key hashes with all updates at that time.

        Waits for `upper` to pass `as_of`, at most `timeout` seconds. Memory is bounded by the overlap of the
        collection's parts, not by its size.
        """
        with await self.pin_snapshot(as_of, timeout) as pinned:
            merged = self._merged(pinned, partial(collapse, time=as_of))
            async for batch in self._guarded(merged):
                yield batch

    async def rows(self, as_of: Timestamp, timeout: float | None = None) -> UpdateBatch:
        """The whole collection at `as_of`, in memory."""
        batches = [batch async for batch in self.snapshot(as_of, timeout)]
        return UpdateBatch.concat(batches[0].row_type if batches else self.row_type, batches)

    async def updates(self, as_of: Timestamp, columns: Sequence[str]) -> AsyncIterator[UpdateBatch]:
        """The collection at `as_of` as updates of some columns at that time, not consolidated and in no order.

        Memory is bounded by the size of a part.
        """
        with await self.pin_snapshot(as_of) as pinned:
            async for batch in self._guarded(self._unmerged(pinned, columns, as_of)):
                yield batch

    async def updates_between(
        self, lower: Timestamp, upper: Frontier, columns: Sequence[str]
    ) -> AsyncIterator[UpdateBatch]:
        """The updates from `lower`, which is later than `since`, to `upper`, of some columns, not consolidated."""
        with await self.pin_changes(lower, upper) as pinned:
            async for batch in self._guarded(self._unmerged(pinned, columns, None)):
                yield batch

    async def listen(self, start: Timestamp) -> AsyncIterator[Changes]:
        """All updates at times in advance of `start`, at their own times, as they become complete.

        `start` must be later than `since`, for what happened at `since` and before can no longer be told apart,
        unless that is the least time. Ends when the collection's upper is empty.
        """
        frontier = Frontier(start)
        if not self._distinguishes(start):
            raise AsOfBeforeSince(self.name, start, self._since)
        while frontier.time is not None:
            state = await self._state_beyond(frontier)
            with self._pin(state, state.changes(frontier.time, state.upper)) as pinned:
                merged = self._merged(pinned, consolidate)
                async for batch in self._guarded(merged):
                    yield Changes(batch, frontier)
            frontier = state.upper
            yield Changes(UpdateBatch.empty(state.row_type), frontier)

    async def changes(self, lower: Timestamp, upper: Frontier) -> AsyncIterator[UpdateBatch]:
        """The updates from `lower`, which is later than `since`, to `upper`, at their own times and in no order."""
        with await self.pin_changes(lower, upper) as pinned:
            async for batch in self._guarded(self._merged(pinned, consolidate)):
                yield batch

    async def subscribe(self, as_of: Timestamp, timeout: float | None = None) -> AsyncIterator[Changes]:
        """The collection at `as_of`, then every change after it."""
        async for batch in self.snapshot(as_of, timeout):
            yield Changes(batch, Frontier(as_of))
        yield Changes(UpdateBatch.empty(self.row_type), after(as_of))
        if as_of + 1 < 2**63:
            async for changes in self.listen(Timestamp(as_of + 1)):
                yield changes

    # Holding

    async def downgrade(self, since: Frontier) -> None:
        """Give up the right to read before `since`. A hold never moves back."""
        if not self._since <= since:
            raise UsageError(f"hold cannot retreat from {self._since} to {since}")
        self._since = since
        await asyncio.gather(self._downgrade_lasting(), self.renew())

    async def renew(self) -> None:
        """Renew the lease, and tell how far this handle has let go."""
        if self._reader is None or self._expired:
            return
        lease = Lease(min(self._pins, default=self._state().seqno), self._host.lease_end())
        command = partial(ShardState.downgrade, reader=self._reader, since=self._since, lease=lease)
        if isinstance(await self._host.committer.apply(self.shard, command), Expired):
            self._expired = True

    async def _downgrade_lasting(self) -> None:
        if self._lasting is not None:
            command = partial(ShardState.downgrade, reader=self._lasting, since=self._since, lease=None)
            await self._host.committer.apply(self.shard, command)

    async def close(self) -> None:
        """Give the hold back. (A critical hold stays: it is to outlive its holder.)"""
        self._host.readers.discard(self)
        if self._reader is not None and not self._expired:
            self._expired = True
            reader = self._reader
            await self._host.committer.apply(self.shard, lambda state: state.release(reader))

    async def pin_snapshot(self, as_of: Timestamp, timeout: float | None = None) -> _Pin:
        """What to read for the collection at `as_of`. Use as a context manager: it ends the protection of the parts."""
        if not self._since.less_equal(as_of):
            raise AsOfBeforeSince(self.name, as_of, self._since)
        state = await self._complete_at(as_of, timeout)
        if not state.since.less_equal(as_of):
            raise self._lost(as_of, state)
        return self._pin(state, state.snapshot(as_of))

    async def pin_changes(self, lower: Timestamp, upper: Frontier, timeout: float | None = None) -> _Pin:
        """What to read for the updates from `lower` to `upper`. Use as a context manager."""
        if not self._distinguishes(lower):
            raise AsOfBeforeSince(self.name, lower, self._since)
        state = self._state()
        if upper.time is not None and upper.time > 0:
            state = await self._complete_at(Timestamp(upper.time - 1), timeout)
        return self._pin(state, state.changes(lower, upper))

    @property
    def parts(self) -> Parts:
        return self._host.parts

    def _distinguishes(self, start: Timestamp) -> bool:
        return self._since == Frontier(Timestamp(0)) or self._since < Frontier(start)

    def _state(self) -> ShardState:
        state = self._host.committer.state(self.shard)
        assert state is not None  # the instance loaded it before it made the handle
        return state

    async def _complete_at(self, time: Timestamp, timeout: float | None) -> ShardState:
        try:
            async with asyncio.timeout(timeout):
                return await self._state_where(lambda state: not state.upper.less_equal(time))
        except TimeoutError:
            raise ReadTimeout(self.name, time, self._state().upper) from None

    async def _state_beyond(self, frontier: Frontier) -> ShardState:
        return await self._state_where(lambda state: frontier < state.upper)

    async def _state_where(self, condition: Callable[[ShardState], bool]) -> ShardState:
        while True:
            self._host.check_open()
            if self._expired:
                raise self._lease_error()
            changed = self._host.watch.event(self.shard)
            state = self._state()
            if condition(state):
                return state
            await changed.wait()

    def _pin(self, state: ShardState, found: list[Slice] | SincePassed) -> _Pin:
        if isinstance(found, SincePassed):
            raise self._lease_error()
        return _Pin(self._pins, Pinned(state, found))

    def _merged(self, pinned: Pinned, collapse: Callable[[UpdateBatch], UpdateBatch]) -> Iterator[UpdateBatch]:
        return merge(pinned.form, self.parts.streams(pinned.state, pinned.slices), collapse)

    def _unmerged(self, pinned: Pinned, columns: Sequence[str], time: Timestamp | None) -> Iterator[UpdateBatch]:
        """Updates at that time, or at their own."""
        schema = pinned.state.row_type.schema
        row_type = RowType.of(*((name, schema.field(name).type) for name in columns))
        for piece in pinned.slices:
            for table in self.parts.read(pinned.state.id, piece, pinned.state.schemas, columns):
                if time is not None:
                    times = pa.array(np.full(table.num_rows, time, np.int64))
                    table = table.set_column(len(columns), TIME, times)
                yield UpdateBatch(row_type, table)

    async def _guarded(self, items: Iterator[Item]) -> AsyncIterator[Item]:
        """`items`, each made in a thread. A part that is gone because our lease is gets the error that says so."""
        try:
            while (item := await asyncio.to_thread(next, items, None)) is not None:
                yield item
        except CorruptPart as error:
            await self._explain(error)
            raise

    async def _explain(self, error: CorruptPart) -> None:
        states = await asyncio.to_thread(self._host.metadata.load, [self.shard])
        state = states.get(self.shard)
        if state is None or error.key in state.named_parts():
            return
        if self._reader is None or state.reader(self._reader) is None:
            self._expired = self._reader is not None
            raise self._lease_error() from error

    def _lost(self, as_of: Timestamp, state: ShardState) -> Exception:
        if self._reader is None or state.reader(self._reader) is not None:
            return AsOfBeforeSince(self.name, as_of, state.since)
        self._expired = True
        return self._lease_error()

    def _lease_error(self) -> LeaseExpired:
        return LeaseExpired(self.name, self._reader or "of a reader without contact")


class _Pin:
    """Protects the parts of one version while the block reads them."""

    def __init__(self, pins: dict[int, int], pinned: Pinned) -> None:
        self._pins, self._pinned = pins, pinned

    def __enter__(self) -> Pinned:
        seqno = self._pinned.state.seqno
        self._pins[seqno] = self._pins.get(seqno, 0) + 1
        return self._pinned

    def __exit__(self, *_: object) -> None:
        seqno = self._pinned.state.seqno
        self._pins[seqno] -= 1
        if not self._pins[seqno]:
            del self._pins[seqno]
