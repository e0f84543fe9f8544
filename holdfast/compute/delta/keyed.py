"""Operators that are functions of the rows with one key: what they make of each key that a change is about, anew.

The *points* of a step are the keys of the changes and the times at which they change, and for each key the time before
the step. At every point the rows of the key are put together from those before the step and the changes up to then, the
function is evaluated, and its rows there take the place of those at the point before. Nothing is read of other keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.compute.delta.internal import AT, BEFORE, EARLIER, NOT_AFTER, REPEAT, call, following, total
from holdfast.compute.delta.making import Making
from holdfast.compute.delta.quick import Differences, InTurn, Present
from holdfast.compute.delta.updates import at_time, consolidated, placed
from holdfast.plan.columns import all_same, is_not_null
from holdfast.plan.relation import (
    ColumnType,
    Distinct,
    Filter,
    FlatMap,
    Join,
    Local,
    Map,
    Project,
    Reduce,
    Relation,
    Union,
    Window,
    column,
)
from holdfast.plan.scalar import Column, Constant, Scalar
from holdfast.plan.types import INT4, INT8


@dataclass(frozen=True, slots=True)
class Part:
    """An input of a keyed operator, and which of its columns are the key."""

    relation: Relation
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """Rows of a key, a time and the next time of that key, which is null for the last."""

    relation: Local
    width: int

    @property
    def key(self) -> tuple[int, ...]:
        return tuple(range(self.width))


def keyed_updates(
    making: Making, parts: Sequence[Part], function: Callable[[Points, Sequence[Relation]], Relation]
) -> Relation:
    """`function` makes of the rows of all parts, which have two columns more, time and next time, its own with these
    at the end. It must treat rows with other times as it does rows with another key.
    """
    points = points_of(making, [(making.delta(part.relation), part.key) for part in parts])
    made = function(points, [rows_at(making, points, part) for part in parts])
    return differences(making, making.bind(made))


def points_of(making: Making, changes: Sequence[tuple[Relation, tuple[int, ...]]]) -> Points:
    """The points of some updates, each with the columns of its key."""
    each = [Project(updates, (*key, len(updates.columns) - 2)) for updates, key in changes]
    width = len(changes[0][1])
    times = Distinct(Union(tuple(each)))
    keys = Distinct(Project(times, tuple(range(width))))
    every = Union((times, Map(keys, (BEFORE,))))
    in_turn = Window(every, (following(column(every, width), [column(every, index) for index in range(width)]),))
    return Points(making.bind(in_turn, InTurn(tuple(changes))), width)


def keys_of(points: Points) -> Relation:
    """The keys alone. There are none if nothing has changed."""
    return Project(points.relation, points.key)


def known_at(points: Points, key: tuple[int, ...], before: Relation, updates: Relation) -> Relation:
    """For each point the updates of its key up to then: the columns of the point, then those of the update."""
    every = Union((at_time(before, BEFORE), updates))
    same = all_same(points.relation, points.key, every, key)
    both = (points.relation, every)
    start = len(points.relation.columns)
    time = column(Join(both), start + len(every.columns) - 2)
    return Join(both, (*same, call(NOT_AFTER, time, column(points.relation, points.width))))


def rows_at(making: Making, points: Points, part: Part) -> Relation:
    """The rows of a part at each point, each as often as it is there, with time and next time."""
    width = len(part.relation.columns)
    before = making.before(part.relation, part.key, keys_of(points))
    updates = making.delta(part.relation)
    known = known_at(points, part.key, before, updates)
    start = points.width + 2
    keys = tuple(column(known, index) for index in (*range(start, start + width), points.width, points.width + 1))
    counted = Reduce(known, keys, (total(column(known, start + width + 1)),))
    there = Filter(counted, (call(EARLIER, Constant(0, INT8), column(counted, width + 2)),))
    repeated = FlatMap(there, REPEAT, (column(there, width + 2),), (ColumnType(INT4, False),))
    present = Present(points.relation, before, updates, part.key)
    return making.bind(Project(repeated, tuple(range(width + 2))), present)


def differences(making: Making, made: Relation) -> Relation:
    """The updates that follow from what is there at each point: rows with time and next time at the end."""
    width = len(made.columns) - 2
    time, next_time = column(made, width), column(made, width + 1)
    come = Filter(made, (call(EARLIER, BEFORE, time),))
    go = Filter(made, (is_not_null(next_time),))
    changed = consolidated(Union((placed(come, width, time, 1), placed(go, width, next_time, -1))))
    return making.bind(changed, Differences(made))


def same_time(left: int, right: int, both: Relation) -> Scalar:
    """That two columns are the same time."""
    return call(AT, column(both, left), column(both, right))


def key_columns(keys: Sequence[Scalar]) -> tuple[int, ...]:
    return tuple(key.index for key in keys if isinstance(key, Column))
