"""An arrangement: a few runs of updates, of sizes that grow geometrically."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.arrange.keys import Keys
from holdfast.compute.arrange.run import Run, compacted, loaded, merged, runs_of, tidied
from holdfast.errors import UsageError
from holdfast.repr.consolidate import as_of
from holdfast.repr.frontier import MAX_TIME, MIN_TIME, Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

TAIL = 1024
"""Rows up to which a run is small: there is one of those, copied whenever updates are appended to it."""

FAN = 8
"""So many runs of one size become one of the next, which is as many times larger."""

COMBINED = 1 << 16
"""Rows up to which an answer is put in one piece: those who get many pieces are slower by more than that costs."""

FIRST = 64
"""Rows looked at first for the earliest, then four times as many, and so on."""


class Arranged:
    """The updates of one collection in memory, found by the values of some of its columns, at any time that is kept.

    - Whoever reads sees all updates of an `append` or none.
    - Any number of threads may read while others append and one compacts: runs are never changed, only replaced.
    - After `compact(since)` the collection can be read at times in advance of `since`: `before` is later than it.
    - An index by some columns is made when they are first asked for, and kept up to date from then on.
    """

    def __init__(self, row_type: RowType) -> None:
        self._row_type = row_type
        self._schema = row_type.updates_schema
        self._runs: tuple[Run, ...] = ()
        self._since = MIN_TIME
        self._compacting: frozenset[Run] = frozenset()
        """Runs that `compact` is about to replace, and nobody else may."""
        self._lock = threading.Lock()
        """Held by whoever replaces runs."""

    @property
    def rows(self) -> int:
        """How many updates there are, whatever their diffs."""
        return sum(run.rows for run in self._runs)

    @property
    def nbytes(self) -> int:
        """The bytes of the updates and of the indexes that were made so far."""
        return sum(run.nbytes for run in self._runs)

    def append(self, updates: UpdateBatch) -> None:
        """More updates, of any times. The cost of few does not depend on how many there are already, but for merges
        whose cost is spread over all appends."""
        if updates.row_type != self._row_type:
            raise UsageError(f"updates of row type {updates.row_type} appended to an arrangement of {self._row_type}")
        added = runs_of(updates.table.to_batches())
        if not added:
            return
        with self._lock:
            since = None if self._since == MIN_TIME else self._since
            loose = [run for run in self._runs if run not in self._compacting]
            fixed = [run for run in self._runs if run in self._compacting]
            self._runs = _indexed([*fixed, *_settled([*loose, *added], since)])

    def load(self, pieces: list[UpdateBatch]) -> None:
        """The first updates, all at one time, taken out of the list: many of them are not in memory twice."""
        batches = [batch for piece in pieces for batch in piece.table.to_batches() if batch.num_rows]
        pieces.clear()
        self._runs = tuple(loaded(batches))

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch:
        """The updates at times before `before` whose `columns` have the values of a row of `keys`, each once.

        Null is found by null and NaN by NaN. An integer may come in another width; one that the column's type does
        not have finds nothing. Without columns all updates are found.
        """
        if not columns:
            return self.all(before)
        if len(keys) != len(columns):
            raise UsageError(f"keys of {len(keys)} columns are looked for in {len(columns)}")
        # The same columns in another order are served by the same index.
        order = sorted(range(len(columns)), key=columns.__getitem__)
        chosen = tuple(columns[place] for place in order)
        wanted = Keys.of([self._schema.field(column).type for column in chosen], [keys[place] for place in order])
        if len(wanted.words) == 0:
            return self._batch([])
        return self._batch(run.found(chosen, wanted, before) for run in self._read(before))

    def all(self, before: Timestamp) -> UpdateBatch:
        """The updates at times before `before`."""
        return self._batch(run.all(before) for run in self._read(before))

    def due(self, column: int, until: int, before: Timestamp) -> UpdateBatch:
        """The updates at times before `before` whose value in that int64 column is less than `until`."""
        self._refuse_unordered(column)
        return self._batch(run.at(run.by_value(column).below(until), before) for run in self._read(before))

    def earliest(self, column: int, before: Timestamp) -> int | None:
        """The least value in that int64 column among the rows that are there just before `before`, if any is.

        Rows are looked at in the order of their values, up to the first whose diffs do not cancel.
        """
        self._refuse_unordered(column)
        runs = self._read(before)
        indexes = [run.by_value(column) for run in runs]
        count = FIRST
        while True:
            # Of each run all rows up to this value are among its first `count`, or are a few more that are equal.
            bounds = [int(index.values[count]) for index in indexes if len(index.values) > count]
            until = min(bounds, default=MAX_TIME) + 1
            found = self._batch(run.at(index.below(until), before) for run, index in zip(runs, indexes, strict=True))
            if found.rows:
                there = as_of(found, Timestamp(before - 1))
                if there.rows:
                    least: int = pc.min(there.table.column(column)).as_py()
                    return least
            if not bounds:
                return None
            count *= 4

    def advance(self, since: Timestamp) -> bool:
        """Times before `since` will not be asked for any more. Whether it is worth it to `compact` now."""
        with self._lock:
            self._since = max(self._since, since)
            return not self._compacting and bool(self._ripe())

    def _ripe(self) -> tuple[Run, ...]:
        """The runs to consolidate: all, once half of their updates may have become superfluous. Or those that never
        were, if some of these take back what others brought, and half of them were not yet with each other.
        """
        ripe = [run for run in self._runs if run.max_time <= self._since]
        pending = sum(run.pending for run in ripe)
        if pending >= max(TAIL, self.rows - pending):
            return self._runs
        young = tuple(run for run in ripe if run.pending == run.rows)
        untidy = sum(run.rows for run in young if not run.is_tidy)
        if untidy >= max(TAIL, sum(run.rows for run in young) - untidy) and any(run.takes_back for run in young):
            return young
        return ()

    def compact(self, since: Timestamp) -> None:
        """Times before `since` will not be asked for any more: updates may be advanced to it, and those that cancel go.

        What is merged is about twice as much as came to it since it was the last time, so that the cost for each update
        that was appended is bounded. Meanwhile others read and append. If a compaction is under way, that is enough.
        """
        self.advance(since)
        with self._lock:
            since, runs = self._since, () if self._compacting else self._ripe()
            if not runs:
                return
            every = len(runs) == len(self._runs)
            self._compacting = frozenset(runs)
        replaced: Sequence[Run] = runs
        try:
            replaced = compacted(runs, since) if every else tidied(runs, since)
        finally:
            with self._lock:
                self._runs = (*replaced, *(run for run in self._runs if run not in self._compacting))
                self._compacting = frozenset()

    def _read(self, before: Timestamp) -> list[Run]:
        """The runs that have updates before `before`."""
        if before <= self._since and self._since > MIN_TIME:
            raise UsageError(f"updates before {before} are asked for, but were compacted up to {self._since}")
        return [run for run in self._runs if run.min_time < before]

    def _batch(self, pieces: Iterable[pa.RecordBatch]) -> UpdateBatch:
        some = [piece for piece in pieces if piece.num_rows]
        table = pa.Table.from_batches(some, self._schema)
        if len(some) > 1 and table.num_rows <= COMBINED:
            table = table.combine_chunks()
        return UpdateBatch(self._row_type, table)

    def _refuse_unordered(self, column: int) -> None:
        if self._schema.field(column).type != pa.int64():
            raise UsageError(f"column {column} of {self._row_type} is not of type int64")


def _settled(runs: list[Run], since: Timestamp | None) -> list[Run]:
    """`runs` merged until there is one small one, and fewer than `FAN` of each larger size, but for full ones.

    What is merged is consolidated as seen from `since`, if there is one; small runs are not worth it.
    """
    while chosen := _overfull(runs):
        large = sum(run.rows for run in chosen) >= TAIL
        kept = [run for run in runs if run not in chosen]
        runs = [*kept, *merged(tuple(chosen), since if large else None)]
    return runs


def _indexed(runs: Sequence[Run]) -> tuple[Run, ...]:
    """`runs`, all that are not small with every index that one of them has: those who look things up need not wait."""
    by_hash = {columns for run in runs for columns in tuple(run.hash_indexes)}
    by_value = {column for run in runs for column in tuple(run.value_indexes)}
    for run in runs:
        if run.rows >= TAIL:
            for columns in by_hash:
                run.by_hash(columns)
            for column in by_value:
                run.by_value(column)
    return tuple(runs)


def _overfull(runs: Sequence[Run]) -> frozenset[Run]:
    """The runs to merge next: those of a size that has too many, and all that are smaller."""
    sizes: defaultdict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if not run.is_full:
            sizes[_size(run)].append(run)
    for size in sorted(sizes):
        if len(sizes[size]) >= (FAN if size else 2):
            return frozenset(run for run in runs if not run.is_full and _size(run) <= size)
    return frozenset()


def _size(run: Run) -> int:
    """0 for a small run, then one more for each `FAN` times as many rows."""
    size, rows = 0, run.rows
    while rows >= TAIL:
        size, rows = size + 1, rows // FAN
    return size
