"""Text of intervals: read in all of PostgreSQL's styles, written in the one called `postgres`.

A text is read from its end, since a unit comes after its number: `1 day 2:03`, `@ 1 year ago`, `1-2 3 4:05:06`. What
does not read so may be ISO 8601's: `P1Y2M3DT4H`. Fractions of a unit go on into smaller ones, a month having 30 days;
only those of a year become months.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.plan.calendar import MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND
from holdfast.plan.errors import DatetimeFieldOverflow, IntervalFieldOverflow, InvalidDatetimeFormat
from holdfast.plan.text.datetime_parser import KEYWORDS, BadFormat, FieldOverflow, clock_of
from holdfast.plan.text.datetime_tokens import Kind, Token, tokens_of
from holdfast.plan.types import Interval

INFINITE = Interval(2**31 - 1, 2**31 - 1, 2**63 - 1)
MINUS_INFINITE = Interval(-(2**31), -(2**31), -(2**63))

_MAX_INT, _MAX_LONG = 2**31 - 1, 2**63 - 1


class _Unit(NamedTuple):
    """How many months, days or microseconds one of it is. Those of one `name` may come once in a text."""

    name: str
    months: int = 0
    days: int = 0
    micros: int = 0


_MICROSECOND = _Unit("microsecond", micros=1)
_MILLISECOND = _Unit("millisecond", micros=1000)
_SECOND = _Unit("second", micros=MICROS_PER_SECOND)
_MINUTE = _Unit("minute", micros=MICROS_PER_MINUTE)
_HOUR = _Unit("hour", micros=MICROS_PER_HOUR)
_DAY = _Unit("day", days=1)
_WEEK = _Unit("week", days=7)
_MONTH = _Unit("month", months=1)
_YEAR = _Unit("year", months=12)
_DECADE = _Unit("decade", months=120)
_CENTURY = _Unit("century", months=1200)
_MILLENNIUM = _Unit("millennium", months=12_000)

_NO_UNIT = _Unit("none")
"""What a number has before `ago`."""

_WORDS: dict[str, _Unit] = {
    word: unit
    for unit, words in (
        (_MICROSECOND, "microsecon us usec usecond useconds usecs"),
        (_MILLISECOND, "millisecon ms msec msecond mseconds msecs"),
        (_SECOND, "s sec second seconds secs"),
        (_MINUTE, "m min mins minute minutes"),
        (_HOUR, "h hour hours hr hrs"),
        (_DAY, "d day days"),
        (_WEEK, "w week weeks"),
        (_MONTH, "mon mons month months"),
        (_YEAR, "y year years yr yrs"),
        (_DECADE, "dec decade decades decs"),
        (_CENTURY, "c cent centuries century"),
        (_MILLENNIUM, "mil millennia millennium mils"),
    )
    for word in words.split()
}
_LONGEST_WORD = 10
"""PostgreSQL compares no more letters of a word."""

_UNITS_OF_FIELDS = {
    "YEAR": _YEAR,
    "MONTH": _MONTH,
    "DAY": _DAY,
    "HOUR": _HOUR,
    "MINUTE": _MINUTE,
    "SECOND": _SECOND,
}
_SMALLEST_FIELD = {
    "YEAR": (12, 0, 0),
    "MONTH": (1, 0, 0),
    "DAY": (1, 1, 0),
    "HOUR": (1, 1, MICROS_PER_HOUR),
    "MINUTE": (1, 1, MICROS_PER_MINUTE),
    "SECOND": (1, 1, 1),
}
"""In multiples of which months, days and microseconds are kept; 0 keeps none."""

_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?")
_YEARS_AND_MONTHS = re.compile(r"([+-]?)(\d+)-(\d+)")
_ISO_PART = re.compile(r"(-?\d*(?:\.\d*)?)([A-Z])")
_ISO_DATE_UNITS = {"Y": _YEAR, "M": _MONTH, "W": _WEEK, "D": _DAY}
_ISO_TIME_UNITS = {"H": _HOUR, "M": _MINUTE, "S": _SECOND}
_ISO_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)|(-?[\d.]+)(?:-([\d.]+))?(?:-([\d.]+))?")
_ISO_TIME = re.compile(r"(\d\d)(\d\d)(\d\d)(?:\.\d*)?|(-?[\d.]+)(?::([\d.]+))?(?::([\d.]+))?")


def _is_int(value: int) -> bool:
    return -_MAX_INT - 1 <= value <= _MAX_INT


def _is_long(value: int) -> bool:
    return -_MAX_LONG - 1 <= value <= _MAX_LONG


class OutOfRange(Exception):
    """Every field is one, but not all together are an interval."""


class _Sum:
    """An interval being added up."""

    def __init__(self) -> None:
        self.years = self.months = self.days = self.micros = 0

    def add(self, unit: _Unit, whole: int, fraction: float) -> None:
        if unit.months >= _YEAR.months:
            self.years += whole * (unit.months // _YEAR.months)
        else:
            self.months += whole * unit.months
        self.days += whole * unit.days
        self.micros += whole * unit.micros
        if unit.months >= _YEAR.months:
            self.months += round(fraction * unit.months)
        elif unit.months:
            self._add_days(fraction * 30)
        elif unit.days == 1:
            self._add_micros(fraction * MICROS_PER_DAY)
        elif unit.days:
            self._add_days(fraction * unit.days)
        else:
            self._add_micros(fraction * unit.micros)
        if not (_is_int(self.years) and _is_int(self.months) and _is_int(self.days) and _is_long(self.micros)):
            raise FieldOverflow

    def _add_days(self, days: float) -> None:
        self.days += int(days)
        self._add_micros((days - int(days)) * MICROS_PER_DAY)

    def _add_micros(self, micros: float) -> None:
        whole = int(micros)
        rest = micros - whole
        self.micros += whole + (rest > 0.5) - (rest < -0.5)

    def checked(self, *, negated: bool) -> Interval:
        sign = -1 if negated else 1
        years, months, days, micros = (sign * part for part in (self.years, self.months, self.days, self.micros))
        if not (_is_int(years) and _is_int(months) and _is_int(days) and _is_long(micros)):
            raise FieldOverflow
        found = Interval(years * 12 + months, days, micros)
        if not _is_int(found.months) or found in (INFINITE, MINUS_INFINITE):
            raise OutOfRange
        return found


def read_interval(text: str, fields: str | None = None) -> Interval:
    """`fields` are those of a type like `interval DAY TO SECOND`: a bare number is in the last of them."""
    try:
        try:
            found = _read_words(text, fields)
        except BadFormat:
            found = _read_iso(text)
    except BadFormat:
        raise InvalidDatetimeFormat(f'invalid input syntax for type interval: "{text}"') from None
    except FieldOverflow:
        raise IntervalFieldOverflow(f'interval field value out of range: "{text}"') from None
    except OutOfRange:
        raise DatetimeFieldOverflow("interval out of range") from None
    return truncated_to_fields(found, fields)


def truncated_to_fields(interval: Interval, fields: str | None) -> Interval:
    """Without what is smaller than the last of the fields that a type has."""
    if fields is None or interval in (INFINITE, MINUS_INFINITE):
        return interval
    months, days, micros = _SMALLEST_FIELD[fields.rpartition(" ")[2]]
    return Interval(
        _truncated(interval.months, months), _truncated(interval.days, days), _truncated(interval.micros, micros)
    )


def _truncated(value: int, unit: int) -> int:
    if unit == 0:
        return 0
    return value // unit * unit if value >= 0 else -(-value // unit * unit)


def _read_words(text: str, fields: str | None) -> Interval:
    tokens = tokens_of(text, KEYWORDS)
    if not tokens:
        raise BadFormat
    if len(tokens) == 1 and tokens[0].text in ("infinity", "+infinity"):
        return INFINITE
    if len(tokens) == 1 and tokens[0].text == "-infinity":
        return MINUS_INFINITE
    ago = tokens[-1] == Token(Kind.WORD, "ago")
    if ago:
        tokens = tokens[:-1]
    return _read_from_end(tokens, _NO_UNIT if ago else None, fields).checked(negated=ago)


def _read_from_end(tokens: list[Token], unit: _Unit | None, fields: str | None) -> _Sum:
    """`unit` is that of the last number if it says none."""
    total, said = _Sum(), set[str]()
    awaited = False  # a unit was said, and its number is yet to come
    for token in reversed(tokens):
        if token.kind in (Kind.WORD, Kind.SPECIAL):
            found = _WORDS.get(token.text[:_LONGEST_WORD])
            if awaited or found is None:
                raise BadFormat
            unit, awaited = found, True
            continue
        if ":" in token.text and token.kind in (Kind.TIME, Kind.SIGNED):
            if awaited:
                raise BadFormat
            _add_time(total, token.text, fields)
            _say(said, ("hour", "minute", "second"))
            unit = _DAY
            continue
        awaited = False
        unit = _add_number(total, said, token.text, unit or _unit_of_fields(fields))
    if awaited or not said:
        raise BadFormat
    return total


def _say(said: set[str], names: tuple[str, ...]) -> None:
    if said & set(names):
        raise BadFormat
    said.update(names)


def _unit_of_fields(fields: str | None) -> _Unit:
    return _SECOND if fields is None else _UNITS_OF_FIELDS[fields.rpartition(" ")[2]]


def _add_time(total: _Sum, text: str, fields: str | None) -> None:
    sign = -1 if text[0] == "-" else 1
    hour, minute, second, micros = clock_of(text.lstrip("+-"), longest=_MAX_LONG)
    if fields == "MINUTE TO SECOND" and text.count(":") == 1 and "." not in text:
        hour, minute, second = 0, hour, minute
    # As PostgreSQL has it, fractions of days are then not counted: `2:00 1.5 days` is a day and two hours.
    total.micros = 0
    total.add(_SECOND, sign * (hour * 3600 + minute * 60 + second), 0)
    total.add(_MICROSECOND, sign * micros, 0)


def _add_number(total: _Sum, said: set[str], text: str, unit: _Unit) -> _Unit | None:
    """Adds a number, and returns the unit of the one before it if that has none."""
    if match := _YEARS_AND_MONTHS.fullmatch(text):
        sign = -1 if match[1] == "-" else 1
        if int(match[3]) > 11:
            raise FieldOverflow
        _say(said, ("month",))
        total.add(_MONTH, sign * (int(match[2]) * 12 + int(match[3])), 0)
        return _MONTH
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[2] or match[3]) or unit is _NO_UNIT:
        raise BadFormat
    sign = -1 if match[1] == "-" else 1
    whole = int(match[2] or 0)
    if whole > _MAX_LONG:
        raise FieldOverflow
    fraction = float(f"0.{match[3] or '0'}")
    total.add(unit, sign * whole, sign * fraction)
    _say(said, ("second", "millisecond", "microsecond") if unit is _SECOND and fraction else (unit.name,))
    return _DAY if unit is _HOUR else unit


def _read_iso(text: str) -> Interval:
    if len(text) < 2 or text[0] != "P":
        raise BadFormat
    total = _Sum()
    date, _, time = text[1:].partition("T")
    if match := _ISO_DATE.fullmatch(date):
        _add_iso_fields(total, (_YEAR, _MONTH, _DAY), match)
    else:
        _add_iso_parts(total, date, _ISO_DATE_UNITS)
    if match := _ISO_TIME.fullmatch(time):
        _add_iso_fields(total, (_HOUR, _MINUTE, _SECOND), match)
    else:
        _add_iso_parts(total, time, _ISO_TIME_UNITS)
    return total.checked(negated=False)


def _add_iso_fields(total: _Sum, units: tuple[_Unit, ...], match: re.Match[str]) -> None:
    """Without letters, by position, with separators or of fixed length."""
    shown = match.groups()[:3] if match[1] is not None else match.groups()[3:]
    for unit, number in zip(units, shown, strict=True):
        total.add(unit, *_iso_number(number or "0"))


def _add_iso_parts(total: _Sum, text: str, units: dict[str, _Unit]) -> None:
    at = 0
    while at < len(text):
        match = _ISO_PART.match(text, at)
        if match is None or match[2] not in units:
            raise BadFormat
        total.add(units[match[2]], *_iso_number(match[1]))
        at = match.end()


def _iso_number(text: str) -> tuple[int, float]:
    # As PostgreSQL, what is after the point is what a float has left of it.
    if text.strip("-.") == "":
        raise BadFormat
    value = float(text)
    return int(value), value - int(value)


def rounded_interval(interval: Interval, digits: int | None) -> Interval:
    """To so many digits of seconds, halves away from zero."""
    if digits is None or digits >= 6 or interval in (INFINITE, MINUS_INFINITE):
        return interval
    unit: int = 10 ** (6 - digits)
    micros = (abs(interval.micros) + unit // 2) // unit * unit
    if micros > _MAX_LONG:
        raise DatetimeFieldOverflow("interval out of range")
    return Interval(interval.months, interval.days, micros if interval.micros >= 0 else -micros)


def write_interval(interval: Interval) -> str:
    if interval == INFINITE:
        return "infinity"
    if interval == MINUS_INFINITE:
        return "-infinity"
    months, days, micros = interval
    years = abs(months) // 12 * (1 if months >= 0 else -1)
    shown: list[str] = []
    negative = False
    for value, unit in ((years, "year"), (months - years * 12, "mon"), (days, "day")):
        if value:
            # After a negative part a positive one says so.
            sign = "+" if negative and value > 0 else ""
            shown.append(f"{sign}{value} {unit}{'' if value == 1 else 's'}")
            negative = value < 0
    if micros or not shown:
        shown.append(_written_time(micros, after_negative=negative))
    return " ".join(shown)


def _written_time(micros: int, *, after_negative: bool) -> str:
    seconds, fraction = divmod(abs(micros), MICROS_PER_SECOND)
    sign = "-" if micros < 0 else "+" if after_negative else ""
    shown = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{shown}.{fraction:06}".rstrip("0") if fraction else shown
