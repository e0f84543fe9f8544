"""Moving along the calendar, and the distance between two points of it.

Months are added first, then days, then the time; each step must end within the range of timestamps. Infinite values
stay what they are.
"""

from __future__ import annotations

from holdfast.plan.calendar import (
    DATE_INFINITY,
    FIRST_DATE,
    FIRST_TIMESTAMP,
    INFINITY,
    LAST_DATE,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    MINUS_INFINITY,
    add_months,
    date_of,
    days_in_month,
    is_infinite,
    is_infinite_date,
)
from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.interval_arithmetic import interval_of, is_finite, negated, out_of_range
from holdfast.plan.text.interval_text import INFINITE, MINUS_INFINITE
from holdfast.plan.types import Interval

TIMESTAMP_OUT_OF_RANGE = "timestamp out of range"
DATE_OUT_OF_RANGE = "date out of range"
DATE_OUT_OF_RANGE_FOR_TIMESTAMP = "date out of range for timestamp"
INFINITE_DATES = "cannot subtract infinite dates"

LAST_DATE_OF_TIMESTAMPS = LAST_TIMESTAMP // MICROS_PER_DAY


def checked_timestamp(micros: int) -> int:
    if not FIRST_TIMESTAMP <= micros <= LAST_TIMESTAMP:
        raise DatetimeFieldOverflow(TIMESTAMP_OUT_OF_RANGE)
    return micros


def timestamp_plus(micros: int, interval: Interval) -> int:
    if not is_finite(interval):
        end = INFINITY if interval == INFINITE else MINUS_INFINITY
        if is_infinite(micros) and micros != end:
            raise DatetimeFieldOverflow(TIMESTAMP_OUT_OF_RANGE)
        return end
    if is_infinite(micros):
        return micros
    if interval.months:
        days, time = divmod(micros, MICROS_PER_DAY)
        micros = checked_timestamp(add_months(days, interval.months) * MICROS_PER_DAY + time)
    if interval.days:
        micros = checked_timestamp(micros + interval.days * MICROS_PER_DAY)
    return checked_timestamp(micros + interval.micros)


def timestamp_minus(micros: int, interval: Interval) -> int:
    return timestamp_plus(micros, negated(interval))


def timestamp_difference(left: int, right: int) -> Interval:
    """In days of 24 hours and a time."""
    if is_infinite(left) or is_infinite(right):
        return infinite_difference(left, right)
    micros = left - right
    if not -(2**63) <= micros < 2**63:
        raise out_of_range()
    days = abs(micros) // MICROS_PER_DAY * (1 if micros >= 0 else -1)
    return Interval(0, days, micros - days * MICROS_PER_DAY)


def infinite_difference(left: int, right: int) -> Interval:
    """Of two timestamps, at least one of them infinite."""
    if left == right:
        raise out_of_range()
    return INFINITE if left == INFINITY or right == MINUS_INFINITY else MINUS_INFINITE


def date_plus_days(days: int, count: int) -> int:
    if is_infinite_date(days):
        return days
    moved = days + count
    if not FIRST_DATE <= moved <= LAST_DATE:
        raise DatetimeFieldOverflow(DATE_OUT_OF_RANGE)
    return moved


def date_difference(left: int, right: int) -> int:
    if is_infinite_date(left) or is_infinite_date(right):
        raise DatetimeFieldOverflow(INFINITE_DATES)
    return left - right


def timestamp_of_date(days: int) -> int:
    if is_infinite_date(days):
        return INFINITY if days == DATE_INFINITY else MINUS_INFINITY
    if days > LAST_DATE_OF_TIMESTAMPS:
        raise DatetimeFieldOverflow(DATE_OUT_OF_RANGE_FOR_TIMESTAMP)
    return days * MICROS_PER_DAY


def age(left: int, right: int) -> Interval:
    """The years, months, days and time by which clock and calendar differ."""
    if is_infinite(left) or is_infinite(right):
        return infinite_difference(left, right)
    return negated(_age(right, left)) if left < right else _age(left, right)


def _age(later: int, earlier: int) -> Interval:
    """Days that are missing are taken from the month that the earlier is in."""
    later_days, later_time = divmod(later, MICROS_PER_DAY)
    earlier_days, earlier_time = divmod(earlier, MICROS_PER_DAY)
    (year, month, day), (earlier_year, earlier_month, earlier_day) = date_of(later_days), date_of(earlier_days)
    months, days, time = (
        (year - earlier_year) * 12 + month - earlier_month,
        day - earlier_day,
        later_time - earlier_time,
    )
    if time < 0:
        days, time = days - 1, time + MICROS_PER_DAY
    while days < 0:
        days += days_in_month(earlier_year, earlier_month)
        months -= 1
    return interval_of(months, days, time)
