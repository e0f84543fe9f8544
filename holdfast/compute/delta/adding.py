"""Quick ways of groups that are kept by totals and extremes: what a step adds to them, and what they are then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from holdfast.cached import cached_property
from holdfast.compute.delta.extremes import best_of, better_of, value_of
from holdfast.compute.delta.quick import Read, by_key
from holdfast.compute.delta.totals import plus, sum_of, times
from holdfast.compute.evaluate.keys import Key, equality, same
from holdfast.compute.evaluate.scalars import Evaluate, Row, columns_at, compiled_all
from holdfast.compute.evaluate.values import Value
from holdfast.plan.order import is_itself
from holdfast.plan.relation import AggregateCall, Columns, Relation
from holdfast.plan.scalar import Scalar
from holdfast.plan.types import BYTEA, Type

_TIME, _FIRST = itemgetter(-2), itemgetter(0)


@dataclass(frozen=True)
class Summed:
    """What updates of rows add to the groups of some of their columns: for each key and time, what they add to the
    totals, the extremes of values that come, those of values that go, and the time.
    """

    updates: Relation
    keys: tuple[int, ...]
    addends: tuple[Scalar, ...]
    extremes: tuple[AggregateCall, ...]

    @property
    def reads(self) -> tuple[Relation, ...]:
        return (self.updates,)

    @cached_property
    def _added(self) -> Evaluate:
        return compiled_all(self.addends, ())

    @cached_property
    def _values(self) -> Evaluate:
        return compiled_all(tuple(map(value_of, self.extremes)), ())

    @cached_property
    def _types(self) -> tuple[Type, ...]:
        return tuple(addend.type for addend in self.addends)

    def rows(self, read: Read, columns: Columns) -> list[Row]:
        types = [column.type for column in columns[: len(self.keys)]]
        same_key, of_row = equality(types), columns_at(self.keys)
        groups: dict[tuple[Key, int], list[Row]] = {}
        for row in read(self.updates):
            groups.setdefault((same_key(of_row(row)), row[-2]), []).append(row)
        plain = all(map(is_itself, types))
        found: list[Row] = []
        for (_, time), members in groups.items():
            key = of_row(members[0])
            shown = key if plain else tuple(map(same, key))
            found.append((*shown, *self._sums(members), *self._chosen(members), time))
        return found

    def _sums(self, members: Sequence[Row]) -> Sequence[Value]:
        added = [self._added(row) for row in members]
        if len(members) == 1 and members[0][-1] == 1 and BYTEA not in self._types:
            return tuple(added[0])
        diffs = [row[-1] for row in members]
        return [
            sum_of(type_, [times(type_, value, diff) for value, diff in zip(values, diffs, strict=True)])
            for type_, values in zip(self._types, zip(*added, strict=True), strict=True)
        ]

    def _chosen(self, members: Sequence[Row]) -> list[Value]:
        if not self.extremes:
            return []
        if len(members) == 1:
            (row,), none = members, [None] * len(self.extremes)
            return [*self._values(row), *none] if row[-1] > 0 else [*none, *self._values(row)]
        come = [self._values(row) for row in members if row[-1] > 0]
        gone = [self._values(row) for row in members if row[-1] < 0]
        return [
            best_of(each, (row[at] for row in part)) for part in (come, gone) for at, each in enumerate(self.extremes)
        ]


@dataclass(frozen=True)
class Reached:
    """What groups are at the points: keys, totals and extremes, time and next time.

    What is known are their rows `before` the step and what is added to them, all as updates. A group that has no rows,
    which the first total says, is there only if it is the one without keys.
    """

    points: Relation
    before: Relation
    added: Relation
    keys: int
    totals: tuple[Type, ...]
    extremes: tuple[AggregateCall, ...]

    @property
    def reads(self) -> tuple[Relation, ...]:
        return self.points, self.before, self.added

    @cached_property
    def _two(self) -> Sequence[Callable[[Value, Value], Value]]:
        """What totals and extremes are of two updates."""
        return [*map(plus, self.totals), *map(better_of, self.extremes)]

    def rows(self, read: Read, columns: Columns) -> list[Row]:
        keys = self.keys
        same_key = equality([column.type for column in columns[:keys]])
        moments = by_key(read(self.points), same_key)
        if not moments:
            return []
        before: dict[Key, list[Row]] = {}
        for row in read(self.before):
            before.setdefault(same_key(row[:keys]), []).append(row)
        added: dict[Key, list[Row]] = {}
        for row in read(self.added):
            added.setdefault(same_key(row[:keys]), []).append(row)
        found: list[Row] = []
        for each, turns in moments.items():
            waiting = sorted(added[each], key=_TIME, reverse=True)
            key, known = waiting[0][:keys], before.get(each, [])
            for moment in sorted(turns, key=_FIRST):
                while waiting and waiting[-1][-2] <= moment[0]:
                    known = [*known, waiting.pop()]
                if len(known) > 1:
                    known = [self._together(known)]
                if known and (not keys or known[0][keys] > 0):
                    found.append((*key, *known[0][keys:-2], *moment))
        return found

    def _together(self, updates: Sequence[Row]) -> Row:
        """One update in place of some of the same key."""
        first, last = self.keys, self.keys + len(self.totals)
        if len(updates) == 2 and updates[0][-1] == updates[1][-1] == 1:
            one, other = updates
            both = zip(self._two, one[first:-2], other[first:-2], strict=True)
            return (*one[:first], *[of(left, right) for of, left, right in both], other[-2], 1)
        sums = [
            sum_of(type_, [times(type_, row[place], row[-1]) for row in updates])
            for place, type_ in enumerate(self.totals, start=first)
        ]
        chosen = [
            best_of(each, [row[place] for row in updates]) for place, each in enumerate(self.extremes, start=last)
        ]
        return (*updates[0][:first], *sums, *chosen, updates[-1][-2], 1)
