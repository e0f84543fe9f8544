"""Ordered-set aggregates: what stands at a place among the sorted values, and what is there most often.

Their rows are sorted as WITHIN GROUP says, so that a descending order counts from the greatest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil, floor, isfinite
from typing import Any as Value  # as `plan/types.py` lists them

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.aggregates import Rows
from holdfast.plan.functions.function import Aggregate, Any, Family, Types
from holdfast.plan.interval_arithmetic import minus, plus, times
from holdfast.plan.order import sort_key
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import FLOAT8, INTERVAL, Array, Interval, Type, array_of

Find = Callable[[Sequence[Value], float], Value]


def _checked(fraction: float) -> float:
    if not 0 <= fraction <= 1:
        shown = f"{fraction:g}" if isfinite(fraction) else write_of(FLOAT8)(fraction)
        raise NumericValueOutOfRange(f"percentile value {shown} is not between 0 and 1")
    return fraction


def _discrete(values: Sequence[Value], fraction: float) -> Value:
    """The first value that so many of them are not after."""
    return values[max(ceil(fraction * len(values)), 1) - 1]


def _between(low: float, high: float, proportion: float) -> float:
    return low + proportion * (high - low)


def _between_intervals(low: Interval, high: Interval, proportion: float) -> Interval:
    return plus(low, times(minus(high, low), proportion))


def _continuous(between: Callable[[Value, Value, float], Value]) -> Find:
    """The value at a place that may be between two of them."""

    def find(values: Sequence[Value], fraction: float) -> Value:
        place = fraction * (len(values) - 1)
        low, high = floor(place), ceil(place)
        return values[low] if low == high else between(values[low], values[high], place - low)

    return find


def _at_one(find: Find) -> Callable[[Rows], Value]:
    def python(rows: Rows) -> Value:
        return find([value for _, value in rows], _checked(rows[0][0])) if rows else None

    return python


def _at_each(find: Find) -> Callable[[Types, Rows], Value]:
    def python(types: Types, rows: Rows) -> Value:
        if not rows:
            return None
        of_fractions = types.arguments[0]
        assert isinstance(of_fractions, Array)
        values = [value for _, value in rows]

        def found(fractions: Sequence[Value], depth: int) -> tuple[Value, ...]:
            if depth > 1:
                return tuple(found(inner, depth - 1) for inner in fractions)
            return tuple(None if fraction is None else find(values, _checked(fraction)) for fraction in fractions)

        return found(rows[0][0], of_fractions.dimensions)

    return python


def _array_type(types: Sequence[Type]) -> Type:
    """An array of the values' type, of the shape that the array of fractions has."""
    fractions, value = types
    dimensions = fractions.dimensions if isinstance(fractions, Array) else 1
    result: Type = value
    for _ in range(dimensions):
        result = array_of(result)
    return result


def _mode(types: Types, rows: Rows) -> Value:
    """Of those that come equally often the first."""
    key = sort_key(types.arguments[0])
    groups = [[value for (value,) in group] for _, group in groupby(rows, key=lambda row: key(row[0]))]
    return max(groups, key=len)[0] if groups else None


_CONT = "The value at a fraction of the way through all values, also between two of them."
_DISC = "The first value at a fraction of the way through all values."
_FRACTIONS = array_of(FLOAT8)
_NUMBERS, _INTERVALS = _continuous(_between), _continuous(_between_intervals)


def _one(name: str, value: Type | Any, find: Find, doc: str) -> Aggregate:
    return Aggregate(name, (FLOAT8, value), value, _at_one(find), direct=1, fails=True, doc=doc)


def _each(name: str, value: Type | Any, find: Find, doc: str) -> Aggregate:
    return Aggregate(name, (_FRACTIONS, value), _array_type, _at_each(find), direct=1, fails=True, typed=True, doc=doc)


FAMILY = Family(
    "Ordered-set aggregates",
    aggregates=(
        _one("percentile_cont", FLOAT8, _NUMBERS, _CONT),
        _one("percentile_cont", INTERVAL, _INTERVALS, _CONT),
        _each("percentile_cont", FLOAT8, _NUMBERS, _CONT),
        _each("percentile_cont", INTERVAL, _INTERVALS, _CONT),
        _one("percentile_disc", Any.ELEMENT, _discrete, _DISC),
        _each("percentile_disc", Any.ELEMENT, _discrete, _DISC),
        Aggregate(
            "mode", (Any.ELEMENT,), Any.ELEMENT, _mode, ordered=True, typed=True, doc="What is there most often."
        ),
    ),
)
