"""The changes of a query, time by time.

A query that is linear over one collection has the changes that come of applying it to the collection's changes. Any
other is evaluated at every time at which something that it reads has changed, and compared with what it was before.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate import rows as evaluated
from holdfast.compute.evaluate.keys import Key, equality
from holdfast.persist import Changes
from holdfast.plan.relation import Filter, Get, Map, Project, Relation
from holdfast.plan.types import Type
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import DIFF, TIME

Row: TypeAlias = tuple[Any, ...]  # values as `plan/types.py` lists them

Batch: TypeAlias = list[tuple[Row, int]]
"""Rows that are all different, with how many more or fewer there are of each."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, in order of time, and the frontier before which nothing is missing any more."""

    batches: tuple[tuple[Timestamp, Batch], ...]
    upper: Frontier


class Source(Protocol):
    """Where collections are read: the tables of a database."""

    def changes(self, id: GlobalId, start: Timestamp) -> AsyncGenerator[Changes, None]: ...


Evaluate: TypeAlias = Callable[[Timestamp], Awaitable[Sequence[Row]]]
"""The rows of the query at a time."""


def consolidated(updates: Iterable[tuple[Row, int]], types: Sequence[Type]) -> Batch:
    key = equality(types)
    sums: dict[Key, list[Any]] = {}
    for row, diff in updates:
        held = sums.setdefault(key(row), [row, 0])
        held[1] += diff
    return [(row, diff) for row, diff in sums.values() if diff]


def is_linear(relation: Relation) -> bool:
    """Whether each row of the result comes of one row of one collection."""
    while isinstance(relation, Map | Filter | Project):
        relation = relation.input
    return isinstance(relation, Get)


async def steps(
    relation: Relation, reads: Sequence[GlobalId], as_of: Timestamp, source: Source, evaluate: Evaluate
) -> AsyncGenerator[Step, None]:
    """The rows at `as_of`, then their changes. The last step of a query that cannot change has an empty upper."""
    types = [column.type for column in relation.columns]
    first = consolidated([(row, 1) for row in await evaluate(as_of)], types)
    if not reads:
        yield Step(((as_of, first),), Frontier(None))
        return
    yield Step(((as_of, first),), Frontier(Timestamp(as_of + 1)))
    if len(reads) == 1 and is_linear(relation):
        following = _linear(relation, reads[0], as_of, source, types)
    else:
        following = _compared(reads, as_of, source, evaluate, types, first)
    async with aclosing(following) as found:
        async for step in found:
            yield step


async def _linear(
    relation: Relation, read: GlobalId, as_of: Timestamp, source: Source, types: Sequence[Type]
) -> AsyncGenerator[Step, None]:
    async with aclosing(source.changes(read, as_of)) as changes:
        async for change in changes:
            updates = change.updates.table
            if not updates.num_rows:
                yield Step((), change.upper)
                continue
            batches = await asyncio.to_thread(_applied, relation, str(read), updates, types)
            yield Step(batches, change.upper)


def _applied(
    relation: Relation, read: str, updates: pa.Table, types: Sequence[Type]
) -> tuple[tuple[Timestamp, Batch], ...]:
    """The query of each time's updates, those of one diff together."""
    found: dict[Timestamp, list[tuple[Row, int]]] = defaultdict(list)
    groups = updates.select([TIME, DIFF]).group_by([TIME, DIFF]).aggregate([]).to_pylist()
    for group in groups:
        chosen = pc.and_(pc.equal(updates[TIME], group[TIME]), pc.equal(updates[DIFF], group[DIFF]))
        rows = evaluated(relation, {read: updates.filter(chosen).drop_columns([TIME, DIFF])})
        found[Timestamp(group[TIME])].extend((row, group[DIFF]) for row in rows)
    return _in_order({time: consolidated(updates, types) for time, updates in found.items()})


def _in_order(batches: Mapping[Timestamp, Batch]) -> tuple[tuple[Timestamp, Batch], ...]:
    return tuple((time, batches[time]) for time in sorted(batches) if batches[time])


async def _compared(
    reads: Sequence[GlobalId],
    as_of: Timestamp,
    source: Source,
    evaluate: Evaluate,
    types: Sequence[Type],
    before: Batch,
) -> AsyncGenerator[Step, None]:
    async with aclosing(_times(reads, as_of, source)) as found:
        async for times, upper in found:
            batches: dict[Timestamp, Batch] = {}
            for time in times:
                now = consolidated([(row, 1) for row in await evaluate(time)], types)
                difference = consolidated([*now, *((row, -count) for row, count in before)], types)
                batches[time], before = difference, now
            yield Step(_in_order(batches), upper)


async def _times(
    reads: Sequence[GlobalId], start: Timestamp, source: Source
) -> AsyncGenerator[tuple[list[Timestamp], Frontier], None]:
    """The times at which any of the collections changed, up to a frontier that all of them have passed."""
    streams = {read: source.changes(read, start) for read in reads}
    uppers = {read: Frontier(Timestamp(start + 1)) for read in reads}
    waiting: set[Timestamp] = set()
    told = Frontier(Timestamp(start + 1))
    try:
        while True:
            least = min(uppers.values(), key=_order)
            for read in [read for read, upper in uppers.items() if upper == least]:
                change = await anext(streams[read], None)
                if change is None:
                    uppers[read] = Frontier(None)
                else:
                    waiting |= {Timestamp(time) for time in pc.unique(change.updates.table[TIME]).to_pylist()}
                    uppers[read] = change.upper
            upper = min(uppers.values(), key=_order)
            if upper == told:
                continue
            times = sorted(time for time in waiting if not upper.less_equal(time))
            waiting -= set(times)
            told = upper
            yield times, upper
            if upper.time is None:
                return
    finally:
        for stream in streams.values():
            await stream.aclose()


def _order(frontier: Frontier) -> tuple[bool, int]:
    return frontier.time is None, frontier.time or 0
