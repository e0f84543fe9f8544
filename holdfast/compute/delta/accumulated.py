"""Groups whose aggregates add up: a row of totals for each key, to which a change adds, instead of the group's rows.

The state is a relation of its own: keys, how many rows the group has, the totals of all aggregates, and the extremes of
those that choose one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from holdfast.compute.delta.accumulate import Accumulator, accumulator
from holdfast.compute.delta.adding import Reached, Summed
from holdfast.compute.delta.extremes import come, extreme_of, gone, is_extreme, lost_keys, read_again
from holdfast.compute.delta.internal import EARLIER, call
from holdfast.compute.delta.keyed import Points, differences, key_columns, keys_of, known_at, points_of
from holdfast.compute.delta.making import Making, may_fail, stored
from holdfast.compute.delta.program import Restored
from holdfast.compute.delta.totals import add, scale
from holdfast.compute.delta.updates import placed
from holdfast.compute.evaluate.python_calls import calls_users
from holdfast.plan.free import scalars
from holdfast.plan.relation import AggregateCall, Filter, Map, Project, Reduce, Relation, column
from holdfast.plan.scalar import Column, Constant, Scalar
from holdfast.plan.types import INT8, Type

_ONE = Constant(1, INT8)


@dataclass(frozen=True, slots=True)
class _Totals:
    """What a group keeps: `relation` has its keys, the number of its rows, the totals and the extremes.

    Of the aggregates, those that have no accumulator are extremes.
    """

    keys: int
    aggregates: tuple[AggregateCall, ...]
    accumulators: tuple[Accumulator | None, ...]
    relation: Reduce

    @property
    def width(self) -> int:
        return len(self.relation.columns)

    @property
    def addends(self) -> tuple[Scalar, ...]:
        """What a row of the input adds: to the number of rows, and to the totals."""
        return _addends(self.accumulators)

    @property
    def types(self) -> tuple[Type, ...]:
        """Those of what is added."""
        return tuple(addend.type for addend in self.addends)

    @property
    def extremes(self) -> tuple[AggregateCall, ...]:
        return tuple(call for call, sums in zip(self.aggregates, self.accumulators, strict=True) if sums is None)

    def results(self, rows: Relation) -> tuple[Scalar, ...]:
        """The aggregates, for rows that begin with these columns."""
        found, at, extreme = list[Scalar](), self.keys + 1, self.width - len(self.extremes)
        for each_call, each in zip(self.aggregates, self.accumulators, strict=True):
            if each is None:
                found.append(Column(extreme, each_call.type, each_call.nullable))
                extreme += 1
                continue
            found.append(each.finish(tuple(column(rows, at + place) for place in range(len(each.types)))))
            at += len(each.types)
        return tuple(found)

    def restored(self, rows: Relation) -> Relation:
        """The groups, of rows like those of `relation`."""
        finished = Map(rows, self.results(rows))
        return Project(finished, (*range(self.keys), *range(self.width, len(finished.columns))))


@lru_cache(maxsize=1024)
def totals_of(relation: Reduce) -> _Totals | None:
    """How a group is kept by totals and extremes; None if one of its aggregates cannot be."""
    found = tuple(None if is_extreme(each) else accumulator(each) for each in relation.aggregates)
    if any(sums is None and not is_extreme(each) for each, sums in zip(relation.aggregates, found, strict=True)):
        return None
    rows = Map(relation.input, _addends(found))
    start = len(relation.input.columns)
    own = (None, *(total for each in found if each is not None for total in each.sums))
    sums = (total or add(column(rows, start + place)) for place, total in enumerate(own))
    extremes = (each_call for each_call, each in zip(relation.aggregates, found, strict=True) if each is None)
    kept = Reduce(rows, relation.keys, (*sums, *extremes))
    return _Totals(len(relation.keys), relation.aggregates, found, kept)


def _addends(accumulators: Sequence[Accumulator | None]) -> tuple[Scalar, ...]:
    return (_ONE, *(addend for each in accumulators if each is not None for addend in each.addends))


def accumulated_updates(making: Making, relation: Reduce, totals: _Totals) -> Relation:
    """Keys are columns of the input."""
    state = making.keep(totals.relation, totals.relation.columns)
    making.restored[relation] = Restored(state.name, totals.restored(stored(state)))
    updates = making.settled(relation.input) if may_fail(relation) else making.delta(relation.input)
    quick = Summed(updates, key_columns(relation.keys), totals.addends, totals.extremes)
    summed = making.bind(
        _summed(updates, relation, totals), None if any(map(calls_users, scalars(relation))) else quick
    )
    changes = making.bind(placed(summed, totals.width, column(summed, len(summed.columns) - 1), 1))
    points = points_of(making, [(changes, tuple(range(totals.keys)))])
    before = making.lookup(state.name, points.key, keys_of(points), state.columns)
    now = _groups(points, known_at(points, points.key, before, changes), totals)
    if relation.keys:
        now = Filter(now, (call(EARLIER, Constant(0, INT8), column(now, totals.keys)),))
    now = making.bind(now, Reached(points.relation, before, changes, totals.keys, totals.types, totals.extremes))
    if totals.extremes:
        first, end = totals.width - len(totals.extremes), len(summed.columns) - 1
        kept = Project(before, (*points.key, *range(first, totals.width)))
        going = Project(summed, (*points.key, *range(totals.width, end)))
        now = read_again(making, relation, now, lost_keys(making, totals.extremes, kept, going), points)
    making.write(state, differences(making, now))
    finished = Map(now, totals.results(now))
    end = len(now.columns)
    results = range(end, len(finished.columns))
    return differences(making, Project(finished, (*range(totals.keys), *results, end - 2, end - 1)))


def _summed(updates: Relation, relation: Reduce, totals: _Totals) -> Relation:
    """For each key and time what comes, in columns like those of the state; the extremes of what goes; the time."""
    width, extremes = len(relation.input.columns), totals.extremes
    diff = column(updates, width + 1)
    added = [scale(addend, diff) for addend in totals.addends]
    chosen = [*(come(each, diff) for each in extremes), *(gone(each, diff) for each in extremes)]
    rows = Map(updates, (*added, *chosen))
    own = [column(rows, index) for index in range(len(updates.columns), len(rows.columns))]
    sums, found = map(add, own[: len(added)]), map(extreme_of, (*extremes, *extremes), own[len(added) :])
    summed = Reduce(rows, (*relation.keys, column(rows, width)), (*sums, *found))
    time = totals.keys
    return Project(summed, (*range(time), *range(time + 1, len(summed.columns)), time))


def _groups(points: Points, known: Relation, totals: _Totals) -> Relation:
    """The state at each point, with its time and next time: the sums and extremes of all that is known then."""
    start = totals.keys + 2
    diff = column(known, start + totals.width + 1)
    first = totals.width - len(totals.extremes)
    scaled = Map(known, tuple(scale(column(known, start + place), diff) for place in range(totals.keys, first)))
    added = (add(column(scaled, index)) for index in range(len(known.columns), len(scaled.columns)))
    chosen = (extreme_of(each, column(known, start + first + i)) for i, each in enumerate(totals.extremes))
    groups = Reduce(scaled, tuple(column(scaled, index) for index in range(start)), (*added, *chosen))
    return Project(groups, (*points.key, *range(start, len(groups.columns)), totals.keys, totals.keys + 1))


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
