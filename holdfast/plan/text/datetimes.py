"""Text of dates, times and intervals, as PostgreSQL has it with DateStyle `ISO, MDY` and in UTC.

Times and timestamps are rounded to the digits of seconds that their type has. Moments are shown with the offset `+00`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from holdfast.plan.calendar import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    FIRST_DATE,
    FIRST_TIMESTAMP,
    INFINITY,
    LAST_DATE,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    MINUS_INFINITY,
    date_of,
)
from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.text.contract import TextCodec
from holdfast.plan.text.datetime_parser import Reading, read_datetime, read_time
from holdfast.plan.text.interval_text import read_interval, rounded_interval, write_interval
from holdfast.plan.types import IntervalOf, Modified, Type

MAX_DIGITS = 6
"""Of seconds."""


def rounded(micros: int, digits: int | None) -> int:
    """To so many digits of seconds, halves away from zero."""
    if digits is None or digits >= MAX_DIGITS:
        return micros
    unit: int = 10 ** (MAX_DIGITS - digits)
    return (micros + unit // 2) // unit * unit if micros >= 0 else -((-micros + unit // 2) // unit * unit)


def rounded_timestamp(micros: int, digits: int | None) -> int:
    """As PostgreSQL counts, from 2000: what lies half between two values goes away from there."""
    if digits is None or digits >= MAX_DIGITS or micros in (INFINITY, MINUS_INFINITY):
        return micros
    return rounded(micros - _YEAR_2000, digits) + _YEAR_2000


_YEAR_2000 = 946_684_800 * MICROS_PER_SECOND


def read_date(text: str) -> int:
    reading = read_datetime(text, "date")
    match reading.special:
        case "infinity":
            return DATE_INFINITY
        case "-infinity":
            return DATE_MINUS_INFINITY
        case "epoch":
            return 0
    days = reading.days or 0
    if not FIRST_DATE <= days <= LAST_DATE:
        raise DatetimeFieldOverflow(f'date out of range: "{text}"')
    return days


def write_date(days: int) -> str:
    if days == DATE_INFINITY:
        return "infinity"
    if days == DATE_MINUS_INFINITY:
        return "-infinity"
    year, month, day = date_of(days)
    if year > 0:
        return f"{year:04}-{month:02}-{day:02}"
    return f"{1 - year:04}-{month:02}-{day:02} BC"


def write_time(micros: int) -> str:
    seconds, fraction = divmod(micros, MICROS_PER_SECOND)
    shown = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{shown}.{fraction:06}".rstrip("0") if fraction else shown


def read_timestamp(text: str) -> int:
    return _timestamp(text, read_datetime(text, "timestamp"), zoned=False)


def read_timestamptz(text: str) -> int:
    return _timestamp(text, read_datetime(text, "timestamp with time zone"), zoned=True)


def _timestamp(text: str, reading: Reading, *, zoned: bool) -> int:
    match reading.special:
        case "infinity":
            return INFINITY
        case "-infinity":
            return MINUS_INFINITY
        case "epoch":
            return 0
    micros = (reading.days or 0) * MICROS_PER_DAY + (reading.micros or 0)
    if zoned and reading.zone is not None:
        micros -= reading.zone.offset_of_local(micros) * MICROS_PER_SECOND
    if not FIRST_TIMESTAMP <= micros <= LAST_TIMESTAMP:
        raise DatetimeFieldOverflow(f'timestamp out of range: "{text}"')
    return micros


def write_timestamp(micros: int) -> str:
    return _shown(micros, "")


def write_timestamptz(micros: int) -> str:
    return _shown(micros, "+00")


def _shown(micros: int, zone: str) -> str:
    if micros == INFINITY:
        return "infinity"
    if micros == MINUS_INFINITY:
        return "-infinity"
    days, time = divmod(micros, MICROS_PER_DAY)
    date, space, era = write_date(days).partition(" ")
    return f"{date} {write_time(time)}{zone}{space}{era}"


def digits_of(type_: Type) -> int | None:
    """The digits of seconds that a type asks for."""
    return type_.modifier if isinstance(type_, Modified) else None


def fields_of(type_: Type) -> str | None:
    """The fields of an interval that a type asks for."""
    return type_.fields if isinstance(type_, IntervalOf) else None


def _date(_type: Type, _find: Callable[[Type], TextCodec]) -> TextCodec:
    return TextCodec(read_date, write_date)


def _time(type_: Type, _find: Callable[[Type], TextCodec]) -> TextCodec:
    digits = digits_of(type_)
    return TextCodec(lambda text: rounded(read_time(text), digits), write_time)


def _timestamp_codec(type_: Type, _find: Callable[[Type], TextCodec]) -> TextCodec:
    digits = digits_of(type_)
    return TextCodec(lambda text: rounded_timestamp(read_timestamp(text), digits), write_timestamp)


def _timestamptz(type_: Type, _find: Callable[[Type], TextCodec]) -> TextCodec:
    digits = digits_of(type_)
    return TextCodec(lambda text: rounded_timestamp(read_timestamptz(text), digits), write_timestamptz)


def _interval(type_: Type, _find: Callable[[Type], TextCodec]) -> TextCodec:
    digits, fields = digits_of(type_), fields_of(type_)
    return TextCodec(lambda text: rounded_interval(read_interval(text, fields), digits), write_interval)


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {
    "date": _date,
    "time": _time,
    "timestamp": _timestamp_codec,
    "timestamptz": _timestamptz,
    "interval": _interval,
}
