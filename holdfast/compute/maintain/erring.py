"""When a view errs: an interval of times for each error in its data.

Durably they are rows in a collection of their own, which say the message and the code: one comes when the view begins
to err, and goes when it no longer does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pyarrow as pa

from holdfast.compute.maintain.collection import Erring
from holdfast.compute.maintain.outside import ErrorCodes
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

ROW_TYPE = RowType.of(("message", pa.string()), ("sqlstate", pa.string()))


class Errors:
    """Intervals in order of time, of which only the last may be open."""

    def __init__(self, intervals: Iterable[Erring] = ()) -> None:
        self._intervals = list(intervals)

    @property
    def open(self) -> Erring | None:
        """Since when the view errs, if it does."""
        last = self._intervals[-1] if self._intervals else None
        return last if last is not None and last.end is None else None

    @property
    def first(self) -> Timestamp | None:
        return self._intervals[0].start if self._intervals else None

    def within(self, start: Timestamp, end: Timestamp) -> Erring | None:
        """The first interval with a time from `start` to `end`."""
        for interval in self._intervals:
            if interval.start <= end and (interval.end is None or interval.end > start):
                return interval
        return None

    def begin(self, start: Timestamp, error: DataError) -> None:
        self._intervals.append(Erring(start, None, error))

    def heal(self, end: Timestamp) -> None:
        """The view has rows again from `end` on."""
        self._intervals[-1] = replace(self._intervals[-1], end=end)

    def forget(self, since: Timestamp) -> None:
        """Nobody will ask of times before `since`."""
        self._intervals = [each for each in self._intervals if each.end is None or each.end > since]


def same(one: DataError, other: DataError, codes: ErrorCodes) -> bool:
    """Whether two errors say the same."""
    return str(one) == str(other) and codes.code_of(one) == codes.code_of(other)


def updates_of(changes: Sequence[tuple[DataError, int]], time: Timestamp, codes: ErrorCodes) -> UpdateBatch:
    rows = [(str(error), codes.code_of(error)) for error, _ in changes]
    return UpdateBatch.from_rows(ROW_TYPE, rows, [time] * len(rows), [diff for _, diff in changes])


def loaded(updates: UpdateBatch, codes: ErrorCodes) -> Errors:
    """The intervals that were written."""
    columns = [updates.table.column(index).to_pylist() for index in range(4)]
    errors = Errors()
    # At one time, what ends comes before what begins.
    for message, code, time, diff in sorted(zip(*columns, strict=True), key=lambda row: (row[2], row[3])):
        if diff > 0:
            errors.begin(Timestamp(time), codes.error_of(code, message))
        else:
            errors.heal(Timestamp(time))
    return errors
