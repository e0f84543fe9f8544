"""Streams: tables whose rows come, go and change at random, made a few at each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from holdfast.plan.types import Type
from tests.compute.delta.lives import Change, History, Row

Columns = Sequence[tuple[str, Type]]


class Stream:
    """The updates of some tables. A row is one of a table's, by its place among all that the table ever has."""

    def __init__(self, random: Random, tables: Mapping[str, Columns], row: Callable[[Random, str, int], Row]) -> None:
        """`row` makes one for a table and a time."""
        self._random, self._tables, self._row = random, tables, row
        self._rows: dict[str, list[Row]] = {name: [] for name in tables}
        self._there: dict[str, list[int]] = {name: [] for name in tables}
        self._changes: dict[str, list[Change]] = {name: [] for name in tables}

    def insert(self, table: str, time: int, row: Row | None = None) -> None:
        made = self._row(self._random, table, time) if row is None else row
        self._there[table].append(len(self._rows[table]))
        self._changes[table].append(Change(time, len(self._rows[table]), 1))
        self._rows[table].append(made)

    def delete(self, table: str, time: int) -> Row | None:
        there = self._there[table]
        if not there:
            return None
        place = there.pop(self._random.randrange(len(there)))
        self._changes[table].append(Change(time, place, -1))
        return self._rows[table][place]

    def update(self, table: str, time: int) -> None:
        """One column of a row, or more, become other ones."""
        old = self.delete(table, time)
        if old is not None:
            new = self._row(self._random, table, time)
            self.insert(table, time, tuple(self._random.choice((a, a, b)) for a, b in zip(old, new, strict=True)))

    def happen(self, time: int, count: int) -> None:
        """So many things, to any of the tables."""
        for _ in range(count):
            table = self._random.choice(list(self._tables))
            self._random.choice((self.insert, self.update, self.update, self.delete))(table, time)

    def histories(self) -> dict[str, History]:
        return {
            name: History([type_ for _, type_ in columns], self._rows[name], self._changes[name])
            for name, columns in self._tables.items()
        }
