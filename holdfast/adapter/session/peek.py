"""Peeks: the answer to a query at a time.

Few rows found by an index, constants, plain reads and queries over little are answered in this process; all else is a
job of Spark's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from functools import lru_cache

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter.plan_cache import Prepared
from holdfast.adapter.results import Piece
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.session.lookup import Lookup, lookup_of
from holdfast.adapter.session.series import series_rows
from holdfast.adapter.tables import Part, Tables
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.evaluate.values import table_of
from holdfast.compute.in_thread import in_thread
from holdfast.compute.render import SparkQuery
from holdfast.compute.run import run, stream
from holdfast.plan.keys import covers
from holdfast.plan.relation import Get, Join, OuterJoin, Plan, Reduce, Relation, SemiJoin, inputs
from holdfast.plan.scalar import Call
from holdfast.plan.types import Type, spark_type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.spark.frame import frame_of

System = Callable[[str], Awaitable[pa.Table]]
"""The rows of what is no table of a user's: a relation of the system, by its id."""

_FEW = 10_000
"""Rows, of all inputs, that this process joins and groups sooner than a job of Spark's begins."""

_FEW_PAIRS = 1_000_000
"""Pairs of rows that a join without equality may look at."""

_MOST = 1_000_000
"""Rows that a join of few rows may come to here: if they match more often, Spark joins them."""

_AT_ONCE = 2_000
"""Rows that are looked at without letting others in between."""

_PIECE = 8_192


class Peeks:
    def __init__(self, tables: Tables, runtime: SparkRuntime) -> None:
        self._tables, self._runtime = tables, runtime

    async def answer(
        self, prepared: Prepared, parameters: Sequence[object], as_of: Timestamp, system: System
    ) -> AsyncIterator[Piece]:
        """The rows at `as_of`, which what is read holds until the last piece is taken."""
        types = tuple(column.type for column in prepared.plan.relation.columns[: len(prepared.plan.names)])
        lookup = self.lookup(prepared)
        if lookup is not None:
            found = await self._found(prepared, lookup, parameters, as_of)
            if found is not None:
                yield Piece(types, found)
                return
        table = None
        if self.is_quick(prepared, parameters):
            with suppress(TooManyRows):
                table = await self._evaluated(prepared, parameters, as_of, system)
        if table is not None:
            for piece in _cut(table):
                yield Piece(types, piece)
            return
        async for piece in self._on_spark(prepared, parameters, as_of, system):
            yield Piece(types, piece)

    def lookup(self, prepared: Prepared) -> Lookup | None:
        """How a query finds its rows by equality in a table or view, if it does."""
        if not prepared.is_plain or not all(map(_is_user, prepared.reads)):
            return None
        indexes = frozenset(by for name in prepared.reads for by in self._indexes(name))
        return _lookup(prepared, indexes)

    def _indexes(self, name: str) -> Iterator[tuple[Part, ...]]:
        return (by for by in self._tables.indexes(GlobalId.parse(name)).values() if by is not None)

    def is_quick(self, prepared: Prepared, parameters: Sequence[object]) -> bool:
        """Whether the answer needs no Spark."""
        if prepared.is_plain:
            return all(self._tables.is_at_hand(GlobalId.parse(name)) for name in prepared.reads if _is_user(name))
        return self._is_little(prepared.plan.relation, parameters)

    async def _found(
        self, prepared: Prepared, lookup: Lookup, parameters: Sequence[object], as_of: Timestamp
    ) -> Sequence[tuple[object, ...]] | pa.Table | None:
        values = lookup.values(parameters)
        if None in values:
            rows: Sequence[tuple[object, ...]] | None = ()
        else:
            rows = await self._tables.lookup(GlobalId.parse(lookup.collection), lookup.by, values, as_of)
        if rows is None:
            return None
        if lookup.outputs is not None:
            return [tuple(row[index] for index in lookup.outputs) for row in rows]
        get = _get(prepared.plan.relation, lookup.collection)
        types = [column.type for column in get.columns]
        few = table_of(list(rows), types, [str(index) for index in range(len(types))])
        return await evaluated(prepared, {lookup.collection: few}, parameters)

    def _is_little(self, relation: Relation, parameters: Sequence[object]) -> bool:
        sizes = {name: self._tables.size(GlobalId.parse(name)) for name in _collections(relation) if _is_user(name)}
        made = series_rows(relation, parameters)
        if made is None:
            # How many rows a series has that depends on others is not known; those of the system have short ones.
            return not sizes and bool(_collections(relation))
        return sum(sizes.values()) + made <= _FEW and _pairs(relation, sizes) <= _FEW_PAIRS

    async def _evaluated(
        self, prepared: Prepared, parameters: Sequence[object], as_of: Timestamp, system: System
    ) -> pa.Table:
        tables: dict[str, pa.Table] = {}
        for name in prepared.reads:
            own = _is_user(name)
            tables[name] = await (self._tables.rows(GlobalId.parse(name), as_of) if own else system(name))
        return await evaluated(prepared, tables, parameters, _MOST)

    async def _on_spark(
        self, prepared: Prepared, parameters: Sequence[object], as_of: Timestamp, system: System
    ) -> AsyncIterator[pa.Table]:
        query, names = await asyncio.to_thread(_rendered, prepared), prepared.plan.names
        spark = await self._runtime.session()
        async with AsyncExitStack() as frames:
            inputs_: dict[str, DataFrame] = {}
            for name in query.inputs:
                if _is_user(name):
                    inputs_[name] = await frames.enter_async_context(
                        self._tables.frame(spark, GlobalId.parse(name), as_of)
                    )
                else:
                    table = await system(name)
                    inputs_[name] = await asyncio.to_thread(_frame, spark, table, _types(prepared.plan, name))
            if _is_short(prepared.plan):
                yield await self._runtime.run(lambda spark: run(spark, query, inputs_, parameters, names))
                return
            async for piece in streamed(self._runtime, lambda spark: stream(spark, query, inputs_, parameters, names)):
                yield piece


