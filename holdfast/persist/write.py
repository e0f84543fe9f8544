"""Writing collections.

A call is atomic, and durable when it returns. Calls on handles of one instance
take effect in the order in which they were begun, also where the one before
has not returned yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from holdfast.errors import UsageError
from holdfast.failpoint import reach
from holdfast.persist.calls import Call, Calls
from holdfast.persist.commit import States
from holdfast.persist.encoding import PartFormat
from holdfast.persist.errors import SchemaMismatch
from holdfast.persist.part import Part
from holdfast.persist.parts import Parts
from holdfast.persist.shard import Command, Refusal, ShardState, UpperMismatch
from holdfast.repr.frontier import Frontier
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch


@dataclass(frozen=True, slots=True)
class Staged:
    """Parts that are durable and that nothing names yet: ready to be committed, in no time."""

    shard: ShardId
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Append:
    """One collection's share of an atomic append to several. `updates` may be None: then only `upper` advances.

    With it go, where they are given, the newest schema from then on (`WriteHandle.evolve`; the updates are still of an
    older one) and the times that need no longer be told apart (`WriteHandle.allow_compaction`).
    """

    handle: WriteHandle
    updates: UpdateBatch | Staged | None
    expected: Frontier
    upper: Frontier
    row_type: RowType | None = None
    since: Frontier | None = None

    def commands(self, parts: tuple[Part, ...]) -> Iterator[tuple[ShardId, Command]]:
        """What the append does once its updates are durable as `parts`."""
        shard = self.handle.shard
        yield shard, partial(ShardState.compare_and_append, parts=parts, expected=self.expected, upper=self.upper)
        if self.row_type is not None:
            yield shard, partial(ShardState.evolve, row_type=self.row_type)
        if self.since is not None:
            yield shard, partial(ShardState.allow_compaction, since=self.since)


class WriteHandle:
    """The right to write one collection, as long as the instance is the store's writer."""

    def __init__(self, shard: ShardId, name: str, calls: Calls) -> None:
        self.shard, self.name = shard, name
        self._calls = calls

    @property
    def parts(self) -> Parts:
        return self._calls.parts

    @property
    def state(self) -> ShardState:
        state = self._calls.committer.state(self.shard)
        assert state is not None  # the instance loaded it before it made the handle
        return state

    @property
    def row_type(self) -> RowType:
        return self.state.row_type

    @property
    def upper(self) -> Frontier:
        """The upper after the last commit. Only this instance can advance it."""
        return self.state.upper

    @property
    def since(self) -> Frontier:
        return self.state.since

    async def write(self, updates: UpdateBatch | Staged) -> UpperMismatch | None:
        """Add updates at times that are not sealed yet. They are durable, and show once `upper` passes them."""
        with self._calls.begin() as call:
            parts = await self._durable(call, updates)
            return _mismatch(await call.commit(((self.shard, partial(ShardState.write, parts=parts)),)))

    async def seal(self, upper: Frontier) -> UpperMismatch | None:
        """Advance `upper`: the updates at times before it are all there."""
        return _mismatch(await self._commit(partial(ShardState.seal, upper=upper)))

    async def compare_and_append(
        self, updates: UpdateBatch | Staged | None, expected: Frontier, upper: Frontier
    ) -> UpperMismatch | None:
        """Append `updates` and advance to `upper`, if the upper is `expected`; else nothing happens."""
        return await append_all(self._calls, [Append(self, updates, expected, upper)])

    async def allow_compaction(self, since: Frontier) -> None:
        """Say that times before `since` need no longer be told apart. Readers' holds still count."""
        await self._commit(partial(ShardState.allow_compaction, since=since))

    async def evolve(self, row_type: RowType) -> None:
        """Append nullable columns to the collection's schema."""
        await self._commit(partial(ShardState.evolve, row_type=row_type))

    async def finalize(self) -> None:
        """End the collection, whose `since` and `upper` must be empty. Its parts become garbage."""
        await self._commit(ShardState.finalize)

    async def _commit(self, command: Command) -> States | Refusal:
        with self._calls.begin() as call:
            return await call.commit(((self.shard, command),))

    async def _durable(self, call: Call, updates: UpdateBatch | Staged | None) -> tuple[Part, ...]:
        """Durable parts of `updates`, kept from collection until `call` has committed them."""
        if updates is None:
            return ()
        if isinstance(updates, UpdateBatch):
            state = self.state
            return await call.write(state, self._format(state, updates.row_type), updates)
        if updates.shard != self.shard:
            raise UsageError(f"parts staged for shard {updates.shard} cannot be appended to shard {self.shard}")
        call.hold(updates.parts)
        return updates.parts

    def _format(self, state: ShardState, row_type: RowType) -> PartFormat:
        """How to write rows of `row_type`, which is one of the collection's schemas."""
        if row_type not in state.schemas:
            raise SchemaMismatch(self.name, f"its rows are {state.row_type}, not {row_type}")
        return PartFormat(self.shard, row_type, state.schemas.index(row_type), state.key)


class MultiWriteHandle:
    """Writes several collections of one instance: all of it happens, or nothing."""

    def __init__(self, calls: Calls, handles: Sequence[WriteHandle]) -> None:
        self._calls = calls
        self._handles = {handle.shard: handle for handle in handles}

    async def compare_and_append(self, appends: Sequence[Append]) -> UpperMismatch | None:
        """Append to each collection if the upper of each is as expected; the first that is not is returned."""
        if any(append.handle.shard not in self._handles for append in appends):
            raise UsageError("a collection is not one of this handle's")
        return await append_all(self._calls, appends)

    async def seal(self, uppers: Mapping[ShardId, Frontier]) -> UpperMismatch | None:
        """Advance the uppers of several collections in one transaction."""
        if not uppers.keys() <= self._handles.keys():
            raise UsageError("a collection is not one of this handle's")
        commands = tuple((shard, partial(ShardState.seal, upper=upper)) for shard, upper in uppers.items())
        with self._calls.begin() as call:
            return _mismatch(await call.commit(commands))


async def append_all(calls: Calls, appends: Sequence[Append]) -> UpperMismatch | None:
    """Stage the updates of all appends, then commit them in one transaction."""
    with calls.begin() as call:
        staged = await _all_durable(call, appends)
        reach("append_staged")
        commands = (c for append, parts in zip(appends, staged, strict=True) for c in append.commands(parts))
        return _mismatch(await call.commit(tuple(commands)))


async def _all_durable(call: Call, appends: Sequence[Append]) -> list[tuple[Part, ...]]:
    """The parts of each append, made durable at the same time."""
    if sum(append.updates is not None for append in appends) < 2:
        return [await append.handle._durable(call, append.updates) for append in appends]
    staging = (append.handle._durable(call, append.updates) for append in appends)
    # All must have ended before the call may: what is still being staged then has nobody who keeps it from collection.
    staged = await asyncio.gather(*staging, return_exceptions=True)
    found = [parts for parts in staged if not isinstance(parts, BaseException)]
    for failure in staged:
        if isinstance(failure, BaseException):
            raise failure
    return found


def _mismatch(result: object | Refusal) -> UpperMismatch | None:
    return result if isinstance(result, UpperMismatch) else None
