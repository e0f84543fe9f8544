"""Sums, products and fractions of intervals, each field by itself, as PostgreSQL has them.

Infinite intervals have the greatest or least value in every field. A sum that would only look like one is out of range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from holdfast.plan.calendar import MICROS_PER_DAY
from holdfast.plan.errors import DatetimeFieldOverflow, DivisionByZero
from holdfast.plan.text.interval_text import INFINITE, MINUS_INFINITE
from holdfast.plan.types import Interval

_MAX_INT, _MAX_LONG = 2**31 - 1, 2**63 - 1
_Scale: TypeAlias = Callable[[int], float]
_SECONDS_PER_DAY = 86_400
_DAYS_PER_MONTH = 30


def out_of_range() -> DatetimeFieldOverflow:
    return DatetimeFieldOverflow("interval out of range")


def is_finite(interval: Interval) -> bool:
    return interval not in (INFINITE, MINUS_INFINITE)


def interval_of(months: int, days: int, micros: int) -> Interval:
    """The finite interval of these fields."""
    if not (
        -_MAX_INT - 1 <= months <= _MAX_INT
        and -_MAX_INT - 1 <= days <= _MAX_INT
        and -_MAX_LONG - 1 <= micros <= _MAX_LONG
    ):
        raise out_of_range()
    found = Interval(months, days, micros)
    if not is_finite(found):
        raise out_of_range()
    return found


def negated(interval: Interval) -> Interval:
    if interval == INFINITE:
        return MINUS_INFINITE
    if interval == MINUS_INFINITE:
        return INFINITE
    return interval_of(-interval.months, -interval.days, -interval.micros)


def plus(left: Interval, right: Interval) -> Interval:
    if is_finite(left) and is_finite(right):
        return interval_of(left.months + right.months, left.days + right.days, left.micros + right.micros)
    if not is_finite(left) and not is_finite(right) and left != right:
        raise out_of_range()
    return right if is_finite(left) else left


def minus(left: Interval, right: Interval) -> Interval:
    if is_finite(left) and is_finite(right):
        return interval_of(left.months - right.months, left.days - right.days, left.micros - right.micros)
    if left == right:
        raise out_of_range()
    return negated(right) if is_finite(left) else left


def times(interval: Interval, factor: float) -> Interval:
    """What a month has of fractions goes on into days, at 30 each, and what a day has into the time."""
    if math.isnan(factor):
        raise out_of_range()
    if not is_finite(interval) or math.isinf(factor):
        return _infinite_product(_sign(interval), factor)
    return _scaled(interval, lambda part: part * factor)


def divided(interval: Interval, divisor: float) -> Interval:
    if divisor == 0:
        raise DivisionByZero
    if math.isnan(divisor):
        raise out_of_range()
    if not is_finite(interval):
        if math.isinf(divisor):
            raise out_of_range()
        return interval if divisor > 0 else negated(interval)
    return _scaled(interval, lambda part: part / divisor)


def _infinite_product(sign: int, factor: float) -> Interval:
    if sign == 0 or factor == 0:
        raise out_of_range()
    return INFINITE if sign * factor > 0 else MINUS_INFINITE


def _sign(interval: Interval) -> int:
    """By what the fields come to at 30 days a month."""
    total = (interval.months * _DAYS_PER_MONTH + interval.days) * MICROS_PER_DAY + interval.micros
    return (total > 0) - (total < 0)


def _scaled(interval: Interval, scale: _Scale) -> Interval:
    # Step by step in floats, as PostgreSQL does, since each rounding shows in the answer.
    months_exactly, days_exactly = scale(interval.months), scale(interval.days)
    months, days = _whole(months_exactly), _whole(days_exactly)
    more_days = _to_micros((months_exactly - months) * _DAYS_PER_MONTH)
    seconds = _to_micros((days_exactly - days + more_days - int(more_days)) * _SECONDS_PER_DAY)
    if abs(seconds) >= _SECONDS_PER_DAY:
        over = int(seconds / _SECONDS_PER_DAY)
        days += over
        seconds -= over * _SECONDS_PER_DAY
    micros = scale(interval.micros) + seconds * 1e6
    if not math.isfinite(micros):
        raise out_of_range()
    rounded = round(micros)
    if not -(2**63) <= rounded < 2**63:
        raise out_of_range()
    return interval_of(months, days + int(more_days), rounded)


def _whole(value: float) -> int:
    if not -(2**31) <= value < 2**31:
        raise out_of_range()
    return int(value)


def _to_micros(value: float) -> float:
    """Rounded to six digits."""
    return round(value * 1e6) / 1e6


def justify_hours(interval: Interval) -> Interval:
    """Every 24 hours as a day, with days and time of one sign."""
    if not is_finite(interval):
        return interval
    whole = _quotient(interval.micros, MICROS_PER_DAY)
    days, micros = interval.days + whole, interval.micros - whole * MICROS_PER_DAY
    days, micros = _one_sign(days, micros, MICROS_PER_DAY)
    return interval_of(interval.months, days, micros)


def justify_days(interval: Interval) -> Interval:
    """Every 30 days as a month, with months and days of one sign."""
    if not is_finite(interval):
        return interval
    whole = _quotient(interval.days, _DAYS_PER_MONTH)
    months, days = interval.months + whole, interval.days - whole * _DAYS_PER_MONTH
    months, days = _one_sign(months, days, _DAYS_PER_MONTH)
    return interval_of(months, days, interval.micros)


def justify_interval(interval: Interval) -> Interval:
    """Both, with all three fields of one sign."""
    if not is_finite(interval):
        return interval
    whole = _quotient(interval.micros, MICROS_PER_DAY)
    days, micros = interval.days + whole, interval.micros - whole * MICROS_PER_DAY
    more = _quotient(days, _DAYS_PER_MONTH)
    months, days = interval.months + more, days - more * _DAYS_PER_MONTH
    if months > 0 and (days < 0 or (days == 0 and micros < 0)):
        months, days = months - 1, days + _DAYS_PER_MONTH
    elif months < 0 and (days > 0 or (days == 0 and micros > 0)):
        months, days = months + 1, days - _DAYS_PER_MONTH
    days, micros = _one_sign(days, micros, MICROS_PER_DAY)
    return interval_of(months, days, micros)


def _quotient(value: int, unit: int) -> int:
    """Towards zero."""
    return value // unit if value >= 0 else -(-value // unit)


def _one_sign(large: int, small: int, unit: int) -> tuple[int, int]:
    if large > 0 and small < 0:
        return large - 1, small + unit
    if large < 0 and small > 0:
        return large + 1, small - unit
    return large, small
