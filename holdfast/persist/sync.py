"""Persist without asyncio: the same calls, blocking.

A background thread runs the event loop; every call here waits for one call
there. Everything `holdfast.persist` says of the calls holds for these.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from holdfast.persist.errors import Stopped
from holdfast.persist.instance import Persist
from holdfast.persist.location import Location
from holdfast.persist.read import Changes, ReadHandle
from holdfast.persist.settings import PersistSettings
from holdfast.persist.shard import UpperMismatch
from holdfast.persist.write import Append, Staged, WriteHandle
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

Result = TypeVar("Result")


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="holdfast-loop", daemon=True)
        self._thread.start()

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of `call`. Interrupting the wait cancels it."""
        if self._loop.is_closed():
            call.close()
            raise Stopped
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, items: AsyncIterator[Result]) -> Iterator[Result]:
        try:
            while (item := self.run(_next(items))) is not None:
                yield item
        finally:
            with suppress(Stopped):
                self.run(_close(items))

    @property
    def is_running(self) -> bool:
        return not self._loop.is_closed()

    def stop(self) -> None:
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(items: AsyncIterator[Result]) -> Result | None:
    return await anext(items, None)


async def _close(items: AsyncIterator[Result]) -> None:
    await items.aclose()  # type: ignore[attr-defined]  # all ours are async generators


class SyncWriter:
    """`WriteHandle`, blocking."""

    def __init__(self, loop: Loop, handle: WriteHandle) -> None:
        self._loop, self.handle = loop, handle

    @property
    def upper(self) -> Frontier:
        return self.handle.upper

    @property
    def since(self) -> Frontier:
        return self.handle.since

    def write(self, updates: UpdateBatch | Staged) -> UpperMismatch | None:
        return self._loop.run(self.handle.write(updates))

    def seal(self, upper: Frontier) -> UpperMismatch | None:
        return self._loop.run(self.handle.seal(upper))

    def compare_and_append(
        self, updates: UpdateBatch | Staged | None, expected: Frontier, upper: Frontier
    ) -> UpperMismatch | None:
        return self._loop.run(self.handle.compare_and_append(updates, expected, upper))

    def allow_compaction(self, since: Frontier) -> None:
        self._loop.run(self.handle.allow_compaction(since))

    def evolve(self, row_type: RowType) -> None:
        self._loop.run(self.handle.evolve(row_type))

    def finalize(self) -> None:
        self._loop.run(self.handle.finalize())


class SyncReader:
    """`ReadHandle`, blocking."""

    def __init__(self, loop: Loop, handle: ReadHandle) -> None:
        self._loop, self.handle = loop, handle

    @property
    def since(self) -> Frontier:
        return self.handle.since

    @property
    def upper(self) -> Frontier:
        return self.handle.upper

    def rows(self, as_of: Timestamp, timeout: float | None = None) -> UpdateBatch:
        return self._loop.run(self.handle.rows(as_of, timeout))

    def snapshot(self, as_of: Timestamp, timeout: float | None = None) -> Iterator[UpdateBatch]:
        return self._loop.iterate(self.handle.snapshot(as_of, timeout))

    def listen(self, start: Timestamp) -> Iterator[Changes]:
        return self._loop.iterate(self.handle.listen(start))

    def subscribe(self, as_of: Timestamp, timeout: float | None = None) -> Iterator[Changes]:
        return self._loop.iterate(self.handle.subscribe(as_of, timeout))

    def downgrade(self, since: Frontier) -> None:
        self._loop.run(self.handle.downgrade(since))

    def close(self) -> None:
        self._loop.run(self.handle.close())


class SyncPersist:
    """`Persist`, blocking. Ended by `stop`, or by leaving its `with` block."""

    def __init__(self, loop: Loop, persist: Persist) -> None:
        self.loop, self.persist = loop, persist

    @classmethod
    def open_writer(
        cls, location: Location, *, reentrance_id: str | None = None, settings: PersistSettings | None = None
    ) -> SyncPersist:
        return cls._open(Persist.open_writer(location, reentrance_id=reentrance_id, settings=settings))

    @classmethod
    def open_reader(
        cls, location: Location, *, independent: bool = False, settings: PersistSettings | None = None
    ) -> SyncPersist:
        return cls._open(Persist.open_reader(location, independent=independent, settings=settings))

    @classmethod
    def _open(cls, opening: Coroutine[Any, Any, Persist]) -> SyncPersist:
        loop = Loop()
        try:
            return cls(loop, loop.run(opening))
        except BaseException:
            loop.stop()
            raise

    def create_or_load(self, name: str, row_type: RowType, *, key: Sequence[str] | None = None) -> SyncWriter:
        return SyncWriter(self.loop, self.loop.run(self.persist.create_or_load(name, row_type, key=key)))

    def writer(self, name: str) -> SyncWriter:
        return SyncWriter(self.loop, self.loop.run(self.persist.writer(name)))

    def reader(self, name: str, *, since: Frontier | None = None, critical: str | None = None) -> SyncReader:
        return SyncReader(self.loop, self.loop.run(self.persist.reader(name, since=since, critical=critical)))

    def compare_and_append_all(self, appends: Sequence[Append]) -> UpperMismatch | None:
        """Append to several collections, all or nothing."""
        handles = self.persist.multi([append.handle for append in appends])
        return self.loop.run(handles.compare_and_append(appends))

    def compact(self, name: str) -> int:
        return self.loop.run(self.persist.compact(name))

    def collect_garbage(self) -> int:
        return self.loop.run(self.persist.collect_garbage())

    def stop(self) -> None:
        with suppress(Stopped):
            self.loop.run(self.persist.stop())
        self.loop.stop()

    def __enter__(self) -> SyncPersist:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
