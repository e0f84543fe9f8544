"""The least and the greatest value of a group, kept as they were, so that few groups need their rows.

The extreme before a step is there at all its times if it surpasses each value that goes in the step. Then the extreme
at a point is that of it and of all values that have come until then. A group of which another value goes has *lost*
its extreme: its rows say what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any as Value  # as `plan/types.py` lists them

from holdfast.compute.delta.internal import EARLIER, call
from holdfast.compute.delta.keyed import Part, Points, key_columns, rows_at, same_time
from holdfast.compute.delta.making import Making
from holdfast.plan.columns import all_same, is_not_null, is_null
from holdfast.plan.functions.aggregates import has_spark_order
from holdfast.plan.functions.function import Any, Function, Types
from holdfast.plan.order import sort_key
from holdfast.plan.relation import (
    AggregateCall,
    Filter,
    Join,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Union,
    column,
)
from holdfast.plan.scalar import Call, Case, Constant, Or, Scalar, null
from holdfast.plan.types import BOOL, INT8

_ZERO = Constant(0, INT8)
_YES, _NO = Constant(True, BOOL), Constant(False, BOOL)


def _less(types: Types, left: object, right: object) -> bool:
    key = sort_key(types.arguments[0])
    return bool(key(left) < key(right))


_LESS = Function("less", (Any.ANY, Any.ANY), BOOL, _less, "{0} < {1}", typed=True)


def is_extreme(aggregate: AggregateCall) -> bool:
    """Whether an aggregate is one of the values, by an order that Spark has too. `any_value` is the least."""
    return aggregate.function.name in ("min", "max", "any_value") and has_spark_order(aggregate.arguments[0].type)


def extreme_of(extreme: AggregateCall, value: Scalar) -> AggregateCall:
    """The extreme of values of which some may be null."""
    return AggregateCall(extreme.function, (value,), extreme.type, True)


def best_of(extreme: AggregateCall, values: Iterable[Value]) -> Value:
    """The same in Python."""
    choose = max if extreme.function.name == "max" else min
    return choose((value for value in values if value is not None), key=sort_key(extreme.type), default=None)


def better_of(extreme: AggregateCall) -> Callable[[Value, Value], Value]:
    """`best_of` two values."""
    key, is_greatest = sort_key(extreme.type), extreme.function.name == "max"

    def better(left: Value, right: Value) -> Value:
        if left is None or right is None:
            return right if left is None else left
        return right if (key(left) < key(right) if is_greatest else key(right) < key(left)) else left

    return better


def value_of(extreme: AggregateCall) -> Scalar:
    """The value of a row, or null if it does not count."""
    value = extreme.arguments[0]
    return value if extreme.filter is None else Case(((extreme.filter, value),), null(value.type))


def come(extreme: AggregateCall, diff: Scalar) -> Scalar:
    """The value of an update if it comes, else null."""
    value = value_of(extreme)
    return Case(((call(EARLIER, _ZERO, diff), value),), null(value.type))


def gone(extreme: AggregateCall, diff: Scalar) -> Scalar:
    """The value of an update if it goes, else null."""
    value = value_of(extreme)
    return Case(((call(EARLIER, diff, _ZERO), value),), null(value.type))


def lost_keys(making: Making, extremes: Sequence[AggregateCall], kept: Relation, going: Relation) -> Relation:
    """The keys of groups that have lost an extreme.

    Both relations begin with the keys. After them `kept` has the extremes before the step, and `going`, in which a key
    may come more than once, those of values that go.
    """
    width = len(going.columns) - len(extremes)
    keys, places = range(width), range(width, len(going.columns))
    some = making.bind(Filter(going, (_any([is_not_null(column(going, place)) for place in places]),)))
    by_key = tuple(column(some, index) for index in keys)
    most = Reduce(some, by_key, tuple(map(extreme_of, extremes, (column(some, place) for place in places))))
    both = OuterJoin(most, kept, all_same(most, keys, kept, keys))
    end = len(most.columns)
    lost = [_is_lost(each, column(both, end + at), column(both, at)) for each, at in zip(extremes, places, strict=True)]
    return making.bind(Project(Filter(both, (_any(lost),)), tuple(keys)))


def _is_lost(extreme: AggregateCall, kept: Scalar, going: Scalar) -> Scalar:
    pair = (kept, going) if extreme.function.name != "max" else (going, kept)
    return Case(((is_null(going), _NO), (is_null(kept), _YES), (Call(_LESS, pair, BOOL, True), _NO)), _YES)


def _any(conditions: Sequence[Scalar]) -> Scalar:
    return conditions[0] if len(conditions) == 1 else Or(tuple(conditions))


def read_again(making: Making, relation: Reduce, now: Relation, lost: Relation, points: Points) -> Relation:
    """The groups at the points, with the extremes of those of the `lost` keys made of their rows.

    Groups are their keys, more columns of which the last are the extremes, time and next time.
    """
    extremes, keys = tuple(filter(is_extreme, relation.aggregates)), points.key
    is_theirs = all_same(points.relation, keys, lost, keys)
    theirs = Points(making.bind(SemiJoin(points.relation, lost, is_theirs)), points.width)
    rows = rows_at(making, theirs, Part(relation.input, key_columns(relation.keys)))
    width = len(relation.input.columns)
    made = making.bind(Reduce(rows, (*relation.keys, column(rows, width), column(rows, width + 1)), extremes))
    end, is_lost = len(now.columns), all_same(now, keys, lost, keys)
    without = SemiJoin(now, lost, is_lost)
    at = same_time(end - 2, end + points.width, Join((without, made)))
    both = OuterJoin(without, made, (*all_same(without, keys, made, keys), at))
    first = end + points.width + 2
    chosen = (*range(end - 2 - len(extremes)), *range(first, first + len(extremes)), end - 2, end - 1)
    return making.bind(Union((SemiJoin(now, lost, is_lost, True), Project(both, chosen))))
