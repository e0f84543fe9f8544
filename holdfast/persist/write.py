"""Writing collections.

A call is atomic, and durable when it returns. Calls on handles of one instance
take effect in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from holdfast.errors import UsageError
from holdfast.persist.commit import Committer, Work
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
    """One collection's share of an atomic append to several. `updates` may be None: then only `upper` advances."""

    handle: WriteHandle
    updates: UpdateBatch | Staged | None
    expected: Frontier
    upper: Frontier


class WriteHandle:
    """The right to write one collection, as long as the instance is the store's writer."""

    def __init__(self, shard: ShardId, name: str, committer: Committer, parts: Parts) -> None:
        self.shard, self.name = shard, name
        self._committer, self.parts = committer, parts

    @property
    def state(self) -> ShardState:
        state = self._committer.state(self.shard)
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
        async with self._durable(updates) as parts:
            return await self._upper_command(lambda state: state.write(parts))

    async def seal(self, upper: Frontier) -> UpperMismatch | None:
        """Advance `upper`: the updates at times before it are all there."""
        return await self._upper_command(lambda state: state.seal(upper))

    async def compare_and_append(
        self, updates: UpdateBatch | Staged | None, expected: Frontier, upper: Frontier
    ) -> UpperMismatch | None:
        """Append `updates` and advance to `upper`, if the upper is `expected`; else nothing happens."""
        return await append_all(self._committer, [Append(self, updates, expected, upper)])

    async def allow_compaction(self, since: Frontier) -> None:
        """Say that times before `since` need no longer be told apart. Readers' holds still count."""
        await self._committer.apply(self.shard, lambda state: state.allow_compaction(since))

    async def evolve(self, row_type: RowType) -> None:
        """Append nullable columns to the collection's schema."""
        await self._committer.apply(self.shard, lambda state: state.evolve(row_type))

    async def finalize(self) -> None:
        """End the collection, whose `since` and `upper` must be empty. Its parts become garbage."""
        await self._committer.apply(self.shard, lambda state: state.finalize())

    async def _upper_command(self, command: Command) -> UpperMismatch | None:
        return _mismatch(await self._committer.apply(self.shard, command))

    @asynccontextmanager
    async def _durable(self, updates: UpdateBatch | Staged | None) -> AsyncIterator[tuple[Part, ...]]:
        """Durable parts of `updates`, kept from collection while the block commits them."""
        if updates is None:
            yield ()
            return
        if isinstance(updates, Staged):
            if updates.shard != self.shard:
                raise UsageError(f"parts staged for shard {updates.shard} cannot be appended to shard {self.shard}")
            yield updates.parts
            return
        form = self._format(updates.row_type)
        with self.parts.stage(self.shard) as stage:
            yield await self.parts.write(form, updates, stage)

    def _format(self, row_type: RowType) -> PartFormat:
        """How to write rows of `row_type`, which is one of the collection's schemas."""
        state = self.state
        if row_type not in state.schemas:
            raise SchemaMismatch(self.name, f"its rows are {state.row_type}, not {row_type}")
        return PartFormat(self.shard, row_type, state.schemas.index(row_type), state.key)


class MultiWriteHandle:
    """Writes several collections of one instance: all of it happens, or nothing."""

    def __init__(self, committer: Committer, handles: Sequence[WriteHandle]) -> None:
        self._committer = committer
        self._handles = {handle.shard: handle for handle in handles}

    async def compare_and_append(self, appends: Sequence[Append]) -> UpperMismatch | None:
        """Append to each collection if the upper of each is as expected; the first that is not is returned."""
        if any(append.handle.shard not in self._handles for append in appends):
            raise UsageError("a collection is not one of this handle's")
        return await append_all(self._committer, appends)

    async def seal(self, uppers: Mapping[ShardId, Frontier]) -> UpperMismatch | None:
        """Advance the uppers of several collections in one transaction."""
        if not uppers.keys() <= self._handles.keys():
            raise UsageError("a collection is not one of this handle's")
        commands = tuple((shard, partial(ShardState.seal, upper=upper)) for shard, upper in uppers.items())
        return _mismatch(await self._committer.submit(Work(commands)))


async def append_all(committer: Committer, appends: Sequence[Append]) -> UpperMismatch | None:
    """Stage the updates of all appends, then commit them in one transaction."""
    commands: list[tuple[ShardId, Command]] = []

    async def stage(remaining: Sequence[Append]) -> UpperMismatch | None:
        if not remaining:
            return _mismatch(await committer.submit(Work(tuple(commands))))
        append = remaining[0]
        async with append.handle._durable(append.updates) as parts:
            command = partial(ShardState.compare_and_append, parts=parts, expected=append.expected, upper=append.upper)
            commands.append((append.handle.shard, command))
            return await stage(remaining[1:])

    return await stage(appends)


def _mismatch(result: object | Refusal) -> UpperMismatch | None:
    return result if isinstance(result, UpperMismatch) else None
