"""Dates and times made of numbers."""

from __future__ import annotations

import math

from holdfast.plan.calendar import (
    FIRST_DATE,
    FIRST_TIMESTAMP,
    INFINITY,
    LAST_DATE,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    MINUS_INFINITY,
    days_in_month,
    days_of,
)
from holdfast.plan.date_arithmetic import TIMESTAMP_OUT_OF_RANGE, checked_timestamp
from holdfast.plan.errors import DatetimeFieldOverflow, InvalidParameterValue
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.text.datetime_parser import BadFormat, DisplacementOverflow, displacement
from holdfast.plan.types import DATE, FLOAT8, INT4, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ
from holdfast.plan.zones import Zone, zone_of

_YEAR_2000 = 946_684_800


def _make_date(year: int, month: int, day: int) -> int:
    # PostgreSQL's message has the year that it counts with, which before Christ is one more than that given.
    return _days(year, month, day, shown_year=year + 1 if year < 0 else year)


def _days(year: int, month: int, day: int, shown_year: int) -> int:
    """Negative years are those before Christ."""
    counted = year + 1 if year < 0 else year
    shown = f"{shown_year}-{month:02}-{day:02}"
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= days_in_month(counted, month):
        raise DatetimeFieldOverflow(f"date field value out of range: {shown}")
    days = days_of(counted, month, day)
    if not FIRST_DATE <= days <= LAST_DATE:
        raise DatetimeFieldOverflow(f"date out of range: {shown}")
    return days


def _make_time(hour: int, minute: int, second: float) -> int:
    micros = _micros_of_clock(hour, minute, second)
    if micros is None:
        raise DatetimeFieldOverflow(f"time field value out of range: {hour}:{minute:02}:{_shown(second)}")
    return micros


def _micros_of_clock(hour: int, minute: int, second: float) -> int | None:
    if math.isnan(second) or not (0 <= hour <= 24 and 0 <= minute <= 59 and 0 <= second <= 60):
        return None
    # As PostgreSQL: what rounds up to a whole minute is one.
    micros = (hour * 3600 + minute * 60) * MICROS_PER_SECOND + round(second * MICROS_PER_SECOND)
    return micros if micros <= MICROS_PER_DAY else None


def _shown(second: float) -> str:
    """With six digits, without zeros behind and with one before where it is short."""
    if math.isnan(second):
        return "NaN"
    if math.isinf(second):
        return "Infinity" if second > 0 else "-Infinity"
    shown = f"{second:g}"
    return shown if len(shown) >= 2 else f"0{shown}"


def _make_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: float) -> int:
    micros = _days(year, month, day, shown_year=year) * MICROS_PER_DAY + _make_time(hour, minute, second)
    if not FIRST_TIMESTAMP <= micros <= LAST_TIMESTAMP:
        shown = f"{year}-{month:02}-{day:02} {hour}:{minute:02}:{_shown(second)}"
        raise DatetimeFieldOverflow(f"{TIMESTAMP_OUT_OF_RANGE}: {shown}")
    return micros


def _make_timestamptz(year: int, month: int, day: int, hour: int, minute: int, second: float, zone_name: str) -> int:
    shown = _make_timestamp(year, month, day, hour, minute, second)
    return checked_timestamp(shown - _sane_zone(zone_name).offset_of_local(shown) * MICROS_PER_SECOND)


def _sane_zone(name: str) -> Zone:
    """Numbers need a sign, and unlike elsewhere in PostgreSQL count to the east."""
    if name[:1].isdigit():
        error = InvalidParameterValue(f'invalid input syntax for type numeric time zone: "{name}"')
        error.hint = 'Numeric time zones must have "-" or "+" as first character.'
        raise error
    if name[:1] in ("+", "-"):
        try:
            return displacement(name)
        except DisplacementOverflow:
            raise InvalidParameterValue(f'numeric time zone "{name}" out of range') from None
        except BadFormat:
            pass
    return zone_of(name)


def _to_timestamp(seconds: float) -> int:
    if math.isnan(seconds):
        raise DatetimeFieldOverflow("timestamp cannot be NaN")
    if math.isinf(seconds):
        return INFINITY if seconds > 0 else MINUS_INFINITY
    if FIRST_TIMESTAMP / 1e6 <= seconds <= LAST_TIMESTAMP / 1e6:
        # From 2000 on, as PostgreSQL counts: the rounding shows.
        micros = round((seconds - _YEAR_2000) * 1e6) + _YEAR_2000 * MICROS_PER_SECOND
        if FIRST_TIMESTAMP <= micros <= LAST_TIMESTAMP:
            return micros
    raise DatetimeFieldOverflow(f'{TIMESTAMP_OUT_OF_RANGE}: "{seconds:g}"')


_CALENDAR = (INT4, INT4, INT4)
_CLOCK = (INT4, INT4, FLOAT8)

FAMILY = Family(
    "Dates and times made of numbers",
    functions=(
        Function("make_date", _CALENDAR, DATE, _make_date, fails=True, doc="From year, month and day."),
        Function("make_time", _CLOCK, TIME, _make_time, fails=True, doc="From hour, minute and seconds."),
        Function(
            "make_timestamp", (*_CALENDAR, *_CLOCK), TIMESTAMP, _make_timestamp, fails=True, doc="From all fields."
        ),
        Function(
            "make_timestamptz", (*_CALENDAR, *_CLOCK), TIMESTAMPTZ, _make_timestamp, fails=True, doc="From all fields."
        ),
        Function(
            "make_timestamptz",
            (*_CALENDAR, *_CLOCK, TEXT),
            TIMESTAMPTZ,
            _make_timestamptz,
            fails=True,
            doc="From all fields, in a time zone.",
        ),
        Function("to_timestamp", (FLOAT8,), TIMESTAMPTZ, _to_timestamp, fails=True, doc="From seconds since 1970."),
    ),
)
