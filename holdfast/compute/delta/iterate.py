"""Recursions, run: rounds until nothing new follows.

Where rows go, they are taken first, and with them, round by round, all that followed from any of them. Of these some
follow from what is left: they come back, together with the rows that come, and with all that follows from them. Since
more rows never make fewer, what is there then is what the recursion would make of nothing:

- what was not taken follows from rows of which none was, so it follows still;
- what follows from what is there now, and was not there before, follows from a row that came, or came back.

A row is there since the first time at which it follows from rows that are. So times at which rows only come are taken
together with the time before them, and the times of rows go down until they are the first.

Nothing is evaluated of rows of which one is gone and another is yet to come: only of those that are there together,
before the time or at it. So an expression fails only where the query would.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from holdfast.compute.delta.changing import Before, Changing
from holdfast.compute.delta.empty import is_empty
from holdfast.compute.delta.program import Bind, Lookup, Recursion, Rounds, changes_of, taken_of
from holdfast.compute.evaluate.multiset import Multiset
from holdfast.compute.evaluate.relations import Surroundings, multiset
from holdfast.compute.evaluate.scalars import Row
from holdfast.plan.relation import Relation
from holdfast.repr.frontier import Timestamp

Updates = Mapping[str, list[Row]]
"""By collection: rows with a time and a diff."""


class Iteration:
    """`updates` are those of each state in the step; `looked_up` is how many were found of what there was before it.

    Where nothing of what it reads has changed, it has not `ran`.
    """

    def __init__(
        self, stage: Recursion, bound: Mapping[str, Multiset], arranged: Mapping[str, Before], lower: Timestamp
    ) -> None:
        self._stage = stage
        self.updates: dict[str, list[Row]] = {name: [] for name in stage.follows.made}
        self._changing = {
            name: Changing(arranged[name], columns, lower, is_set=name in self.updates)
            for name, columns in stage.columns.items()
        }
        changes = {name: bound[updates].rows for name, updates in stage.changes.items()}
        self.ran = any(changes.values())
        for group in _groups(changes):
            self._happen(group)

    @property
    def looked_up(self) -> int:
        return sum(each.looked_up for each in self._changing.values())

    def _happen(self, changes: Updates) -> None:
        """Rows that go all do so at the first of the times."""
        taken = self._take({name: [_taken(row) for row in rows if row[-1] < 0] for name, rows in changes.items()})
        back = self._round(self._stage.stays, {taken_of(name): rows for name, rows in taken.items()})
        come = {name: [row for row in rows if row[-1] > 0] for name, rows in changes.items()}
        since = self._put({**come, **back})
        for name, updates in self.updates.items():
            gone = dict.fromkeys(row[:-1] for row in taken[name])
            new = dict.fromkeys((*row, time) for row, time in since[name].items())
            updates += [(*row, -1) for row in gone if row not in new]
            updates += [(*row, 1) for row in new if row not in gone]

    def _take(self, gone: Updates) -> Updates:
        """Take rows away, and all of the states that follow from them, which are returned."""
        taken: dict[str, list[Row]] = {name: [] for name in self.updates}
        for name, rows in gone.items():
            self._changing[name].take(rows)
        # Of rows that were there more than once nothing goes with one of them.
        last = {name: self._there(name, rows, wanted=False) for name, rows in gone.items()}
        while any(last.values()):
            found = self._round(self._stage.follows, last)
            last = {name: self._there(name, rows, wanted=True) for name, rows in found.items()}
            for name, rows in last.items():
                taken[name] += rows
                self._changing[name].take(rows)
        return taken

    def _put(self, come: Updates) -> dict[str, dict[Row, int]]:
        """Add rows, and all of the states that follow from them: which rows of these are new, and since when."""
        since: dict[str, dict[Row, int]] = {name: {} for name in self.updates}
        while any(come.values()):
            new = {name: self._changing[name].put(rows) for name, rows in come.items()}
            for name in new.keys() & since.keys():
                since[name].update((row[:-2], row[-2]) for row in new[name])
            come = self._round(self._stage.follows, new)
        return since

    def _there(self, name: str, rows: list[Row], *, wanted: bool) -> list[Row]:
        """The updates of rows that are there, or of those that are not."""
        there = self._changing[name].has([row[:-2] for row in rows])
        return [row for row, is_there in zip(rows, there, strict=True) if is_there is wanted]

    def _round(self, rounds: Rounds, changes: Updates) -> dict[str, list[Row]]:
        """The rows of each state that are made of the changes, once each, at the first of their times."""
        if not any(changes.values()):
            return {name: [] for name in rounds.made}
        bound = {changes_of(name): Multiset([]) for name in (*self._stage.columns, *map(taken_of, rounds.made))}
        bound |= {changes_of(name): Multiset(rows) for name, rows in changes.items()}
        for stage in rounds.stages:
            match stage:
                case Bind():
                    bound[stage.name] = _rows(stage.relation, bound)
                case Lookup():
                    bound[stage.name] = self._found(stage, bound)
        return {name: _at_first(bound[made].rows) for name, made in rounds.made.items()}

    def _found(self, stage: Lookup, bound: Mapping[str, Multiset]) -> Multiset:
        keys = _rows(stage.keys, bound).rows
        if not keys:
            return Multiset([])
        types = [column.type for column in stage.keys.columns]
        return Multiset(self._changing[stage.source].lookup(stage.columns, keys, types))


def _groups(changes: Mapping[str, Sequence[Row]]) -> list[dict[str, list[Row]]]:
    """The changes at times that follow each other, of which only the first has rows that go."""
    starts = sorted({row[-2] for rows in changes.values() for row in rows if row[-1] < 0})
    groups: list[dict[str, list[Row]]] = [{name: [] for name in changes} for _ in range(len(starts) + 1)]
    for name, rows in changes.items():
        for row in rows:
            groups[bisect_right(starts, row[-2])][name].append(row)
    return [group for group in groups if any(group.values())]


def _taken(update: Row) -> Row:
    return (*update[:-1], -update[-1])


def _at_first(updates: Sequence[Row]) -> list[Row]:
    times: dict[Row, int] = {}
    for update in updates:
        row, time = update[:-2], update[-2]
        times[row] = min(time, times.get(row, time))
    return [(*row, time, 1) for row, time in times.items()]


def _rows(relation: Relation, bound: Mapping[str, Multiset]) -> Multiset:
    if is_empty(relation, bound):
        return Multiset([])
    return multiset(relation, Surroundings({}, (), bound))
