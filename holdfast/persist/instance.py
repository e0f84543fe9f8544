"""An instance of persist: a client that talks to its stores directly, with no service in between.

Read-write: one at a time for a store, by its lock and epoch. Read-only: any number, anywhere. Stopping
finishes what is pending; a crash instead loses nothing that was acknowledged.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from holdfast.errors import HoldfastError, OutcomeUnknown, UnavailableError, UsageError
from holdfast.failpoint import reach
from holdfast.persist import gc
from holdfast.persist.blob import Blob
from holdfast.persist.cache import PartCache
from holdfast.persist.calls import Calls
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
from holdfast.persist.rest import Rest
from holdfast.persist.retry import pauses, report_and_pause, retrying
from holdfast.persist.settings import PersistSettings
from holdfast.persist.shard import OWNER, Lease, ReaderId, ShardState, SincePassed, Superseded
from holdfast.persist.store import Lock, StoreState
from holdfast.persist.watch import Watch
from holdfast.persist.write import MultiWriteHandle, WriteHandle
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType, holds_map

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_LONGEST_NAME = 500
"""Characters in a collection's name: every metadata store can index that many."""

_COMPACTION_PAUSE = 5.0
"""Seconds after a failed merge before the next: what is damaged stays so, and the log is to stay readable."""

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
        self._shards_checked = False
        self._compacting = asyncio.Lock()
        self._to_compact: set[ShardId] = set()
        self._compact_wake = asyncio.Event()
        self.rest = Rest()
        cache = PartCache(settings.cache_bytes, self.metrics)
        self.parts = Parts(location.blob, blob, store.epoch, cache, self.metrics, settings.inline_bytes)
        self.committer = Committer(
            metadata, store, writes=writes, now=settings.now, metrics=self.metrics, on_change=self._on_change
        )
        self._calls = Calls(self.committer, self.parts)

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
        try:
            store = await _acquire(metadata, Lock(_holder(), reentrance_id))
        except BaseException:
            metadata.close()
            raise
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
        if metadata is None and not independent:
            await asyncio.to_thread(_check_exists, location)
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
        if self._failure is not None:
            return
        self._failure = Stopped()
        self._calls.ending = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._follower is not None:
            await self._follower.stop()
        await self._calls.finish()
        closed = await asyncio.gather(*(reader.close() for reader in list(self.readers)), return_exceptions=True)
        for error in closed:
            if isinstance(error, HoldfastError):
                log.warning("lease not given back: it will expire", extra={"reason": str(error)})
        await self.committer.stop()
        await self._notifier.stop()
        if self._writes:
            await asyncio.to_thread(_release, self.metadata, self.committer.store)
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
                await self._check_name_is_new(name)
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
        return WriteHandle(shard, name, self._calls)

    async def writer(self, name: str) -> WriteHandle:
        """A handle to write the collection called `name`, which exists."""
        self._check_writes()
        return WriteHandle(await self._known(name), name, self._calls)

    async def writers(self, names: Sequence[str]) -> dict[str, WriteHandle]:
        """Handles to write those of the collections `names` that exist, found and loaded together."""
        self._check_writes()
        found = await self._retrying("find", lambda: self.metadata.find(names))
        unknown = [shard for shard in found.values() if self.committer.state(shard) is None]
        self.committer.observe(await self._retrying("load", lambda: self.metadata.load(unknown)))
        return {name: WriteHandle(shard, name, self._calls) for name, shard in found.items()}

    def multi(self, handles: Sequence[WriteHandle]) -> MultiWriteHandle:
        """A handle that writes several collections atomically."""
        self._check_writes()
        return MultiWriteHandle(self._calls, handles)

    async def reader(self, name: str, *, since: Frontier | None = None, critical: str | None = None) -> ReadHandle:
        """A handle to read the collection called `name`, holding `since` (by default the earliest there is).

        With `critical`, a name of the caller's choice, there is a second hold that has no lease and survives the
        process: opening it again under the same name finds it as it was. (The lease still is what keeps parts from
        garbage collection while they are read.)
        """
        self.check_open()
        shard = await self._known(name)
        state = self.committer.state(shard)
        assert state is not None
        if not self._leases:
            return self._handle(ReadHandle(self, shard, name, None, state.since if since is None else since))
        reader = ReaderId(f"r-{uuid.uuid4().hex}")
        lasting = ReaderId(f"critical-{critical}") if critical else None
        lease = Lease(state.seqno, self.lease_end())

        def register(state: ShardState) -> ShardState | SincePassed:
            held = state if lasting is None else state.register(lasting, since, None, critical or "")
            if isinstance(held, SincePassed):
                return held
            kept = held.reader(lasting) if lasting else None
            return held.register(reader, since if kept is None else kept.since, lease, _holder())

        result = await self.committer.apply(shard, register)
        if isinstance(result, SincePassed):
            raise AsOfBeforeSince(name, (since.time if since else None) or Timestamp(0), result.since)
        assert isinstance(result, ShardState)
        held = result.reader(reader)
        assert held is not None
        return self._handle(ReadHandle(self, shard, name, reader, held.since, lasting))

    def _handle(self, handle: ReadHandle) -> ReadHandle:
        self.readers.add(handle)
        return handle

    async def advance_all(self, upper: Frontier, shards: Sequence[ShardId]) -> None:
        """Advance the uppers of many collections to `upper` in one transaction; those beyond it stay."""
        self._check_writes()
        with self._calls.begin() as call:
            await call.commit(tuple((shard, partial(_advanced, upper=upper)) for shard in shards))

    async def drop(self, handle: WriteHandle) -> bool:
        """End a collection and delete its parts, unless someone still reads it: then False, and nothing happens."""
        self._check_writes()
        # Readers in other processes come and go without our knowing.
        self.committer.observe(await self._retrying("load", partial(self.metadata.load, [handle.shard])))
        with self._calls.begin() as call:
            states = await call.commit(((handle.shard, _ended),))
        assert isinstance(states, Mapping)
        if not states[handle.shard].finalized:
            return False
        await self._collect_retired(handle.shard)
        return True

    async def names(self) -> list[str]:
        """What the collections are called that have not ended."""
        summaries = await self._retrying("list", self.metadata.summaries)
        return [summary.name for summary in summaries if not summary.finalized]

    async def _check_name_is_new(self, name: str) -> None:
        """A name may be given to a new collection only if no damage hides an old one of that name."""
        if not name or len(name) > _LONGEST_NAME or "\0" in name or not _is_text(name):
            raise UsageError(f"{name[:50]!r} cannot be the name of a collection")
        if not self._shards_checked:
            await self._retrying("check", self.metadata.check_shards)
            self._shards_checked = True

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
        summaries = await self._retrying("list", self.metadata.summaries)
        deleted = sum([await self._collect_retired(summary.id) for summary in summaries])
        leaks = await self._retrying(
            "list", lambda: gc.leaked(self.parts.blob, self.metadata, self.parts.epoch, self.parts.in_hand)
        )
        for leak in leaks:
            await self._retrying("delete", partial(self.parts.blob.delete, leak.key))
        self.metrics.add(PARTS_DELETED, len(leaks))
        return deleted + len(leaks)

    async def _collect_retired(self, shard: ShardId) -> int:
        """Delete the retired parts of one shard that no lease protects."""
        await asyncio.gather(*(reader.renew() for reader in list(self.readers) if reader.shard == shard))
        self.committer.observe(await self._retrying("load", partial(self.metadata.load, [shard])))
        # Committing drops readers whose leases are over. They must be gone, and know it, before what they could see is.
        state = await self.committer.apply(shard, lambda state: state)
        assert isinstance(state, ShardState)
        retired = state.collectable()
        if not retired:
            return 0
        deleted = [await self._retrying("delete", partial(gc.delete_retired, self.parts.blob, old)) for old in retired]
        keys = frozenset(deleted)
        await self.committer.apply(shard, partial(ShardState.forget, keys=keys))
        self.metrics.add(PARTS_DELETED, len(keys))
        return len(keys)

    async def _compact_shard(self, shard: ShardId) -> int:
        merges = 0
        async with self._compacting:
            while (state := self.committer.state(shard)) and (task := choose(state)):
                with self._calls.aside() as call:
                    stage = call.stage(shard)
                    merged = await self._retrying("merge", partial(self._merger, task, self.parts, stage, self.rest))
                    reach("merge_written")
                    result = await call.commit(((shard, partial(ShardState.apply_merge, merge=merged)),))
                if isinstance(result, Superseded):
                    break
                reach("merge_applied")
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
                if self.rest.is_asked and self._would_merge_many(shard):
                    await self.rest.over()
                try:
                    if await self._compact_shard(shard):
                        await self._collect_retired(shard)
                except Fenced:
                    return
                except HoldfastError as error:
                    log.error("compaction failed", extra={"shard": shard, "reason": str(error)})
                    await asyncio.sleep(_COMPACTION_PAUSE)
                except Exception:
                    log.exception("compaction failed", extra={"shard": shard})
                    await asyncio.sleep(_COMPACTION_PAUSE)

    def _would_merge_many(self, shard: ShardId) -> bool:
        state = self.committer.state(shard)
        task = None if state is None else choose(state)
        return task is not None and task.is_large

    async def _heartbeats(self) -> None:
        """Renew the leases of all readers, in one transaction, four times in each lease."""
        while True:
            await asyncio.sleep(self.settings.lease_ms / 4000)
            try:
                await asyncio.gather(*(reader.renew() for reader in list(self.readers)))
            except Fenced:
                self.watch.close()  # those who wait for a change learn that there will be none
                return
            except HoldfastError as error:
                log.warning("leases not renewed", extra={"reason": str(error)})

    def _on_change(self, changed: States) -> None:
        self.watch.changed(changed)
        if self._writes:
            self._notifier.tell(changed)
            self._to_compact |= changed.keys()
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


