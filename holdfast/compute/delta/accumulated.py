"""Groups whose aggregates add up: a row of totals for each key, to which a change adds, instead of the group's rows.

The state is a relation of its own: keys, how many rows the group has, and the totals of all aggregates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from holdfast.compute.delta.accumulate import Accumulator, accumulator
from holdfast.compute.delta.bits import found_by_bits
from holdfast.compute.delta.internal import EARLIER, call
from holdfast.compute.delta.keyed import differences, keys_of, known_at, points_of
from holdfast.compute.delta.making import Making, may_fail, stored
from holdfast.compute.delta.program import Restored
from holdfast.compute.delta.totals import add, scale
from holdfast.compute.delta.updates import placed
from holdfast.plan.relation import Filter, Map, Project, Reduce, Relation, column
from holdfast.plan.scalar import Constant, Scalar
from holdfast.plan.types import INT8

_ONE = Constant(1, INT8)


@dataclass(frozen=True, slots=True)
class _Totals:
    """What a group keeps: `relation` has its keys, the number of its rows and the totals."""

    keys: int
    accumulators: tuple[Accumulator, ...]
    relation: Reduce

    @property
    def width(self) -> int:
        return len(self.relation.columns)

    def results(self, rows: Relation) -> tuple[Scalar, ...]:
        """The aggregates, for rows that begin with these columns."""
        found, at = [], self.keys + 1
        for each in self.accumulators:
            found.append(each.finish(tuple(column(rows, at + place) for place in range(len(each.types)))))
            at += len(each.types)
        return tuple(found)

    def restored(self, rows: Relation) -> Relation:
        """The groups, of rows like those of `relation`."""
        finished = Map(rows, self.results(rows))
        return Project(finished, (*range(self.keys), *range(self.width, len(finished.columns))))


@lru_cache(maxsize=1024)
def totals_of(relation: Reduce) -> _Totals | None:
    """How a group is kept by totals; None if one of its aggregates cannot be.

    Nor can it where values of a key are equal but not written the same: which of them is shown is said by the rows.
    """
    if not all(found_by_bits(key.type) for key in relation.keys):
        return None
    found = [accumulator(each) for each in relation.aggregates]
    known = tuple(each for each in found if each is not None)
    if len(known) < len(found):
        return None
    addends = (_ONE, *(addend for each in known for addend in each.addends))
    rows = Map(relation.input, addends)
    start = len(relation.input.columns)
    own = (None, *(total for each in known for total in each.sums))
    sums = tuple(total or add(column(rows, start + place)) for place, total in enumerate(own))
    return _Totals(len(relation.keys), known, Reduce(rows, relation.keys, sums))


def accumulated_updates(making: Making, relation: Reduce, totals: _Totals) -> Relation:
    """Keys are columns of the input."""
    state = making.keep(totals.relation, totals.relation.columns)
    making.restored[relation] = Restored(state.name, totals.restored(stored(state)))
    updates = making.settled(relation.input) if may_fail(relation) else making.delta(relation.input)
    changes = making.bind(_changes(updates, relation, totals))
    points = points_of(making, [(changes, tuple(range(totals.keys)))])
    before = making.lookup(state.name, points.key, keys_of(points), state.columns)
    known = known_at(points, points.key, before, changes)
    start = totals.keys + 2
    diff = column(known, start + totals.width + 1)
    scaled = Map(known, tuple(scale(column(known, start + i), diff) for i in range(totals.keys, totals.width)))
    added = len(known.columns)
    groups = Reduce(
        scaled,
        tuple(column(scaled, index) for index in range(start)),
        tuple(add(column(scaled, added + place)) for place in range(totals.width - totals.keys)),
    )
    there: Relation = groups
    if relation.keys:
        there = Filter(groups, (call(EARLIER, Constant(0, INT8), column(groups, start)),))
    order = (*range(totals.keys), *range(start, len(groups.columns)), totals.keys, totals.keys + 1)
    now = making.bind(Project(there, order))
    making.write(state, differences(now))
    finished = Map(now, totals.results(now))
    end = len(now.columns)
    results = range(end, len(finished.columns))
    return differences(Project(finished, (*range(totals.keys), *results, end - 2, end - 1)))


def _changes(updates: Relation, relation: Reduce, totals: _Totals) -> Relation:
    """For each key and time what is added to the totals, as updates of rows like those of the state."""
    width = len(relation.input.columns)
    addends = [_ONE, *(addend for each in totals.accumulators for addend in each.addends)]
    scaled = Map(updates, tuple(scale(addend, column(updates, width + 1)) for addend in addends))
    keys = (*relation.keys, column(scaled, width))
    sums = tuple(add(column(scaled, width + 2 + place)) for place in range(len(addends)))
    summed = Reduce(scaled, keys, sums)
    time = totals.keys
    rows = Project(summed, (*range(time), *range(time + 1, len(summed.columns)), time))
    return placed(rows, totals.width, column(rows, totals.width), 1)


def kept_groups(making: Making, relation: Relation, columns: tuple[int, ...], keys: Relation) -> Relation | None:
    """The updates of groups before the step, found by their keys, made of their totals."""
    totals = totals_of(relation) if isinstance(relation, Reduce) else None
    if totals is None or not isinstance(relation, Reduce):
        return None
    places = tuple(place for place, index in enumerate(columns) if index < totals.keys)
    if columns and not places:
        return None
    making.delta(relation)
    state = making.states[totals.relation]
    wanted = keys if len(places) == len(columns) else Project(keys, places)
    found = making.lookup(state.name, tuple(columns[place] for place in places), wanted, state.columns)
    finished = Map(found, totals.results(found))
    end = len(found.columns)
    return Project(finished, (*range(totals.keys), *range(end, len(finished.columns)), end - 2, end - 1))
