"""When a view may change: when its inputs do, at times of its own, and when errors come and go."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.maintain.collection import Collection, Erring
from holdfast.compute.maintain.gather import Gathered
from holdfast.repr.cut import times_of
from holdfast.repr.frontier import Timestamp


def times_after(
    done: Timestamp, due: Timestamp | None, taken: Gathered, inputs: Sequence[Collection]
) -> list[Timestamp]:
    """The times after `done`, in order, up to the end of what was taken. `due` is when the view changes by itself."""
    found = set(times_of(taken.changes.values()))
    if due is not None:
        found.add(max(due, Timestamp(done + 1)))
    for table in inputs:
        found |= _turns(table, done, taken.end)
    return sorted(time for time in found if done < time <= taken.end)


def _turns(table: Collection, start: Timestamp, end: Timestamp) -> set[Timestamp]:
    """When a table begins to err, or no longer does. Errors that `start` is among may end later."""
    found: set[Timestamp] = set()
    while (erring := table.progress.erring(start, end)) is not None:
        found.add(erring.start)
        if erring.end is None:
            break
        found.add(erring.end)
        start = erring.end
    return found


def first_failing(inputs: Sequence[Collection], start: Timestamp, end: Timestamp) -> Erring | None:
    """The first error of inputs at a time from `start` to `end`."""
    found = [table.progress.erring(start, end) for table in inputs]
    return min((each for each in found if each is not None), key=lambda each: each.start, default=None)
