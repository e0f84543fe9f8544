"""What has happened to the inputs of a view in an interval of times, as much of it as one step is to take."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass

import pyarrow.compute as pc

from holdfast.compute.maintain.collection import Collections
from holdfast.repr.consolidate import consolidate
from holdfast.repr.cut import narrowed, rows_by_time, up_to
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import DIFF, RowType
from holdfast.repr.update import UpdateBatch

Changes = Mapping[str, UpdateBatch]
"""Updates of inputs, by their names."""

STEP_ROWS = 50_000
"""Updates that a step takes, unless there are more at one time."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """All updates up to `end`, of which none cancel: what came and went at one time may be no good."""

    changes: Changes
    end: Timestamp

    @property
    def rows(self) -> int:
        return sum(batch.rows for batch in self.changes.values())

    def up_to(self, end: Timestamp) -> Gathered:
        return Gathered({name: up_to(batch, end) for name, batch in self.changes.items()}, end)


async def gather(
    tables: Collections, inputs: Mapping[str, RowType], start: Timestamp, least: Timestamp, end: Timestamp
) -> Gathered:
    """The updates later than `start`, up to `end` or, if they are many, some time before it but later than `least`.

    All inputs are complete at `end`, and held at `start`.
    """
    batches: dict[str, list[UpdateBatch]] = {name: [] for name in inputs}
    for name, row_type in inputs.items():
        rows = 0
        async with aclosing(tables.between(GlobalId.parse(name), start, end)) as steps:
            async for step in steps:
                batches[name].append(narrowed(step.updates, row_type))
                rows += step.updates.rows
                upper = step.upper.time
                assert upper is not None  # no input ends that is still read
                if rows > STEP_ROWS and upper > least + 1:
                    end = Timestamp(min(end, upper - 1))
                    break
    together = {name: UpdateBatch.concat(inputs[name], found) for name, found in batches.items()}
    cut = _cut(Gathered(together, end).up_to(end), least)
    if cut.rows <= STEP_ROWS:
        return _settled(cut)
    return await asyncio.to_thread(_settled, cut)


def _settled(gathered: Gathered) -> Gathered:
    return Gathered({name: _not_cancelling(batch) for name, batch in gathered.changes.items()}, gathered.end)


def _not_cancelling(updates: UpdateBatch) -> UpdateBatch:
    """The same updates, of which none cancel: none do where all add rows, or all take some away."""
    if not updates.rows:
        return updates
    bounds = pc.min_max(updates.table[DIFF]).as_py()
    return updates if bounds["min"] > 0 or bounds["max"] < 0 else consolidate(updates)


def _cut(gathered: Gathered, least: Timestamp) -> Gathered:
    """Only the first of the updates, if they are many: all at some time, or none."""
    if gathered.rows <= STEP_ROWS:
        return gathered
    times, rows = rows_by_time(gathered.changes.values())
    last = max(bisect_right(rows, STEP_ROWS) - 1, bisect_right(times, least))
    return gathered if last + 1 >= len(times) else gathered.up_to(Timestamp(times[last + 1] - 1))
