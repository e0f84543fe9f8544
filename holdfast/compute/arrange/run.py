"""Runs: updates that do not change any more, with their indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.compute.arrange.entries import HALF, Mask, Positions, words_of
from holdfast.compute.arrange.index import MAX_ROWS, HashIndex, ValueIndex
from holdfast.compute.arrange.keys import Keys
from holdfast.compute.arrange.same import representatives, taken
from holdfast.repr.consolidate import DiffOverflowError
from holdfast.repr.frontier import Timestamp

Int64s = npt.NDArray[np.int64]

MAX_STRING_BYTES = 2**31 - 1
MAX_NESTED_BYTES = 2**28
"""Bytes of a column of a run: Arrow has places for so many, of booleans in lists eight to a byte."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Some updates in one piece, at least one.

    - All but `pending` of them were consolidated with every other update that there was then.
    - If it `is_tidy`, all of them are pending, and were consolidated with every other that was.
    - `fullness` is the greatest share that it has of what a run can have: of rows, or of a column's bytes.
    - Indexes are made when first asked for. Two threads may make the same one, and either is kept.
    """

    batch: pa.RecordBatch
    pending: int
    is_tidy: bool = field(default=False, kw_only=True)
    hash_indexes: dict[tuple[int, ...], HashIndex] = field(default_factory=dict)
    value_indexes: dict[int, ValueIndex] = field(default_factory=dict)
    min_time: int = field(init=False)
    max_time: int = field(init=False)
    takes_back: bool = field(init=False)
    fullness: float = field(init=False)

    def __post_init__(self) -> None:
        times = self.times
        object.__setattr__(self, "min_time", int(times.min()))
        object.__setattr__(self, "max_time", int(times.max()))
        object.__setattr__(self, "takes_back", bool((self.diffs < 0).any()))
        object.__setattr__(self, "fullness", _fullness(self.batch))

    @property
    def rows(self) -> int:
        return int(self.batch.num_rows)

    @property
    def is_full(self) -> bool:
        """Whether it may not fit into one run with another that is not full either."""
        return 2 * self.fullness >= 1

    @property
    def nbytes(self) -> int:
        indexes = sum(index.nbytes for index in tuple(self.hash_indexes.values()))
        return int(self.batch.nbytes) + indexes + sum(index.nbytes for index in tuple(self.value_indexes.values()))

    @property
    def times(self) -> Int64s:
        times: Int64s = self.batch.column(self.batch.num_columns - 2).to_numpy()
        return times

    @property
    def diffs(self) -> Int64s:
        diffs: Int64s = self.batch.column(self.batch.num_columns - 1).to_numpy()
        return diffs

    def by_hash(self, columns: tuple[int, ...]) -> HashIndex:
        index = self.hash_indexes.get(columns)
        if index is None:
            index = HashIndex.of_words(words_of([self.batch.column(column) for column in columns], self.rows))
            self.hash_indexes[columns] = index
        return index

    def by_value(self, column: int) -> ValueIndex:
        index = self.value_indexes.get(column)
        if index is None:
            index = self.value_indexes[column] = ValueIndex.of_column(self.batch.column(column))
        return index

    def found(self, columns: tuple[int, ...], keys: Keys, before: Timestamp) -> pa.RecordBatch:
        """The updates before that time which have one of `keys` in `columns`."""
        which, positions = self.by_hash(columns).find(keys.words)
        if self.max_time >= before:
            early = self.times[positions] < before
            which, positions = which[early], positions[early]
        if len(positions) == 0:
            return self.batch.slice(0, 0)
        batch = self.batch.take(pa.array(positions))
        match = keys.match(which, [batch.column(column) for column in columns])
        return batch if match.all() else batch.filter(pa.array(match))

    def at(self, positions: Positions, before: Timestamp) -> pa.RecordBatch:
        """Those of the updates at `positions` that are before that time."""
        if self.max_time >= before:
            positions = positions[self.times[positions] < before]
        return self.batch.take(pa.array(positions))

    def all(self, before: Timestamp) -> pa.RecordBatch:
        if self.max_time < before:
            return self.batch
        return self.batch.filter(pa.array(self.times < before))


def runs_of(batches: Iterable[pa.RecordBatch]) -> list[Run]:
    """The updates of `batches` in as few runs as can hold them, nearly."""
    return [joined(group) for group in _grouped([Run(batch, batch.num_rows) for batch in batches if batch.num_rows])]


def loaded(batches: list[pa.RecordBatch]) -> list[Run]:
    """The same of updates at one time, taken out of the list. Memory holds them once, but for a column of a run."""
    groups = [[run.batch for run in group] for group in _grouped([Run(batch, 0) for batch in batches])]
    batches.clear()
    runs = []
    while groups:
        schema = groups[0][0].schema
        columns = list(zip(*(batch.columns for batch in groups.pop(0)), strict=True))
        run = Run(pa.RecordBatch.from_arrays([pa.concat_arrays(columns.pop(0)) for _ in schema], schema=schema), 0)
        # What cancels are rows that went, each with one that came.
        runs.append(replace(run, pending=min(2 * int(np.count_nonzero(run.diffs < 0)), run.rows)))
    return runs


def compacted(runs: Sequence[Run], since: Timestamp) -> list[Run]:
    """All the updates of a collection, those before `since` as if they were then, consolidated."""
    groups = list(_grouped(runs))
    if len(groups) > 1:
        # They do not fit into one run, and what cancels must meet.
        groups = [group for part in _divided(runs, 2 * len(groups)) for group in _grouped(part)]
    found = (consolidated(joined(group), since) for group in groups)
    return [replace(run, pending=int(np.count_nonzero(run.times > since))) for run in found if run is not None]


def tidied(runs: Sequence[Run], since: Timestamp) -> list[Run]:
    """The same of some of the updates: what they would cancel among others stays."""
    return [replace(run, pending=run.rows, is_tidy=True) for run in compacted(runs, since)]


def merged(runs: Sequence[Run], since: Timestamp | None) -> list[Run]:
    """Some runs in as few as can hold them, nearly: as they are, or consolidated as seen from `since`."""
    groups = [joined(group) for group in _grouped(runs)]
    if since is None:
        return groups
    return [run for group in groups if (run := consolidated(group, since)) is not None]


def joined(runs: Sequence[Run]) -> Run:
    """`runs`, which must fit into one, with every index that one of them has."""
    if len(runs) == 1:
        return runs[0]
    offsets = [0, *accumulate(run.rows for run in runs)][:-1]
    by_hash = dict.fromkeys(columns for run in runs for columns in tuple(run.hash_indexes))
    by_value = dict.fromkeys(column for run in runs for column in tuple(run.value_indexes))
    return Run(
        pa.concat_batches([run.batch for run in runs]),
        sum(run.pending for run in runs),
        {columns: HashIndex.merged([run.by_hash(columns) for run in runs], offsets) for columns in by_hash},
        {column: ValueIndex.merged([run.by_value(column) for run in runs], offsets) for column in by_value},
    )


def consolidated(run: Run, since: Timestamp) -> Run | None:
    """The same updates as seen from `since`, one for each row and time; None if nothing is left.

    Indexes come along: rows only ever go, so that what remains is in order. Only rows that share a key with another
    can be equal to another, so a key that most rows have for themselves saves most of the work.
    """
    columns, times = run.batch.columns[:-2], np.maximum(run.times, since)
    hash_indexes, value_indexes = dict(run.hash_indexes), dict(run.value_indexes)
    candidates = np.arange(run.rows)
    if hash_indexes:
        candidates = min((index.shared() for index in hash_indexes.values()), key=len)
    diffs = run.diffs.copy()
    if len(candidates):
        some = [*columns, pa.array(times)]
        if len(candidates) < run.rows:
            some = taken(some, candidates)
        alike = representatives(some, words_of(some, len(candidates)))
        diffs[candidates] = _summed(diffs[candidates], alike)
    keep = diffs != 0
    batch = pa.RecordBatch.from_arrays([*columns, pa.array(times), pa.array(diffs)], schema=run.batch.schema)
    whole = Run(batch, run.pending, hash_indexes, value_indexes)
    return whole if keep.all() else _part(whole, keep)


def _part(run: Run, mask: Mask) -> Run | None:
    """The updates of `run` where `mask` holds, with their indexes; None if there are none."""
    batch = run.batch.filter(pa.array(mask))
    if batch.num_rows == 0:
        return None
    return Run(
        batch,
        min(run.pending, batch.num_rows),
        {columns: index.kept(mask) for columns, index in dict(run.hash_indexes).items()},
        {column: index.kept(mask) for column, index in dict(run.value_indexes).items()},
    )


def _divided(runs: Sequence[Run], count: int) -> list[list[Run]]:
    """The updates of `runs` in so many parts of about equal size, such that those of one row are in one part."""
    parts: list[list[Run]] = [[] for _ in range(count)]
    for run in runs:
        words = words_of(run.batch.columns[:-2], run.rows).astype(np.uint64)
        places = (words * np.uint64(count)) >> HALF
        for number, part in enumerate(parts):
            piece = _part(run, places == number)
            if piece is not None:
                part.append(piece)
    return parts


def _summed(diffs: Int64s, groups: Positions) -> Int64s:
    """The sum of the diffs of each group at the position that names it, zero elsewhere."""
    # In halves, of which so many do not overflow.
    high, low = np.zeros_like(diffs), np.zeros_like(diffs)
    np.add.at(high, groups, diffs >> 32)
    np.add.at(low, groups, diffs & 0xFFFF_FFFF)
    high += low >> 32
    if ((high < -(2**31)) | (high >= 2**31)).any():
        raise DiffOverflowError("the diffs of a row add up to more than 64 bits")
    return (high << 32) | (low & 0xFFFF_FFFF)


def _grouped(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """`runs` in groups each of which fits into one run."""
    group: list[Run] = []
    fullness = 0.0
    for run in runs:
        if group and fullness + run.fullness >= 1:
            yield group
            group, fullness = [], 0.0
        group.append(run)
        fullness += run.fullness
    if group:
        yield group


def _fullness(batch: pa.RecordBatch) -> float:
    shares = [batch.num_rows / MAX_ROWS]
    for column in batch.columns:
        if pa.types.is_nested(column.type):
            shares.append(column.nbytes / MAX_NESTED_BYTES)
        elif pa.types.is_string(column.type) or pa.types.is_binary(column.type):
            shares.append(column.nbytes / MAX_STRING_BYTES)
    return float(max(shares))
