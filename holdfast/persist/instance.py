"""An instance of persist: a client that talks to its stores directly, with no service in between.

Read-write: one at a time for a store, by its lock and epoch. Read-only: any number, anywhere. Stopping
finishes what is pending; a crash instead loses nothing that was acknowledged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from holdfast.errors import HoldfastError, OutcomeUnknown, UnavailableError
from holdfast.persist import gc
from holdfast.persist.blob import Blob
from holdfast.persist.cache import PartCache
from holdfast.persist.commit import Committer, States, Work
from holdfast.persist.compact import Merger, choose, merge_in_process
from holdfast.persist.errors import AsOfBeforeSince, Fenced, ReadOnly, SchemaMismatch, Stopped, UnknownCollection
from holdfast.persist.follow import Follower
from holdfast.persist.location import Location
from holdfast.persist.metadata import Commit, Committed, Metadata
from holdfast.persist.metrics import MERGES, PARTS_DELETED, PersistMetrics
from holdfast.persist.notify import Notifier
from holdfast.persist.parts import Parts
from holdfast.persist.read import ReadHandle
from holdfast.persist.retry import pauses, report_and_pause, retrying
from holdfast.persist.settings import PersistSettings
from holdfast.persist.shard import Lease, ReaderId, ShardState, SincePassed, Superseded
from holdfast.persist.store import Lock, StoreState
from holdfast.persist.watch import Watch
from holdfast.persist.write import MultiWriteHandle, WriteHandle
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType, holds_map

log = logging.getLogger(__name__)

Result = TypeVar("Result")

COLUMNS = "columns"
"""The codec of collections whose rows are typed columns."""


class Persist:
    """Made by `open_writer` and `open_reader`; ended by `stop`, or by leaving its `async with` block."""

    def __init__(
        self,
        location: Location,
        metadata: Metadata,
        blob: Blob,
        store: StoreState,
        settings: PersistSettings,
        *,
        merger: Merger = merge_in_process,
        writes: bool,
        leases: bool,
    ) -> None:
        self.settings, self.metadata, self.metrics = settings, metadata, PersistMetrics()
        self.readers: set[ReadHandle] = set()
        self.watch = Watch()
        self._writes, self._leases, self._merger = writes, leases, merger
        self._failure: HoldfastError | None = None
        self._notifier = Notifier()
        self._follower: Follower | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._creating = asyncio.Lock()
        self._compacting = asyncio.Lock()
        self._to_compact: set[ShardId] = set()
        self._compact_wake = asyncio.Event()
        cache = PartCache(settings.cache_bytes, self.metrics)
        self.parts = Parts(location.blob, blob, store.epoch, cache, self.metrics)
        self.committer = Committer(
            metadata, store, writes=writes, now=settings.now, metrics=self.metrics, on_change=self._on_change
        )

    # Starting and stopping

    @classmethod
    async def open_writer(
        cls,
        location: Location,
        *,
        reentrance_id: str | None = None,
        settings: PersistSettings | None = None,
        metadata: Metadata | None = None,
        blob: Blob | None = None,
        merger: Merger = merge_in_process,
    ) -> Persist:
        """The store's one writer. With a `reentrance_id`, takes over from an earlier one with the same.

        `metadata` and `blob` may be given opened: that is how instances in one process share stores in memory.
        """
        settings = settings or PersistSettings()
        metadata, blob = await _opened(location, metadata, blob, read_only=False)
        store = await _acquire(metadata, Lock(_holder(), reentrance_id))
        self = cls(location, metadata, blob, store, settings, merger=merger, writes=True, leases=True)
        log.info("writer started", extra={"epoch": store.epoch, "store": metadata.url})
        if settings.notify:
            await self.committer.set_address(await self._notifier.start())
        self._tasks.append(asyncio.create_task(self._heartbeats(), name="holdfast-leases"))
        if settings.compact:
            self._tasks.append(asyncio.create_task(self._compact_in_background(), name="holdfast-compact"))
        return self

    @classmethod
    async def open_reader(
        cls,
        location: Location,
        *,
        independent: bool = False,
        settings: PersistSettings | None = None,
        metadata: Metadata | None = None,
        blob: Blob | None = None,
    ) -> Persist:
        """A read-only instance. It holds what it reads by leases.

        An `independent` one has no contact to the writer and writes nothing anywhere: it cannot affect the writer in
        any way, and so cannot hold anything back either. Where compaction overtakes it, it gets an error.
        """
        settings = settings or PersistSettings()
        metadata, blob = await _opened(location, metadata, blob, read_only=independent)
        store = await asyncio.to_thread(metadata.store)
        self = cls(location, metadata, blob, store, settings, writes=False, leases=not independent)
        listens = settings.notify and not independent
        self._follower = Follower(
            metadata, self.committer, self.watch, poll_seconds=settings.poll_seconds, listen=listens
        )
        if not independent:
            self._tasks.append(asyncio.create_task(self._heartbeats(), name="holdfast-leases"))
        return self

    async def stop(self) -> None:
        """Finish what is pending and refuse new work; give back the lock and the leases."""
        if isinstance(self._failure, Stopped):
            return
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._follower is not None:
            await self._follower.stop()
        await self._notifier.stop()
        with contextlib.suppress(Fenced, UnavailableError):
            await asyncio.gather(*(reader.close() for reader in list(self.readers)))
        await self.committer.stop()
        if self._writes and self._failure is None:
            await asyncio.to_thread(_release, self.metadata, self.committer.store)
        self._failure = Stopped()
        self.watch.close()
        await asyncio.to_thread(self.metadata.close)

    async def __aenter__(self) -> Persist:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # Collections

    async def create_or_load(
        self, name: str, row_type: RowType, *, key: Sequence[str] | None = None, codec: str = COLUMNS
    ) -> WriteHandle:
        """The collection called `name`, made if there is none, clustered by the columns `key`: by default all.

        A key holds no maps; by default those columns are left out of it.
        A collection that exists must have the same row type (or an older one of it), key and codec.
        """
        self._check_writes()
        possible = [field.name for field in row_type.schema if not holds_map(field.type)]
        key = tuple(possible if key is None else key)
        if wrong := set(key) - set(possible):
            raise SchemaMismatch(name, f"columns {sorted(wrong)} cannot be in its key: they hold maps or do not exist")
        async with self._creating:
            shard = await self._find(name)
            if shard is None:
                work = Work(create=lambda shard: ShardState(shard, name, codec, key, (row_type,)))
                created = await self.committer.submit(work)
                assert isinstance(created, dict)
                (shard,) = created
                log.info("collection created", extra={"shard": shard, "collection": name})
        state = self.committer.state(shard)
        assert state is not None
        if state.codec != codec:
            raise SchemaMismatch(name, f"its codec is {state.codec}, not {codec}")
        if state.key != key or row_type not in state.schemas:
            raise SchemaMismatch(name, f"its rows are {state.row_type} by {state.key}, not {row_type} by {key}")
        return WriteHandle(shard, name, self.committer, self.parts)

    async def writer(self, name: str) -> WriteHandle:
        """A handle to write the collection called `name`, which exists."""
        self._check_writes()
        return WriteHandle(await self._known(name), name, self.committer, self.parts)

    def multi(self, handles: Sequence[WriteHandle]) -> MultiWriteHandle:
        """A handle that writes several collections atomically."""
        self._check_writes()
        return MultiWriteHandle(self.committer, handles)

    async def reader(self, name: str, *, since: Frontier | None = None, critical: str | None = None) -> ReadHandle:
        """A handle to read the collection called `name`, holding `since` (by default the earliest there is).

        With `critical`, a name of the caller's choice, the hold has no lease and survives the process: opening it
        again under the same name finds it as it was.
        """
        self.check_open()
        shard = await self._known(name)
        state = self.committer.state(shard)
        assert state is not None
        if not self._leases:
            return self._handle(shard, name, None, state.since if since is None else since, leased=False)
        reader = ReaderId(f"critical-{critical}" if critical else f"r-{uuid.uuid4().hex}")
        lease = None if critical else Lease(state.seqno, self.lease_end())
        label = f"{_holder()}" if critical is None else critical
        result = await self.committer.apply(shard, lambda s: s.register(reader, since, lease, label))
        if isinstance(result, SincePassed):
            raise AsOfBeforeSince(name, (since.time if since else None) or Timestamp(0), result.since)
        assert isinstance(result, ShardState)
        held = result.reader(reader)
        assert held is not None
        return self._handle(shard, name, reader, held.since, leased=lease is not None)

    def _handle(
        self, shard: ShardId, name: str, reader: ReaderId | None, since: Frontier, *, leased: bool
    ) -> ReadHandle:
        handle = ReadHandle(self, shard, name, reader, since, leased)
        self.readers.add(handle)
        return handle

    async def advance_all(self, upper: Frontier, shards: Sequence[ShardId]) -> None:
        """Advance the uppers of many collections to `upper` in one transaction; those beyond it stay."""
        self._check_writes()
        await self.committer.apply_all([(shard, lambda state: state.seal(upper)) for shard in shards])

    async def _known(self, name: str) -> ShardId:
        shard = await self._find(name)
        if shard is None:
            raise UnknownCollection(name)
        return shard

    async def _find(self, name: str) -> ShardId | None:
        """The shard called `name`, its state loaded."""
        found = await self._retrying("find", lambda: self.metadata.find([name]))
        shard = found.get(name)
        if shard is not None and self.committer.state(shard) is None:
            self.committer.observe(await self._retrying("load", lambda: self.metadata.load([shard])))
        return shard

    async def _retrying(self, action: str, call: Callable[[], Result]) -> Result:
        return await retrying(action, call, self.metrics)

    # Maintenance

    async def compact(self, name: str) -> int:
        """Do all merges worth doing for one collection, now; returns how many."""
        self._check_writes()
        return await self._compact_shard(await self._known(name))

    async def collect_garbage(self) -> int:
        """Delete what no one can need; returns how many blobs. Safe to interrupt anywhere and run again."""
        self._check_writes()
        await asyncio.gather(*(reader.renew() for reader in list(self.readers)))
        states = await self._retrying("load", self._all_states)
        deleted = 0
        for state in states:
            current = state.expire(self.settings.now())
            if retired := current.collectable():
                keys = await self._retrying("delete", partial(gc.delete_retired, self.parts.blob, retired))
                await self.committer.apply(state.id, partial(ShardState.forget, keys=keys))
                deleted += len(keys)
        leaks = await self._retrying(
            "list", lambda: gc.leaked(self.parts.blob, self.metadata, self.parts.epoch, self.parts.in_hand)
        )
        for leak in leaks:
            await self._retrying("delete", partial(self.parts.blob.delete, leak.key))
        deleted += len(leaks)
        self.metrics.add(PARTS_DELETED, deleted)
        return deleted

    def _all_states(self) -> list[ShardState]:
        return list(self.metadata.load([summary.id for summary in self.metadata.summaries()]).values())

    async def _compact_shard(self, shard: ShardId) -> int:
        merges = 0
        async with self._compacting:
            while (state := self.committer.state(shard)) and (task := choose(state)):
                with self.parts.stage(shard) as stage:
                    merged = await self._retrying("merge", partial(self._merger, task, self.parts, stage))
                    result = await self.committer.apply(shard, partial(ShardState.apply_merge, merge=merged))
                if isinstance(result, Superseded):
                    break
                merges += 1
                self.metrics.add(MERGES)
                log.debug("batches merged", extra={"shard": shard, "inputs": len(task.inputs)})
        return merges

    async def _compact_in_background(self) -> None:
        while True:
            await self._compact_wake.wait()
            self._compact_wake.clear()
            while self._to_compact:
                shard = self._to_compact.pop()
                try:
                    await self._compact_shard(shard)
                except Fenced:
                    return
                except HoldfastError as error:
                    log.error("compaction failed", extra={"shard": shard, "reason": str(error)})

    async def _heartbeats(self) -> None:
        """Renew the leases of all readers, in one transaction, four times in each lease."""
        while True:
            await asyncio.sleep(self.settings.lease_ms / 4000)
            with contextlib.suppress(UnavailableError, OutcomeUnknown, Fenced):
                await asyncio.gather(*(reader.renew() for reader in list(self.readers)))

    def _on_change(self, changed: States) -> None:
        self.watch.changed(changed)
        if self._writes:
            self._notifier.tell(changed)
            self._to_compact |= {shard for shard, state in changed.items() if choose(state)}
            if self._to_compact:
                self._compact_wake.set()

    # For handles

    def lease_end(self) -> int:
        return self.settings.now() + self.settings.lease_ms

    def check_open(self) -> None:
        failure = self._failure or self.committer.fenced
        if failure is not None:
            raise failure

    def _check_writes(self) -> None:
        self.check_open()
        if not self._writes:
            raise ReadOnly


def _holder() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


async def _opened(
    location: Location, metadata: Metadata | None, blob: Blob | None, *, read_only: bool
) -> tuple[Metadata, Blob]:
    if metadata is None:
        metadata = await asyncio.to_thread(partial(location.open_metadata, read_only=read_only))
    if blob is None:
        blob = await asyncio.to_thread(location.blob.open)
    return metadata, blob


async def _acquire(metadata: Metadata, lock: Lock) -> StoreState:
    """Take the store's lock; returns the store with our epoch."""
    metrics = PersistMetrics()
    for attempt, pause in enumerate(pauses(), start=1):
        try:
            store = await asyncio.to_thread(_try_acquire, metadata, lock)
        except (UnavailableError, OutcomeUnknown) as error:
            await report_and_pause("take the lock", error, attempt, pause, metrics)
        else:
            if store is not None:
                return store
    raise AssertionError("pauses never end")


def _try_acquire(metadata: Metadata, lock: Lock) -> StoreState | None:
    """None: another writer changed the store in between."""
    before = metadata.store()
    wanted = replace(before.acquire(lock), token=uuid.uuid4().hex)
    outcome = metadata.commit(Commit(before.epoch, wanted, ()))
    return replace(wanted, version=outcome.version) if isinstance(outcome, Committed) else None


def _release(metadata: Metadata, store: StoreState) -> None:
    with contextlib.suppress(UnavailableError, OutcomeUnknown):
        metadata.commit(Commit(store.epoch, replace(store.release(), token=uuid.uuid4().hex), ()))
