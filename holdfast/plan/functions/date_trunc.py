"""date_trunc and date_bin: the start of the stretch of time that a timestamp is in.

A stretch that starts before the first timestamp is an error, so for each unit there is a first timestamp to truncate.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from holdfast.plan.calendar import (
    FIRST_TIMESTAMP,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    MICROS_PER_HOUR,
    MICROS_PER_MINUTE,
    MICROS_PER_SECOND,
    date_of,
    days_of,
    is_infinite,
    iso_weekday,
)
from holdfast.plan.date_arithmetic import TIMESTAMP_OUT_OF_RANGE, checked_timestamp
from holdfast.plan.errors import DatetimeFieldOverflow, UnsupportedValue
from holdfast.plan.functions import date_spark as spark
from holdfast.plan.functions.date_units import not_recognized, not_supported, unit_of
from holdfast.plan.functions.function import Family, Function, Types
from holdfast.plan.functions.spark_text import failure, unquoted
from holdfast.plan.interval_arithmetic import interval_of, is_finite, out_of_range
from holdfast.plan.types import INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ, Interval, Type
from holdfast.plan.zones import zone_of

TIME_UNITS = {
    "microseconds": 1,
    "milliseconds": 1000,
    "second": MICROS_PER_SECOND,
    "minute": MICROS_PER_MINUTE,
    "hour": MICROS_PER_HOUR,
}
_YEARS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}
_FIRST_YEAR = {"year": 0, "decade": 0, "century": 1, "millennium": 1}
"""Which years start one: 2001 a century, 2000 a decade."""

_MONDAY = 3
"""Days from a Monday to the first day of 1970."""


def start_of(unit: str, micros: int) -> int:
    """Where the unit that a moment is in began, perhaps before the first timestamp."""
    if unit in TIME_UNITS:
        return micros - micros % TIME_UNITS[unit]
    days = micros // MICROS_PER_DAY
    return start_day(unit, days) * MICROS_PER_DAY


def start_day(unit: str, days: int) -> int:
    if unit == "day":
        return days
    if unit == "week":
        return days - iso_weekday(days) + 1
    year, month, _ = date_of(days)
    if unit == "month":
        return days_of(year, month, 1)
    if unit == "quarter":
        return days_of(year, (month - 1) // 3 * 3 + 1, 1)
    return days_of(year - (year - _FIRST_YEAR[unit]) % _YEARS[unit], 1, 1)


def _known(text: str, type_: Type) -> str:
    unit = unit_of(text)
    if unit is None:
        raise not_recognized(text, type_)
    if unit.startswith("timezone"):
        raise not_supported(text, type_)
    return unit


def _truncated(types: Types, text: str, micros: int) -> int:
    unit = _known(text, types.arguments[1])
    return micros if is_infinite(micros) else checked_timestamp(start_of(unit, micros))


def _truncated_in_zone(types: Types, text: str, micros: int, zone_name: str) -> int:
    zone, unit = zone_of(zone_name), _known(text, types.arguments[1])
    if is_infinite(micros):
        return micros
    offset = zone.offset_at(micros) * MICROS_PER_SECOND
    start = start_of(unit, micros + offset)
    # A day may start with another offset than the time of day that it is truncated from.
    if unit not in TIME_UNITS:
        offset = zone.offset_of_local(start) * MICROS_PER_SECOND
    return checked_timestamp(start - offset)


def _truncated_interval(types: Types, text: str, interval: Interval) -> Interval:
    unit = _known(text, types.result)
    if unit == "week":
        error = not_supported(text, types.result)
        error.detail = "Months usually have fractional weeks."
        raise error
    if not is_finite(interval):
        return interval
    if unit in _MONTHS:
        return interval_of(_towards_zero(interval.months, _MONTHS[unit]), 0, 0)
    if unit == "day":
        return interval_of(interval.months, interval.days, 0)
    return interval_of(interval.months, interval.days, _towards_zero(interval.micros, TIME_UNITS[unit]))


def _towards_zero(value: int, unit: int) -> int:
    return value // unit * unit if value >= 0 else -(-value // unit * unit)


@lru_cache(maxsize=64)
def _first(unit: str) -> int:
    """The first timestamp whose unit started within the range of timestamps."""
    found = spark.timestamp_bounds(lambda micros: checked_timestamp(start_of(unit, micros)))
    assert found is not None
    return found[0]


def _spark_truncated(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str | None:
    shown = unquoted(texts[0])
    unit = None if shown is None else unit_of(shown)
    if unit is None or unit.startswith("timezone"):
        return None
    value, type_ = texts[1], types[1]
    micros = spark.micros(value, type_)
    outside = f"IF({spark.is_infinite(micros)}, {value}, {failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)})"
    return (
        f"CASE WHEN {micros} NOT BETWEEN {spark.long(_first(unit))} AND {spark.long(LAST_TIMESTAMP)} THEN {outside} "
        f"ELSE {_spark_start(unit, value, micros, type_)} END"
    )


def _spark_start(unit: str, value: str, micros: str, type_: Type) -> str:
    if unit in TIME_UNITS or unit == "day":
        return spark.timestamp(f"{micros} - pmod({micros}, {TIME_UNITS.get(unit, MICROS_PER_DAY)}L)", type_)
    if unit == "week":
        shifted = f"{micros} - {7 * MICROS_PER_DAY - _MONDAY * MICROS_PER_DAY}L"
        return spark.timestamp(f"{micros} - pmod({shifted}, {7 * MICROS_PER_DAY}L)", type_)
    kind = "TIMESTAMP" if type_.base == "timestamptz" else "TIMESTAMP_NTZ"
    if unit in ("month", "quarter", "year"):
        return f"CAST(trunc(CAST({value} AS DATE), '{unit.upper()}') AS {kind})"
    years = f"pmod(year({value}) - {_FIRST_YEAR[unit]}, {_YEARS[unit]})"
    return f"CAST(add_months(trunc(CAST({value} AS DATE), 'YEAR'), -12 * {years}) AS {kind})"


def _binned(stride: Interval, source: int, origin: int) -> int:
    if is_infinite(source):
        return source
    width = _width(stride, origin)
    difference = source - origin
    if not -(2**63) <= difference < 2**63:
        raise out_of_range()
    return checked_timestamp(origin + difference // width * width)


def _width(stride: Interval, origin: int) -> int:
    if is_infinite(origin):
        raise DatetimeFieldOverflow("origin out of range")
    if not is_finite(stride):
        raise DatetimeFieldOverflow("timestamps cannot be binned into infinite intervals")
    if stride.months:
        raise UnsupportedValue("timestamps cannot be binned into intervals containing months or years")
    width = stride.days * MICROS_PER_DAY + stride.micros
    if not -(2**63) <= width < 2**63:
        raise out_of_range()
    if width <= 0:
        raise DatetimeFieldOverflow("stride must be greater than zero")
    return width


_LONGEST_STRIDE = 2**55
"""About a thousand years. Within it, and 64 bits less as much, no sum of the text overflows."""


def _spark_binned(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str | None:
    stride = spark.interval_literal(texts[0])
    if stride is None or stride.months or not is_finite(stride):
        return None
    width = stride.days * MICROS_PER_DAY + stride.micros
    if not 0 < width <= _LONGEST_STRIDE:
        return None
    source, origin = (spark.micros(text, type_) for text, type_ in zip(texts[1:], types[1:], strict=True))
    inside = f"BETWEEN {spark.long(FIRST_TIMESTAMP)} AND {spark.long(LAST_TIMESTAMP - 2**61)}"
    # Timestamps after the year 221,000 are left for the branches that check what cannot happen before.
    start = f"{source} - pmod({source} - {origin}, {width}L)"
    exactly = f"CAST({source} AS DECIMAL(20, 0)) - CAST({origin} AS DECIMAL(20, 0))"
    infinite_origin = failure(DatetimeFieldOverflow, "origin out of range")
    too_far = failure(DatetimeFieldOverflow, "interval out of range")
    out = failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)
    checked = f"IF({start} < {spark.long(FIRST_TIMESTAMP)}, {out}, {spark.timestamp(start, types[1])})"
    return (
        f"CASE WHEN {source} {inside} AND {origin} {inside} THEN {checked} "
        f"WHEN {source} IS NULL OR {origin} IS NULL THEN NULL "
        f"WHEN {spark.is_infinite(source)} THEN {texts[1]} "
        f"WHEN {spark.is_infinite(origin)} THEN {infinite_origin} "
        f"WHEN {exactly} NOT BETWEEN -9223372036854775808 AND 9223372036854775807 THEN {too_far} "
        f"ELSE {checked} END"
    )


_TIMESTAMPS = (TIMESTAMP, TIMESTAMPTZ)

FAMILY = Family(
    "Truncating timestamps",
    functions=(
        *(
            Function(
                "date_trunc",
                (TEXT, type_),
                type_,
                _truncated,
                _spark_truncated,
                fails=True,
                typed=True,
                doc="Truncates to the start of a unit: `date_trunc('month', t)`.",
            )
            for type_ in _TIMESTAMPS
        ),
        Function(
            "date_trunc",
            (TEXT, TIMESTAMPTZ, TEXT),
            TIMESTAMPTZ,
            _truncated_in_zone,
            fails=True,
            typed=True,
            doc="Truncates to the start of a unit in a time zone.",
        ),
        Function(
            "date_trunc",
            (TEXT, INTERVAL),
            INTERVAL,
            _truncated_interval,
            fails=True,
            typed=True,
            doc="Leaves out what is smaller than a unit.",
        ),
        *(
            Function(
                "date_bin",
                (INTERVAL, type_, type_),
                type_,
                _binned,
                _spark_binned,
                fails=True,
                doc="The start of the interval, counted from the origin, that a timestamp is in.",
            )
            for type_ in _TIMESTAMPS
        ),
    ),
)
