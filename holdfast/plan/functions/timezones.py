"""Time zones: what clocks show at a moment, and the moment at which clocks show a time.

A zone that never changes, as UTC or `PST`, is a sum that Spark can do. The others are left to Python: Java has a time
zone database of its own, and the two differ in many a year before 1970 and by release in those to come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.plan.calendar import MICROS_PER_DAY, MICROS_PER_SECOND, add_months, is_infinite
from holdfast.plan.date_arithmetic import TIMESTAMP_OUT_OF_RANGE, checked_timestamp, timestamp_plus
from holdfast.plan.errors import DatetimeFieldOverflow, InvalidParameterValue, InvalidTimeZone
from holdfast.plan.functions import date_spark as spark
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.functions.spark_text import failure, unquoted
from holdfast.plan.interval_arithmetic import is_finite, negated
from holdfast.plan.text.interval_text import write_interval
from holdfast.plan.types import (
    INTERVAL,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Interval,
    Type,
    record_of,
)
from holdfast.plan.zones import FixedZone, Zone, zone_of


def _local(zone: Zone, micros: int) -> int:
    if is_infinite(micros):
        return micros
    return checked_timestamp(micros + zone.offset_at(micros) * MICROS_PER_SECOND)


def _moment(zone: Zone, micros: int) -> int:
    if is_infinite(micros):
        return micros
    return checked_timestamp(micros - zone.offset_of_local(micros) * MICROS_PER_SECOND)


def _local_in_named(name: str, micros: int) -> int:
    return micros if is_infinite(micros) else _local(zone_of(name), micros)


def _moment_in_named(name: str, micros: int) -> int:
    return micros if is_infinite(micros) else _moment(zone_of(name), micros)


def _zone_of_interval(interval: Interval) -> FixedZone:
    """The displacement to the east, without the fraction of a second."""
    shown = write_interval(interval)
    if not is_finite(interval):
        raise InvalidParameterValue(f'interval time zone "{shown}" must be finite')
    if interval.months or interval.days:
        raise InvalidParameterValue(f'interval time zone "{shown}" must not include months or days')
    seconds = abs(interval.micros) // MICROS_PER_SECOND
    return FixedZone(seconds if interval.micros >= 0 else -seconds)


def _local_displaced(interval: Interval, micros: int) -> int:
    return micros if is_infinite(micros) else _local(_zone_of_interval(interval), micros)


def _moment_displaced(interval: Interval, micros: int) -> int:
    return micros if is_infinite(micros) else _moment(_zone_of_interval(interval), micros)


def _same(micros: int) -> int:
    return micros


def _spark_displaced(sign: int) -> Callable[[Sequence[str], Sequence[Type], Type], str | None]:
    def text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
        seconds = _constant_offset(texts[0], types[0])
        if seconds is None:
            return None
        micros = spark.micros(texts[1], types[1])
        offset = sign * seconds * MICROS_PER_SECOND
        if not offset:
            return spark.timestamp(micros, result)
        room = spark.timestamp_bounds(lambda value: checked_timestamp(value + offset))
        assert room is not None
        infinite = spark.timestamp(micros, result)
        out = failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)
        return (
            f"CASE WHEN {micros} NOT BETWEEN {spark.long(room[0])} AND {spark.long(room[1])} "
            f"THEN IF({spark.is_infinite(micros)}, {infinite}, {out}) "
            f"ELSE {spark.timestamp(f'{micros} + {spark.long(offset)}', result)} END"
        )

    return text


def _constant_offset(text: str, type_: Type) -> int | None:
    """Of a literal zone that has one offset for all times."""
    try:
        if type_.base == "interval":
            interval = spark.interval_literal(text)
            return None if interval is None else _zone_of_interval(interval).seconds
        name = unquoted(text)
        zone = None if name is None else zone_of(name)
    except (InvalidTimeZone, InvalidParameterValue):
        return None
    return zone.seconds if isinstance(zone, FixedZone) else None


def plus_in_zone(micros: int, interval: Interval, name: str) -> int:
    """Months and days are those of the zone, which may be longer or shorter by an hour."""
    zone = zone_of(name)
    if is_infinite(micros) or not is_finite(interval):
        return timestamp_plus(micros, interval)
    if interval.months:
        days, time = divmod(_local(zone, micros), MICROS_PER_DAY)
        micros = _moment(zone, checked_timestamp(add_months(days, interval.months) * MICROS_PER_DAY + time))
    if interval.days:
        micros = _moment(zone, checked_timestamp(_local(zone, micros) + interval.days * MICROS_PER_DAY))
    return checked_timestamp(micros + interval.micros)


def _minus_in_zone(micros: int, interval: Interval, name: str) -> int:
    return plus_in_zone(micros, negated(interval), name)


def _timezone_offset(name: str, micros: int) -> tuple[str, Interval, Interval]:
    abbreviation, standard, summer = zone_of(name).described_at(micros)
    return abbreviation, Interval(0, 0, standard * MICROS_PER_SECOND), Interval(0, 0, summer * MICROS_PER_SECOND)


_LOCAL = "What clocks in a time zone show at a moment: `t AT TIME ZONE 'Europe/Berlin'`."
_MOMENT = "The moment at which clocks in a time zone show a time: `t AT TIME ZONE 'Europe/Berlin'`."
_OFFSET = record_of(("abbrev", "base_utc_offset", "dst_offset"), (TEXT, INTERVAL, INTERVAL))

FAMILY = Family(
    "Time zones",
    functions=(
        Function(
            "timezone", (TEXT, TIMESTAMPTZ), TIMESTAMP, _local_in_named, _spark_displaced(1), fails=True, doc=_LOCAL
        ),
        Function(
            "timezone", (TEXT, TIMESTAMP), TIMESTAMPTZ, _moment_in_named, _spark_displaced(-1), fails=True, doc=_MOMENT
        ),
        Function(
            "timezone",
            (INTERVAL, TIMESTAMPTZ),
            TIMESTAMP,
            _local_displaced,
            _spark_displaced(1),
            fails=True,
            doc=_LOCAL,
        ),
        Function(
            "timezone",
            (INTERVAL, TIMESTAMP),
            TIMESTAMPTZ,
            _moment_displaced,
            _spark_displaced(-1),
            fails=True,
            doc=_MOMENT,
        ),
        Function("timezone", (TIMESTAMPTZ,), TIMESTAMP, _same, "CAST({0} AS TIMESTAMP_NTZ)", doc="In UTC."),
        Function("timezone", (TIMESTAMP,), TIMESTAMPTZ, _same, "CAST({0} AS TIMESTAMP)", doc="In UTC."),
        Function(
            "date_add",
            (TIMESTAMPTZ, INTERVAL, TEXT),
            TIMESTAMPTZ,
            plus_in_zone,
            fails=True,
            doc="Adds an interval, with months and days as a time zone has them.",
        ),
        Function(
            "date_subtract",
            (TIMESTAMPTZ, INTERVAL, TEXT),
            TIMESTAMPTZ,
            _minus_in_zone,
            fails=True,
            doc="Subtracts an interval, with months and days as a time zone has them.",
        ),
        Function(
            "timezone_offset",
            (TEXT, TIMESTAMPTZ),
            _OFFSET,
            _timezone_offset,
            fails=True,
            doc="Abbreviation, offset from UTC and what summer adds to it, of a time zone at a moment.",
        ),
    ),
)