def _advanced(state: ShardState, upper: Frontier) -> ShardState:
    sealed = state.seal(upper)
    return sealed if isinstance(sealed, ShardState) else state


def _ended(state: ShardState) -> ShardState:
    if any(reader.id != OWNER for reader in state.readers):
        return state
    sealed = state.allow_compaction(EMPTY).seal(EMPTY)
    assert isinstance(sealed, ShardState)  # nothing is beyond the empty frontier
    return sealed.finalize()


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


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


def _check_exists(location: Location) -> None:
    """Opening a store to write makes it if there is none; a reader must not."""
    location.open_metadata(read_only=True).close()


async def _acquire(metadata: Metadata, lock: Lock) -> StoreState:
    """Take the store's lock; returns the store with our epoch."""
    metrics, token = PersistMetrics(), uuid.uuid4().hex
    for attempt, pause in enumerate(pauses(), start=1):
        try:
            store = await asyncio.to_thread(_try_acquire, metadata, lock, token)
        except (UnavailableError, OutcomeUnknown) as error:
            await report_and_pause("take the lock", error, attempt, pause, metrics)
        else:
            if store is not None:
                return store
    raise AssertionError("pauses never end")


def _try_acquire(metadata: Metadata, lock: Lock, token: str) -> StoreState | None:
    """None: another writer changed the store in between. `token` tells an earlier try of ours that took effect."""
    before = metadata.store()
    ours: StoreState | None = before
    if before.token != token:
        ours = _committed(metadata, before.epoch, replace(before.acquire(lock), token=token))
    if ours is None:
        return None
    # The writer that we fenced may have created collections between our look and our commit: their ids are taken.
    next_shard = ShardId(max((summary.id for summary in metadata.summaries()), default=0) + 1)
    if next_shard <= ours.next_shard:
        return ours
    return _committed(metadata, ours.epoch, replace(ours, next_shard=next_shard))


def _committed(metadata: Metadata, epoch: int, store: StoreState) -> StoreState | None:
    outcome = metadata.commit(Commit(epoch, store, ()))
    return replace(store, version=outcome.version) if isinstance(outcome, Committed) else None


def _release(metadata: Metadata, store: StoreState) -> None:
    try:
        metadata.commit(Commit(store.epoch, replace(store.release(), token=uuid.uuid4().hex), ()))
    except (UnavailableError, OutcomeUnknown) as error:
        log.warning("lock not given back", extra={"reason": str(error)})