async def evaluated(
    prepared: Prepared, tables: Mapping[str, pa.Table], parameters: Sequence[object], most: int | None = None
) -> pa.Table:
    """The rows of a query that needs no Spark: at once if that is sure to take no time, else in a thread."""
    rows = sum(table.num_rows for table in tables.values())
    if prepared.is_plain and prepared.is_short and rows <= _AT_ONCE and not prepared.runs_code:
        return evaluate(prepared.plan, tables, parameters)
    return await in_thread(evaluate, prepared.plan, tables, parameters, most)


async def streamed(runtime: SparkRuntime, job: Callable[[SparkSession], Iterator[pa.Table]]) -> AsyncIterator[pa.Table]:
    """What a job in a thread yields. The job is at most two pieces ahead, and ends when nobody wants more."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[pa.Table | None] = asyncio.Queue(2)
    over = False

    def pump(spark: SparkSession) -> None:
        for piece in job(spark):
            if over:
                return
            asyncio.run_coroutine_threadsafe(queue.put(piece), loop).result()

    async def work() -> None:
        try:
            await runtime.run(pump)
        finally:
            if not over:
                await queue.put(None)

    task = asyncio.create_task(work())
    try:
        while (piece := await queue.get()) is not None:
            yield piece
        await task
    finally:
        over = True
        while not task.done():
            while not queue.empty():
                queue.get_nowait()
            task.cancel()
            await asyncio.wait([task], timeout=0.05)
        if not task.cancelled():
            task.exception()


def _rendered(prepared: Prepared) -> SparkQuery:
    return prepared.spark


def is_system(name: str) -> bool:
    """Whether a collection is no table of a user's."""
    return not _is_user(name)


def _is_user(name: str) -> bool:
    return name.startswith("u")


@lru_cache(maxsize=4096)
def _lookup(prepared: Prepared, indexes: frozenset[tuple[Part, ...]]) -> Lookup | None:
    return lookup_of(prepared.plan, indexes)


@lru_cache(maxsize=4096)
def _collections(relation: Relation) -> frozenset[str]:
    if isinstance(relation, Get):
        return frozenset((relation.name,))
    return frozenset[str]().union(*(_collections(part) for part in inputs(relation)))


def _pairs(relation: Relation, sizes: Mapping[str, int]) -> int:
    """How many pairs of rows joins without equality would look at, at most."""
    found = sum(_pairs(part, sizes) for part in inputs(relation))
    if isinstance(relation, Join | OuterJoin | SemiJoin) and not _has_equality(relation):
        product = 1
        for part in inputs(relation):
            rows = 1 if covers(part, ()) else sum(sizes.get(name, 1) for name in _collections(part))
            product *= max(rows, 1)
        found += product
    return found


def _has_equality(join: Join | OuterJoin | SemiJoin) -> bool:
    return any(isinstance(each, Call) and each.function.name == "=" for each in join.predicates)


def _get(relation: Relation, name: str) -> Get:
    while not isinstance(relation, Get):
        (relation,) = inputs(relation)
    assert relation.name == name
    return relation


def _types(plan: Plan, name: str) -> list[Type]:
    def find(relation: Relation) -> Get | None:
        if isinstance(relation, Get):
            return relation if relation.name == name else None
        return next((found for part in inputs(relation) if (found := find(part)) is not None), None)

    found = find(plan.relation)
    assert found is not None
    return [column.type for column in found.columns]


def _frame(spark: SparkSession, table: pa.Table, types: Sequence[Type]) -> DataFrame:
    names = [f"c{index}" for index in range(len(types))]
    schema = ", ".join(f"{name} {spark_type(type_)}" for name, type_ in zip(names, types, strict=True))
    return frame_of(spark, table.rename_columns(names), schema)


def _is_short(plan: Plan) -> bool:
    """Whether the result is sure to be small enough to be taken at once."""
    return plan.limit is not None or (isinstance(plan.relation, Reduce) and not plan.relation.keys)


def _cut(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, max(table.num_rows, 1), _PIECE):
        yield table.slice(start, _PIECE)
