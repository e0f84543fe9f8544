"""Recursions, run: rounds until nothing new follows, at each time of a step after the one before.

At a time first go the rows that go, and with them, round by round, all that followed from any of them. Of these some
follow from what is left: they come back, together with the rows that come, and with all that follows from them. Since
more rows never make fewer, what is there then is what the recursion would make of nothing:

- what was not taken follows from rows of which none was, so it follows still;
- what follows from what is there now, and was not there before, follows from a row that came, or came back.

Nothing is evaluated of rows of which one is gone and another is yet to come: only of those that are there together,
before the time or at it. So an expression fails only where the query would.
"""

from __future__ import annotations

from collections.abc import Mapping

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
        self._changing = {name: Changing(arranged[name], columns, lower) for name, columns in stage.columns.items()}
        self.updates: dict[str, list[Row]] = {name: [] for name in stage.follows.made}
        changes = {name: bound[updates].rows for name, updates in stage.changes.items()}
        self.ran = any(changes.values())
        for time in sorted({row[-2] for rows in changes.values() for row in rows}):
            self._happen(time, {name: [row for row in rows if row[-2] == time] for name, rows in changes.items()})

    @property
    def looked_up(self) -> int:
        return sum(each.looked_up for each in self._changing.values())

    def _happen(self, time: int, changes: Updates) -> None:
        gone = {name: [(*row[:-1], -row[-1]) for row in rows if row[-1] < 0] for name, rows in changes.items()}
        come = {name: [row for row in rows if row[-1] > 0] for name, rows in changes.items()}
        taken = self._take(gone, time)
        back = self._rounds(self._stage.stays, {taken_of(name): rows for name, rows in taken.items()}, time)
        new = self._put({**come, **back}, time)
        for name, updates in self.updates.items():
            diffs = dict.fromkeys(taken[name], -1)
            for row in (*back[name], *new[name]):
                diffs[row] = diffs.get(row, 0) + 1
            updates += [(*row[:-1], diff) for row, diff in diffs.items() if diff]

    def _take(self, gone: Updates, time: int) -> Updates:
        """Take rows away, and all of the states that follow from them."""
        taken: dict[str, list[Row]] = {name: [] for name in self.updates}
        for name, rows in gone.items():
            self._changing[name].add((*row[:-1], -row[-1]) for row in rows)
        # Of rows that were there more than once nothing goes with one of them.
        last: Updates = {name: self._where(name, rows, there=False) for name, rows in gone.items()}
        while any(last.values()):
            found = self._rounds(self._stage.follows, last, time)
            last = {name: self._where(name, rows, there=True) for name, rows in found.items()}
            for name, rows in last.items():
                taken[name] += rows
                self._changing[name].add((*row[:-1], -1) for row in rows)
        return taken

    def _put(self, come: Updates, time: int) -> Updates:
        """Add rows, and all of the states that follow from them, which are returned."""
        new: dict[str, list[Row]] = {name: [] for name in self.updates}
        last = come
        while any(last.values()):
            found = self._rounds(self._stage.follows, last, time)
            for name, rows in last.items():
                self._changing[name].add(rows)
            last = {name: self._where(name, rows, there=False) for name, rows in found.items()}
            for name, rows in last.items():
                new[name] += rows
        return new

    def _where(self, name: str, rows: list[Row], *, there: bool) -> list[Row]:
        present = self._changing[name].present([row[:-2] for row in rows])
        return [row for row, is_there in zip(rows, present, strict=True) if is_there is there]

    def _rounds(self, rounds: Rounds, changes: Updates, time: int) -> Updates:
        """The rows of each state that one round makes of the changes, once each."""
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
        return {
            name: [(*row, time, 1) for row in dict.fromkeys(update[:-2] for update in bound[made].rows)]
            for name, made in rounds.made.items()
        }

    def _found(self, stage: Lookup, bound: Mapping[str, Multiset]) -> Multiset:
        keys = _rows(stage.keys, bound).rows
        if not keys:
            return Multiset([])
        types = [column.type for column in stage.keys.columns]
        return Multiset(self._changing[stage.source].lookup(stage.columns, keys, types))


def _rows(relation: Relation, bound: Mapping[str, Multiset]) -> Multiset:
    if is_empty(relation, bound):
        return Multiset([])
    return multiset(relation, Surroundings({}, (), bound))
