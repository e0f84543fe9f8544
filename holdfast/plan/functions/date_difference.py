"""datediff: how many starts of a unit lie between two points in time, negative where the second is the earlier."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.plan.calendar import MICROS_PER_DAY, date_of, is_infinite, is_infinite_date
from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.functions.date_trunc import TIME_UNITS
from holdfast.plan.functions.date_units import not_recognized, not_supported, unit_of
from holdfast.plan.functions.function import Family, Function, Types
from holdfast.plan.types import DATE, INT8, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ, Type

_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_YEARS = {"century": 100, "millennium": 1000}
"""Those that begin in a year that ends in 1."""


def _starts(unit: str, micros: int) -> int:
    """How many of the unit started up to a moment, counted from some fixed one."""
    if unit in TIME_UNITS:
        return micros // TIME_UNITS[unit]
    days = micros // MICROS_PER_DAY
    if unit == "day":
        return days
    if unit == "week":
        return (days + 3) // 7
    year, month, _ = date_of(days)
    if unit in _YEARS:
        return (year - 1) // _YEARS[unit]
    return (year * 12 + month - 1) // _MONTHS[unit]


def _unit(text: str, type_: Type) -> str:
    unit = unit_of(text)
    if unit is None:
        raise not_recognized(text, type_)
    if unit.startswith("timezone"):
        raise not_supported(text, type_)
    return unit


def _checked(difference: int) -> int:
    if not -(2**63) <= difference < 2**63:
        raise DatetimeFieldOverflow("timestamp out of range")
    return difference


def _between(text: str, type_: Type, start: int, end: int) -> int:
    unit = _unit(text, type_)
    return _checked(_starts(unit, end) - _starts(unit, start))


def _timestamps(types: Types, text: str, start: int, end: int) -> int:
    if is_infinite(start) or is_infinite(end):
        raise DatetimeFieldOverflow("cannot subtract infinite timestamps")
    return _between(text, types.arguments[1], start, end)


def _dates(types: Types, text: str, start: int, end: int) -> int:
    if is_infinite_date(start) or is_infinite_date(end):
        raise DatetimeFieldOverflow("cannot subtract infinite dates")
    return _between(text, types.arguments[1], start * MICROS_PER_DAY, end * MICROS_PER_DAY)


def _times(types: Types, text: str, start: int, end: int) -> int:
    if _unit(text, types.arguments[1]) not in TIME_UNITS:
        raise not_supported(text, types.arguments[1])
    return _between(text, types.arguments[1], start, end)


def _function(type_: Type, python: Callable[..., int]) -> Function:
    doc = "How many starts of a unit lie between: `datediff('month', a, b)`."
    return Function("datediff", (TEXT, type_, type_), INT8, python, fails=True, typed=True, doc=doc)


FAMILY = Family(
    "Differences in units",
    functions=(
        _function(DATE, _dates),
        _function(TIMESTAMP, _timestamps),
        _function(TIMESTAMPTZ, _timestamps),
        _function(TIME, _times),
    ),
)
