"""The changes of a query, time by time.

A query that is linear over one collection has the changes that come of applying it to the collection's changes. Any
other has those that its program makes of the changes of all that it reads. Only where too much would have to be known
to begin with is it evaluated at every time at which something that it reads has changed, or at which it changes by
itself, and compared with what it was before. So is one that reads relations of the system, whenever these are looked at
anew.

Changes are made when they are asked for: whoever is slow to take them has one step at hand, and history is held for
those that follow.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.results import Piece
from holdfast.adapter.subscribe.samples import Samples
from holdfast.compute.evaluate import rows as evaluated
from holdfast.compute.evaluate.keys import Key, equality
from holdfast.compute.evaluate.values import rows_of
from holdfast.compute.in_thread import in_thread
from holdfast.compute.maintain import Followed
from holdfast.persist import Changes
from holdfast.plan.relation import Filter, Get, Map, Project, Relation
from holdfast.plan.types import Type
from holdfast.repr.cut import later_than, up_to
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import DIFF, TIME
from holdfast.repr.update import UpdateBatch

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

    def changes(self, id: GlobalId, start: Timestamp, *, prompt: bool = False) -> AsyncGenerator[Changes, None]: ...


Evaluate: TypeAlias = Callable[[Timestamp], Awaitable[Sequence[Piece]]]
"""The rows of the query at a time."""

Turn: TypeAlias = Callable[[Timestamp], Awaitable[Timestamp | None]]
"""The first time after another at which the query may change by itself."""

_FEW = 2_000
"""Rows that are counted without a thread."""


async def counted(pieces: Sequence[Piece], types: Sequence[Type]) -> Batch:
    """The rows, each once, with how many there are."""

    def count() -> Batch:
        return consolidated(((row, 1) for piece in pieces for row in piece.rows()), types)

    return count() if sum(map(len, pieces)) <= _FEW else await asyncio.to_thread(count)


async def difference(now: Batch, before: Batch, types: Sequence[Type]) -> Batch:
    def count() -> Batch:
        return consolidated([*now, *((row, -diff) for row, diff in before)], types)

    return count() if len(now) + len(before) <= _FEW else await asyncio.to_thread(count)


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
    relation: Relation,
    reads: Sequence[GlobalId],
    as_of: Timestamp,
    source: Source,
    evaluate: Evaluate,
    *,
    snapshot: bool = True,
    turn: Turn | None = None,
    maintained: Followed | None = None,
    samples: Samples | None = None,
) -> AsyncGenerator[Step, None]:
    """The rows at `as_of` if a `snapshot` is wanted, then their changes.

    The last step of a query that cannot change has an empty upper. One with `turn` changes by itself. The changes are
    those that `maintained` says, if it is given. With `samples` it reads relations of the system too.
    """
    types = [column.type for column in relation.columns]
    linear = len(reads) == 1 and is_linear(relation) and turn is None and samples is None
    compared = not linear and maintained is None
    first = await counted(await evaluate(as_of), types) if snapshot or compared else []
    told = ((as_of, first),) if snapshot else ()
    if not reads and samples is None:
        yield Step(told, Frontier(None))
        return
    yield Step(told, Frontier(Timestamp(as_of + 1)))
    if linear:
        following = _linear(relation, reads[0], as_of, source, types)
    elif maintained is not None:
        following = _followed(maintained, reads, as_of, source, types)
    else:
        following = _compared(_looked_at(reads, as_of, source, samples), as_of, evaluate, types, first, turn)
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
            batches = await in_thread(_applied, relation, str(read), updates, types)
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


async def _followed(
    maintained: Followed, reads: Sequence[GlobalId], as_of: Timestamp, source: Source, types: Sequence[Type]
) -> AsyncGenerator[Step, None]:
    await maintained.begin(as_of)
    try:
        async with aclosing(_together(reads, as_of, source)) as found:
            async for changes, upper in found:
                if upper.time is None:
                    yield Step((), upper)
                    return
                made = await maintained.step(changes, Timestamp(upper.time - 1))
                yield Step(_by_time(made, types), upper)
    finally:
        maintained.end()


def _by_time(updates: UpdateBatch, types: Sequence[Type]) -> tuple[tuple[Timestamp, Batch], ...]:
    found: dict[Timestamp, Batch] = defaultdict(list)
    rows = rows_of(updates.table.select(range(len(types))), types)
    times, diffs = (updates.table[name].to_pylist() for name in (TIME, DIFF))
    for row, time, diff in zip(rows, times, diffs, strict=True):
        found[time].append((row, diff))
    return _in_order(found)


Times: TypeAlias = AsyncGenerator[tuple[list[Timestamp], Frontier], None]
"""When to look at a query again, up to a frontier before which that is known."""


async def _compared(
    looked_at: Times,
    as_of: Timestamp,
    evaluate: Evaluate,
    types: Sequence[Type],
    before: Batch,
    turn: Turn | None,
) -> AsyncGenerator[Step, None]:
    turns_at = None if turn is None else await turn(as_of)
    async with aclosing(looked_at) as found:
        async for times, upper in found:
            waiting = deque(times)
            while (time := _first(waiting, turns_at, upper)) is not None:
                if waiting and waiting[0] == time:
                    waiting.popleft()
                now = await counted(await evaluate(time), types)
                changed, before = await difference(now, before, types), now
                turns_at = None if turn is None else await turn(time)
                if changed:
                    yield Step(((time, changed),), Frontier(Timestamp(time + 1)))
            yield Step((), upper)


def _first(waiting: deque[Timestamp], turns_at: Timestamp | None, upper: Frontier) -> Timestamp | None:
    """The next time at which the query may have changed, of those that are complete."""
    by_itself = [] if turns_at is None or upper.time is None or upper.less_equal(turns_at) else [turns_at]
    changed = [waiting[0]] if waiting else []
    return min((*changed, *by_itself), default=None)


async def _looked_at(reads: Sequence[GlobalId], start: Timestamp, source: Source, samples: Samples | None) -> Times:
    """The times at which collections changed, and those of samples. One at a time that is to come has to wait."""
    waiting: Timestamp | None = None
    async with aclosing(_times(reads, start, source) if samples is None or reads else _none(samples, start)) as found:
        async for times, upper in found:
            if samples is not None and waiting is None:
                waiting = samples.due()
            if waiting is not None and not upper.less_equal(waiting):
                times, waiting = sorted({*times, waiting}), None
            yield times, upper


async def _none(samples: Samples, start: Timestamp) -> Times:
    async with aclosing(samples.passing(start)) as found:
        async for upper in found:
            yield [], upper


async def _times(reads: Sequence[GlobalId], start: Timestamp, source: Source) -> Times:
    """The times at which any of the collections changed, up to a frontier that all of them have passed."""
    async with aclosing(_together(reads, start, source)) as found:
        async for changes, upper in found:
            batches = [batch for found in changes.values() for batch in found]
            yield sorted({Timestamp(time) for batch in batches for time in batch.table[TIME].to_pylist()}), upper


async def _together(
    reads: Sequence[GlobalId], start: Timestamp, source: Source
) -> AsyncGenerator[tuple[dict[GlobalId, list[UpdateBatch]], Frontier], None]:
    """What happened to the collections after what was told before, up to a frontier that all of them have passed."""
    # A change of one is told only once all others are known to be complete at its time: promptly, then.
    streams = {read: source.changes(read, start, prompt=True) for read in reads}
    uppers = {read: Frontier(Timestamp(start + 1)) for read in reads}
    waiting: dict[GlobalId, list[UpdateBatch]] = {read: [] for read in reads}
    told = Frontier(Timestamp(start + 1))
    try:
        while True:
            least = min(uppers.values(), key=_order)
            for read in [read for read, upper in uppers.items() if upper == least]:
                change = await anext(streams[read], None)
                if change is None:
                    uppers[read] = Frontier(None)
                else:
                    if change.updates.rows:
                        waiting[read].append(change.updates)
                    uppers[read] = change.upper
            upper = min(uppers.values(), key=_order)
            if upper == told:
                continue
            told = upper
            yield _taken(waiting, upper), upper
            if upper.time is None:
                return
    finally:
        for stream in streams.values():
            await stream.aclose()


def _taken(waiting: dict[GlobalId, list[UpdateBatch]], upper: Frontier) -> dict[GlobalId, list[UpdateBatch]]:
    """The updates before a frontier, which wait no longer."""
    if upper.time is None:
        taken = dict(waiting)
        waiting.update({read: [] for read in waiting})
        return taken
    end = Timestamp(upper.time - 1)
    found = {read: [up_to(batch, end) for batch in batches] for read, batches in waiting.items()}
    for read, batches in waiting.items():
        waiting[read] = [later for batch in batches if (later := later_than(batch, end)).rows]
    return {read: [batch for batch in batches if batch.rows] for read, batches in found.items()}


def _order(frontier: Frontier) -> tuple[bool, int]:
    return frontier.time is None, frontier.time or 0
