"""A collection while a step changes it: what there was before the step, and what has come and gone since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import pyarrow as pa

from holdfast.compute.delta.rows import settled
from holdfast.compute.evaluate.keys import Key, equality
from holdfast.compute.evaluate.scalars import Row, columns_at
from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan.relation import Columns
from holdfast.plan.types import Type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch


class Before(Protocol):
    """The updates of a collection before the step."""

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch: ...


class Changing:
    """Rows are found by the values of columns, at a cost that follows what is found and what has changed.

    - A row that has gone is not found, also if it was there before the step.
    - A row that has come is found with the time since when it is there.
    - Of a set a row is there once, however often it comes.
    """

    def __init__(self, before: Before, columns: Columns, lower: Timestamp, *, is_set: bool) -> None:
        self._before, self._columns, self._lower, self._is_set = before, columns, lower, is_set
        self._types = [column.type for column in columns]
        self._key = equality(self._types)
        self._rows: dict[Key, Row] = {}
        self._diffs: dict[Key, int] = {}
        self._since: dict[Key, int] = {}
        self._indexes: dict[tuple[int, ...], _Index] = {}
        self.looked_up = 0
        """How many updates were found of what there was before the step."""

    def take(self, updates: Sequence[Row]) -> None:
        """Rows go, each as often as its diff says."""
        for update in updates:
            self._add(update[:-2], -update[-1])

    def put(self, updates: Sequence[Row]) -> list[Row]:
        """Rows come, each at its time. Returned are those that were not there, or only from a later time on."""
        rows = [update[:-2] for update in updates]
        there = {self._key(row) for row, is_there in zip(rows, self.has(rows), strict=True) if is_there}
        new: dict[Key, Row] = {}
        for update in sorted(updates, key=lambda each: each[-2]):
            key = self._key(update[:-2])
            is_there = key in there or key in new
            if not is_there or not self._is_set:
                self._add(update[:-2], update[-1])
            if not is_there or self._since.get(key, self._lower) > update[-2]:
                new[key] = update
                self._since[key] = update[-2]
        return list(new.values())

    def _add(self, row: Row, diff: int) -> None:
        key = self._key(row)
        if key not in self._rows:
            self._rows[key] = row
            for index in self._indexes.values():
                index.add(row, key)
        self._diffs[key] = self._diffs.get(key, 0) + diff

    def lookup(self, columns: tuple[int, ...], keys: Sequence[Row], types: Sequence[Type]) -> list[Row]:
        """The rows whose `columns` have the values of a row of `keys`, of these types, once each: with a time, and how
        often they are there. Without columns, all of them.
        """
        wanted = [to_arrow([key[place] for key in keys], type_) for place, type_ in enumerate(types)]
        batch = self._before.lookup(columns, wanted, self._lower)
        self.looked_up += batch.rows
        found = settled(batch, self._columns, Timestamp(self._lower - 1)).rows
        changed = self._changed(columns, keys)
        if not changed:
            return list(found)
        counts = {self._key(update[:-2]): update for update in found}
        for key in changed:
            there = counts.get(key)
            count = self._diffs[key] + (0 if there is None else there[-1])
            counts[key] = (*self._rows[key], self._since.get(key, self._lower - 1), count)
        return [update for update in counts.values() if update[-1]]

    def _changed(self, columns: tuple[int, ...], keys: Sequence[Row]) -> Iterable[Key]:
        if not columns:
            return self._rows.keys()
        if not self._rows:
            return ()
        if columns not in self._indexes:
            index = self._indexes[columns] = _Index(columns, self._types)
            for key, row in self._rows.items():
                index.add(row, key)
        return self._indexes[columns].found(keys)

    def has(self, rows: Sequence[Row]) -> list[bool]:
        """For each of the rows whether it is there."""
        if not rows:
            return []
        there = self.lookup(tuple(range(len(self._types))), list(dict.fromkeys(rows)), self._types)
        found = {self._key(update[:-2]) for update in there if update[-1] > 0}
        return [self._key(row) in found for row in rows]


class _Index:
    """The keys of rows, by the values of some of their columns."""

    def __init__(self, columns: tuple[int, ...], types: Sequence[Type]) -> None:
        self._values = columns_at(columns)
        self._same: Callable[[Row], Key] = equality([types[index] for index in columns])
        self._keys: dict[Key, list[Key]] = {}

    def add(self, row: Row, key: Key) -> None:
        self._keys.setdefault(self._same(self._values(row)), []).append(key)

    def found(self, values: Sequence[Row]) -> list[Key]:
        wanted = dict.fromkeys(map(self._same, values))
        return [key for value in wanted for key in self._keys.get(value, ())]
