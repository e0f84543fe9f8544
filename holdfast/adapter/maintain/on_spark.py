"""Views from scratch on Spark, for what is too much for this process: written by the executors, never gathered here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from holdfast.adapter.maintain.stores import Stores, Written
from holdfast.adapter.maintain.view import View
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.tables import Tables
from holdfast.compute.delta import OUTPUT, hydration, state_input
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import running
from holdfast.persist import Persist, WriteHandle
from holdfast.persist.encoding import Stage
from holdfast.persist.spark.scan import SparkReader
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.persist.spark.stage import staged
from holdfast.persist.write import Staged
from holdfast.plan.errors import NullValueNotAllowed
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import DIFF, TIME, RowType


class OnSpark:
    def __init__(self, runtime: SparkRuntime, persist: Persist, tables: Tables) -> None:
        self._runtime, self._persist, self._tables = runtime, persist, tables

    @asynccontextmanager
    async def from_scratch(
        self, view: View, stores: Stores, at: Timestamp, basis: Timestamp | None
    ) -> AsyncIterator[Written]:
        """What makes the view and its states what they are at `at`, to be appended inside the block.

        They are as they were at `basis` so far; None: nothing was written yet.
        """
        queries = await asyncio.to_thread(_rendered, view, at)
        spark = await self._runtime.session()
        async with AsyncExitStack() as stack:
            inputs: dict[str, DataFrame] = {}
            for name, columns in view.program.inputs.items():
                frame = await stack.enter_async_context(self._tables.frame(spark, GlobalId.parse(name), at))
                inputs[name] = frame.select(*frame.columns[: len(columns)])
            works = []
            for name, query in queries.items():
                handle = stores.output if name == OUTPUT else stores.states[name]
                old = None if basis is None else await stack.enter_async_context(self._old(spark, handle, basis))
                stage = stack.enter_context(handle.parts.stage(handle.shard))
                works.append(_Work(name, query, handle, stage, old, _asserts(view, name)))
            staged = await self._runtime.run(partial(_written, works, inputs, at), tag="view")
            found = {name: each if each.parts else None for name, each in staged.items()}
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


def _rendered(view: View, at: Timestamp) -> dict[str, SparkQuery]:
    return {name: render(plan) for name, plan in hydration(view.program, at).items()}


def _asserts(view: View, name: str) -> Mapping[str, str]:
    """The columns of a collection that must not be null: what they are called there and by people."""
    if name != OUTPUT:
        return {}
    return {f"c{position}": view.item.columns[position].name for position in view.item.asserts}


@dataclass(frozen=True, slots=True)
class _Work:
    """A collection to write: what it is, what it was, and which of its columns must not be null."""

    name: str
    query: SparkQuery
    handle: WriteHandle
    stage: Stage
    old: DataFrame | None
    asserts: Mapping[str, str]


def _written(
    works: Sequence[_Work], inputs: Mapping[str, DataFrame], at: Timestamp, spark: SparkSession
) -> dict[str, Staged]:
    """The collections, one after another: what another is made of is computed once, and kept until all are there."""
    known, found = dict(inputs), dict[str, Staged]()
    read = frozenset(name for work in works for name in work.query.inputs)
    with ExitStack() as stack:
        for work in works:
            frame = stack.enter_context(running(spark, work.query, known, ()))
            rows = frame.selectExpr(*_columns(work.handle.row_type, len(frame.columns)))
            if (name := state_input(work.name)) in read:
                rows = rows.persist()
                stack.callback(rows.unpersist)
                known[name] = rows
            found[work.name] = _staged(work, rows, at)
    return found


def _staged(work: _Work, rows: DataFrame, at: Timestamp) -> Staged:
    for column, name in work.asserts.items():
        if rows.where(f"{column} IS NULL").take(1):
            raise NullValueNotAllowed(f'column "{name}" must not be null')
    if work.old is not None:
        rows = _difference(rows, work.old, work.handle.row_type)
    if DIFF not in rows.columns:
        return staged(rows, work.handle, work.stage, at)
    return staged(rows.withColumn(TIME, expr(f"{at}L")), work.handle, work.stage)


def _columns(row_type: RowType, width: int) -> list[str]:
    """What is computed, with the types of the collection, and if it is not once, how often each row is there."""
    columns = [f"CAST(c{index} AS {spark_type(field.type)}) AS c{index}" for index, field in enumerate(row_type.schema)]
    return columns if width == len(columns) else [*columns, f"CAST(c{len(columns)} AS BIGINT) AS {DIFF}"]


def _difference(new: DataFrame, old: DataFrame, row_type: RowType) -> DataFrame:
    """What has to be added to the old rows to get the new ones."""
    columns = [quoted(name) for name in row_type.names]
    if DIFF not in new.columns:
        new = new.withColumn(DIFF, expr("1L"))
    both = new.unionAll(old.selectExpr(*columns, f"-{DIFF} AS {DIFF}"))
    return both.groupBy(*columns).agg(expr(f"coalesce(sum({DIFF}), 0L) AS {DIFF}")).where(f"{DIFF} <> 0")
