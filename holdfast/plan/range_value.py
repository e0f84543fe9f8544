"""Ranges: the values between two bounds. All bounds are values that Python compares as SQL does.

A range of whole numbers or days has one form: its lower bound is in it and its upper bound is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.plan.calendar import LAST_DATE, is_infinite_date
from holdfast.plan.errors import DataError, DatetimeFieldOverflow, InvalidRange, NumericValueOutOfRange
from holdfast.plan.types import RangeValue

EMPTY = RangeValue(None, None, False, False, True)

_LIMITS = {"int4range": 2**31 - 1, "int8range": 2**63 - 1, "daterange": LAST_DATE}
"""The greatest bound of ranges over steps."""
_TOO_GREAT: Mapping[str, tuple[type[DataError], str]] = {
    "int4range": (NumericValueOutOfRange, "integer out of range"),
    "int8range": (NumericValueOutOfRange, "bigint out of range"),
    "daterange": (DatetimeFieldOverflow, "date out of range"),
}


def range_of(base: str, lower: Any, upper: Any, lower_inclusive: bool, upper_inclusive: bool) -> RangeValue:
    """The range of a base type with these bounds. Raises `InvalidRange` if they are in the wrong order."""
    if lower is None:
        lower_inclusive = False
    if upper is None:
        upper_inclusive = False
    if lower is not None and upper is not None and lower > upper:
        raise InvalidRange("range lower bound must be less than or equal to range upper bound")
    if base in _LIMITS:
        if lower is not None and not lower_inclusive and not _infinite(base, lower):
            lower, lower_inclusive = _next(base, lower), True
        if upper is not None and upper_inclusive and not _infinite(base, upper):
            upper, upper_inclusive = _next(base, upper), False
    both = lower is not None and upper is not None
    if both and (lower > upper or (lower == upper and not (lower_inclusive and upper_inclusive))):
        return EMPTY
    return RangeValue(lower, upper, lower_inclusive, upper_inclusive)


def _infinite(base: str, bound: int) -> bool:
    return base == "daterange" and is_infinite_date(bound)


def _next(base: str, bound: int) -> int:
    if bound >= _LIMITS[base]:
        error, message = _TOO_GREAT[base]
        raise error(message)
    return bound + 1


class _Bound(NamedTuple):
    """An end of a range among those of others. What lies just after its value has side 1, what lies at it side 0."""

    infinity: int
    value: Any  # a bound; 0 where it is infinite, since infinities are compared by themselves
    side: int


def _lower(value: RangeValue) -> _Bound:
    return _Bound(-1, 0, 0) if value.lower is None else _Bound(0, value.lower, 0 if value.lower_inclusive else 1)


def _upper(value: RangeValue) -> _Bound:
    return _Bound(1, 0, 0) if value.upper is None else _Bound(0, value.upper, 1 if value.upper_inclusive else 0)


def contains_element(value: RangeValue, element: Any) -> bool:
    if value.empty:
        return False
    point = _Bound(0, element, 0)
    return _lower(value) <= point < _upper(value)


def contains(left: RangeValue, right: RangeValue) -> bool:
    if right.empty:
        return True
    return not left.empty and _lower(left) <= _lower(right) and _upper(right) <= _upper(left)


def before(left: RangeValue, right: RangeValue) -> bool:
    return not (left.empty or right.empty) and _upper(left) <= _lower(right)


def overlaps(left: RangeValue, right: RangeValue) -> bool:
    return not (left.empty or right.empty or before(left, right) or before(right, left))


def not_right_of(left: RangeValue, right: RangeValue) -> bool:
    """`&<`"""
    return not (left.empty or right.empty) and _upper(left) <= _upper(right)


def not_left_of(left: RangeValue, right: RangeValue) -> bool:
    """`&>`"""
    return not (left.empty or right.empty) and _lower(left) >= _lower(right)


def adjacent(left: RangeValue, right: RangeValue) -> bool:
    if left.empty or right.empty:
        return False
    return _meet(_upper(left), _lower(right)) or _meet(_upper(right), _lower(left))


def _meet(upper: _Bound, lower: _Bound) -> bool:
    return not upper.infinity and upper == lower


def union(left: RangeValue, right: RangeValue) -> RangeValue:
    if not (left.empty or right.empty or overlaps(left, right) or adjacent(left, right)):
        raise InvalidRange("result of range union would not be contiguous")
    return merge(left, right)


def merge(left: RangeValue, right: RangeValue) -> RangeValue:
    """The smallest range that contains both."""
    if left.empty:
        return right
    if right.empty:
        return left
    return _between(min(_lower(left), _lower(right)), max(_upper(left), _upper(right)))


def intersection(left: RangeValue, right: RangeValue) -> RangeValue:
    if not overlaps(left, right):
        return EMPTY
    return _between(max(_lower(left), _lower(right)), min(_upper(left), _upper(right)))


def difference(left: RangeValue, right: RangeValue) -> RangeValue:
    if not overlaps(left, right):
        return left
    starts_before = _lower(left) < _lower(right)
    ends_after = _upper(left) > _upper(right)
    if starts_before and ends_after:
        raise InvalidRange("result of range difference would not be contiguous")
    if starts_before:
        return _between(_lower(left), _lower(right))
    if ends_after:
        return _between(_upper(right), _upper(left))
    return EMPTY


def _between(lower: _Bound, upper: _Bound) -> RangeValue:
    # Where a range of steps was cut, the cut is at one of the bounds, so the form stays the one it has.
    return RangeValue(
        None if lower.infinity else lower.value,
        None if upper.infinity else upper.value,
        not lower.infinity and lower.side == 0,
        not upper.infinity and upper.side == 1,
    )
