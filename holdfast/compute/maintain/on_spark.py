"""Views from scratch on Spark, for what is too much for this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from holdfast.compute.delta import OUTPUT, Follows, columns_read, follows, hydration
from holdfast.compute.maintain import hydrating
from holdfast.compute.maintain.arrangements import input_types
from holdfast.compute.maintain.collection import Collections
from holdfast.compute.maintain.hydrating import Read, Work, written
from holdfast.compute.maintain.hydrations import Hydrations
from holdfast.compute.maintain.inputs import Input, InputChange
from holdfast.compute.maintain.outside import Runtime
from holdfast.compute.maintain.stores import Stores, Written
from holdfast.compute.maintain.view import ViewDescription
from holdfast.compute.render import SparkQuery, render
from holdfast.persist import Persist, WriteHandle
from holdfast.persist.spark.scan import SparkReader
from holdfast.plan.errors import DataError
from holdfast.plan.relation import Columns, Plan
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.update import UpdateBatch

_SMALL = 20_000
"""Rows of an input that are few."""

_HISTORY = 4
"""Updates of a collection, for each of the rows that are few, that are read to know whether it has more rows."""


class OnSpark:
    """`code_limit` says how many seconds a call of a user's function may take; None: any number."""

    def __init__(
        self, runtime: Runtime, persist: Persist, tables: Collections, code_limit: Callable[[], float | None]
    ) -> None:
        self._runtime, self._persist, self._tables, self._code_limit = runtime, persist, tables, code_limit
        self.hydrations = Hydrations()

    def rest(self) -> AbstractContextManager[None]:
        """What can wait rests in the block: someone waits for a large change."""
        return self._persist.rest.asked()

    @asynccontextmanager
    async def from_scratch(
        self,
        view: ViewDescription,
        stores: Stores,
        at: Timestamp,
        basis: Timestamp | None,
        changed: Mapping[str, int] | None = None,
    ) -> AsyncIterator[Written]:
        """What makes the view and its states what they are at `at`, to be appended inside the block.

        They are as they were at `basis` so far, and of what they read only the inputs `changed` are others since, by so
        many updates. Without `basis` nothing was written yet.
        """
        changed = changed or {}
        mixed = bool(changed) or any(self._tables.takes_back(id) for id in view.inputs)
        make = partial(self._written, view, stores, at, basis, changed)
        async with AsyncExitStack() as stack:
            try:
                found = await stack.enter_async_context(make(mixed=mixed))
            except DataError:
                if not mixed:
                    raise
                # It may be one of rows that are not there any more, or never were together.
                found = await stack.enter_async_context(make(mixed=False))
            yield found

    @asynccontextmanager
    async def _written(
        self,
        view: ViewDescription,
        stores: Stores,
        at: Timestamp,
        basis: Timestamp | None,
        changed: Mapping[str, int],
        *,
        mixed: bool,
    ) -> AsyncIterator[Written]:
        """The same. If `mixed`, rows may be looked at that were there at different times."""
        code_limit = self._code_limit()
        planned = await asyncio.to_thread(_planned, view, at, code_limit)
        spark = await self._runtime.session()
        async with AsyncExitStack() as stack:
            reading = self._read(spark, view, planned, at, basis, changed, mixed=mixed)
            read = await stack.enter_async_context(reading)
            works = []
            for name, each in planned.items():
                handle = stores.output if name == OUTPUT else stores.states[name]
                old = None if basis is None else await stack.enter_async_context(self._old(spark, handle, basis))
                stage = stack.enter_context(handle.parts.stage(handle.shard))
                columns, asserts = _columns(view, name), _asserts(view, name)
                works.append(Work(name, each.plan, each.query, columns, each.follows, handle, stage, old, asserts))
            with self.rest(), self.hydrations.watched(view.id, len(works)) as told:
                job = partial(written, works, read, at, code_limit)
                found = await self._runtime.run(job, tag=f"view-{view.id}", told=told)
            output = found.pop(OUTPUT)
            yield Written(output, found)

    @asynccontextmanager
    async def _read(
        self,
        spark: SparkSession,
        view: ViewDescription,
        planned: Mapping[str, _Planned],
        at: Timestamp,
        basis: Timestamp | None,
        changed: Mapping[str, int],
        *,
        mixed: bool,
    ) -> AsyncIterator[Read]:
        needed: dict[str, frozenset[int]] = {}
        for each in planned.values():
            for name, columns in columns_read(each.plan.relation).items():
                needed[name] = needed.get(name, frozenset()) | columns
        inputs = input_types(view.program)
        read = {name: sorted(needed.get(name, ())) or [0] for name in inputs}
        sizes = {name: self._tables.size(GlobalId.parse(name)) for name in inputs}
        few = frozenset(name for name in inputs if sizes[name] <= _SMALL)
        # What is small is asked more than once.
        large = inputs.keys() - few if mixed else ()
        sides = frozenset(name for name in large if self._tables.takes_back(GlobalId.parse(name)))
        now, before = dict[str, Input](), dict[str, Input]()
        changes: dict[str, InputChange | None] = {}
        async with AsyncExitStack() as stack:

            async def input_at(name: str, time: Timestamp) -> Input:
                pinned = self._tables.pinned(spark, GlobalId.parse(name), time, read[name])
                return Input(await stack.enter_async_context(pinned), read[name], inputs[name])

            for name, row_type in inputs.items():
                now[name] = await input_at(name, at)
                if basis is None or name not in changed:
                    continue
                changes[name] = None
                if mixed or len(changed) == 1:
                    change = self._tables.change(spark, GlobalId.parse(name), basis, at, read[name])
                    changes[name] = InputChange(await stack.enter_async_context(change), read[name], row_type)
                if mixed:
                    before[name] = await input_at(name, basis)
            yield Read(now, sizes, few, sides, changes, before, changed)

    @asynccontextmanager
    async def _old(
        self, spark: SparkSession, handle: WriteHandle, basis: Timestamp
    ) -> AsyncIterator[DataFrame | UpdateBatch]:
        upper = handle.upper.time
        assert upper is not None  # only a collection that ended has none
        time = Timestamp(min(basis, upper - 1))
        reader = await self._persist.reader(handle.name, since=Frontier(time))
        try:
            few = None
            if sum(batch.rows for batch in handle.state.batches) <= _HISTORY * hydrating.FEW:
                few = await reader.rows(time)
            if few is not None and few.rows <= hydrating.FEW:
                yield few
            else:
                async with SparkReader(spark, reader).updates(time) as frame:
                    yield frame
        finally:
            await reader.close()


@dataclass(frozen=True, slots=True)
class _Planned:
    plan: Plan
    query: SparkQuery
    follows: Follows


def _planned(view: ViewDescription, at: Timestamp, code_limit: float | None) -> dict[str, _Planned]:
    following, made = follows(view.program, at), hydration(view.program, at)
    return {name: _Planned(plan, render(plan, code_limit), following[name]) for name, plan in made.items()}


def _columns(view: ViewDescription, name: str) -> Columns:
    columns = {state.name: state.columns for state in view.program.states}
    return view.program.plan.relation.columns if name == OUTPUT else columns[name]


def _asserts(view: ViewDescription, name: str) -> Mapping[int, str]:
    """The columns of a collection that must not be null, with what people call them."""
    return view.asserts if name == OUTPUT else {}
