"""The inputs of dataflows in memory, found by the values of their columns: each once, whoever reads it.

Used only by who has the right to compute, one at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ParamSpec, Protocol

from holdfast.compute.arrange import Arranged, Narrow
from holdfast.compute.delta import Program
from holdfast.compute.maintain.collection import Collections
from holdfast.persist.errors import AsOfBeforeSince
from holdfast.plan.row_types import row_type_of
from holdfast.repr.cut import later_than, narrowed
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

_MANY = 4096
"""Updates that are put in beside others, which would wait for it."""

Given = ParamSpec("Given")

Key = tuple[GlobalId, RowType]
"""A collection, and the columns of it that are known to who reads it."""


def input_types(program: Program) -> dict[str, RowType]:
    """What a program reads, with the columns that it knows of."""
    return {name: row_type_of([column.type for column in columns]) for name, columns in program.inputs.items()}


def keys_of(program: Program) -> dict[str, Key]:
    """What a program looks things up in."""
    types = input_types(program)
    return {name: (GlobalId.parse(name), types[name]) for name in program.lookups}


class User(Protocol):
    @property
    def basis(self) -> Timestamp | None:
        """The time up to which the user has taken changes: it looks at none before. None: it looks at nothing yet."""


@dataclass(slots=True)
class _Shared:
    """Right at times from `floor` on, with all updates up to `last`."""

    arranged: Narrow
    floor: Timestamp
    last: Timestamp


@dataclass(slots=True)
class Arrangements:
    _tables: Collections
    _shared: dict[Key, _Shared] = field(default_factory=dict)
    _users: dict[Key, dict[User, frozenset[int]]] = field(default_factory=dict)

    def use(self, key: Key, user: User, columns: frozenset[int]) -> None:
        """Someone will look at these columns of the collection: they are kept from when they are first needed on."""
        self._users.setdefault(key, {})[user] = columns

    def leave(self, key: Key, user: User) -> None:
        users = self._users.get(key, {})
        users.pop(user, None)
        if not users:
            self._users.pop(key, None)
            self._shared.pop(key, None)

    def found(self, key: Key) -> Narrow | None:
        """The collection as it is in memory, if it is."""
        shared = self._shared.get(key)
        return None if shared is None else shared.arranged

    def sizes(self) -> Iterator[tuple[GlobalId, int, int]]:
        """Collections, with how many updates of them are kept, in how many bytes."""
        for (id, _), shared in self._shared.items():
            yield id, shared.arranged.rows, shared.arranged.nbytes

    async def at(self, key: Key, time: Timestamp) -> Narrow:
        """The collection, right at `time`, for a user who holds it there. What is later may be in it too."""
        shared = self._usable(key, time)
        if shared is not None:
            try:
                await self._catch_up(key, shared, time)
            except AsOfBeforeSince:
                shared = None
        if shared is None:
            self._shared.pop(key, None)  # its memory is needed
            shared = self._shared[key] = await self._loaded(key, self._wanted(key), time)
        return shared.arranged

    def has(self, key: Key, time: Timestamp) -> bool:
        """Whether the collection is in memory for who asks for it at `time`, but perhaps for some changes."""
        return self._usable(key, time) is not None

    def _usable(self, key: Key, time: Timestamp) -> _Shared | None:
        shared = self._shared.get(key)
        if shared is None or shared.floor > time or not self._wanted(key).issubset(shared.arranged.columns):
            return None
        return shared

    def _wanted(self, key: Key) -> frozenset[int]:
        """The columns that someone looks at."""
        return frozenset[int]().union(*self._users.get(key, {}).values())

    async def follow(self, key: Key, time: Timestamp) -> None:
        """Put in all updates up to `time`, perhaps many, if the collection is in memory and can still be read where
        that ends.
        """
        shared = self._shared.get(key)
        if shared is not None and shared.last < time:
            with suppress(AsOfBeforeSince):
                updates = self._tables.updates_between(key[0], shared.last, time, shared.arranged.columns)
                pieces = [piece async for piece in updates]
                await _to_its_end(_add, shared, pieces, time)

    async def _loaded(self, key: Key, columns: frozenset[int], time: Timestamp) -> _Shared:
        id, row_type = key
        arranged = Narrow(row_type, columns)
        pieces = [piece async for piece in self._tables.updates(id, time, arranged.columns)]
        await asyncio.to_thread(arranged.load, pieces)
        return _Shared(arranged, time, time)

    async def _catch_up(self, key: Key, shared: _Shared, time: Timestamp) -> None:
        id, row_type = key
        if shared.last >= time:
            return
        steps = [step.updates async for step in self._tables.between(id, shared.last, time)]
        missing = UpdateBatch.concat(row_type, [narrowed(each, row_type) for each in steps])
        if missing.rows > _MANY:
            await _to_its_end(_append, shared, missing, time)
        else:
            _append(shared, missing, time)

    def feed(self, key: Key, updates: UpdateBatch, start: Timestamp, end: Timestamp) -> None:
        """Put in all updates later than `start`, up to `end`."""
        shared = self._shared.get(key)
        if shared is not None and start <= shared.last < end:
            _append(shared, later_than(updates, shared.last), end)

    def unchanged(self, key: Key, start: Timestamp, end: Timestamp) -> None:
        """There are no updates later than `start`, up to `end`."""
        shared = self._shared.get(key)
        if shared is not None and start <= shared.last < end:
            shared.last = end

    async def let_go(self, key: Key) -> None:
        """Forget times that no user looks at any more. That takes a while now and then, which nobody is to wait for."""
        shared = self._shared.get(key)
        if shared is not None:
            needed = [user.basis for user in self._users.get(key, ()) if user.basis is not None]
            shared.floor = max(shared.floor, min(needed, default=shared.last))
            await compact(shared.arranged, shared.floor)


async def compact(arranged: Arranged | Narrow, since: Timestamp) -> None:
    """Times before `since` will not be asked for any more."""
    if arranged.advance(since):
        await asyncio.to_thread(arranged.compact, since)


def _append(shared: _Shared, updates: UpdateBatch, last: Timestamp) -> None:
    if updates.rows:
        shared.arranged.append(updates)
    shared.last = last


def _add(shared: _Shared, pieces: Sequence[UpdateBatch], last: Timestamp) -> None:
    shared.arranged.add(pieces)
    shared.last = last


async def _to_its_end(change: Callable[Given, None], *args: Given.args, **kwargs: Given.kwargs) -> None:
    """Make a change in a thread. Who is cancelled waits for it too: others would make the same change once more."""
    running = asyncio.ensure_future(asyncio.to_thread(change, *args, **kwargs))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        raise
