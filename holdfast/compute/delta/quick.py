"""Quick ways: what stages of their kind do in every step, in one pass over few rows.

The relation of a stage says what its rows are; a quick way comes to the same without an operator in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from holdfast.compute.delta.internal import BEFORE
from holdfast.compute.evaluate.joins import joined_updates
from holdfast.compute.evaluate.keys import Key, equality, same
from holdfast.compute.evaluate.scalars import Row, columns_at
from holdfast.plan.order import is_itself
from holdfast.plan.relation import Columns, Relation
from holdfast.plan.scalar import Scalar

Moment = tuple[int, int | None]
"""A time, and the next time of the same key, if there is one."""


class Read(Protocol):
    @property
    def most(self) -> int | None:
        """Rows that a join may come to."""

    def __call__(self, relation: Relation, /) -> Sequence[Row]:
        """The rows of a relation of which each counts once."""


class Quick(Protocol):
    @property
    def reads(self) -> tuple[Relation, ...]:
        """All that is read."""

    def rows(self, read: Read, columns: Columns, /) -> list[Row]:
        """Rows of a relation with these columns."""


@dataclass(frozen=True, slots=True)
class InTurn:
    """The points of updates, each with the columns of its key: keys with a time and the next one."""

    changes: tuple[tuple[Relation, tuple[int, ...]], ...]

    @property
    def reads(self) -> tuple[Relation, ...]:
        return tuple(updates for updates, _ in self.changes)

    def rows(self, read: Read, columns: Columns) -> list[Row]:
        types = [column.type for column in columns[:-2]]
        same_key, found = equality(types), dict[Key, tuple[Row, set[int]]]()
        for updates, places in self.changes:
            of_row = columns_at(places)
            for row in read(updates):
                key = of_row(row)
                found.setdefault(same_key(key), (key, set()))[1].add(row[-2])
        plain = all(map(is_itself, types))
        points: list[Row] = []
        for key, times in found.values():
            turns = [BEFORE.value, *sorted(times), None]
            shown = key if plain else tuple(map(same, key))
            points += [(*shown, *moment) for moment in pairwise(turns)]
        return points


@dataclass(frozen=True, slots=True)
class Met:
    """The combinations of two updates each for which predicates are true, as updates."""

    left: Relation
    right: Relation
    predicates: tuple[Scalar, ...]

    @property
    def reads(self) -> tuple[Relation, ...]:
        return self.left, self.right

    def rows(self, read: Read, _: Columns) -> list[Row]:
        left, right = read(self.left), read(self.right)
        if not left or not right:
            return []
        return joined_updates(left, right, len(self.left.columns), self.predicates, read.most)


@dataclass(frozen=True, slots=True)
class Settled:
    """The same updates, none of which takes another back: if all come, or all go, there is nothing to add up."""

    updates: Relation

    @property
    def reads(self) -> tuple[Relation, ...]:
        return (self.updates,)

    def rows(self, read: Read, columns: Columns) -> list[Row]:
        found = list(read(self.updates))
        if all(row[-1] > 0 for row in found) or all(row[-1] < 0 for row in found):
            return found
        same_row = equality([column.type for column in columns[:-2]])
        shown: dict[Key, Row] = {}
        counts: dict[Key, int] = {}
        for row in found:
            key = (same_row(row[:-2]), row[-2])
            shown.setdefault(key, row)
            counts[key] = counts.get(key, 0) + row[-1]
        return [(*shown[key][:-1], count) for key, count in counts.items() if count]


@dataclass(frozen=True, slots=True)
class Differences:
    """The updates that follow from what is there at each point: rows with time and next time at the end."""

    made: Relation

    @property
    def reads(self) -> tuple[Relation, ...]:
        return (self.made,)

    def rows(self, read: Read, columns: Columns) -> list[Row]:
        same_row = equality([column.type for column in columns[:-2]])
        shown: dict[Key, Row] = {}
        counts: dict[tuple[Key, int], int] = {}
        for row in read(self.made):
            *_, time, after = row
            key = same_row(row[:-2])
            shown.setdefault(key, row[:-2])
            if time > BEFORE.value:
                counts[key, time] = counts.get((key, time), 0) + 1
            if after is not None:
                counts[key, after] = counts.get((key, after), 0) - 1
        return [(*shown[key], time, count) for (key, time), count in counts.items() if count]


@dataclass(frozen=True, slots=True)
class Present:
    """The rows that are there at the `points`, each as often as it is, with the point's time and next time.

    What is known are the updates `before` the step and those of the step; their columns `key` are the keys.
    """

    points: Relation
    before: Relation
    updates: Relation
    key: tuple[int, ...]

    @property
    def reads(self) -> tuple[Relation, ...]:
        return self.points, self.before, self.updates

    def rows(self, read: Read, columns: Columns) -> list[Row]:
        types = [column.type for column in columns[:-2]]
        same_key, of_row = equality([types[index] for index in self.key]), columns_at(self.key)
        moments = by_key(read(self.points), same_key)
        if not moments:
            return []
        known: dict[Key, tuple[list[Row], list[Row]]] = {each: ([], []) for each in moments}
        for place, part in enumerate((self.before, self.updates)):
            for row in read(part):
                found = known.get(same_key(of_row(row)))
                if found is not None:
                    found[place].append(row)
        same_row, present = equality(types), list[Row]()
        for each, times in moments.items():
            present += self._in_turn(times, *known[each], same_row)
        return present

    def _in_turn(
        self, times: list[Moment], before: list[Row], updates: list[Row], same_row: Callable[[Row], Key]
    ) -> list[Row]:
        """The rows of one key at its points."""
        counts: dict[Key, int] = {}
        rows: dict[Key, Row] = {}

        def add(update: Row) -> None:
            row = update[:-2]
            of_row = same_row(row)
            rows.setdefault(of_row, row)
            counts[of_row] = counts.get(of_row, 0) + update[-1]

        for update in before:
            add(update)
        present: list[Row] = []
        # The time before the step is less than all of the step.
        waiting = sorted(updates, key=lambda update: update[-2], reverse=True)
        for moment in sorted(times, key=lambda pair: pair[0]):
            while waiting and waiting[-1][-2] <= moment[0]:
                add(waiting.pop())
            for of_row, count in counts.items():
                if count > 0:
                    present += [rows[of_row] + moment] * count
        return present


def by_key(points: Sequence[Row], same_key: Callable[[Row], Key]) -> dict[Key, list[Moment]]:
    """The moments of each key."""
    moments: dict[Key, list[Moment]] = {}
    for point in points:
        moments.setdefault(same_key(point[:-2]), []).append(point[-2:])
    return moments
