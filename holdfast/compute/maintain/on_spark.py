"""Views from scratch on Spark, for what is too much for this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from holdfast.compute.delta import OUTPUT, hydration
from holdfast.compute.maintain.collection import Collections
from holdfast.compute.maintain.hydrating import FEW, Work, written
from holdfast.compute.maintain.hydrations import Hydrations
from holdfast.compute.maintain.outside import Runtime
from holdfast.compute.maintain.stores import Stores, Written
from holdfast.compute.maintain.view import ViewDescription
from holdfast.compute.render import SparkQuery, render
from holdfast.persist import Persist, WriteHandle
from holdfast.persist.spark.scan import SparkReader
from holdfast.plan.relation import Plan
from holdfast.plan.types import Type
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId


class OnSpark:
    def __init__(self, runtime: Runtime, persist: Persist, tables: Collections) -> None:
        self._runtime, self._persist, self._tables = runtime, persist, tables
        self.hydrations = Hydrations()

    @asynccontextmanager
    async def from_scratch(
        self, view: ViewDescription, stores: Stores, at: Timestamp, basis: Timestamp | None
    ) -> AsyncIterator[Written]:
        """What makes the view and its states what they are at `at`, to be appended inside the block.

        They are as they were at `basis` so far; None: nothing was written yet.
        """
        planned = await asyncio.to_thread(_planned, view, at)
        spark = await self._runtime.session()
        async with AsyncExitStack() as stack:
            inputs: dict[str, DataFrame] = {}
            for name, columns in view.program.inputs.items():
                frame = await stack.enter_async_context(self._tables.frame(spark, GlobalId.parse(name), at))
                inputs[name] = frame.select(*frame.columns[: len(columns)])
            works = []
            for name, (plan, query) in planned.items():
                handle = stores.output if name == OUTPUT else stores.states[name]
                old = None if basis is None else await stack.enter_async_context(self._old(spark, handle, basis))
                stage = stack.enter_context(handle.parts.stage(handle.shard))
                works.append(Work(name, plan, query, _types(view, name), handle, stage, old, _asserts(view, name)))
            few = frozenset(name for name in inputs if self._tables.size(GlobalId.parse(name)) <= FEW)
            with self.hydrations.watched(view.id, len(works)) as told:
                job = partial(written, works, inputs, few, at)
                found = await self._runtime.run(job, tag=f"view-{view.id}", told=told)
            output = found.pop(OUTPUT)
            yield Written(output, found)

    @asynccontextmanager
    async def _old(self, spark: SparkSession, handle: WriteHandle, basis: Timestamp) -> AsyncIterator[DataFrame]:
        upper = handle.upper.time
        assert upper is not None  # only a collection that ended has none
        time = Timestamp(min(basis, upper - 1))
        reader = await self._persist.reader(handle.name, since=Frontier(time))
        try:
            async with SparkReader(spark, reader).updates(time) as frame:
                yield frame
        finally:
            await reader.close()


def _planned(view: ViewDescription, at: Timestamp) -> dict[str, tuple[Plan, SparkQuery]]:
    return {name: (plan, render(plan)) for name, plan in hydration(view.program, at).items()}


def _types(view: ViewDescription, name: str) -> tuple[Type, ...]:
    types = {state.name: state.types for state in view.program.states}
    return view.program.columns if name == OUTPUT else types[name]


def _asserts(view: ViewDescription, name: str) -> Mapping[int, str]:
    """The columns of a collection that must not be null, with what people call them."""
    return view.asserts if name == OUTPUT else {}
