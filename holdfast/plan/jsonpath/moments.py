"""Dates and times in a path: strings that `.datetime()` and its like have read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.plan.calendar import MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND
from holdfast.plan.errors import DataError, InvalidJsonDatetime, UnsupportedValue
from holdfast.plan.text.datetimes import read_date, write_date, write_time, write_timestamp

Kind: TypeAlias = Literal["date", "time", "timetz", "timestamp", "timestamptz"]

_DATE = r"(\d{4,}-\d{1,2}-\d{1,2})"
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?"
_ZONE = r"\s*([+-]\d{1,2})(?::(\d{2}))?"
_TEXT = re.compile(rf"(?:{_DATE}(?:[ T]+(?=\d)|\Z))?(?:{_TIME}(?:{_ZONE})?)?", re.ASCII)

DISPLAY: dict[Kind, str] = {
    "date": "date",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
}
_KINDS: dict[str, Kind] = {
    "date": "date",
    "time": "time",
    "time_tz": "timetz",
    "timestamp": "timestamp",
    "timestamp_tz": "timestamptz",
}
"""By the methods that make them."""


@dataclass(frozen=True, slots=True)
class Moment:
    """`value` is in days for a date, else in microseconds, as in the zone that is `offset` from UTC."""

    kind: Kind
    value: int
    offset: int = 0

    def __str__(self) -> str:
        match self.kind:
            case "date":
                return write_date(self.value)
            case "time":
                return write_time(self.value)
            case "timetz":
                return write_time(self.value) + self._zone()
            case "timestamp":
                return write_timestamp(self.value).replace(" ", "T", 1)
        return write_timestamp(self.value).replace(" ", "T", 1) + self._zone()

    def _zone(self) -> str:
        minutes = abs(self.offset) // MICROS_PER_MINUTE
        return f"{'-' if self.offset < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"


def read_moment(text: str) -> Moment | None:
    """What the text stands for, if it has one of the forms that need no template."""
    found = _TEXT.fullmatch(text)
    if not found or not text:
        return None
    date, hours, minutes, seconds, fraction, zone_hours, zone_minutes = found.groups()
    try:
        days = None if date is None else read_date(date)
    except DataError:
        return None
    if hours is None:
        return None if days is None else Moment("date", days)
    if int(hours) > 23 or int(minutes) > 59 or int(seconds) > 59:
        return None
    time = int(hours) * MICROS_PER_HOUR + int(minutes) * MICROS_PER_MINUTE + int(seconds) * MICROS_PER_SECOND
    time += int((fraction or "0").ljust(6, "0"))
    value = time if days is None else days * MICROS_PER_DAY + time
    if zone_hours is None:
        return Moment("time" if days is None else "timestamp", value)
    offset = abs(int(zone_hours)) * MICROS_PER_HOUR + int(zone_minutes or 0) * MICROS_PER_MINUTE
    offset = -offset if zone_hours.startswith("-") else offset
    return Moment("timetz" if days is None else "timestamptz", value, offset)


def converted(moment: Moment, text: str, method: str) -> Moment:
    """As one of the kind that a method is called for."""
    kind = _KINDS[method]
    if moment.kind == kind:
        return moment
    match moment.kind, kind:
        case "timestamp", "date":
            return Moment("date", moment.value // MICROS_PER_DAY)
        case "timestamp", "time":
            return Moment("time", moment.value % MICROS_PER_DAY)
        case "date", "timestamp":
            return Moment("timestamp", moment.value * MICROS_PER_DAY)
    if _needs_zone(moment.kind, kind):
        raise _without_zone(moment.kind, kind)
    raise InvalidJsonDatetime(f'{method} format is not recognized: "{text}"')


def _needs_zone(left: Kind, right: Kind) -> bool:
    zoned = {left, right} & {"timetz", "timestamptz"}
    times = {left, right} <= {"time", "timetz"}
    return bool(zoned) and (times or not {left, right} & {"time", "timetz"} or right == "time")


def _without_zone(left: Kind, right: Kind) -> DataError:
    error = UnsupportedValue(f"cannot convert value from {left} to {right} without time zone usage")
    error.hint = "Use *_tz() function for time zone support."
    return error


def compared(left: Moment, right: Moment) -> int | None:
    """Less than, equal to or greater than 0; None for kinds that have no order between them."""
    if left.kind == right.kind:
        first, second = left.value - left.offset, right.value - right.offset
    elif {left.kind, right.kind} == {"date", "timestamp"}:
        first, second = (converted(moment, "", "timestamp").value for moment in (left, right))
    elif (left.kind in ("time", "timetz")) != (right.kind in ("time", "timetz")):
        return None
    else:
        raise _without_zone(left.kind, right.kind)
    return (first > second) - (first < second)
