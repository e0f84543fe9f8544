"""Writing dates, times and intervals by a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast.plan.calendar import (
    JULIAN_OF_1970,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    date_of,
    day_of_year,
    iso_week,
    iso_weekday,
    weekday,
)
from holdfast.plan.errors import InvalidDatetimeFormat
from holdfast.plan.format.date_template import Field, Literal, parsed
from holdfast.plan.types import Interval

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_LONGEST_NAME = 9


@dataclass(frozen=True, slots=True)
class Fields:
    """What there is to write. `days` is None of an interval, which no day of the week or year goes with."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    micros: int
    days: int | None
    zoned: bool = False


def format_timestamp(micros: int, template: str, *, zoned: bool) -> str:
    """Of a finite timestamp. `zoned` says that it is a moment, shown in UTC."""
    days, time = divmod(micros, MICROS_PER_DAY)
    seconds, fraction = divmod(time, MICROS_PER_SECOND)
    clock = (seconds // 3600, seconds // 60 % 60, seconds % 60, fraction)
    return _format(Fields(*date_of(days), *clock, days, zoned), template)


def format_interval(interval: Interval, template: str) -> str:
    """Of a finite interval: all fields of one have its sign."""
    years, months = _split(interval.months, 12)
    seconds, fraction = _split(interval.micros, MICROS_PER_SECOND)
    minutes, second = _split(seconds, 60)
    hours, minute = _split(minutes, 60)
    return _format(Fields(years, months, interval.days, hours, minute, second, fraction, None), template)


def _split(value: int, unit: int) -> tuple[int, int]:
    """Quotient and rest, both of the sign of the value."""
    sign = 1 if value >= 0 else -1
    return sign * (abs(value) // unit), sign * (abs(value) % unit)


def _format(fields: Fields, template: str) -> str:
    return "".join(
        part.text if isinstance(part, Literal) else _WRITERS[part.name](fields, part) for part in parsed(template)
    )


def _number(value: int, width: int, field: Field) -> str:
    """With zeros before it, and where it is negative with a sign besides."""
    if not field.fill:
        width = 0
    elif value < 0:
        width += 1
    return _ordinal(f"{value:0{width}d}", field)


def _ordinal(shown: str, field: Field) -> str:
    if not field.ordinal:
        return shown
    last = "" if shown[-2:-1] == "1" else shown[-1:]
    ending = {"1": "st", "2": "nd", "3": "rd"}.get(last, "th")
    return shown + (ending.upper() if field.ordinal == "TH" else ending)


def _name(name: str, field: Field, width: int) -> str:
    """In the case of the keyword, as wide as the longest."""
    shown = name.upper() if field.keyword.isupper() else name.lower() if field.keyword.islower() else name
    return shown.ljust(width) if field.fill and not field.translated else shown


def _dated(days: int | None) -> int:
    if days is None:
        error = InvalidDatetimeFormat("invalid format specification for an interval value")
        error.hint = "Intervals are not tied to specific calendar dates."
        raise error
    return days


def _year(fields: Fields) -> int:
    """Without its sign, which `BC` stands for."""
    return fields.year if fields.days is None or fields.year > 0 else 1 - fields.year


def _iso_year(fields: Fields) -> int:
    year = iso_week(_dated(fields.days))[0]
    return year if year > 0 else 1 - year


def _short_year(digits: int, year: Callable[[Fields], int]) -> Callable[[Fields, Field], str]:
    return lambda fields, field: _number(_split(year(fields), 10**digits)[1], digits, field)


def _century(fields: Fields, field: Field) -> str:
    if fields.days is None:
        century = _split(fields.year, 100)[0]
    elif fields.year > 0:
        century = (fields.year - 1) // 100 + 1
    else:
        century = -(-fields.year // 100) - 1
    return _number(century, 2 if abs(century) <= 99 else 0, field)


def _thousands(fields: Fields, field: Field) -> str:
    thousands, rest = _split(_year(fields), 1000)
    return _ordinal(f"{thousands},{rest:03}", field)


def _hour12(fields: Fields, field: Field) -> str:
    hour = _split(fields.hour, 12)[1]
    return _number(hour or 12, 2 if fields.hour >= 0 else 3, field) if hour >= 0 else _number(hour, 2, field)


def _half(fields: Fields, field: Field) -> str:
    after = _split(fields.hour, 24)[1] >= 12
    letters = "PM" if after else "AM"
    shown = ".".join(letters) + "." if "." in field.keyword else letters
    return shown if field.keyword.isupper() else shown.lower()


def _era(fields: Fields, field: Field) -> str:
    letters = "BC" if _is_before_christ(fields) else "AD"
    shown = ".".join(letters) + "." if "." in field.keyword else letters
    return shown if field.keyword.isupper() else shown.lower()


def _is_before_christ(fields: Fields) -> bool:
    _dated(fields.days)
    return fields.year <= 0


def _fraction(digits: int) -> Callable[[Fields, Field], str]:
    unit = 10 ** (6 - digits)

    def text(fields: Fields, field: Field) -> str:
        return _ordinal(f"{_split(fields.micros, unit)[0]:0{digits}d}", field)

    return text


def _month_name(width: int, letters: int | None) -> Callable[[Fields, Field], str]:
    def text(fields: Fields, field: Field) -> str:
        _dated(fields.days)
        return _name(MONTHS[fields.month - 1][:letters], field, width)

    return text


def _day_name(width: int, letters: int | None) -> Callable[[Fields, Field], str]:
    return lambda fields, field: _name(DAYS[weekday(_dated(fields.days))][:letters], field, width)


def _roman(fields: Fields, field: Field) -> str:
    if fields.month == 0 and fields.year == 0:
        return ""
    # Of an interval of years alone the month is that after the last.
    shown = ROMAN[fields.month - 1] if fields.month >= 0 else ROMAN[-fields.month - 1]
    if fields.month == 0:
        shown = ROMAN[11] if fields.year >= 0 else ROMAN[0]
    elif fields.month < 0:
        shown = ROMAN[12 + fields.month]
    shown = shown if field.keyword.isupper() else shown.lower()
    return shown.ljust(4) if field.fill else shown


def _zone(fields: Fields, field: Field) -> str:
    _dated(fields.days)
    shown = "UTC" if fields.zoned else ""
    return shown if field.keyword.isupper() else shown.lower()


def _offset(shown: str) -> Callable[[Fields, Field], str]:
    def text(fields: Fields, _field: Field) -> str:
        _dated(fields.days)
        return shown

    return text


def _seconds_of_day(fields: Fields, field: Field) -> str:
    return _ordinal(str(fields.hour * 3600 + fields.minute * 60 + fields.second), field)


def _counted(width: int, value: Callable[[Fields], int]) -> Callable[[Fields, Field], str]:
    return lambda fields, field: _number(value(fields), width, field)


def _unsigned(width: int, value: Callable[[Fields], int]) -> Callable[[Fields, Field], str]:
    """The same without room for a sign."""
    return lambda fields, field: _ordinal(f"{value(fields):0{width if field.fill else 0}d}", field)


def _day_of_year(fields: Fields) -> int:
    if fields.days is not None:
        return day_of_year(fields.days)
    return fields.year * 360 + fields.month * 30 + fields.day


def _iso_day_of_year(fields: Fields) -> int:
    days = _dated(fields.days)
    return (iso_week(days)[1] - 1) * 7 + iso_weekday(days)


def _julian(fields: Fields, field: Field) -> str:
    return _ordinal(str(_dated(fields.days) + JULIAN_OF_1970), field)


def _quarter(fields: Fields, field: Field) -> str:
    if fields.month == 0:
        return ""
    return _ordinal(str(_split(fields.month - 1, 3)[0] + 1), field)


_WRITERS: Mapping[str, Callable[[Fields, Field], str]] = {
    **dict.fromkeys(("A.M.", "AM", "P.M.", "PM"), _half),
    **dict.fromkeys(("A.D.", "AD", "B.C.", "BC"), _era),
    **dict.fromkeys(("HH", "HH12"), _hour12),
    "HH24": _counted(2, lambda fields: fields.hour),
    "MI": _counted(2, lambda fields: fields.minute),
    "SS": _counted(2, lambda fields: fields.second),
    "MS": _fraction(3),
    "US": _fraction(6),
    **{f"FF{digits}": _fraction(digits) for digits in range(1, 7)},
    **dict.fromkeys(("SSSS", "SSSSS"), _seconds_of_day),
    "MONTH": _month_name(_LONGEST_NAME, None),
    "MON": _month_name(3, 3),
    "MM": _counted(2, lambda fields: fields.month),
    "DAY": _day_name(_LONGEST_NAME, None),
    "DY": _day_name(3, 3),
    "DDD": _unsigned(3, _day_of_year),
    "IDDD": _counted(3, _iso_day_of_year),
    "DD": _unsigned(2, lambda fields: fields.day),
    "D": lambda fields, field: _ordinal(str(weekday(_dated(fields.days)) + 1), field),
    "ID": lambda fields, field: _ordinal(str(iso_weekday(_dated(fields.days))), field),
    "WW": _unsigned(2, lambda fields: _split(_day_of_year(fields) - 1, 7)[0] + 1),
    "IW": _counted(2, lambda fields: iso_week(_dated(fields.days))[1]),
    "W": lambda fields, field: _ordinal(str(_split(fields.day - 1, 7)[0] + 1), field),
    "Q": _quarter,
    "CC": _century,
    "Y,YYY": _thousands,
    "YYYY": _counted(4, _year),
    "YYY": _short_year(3, _year),
    "YY": _short_year(2, _year),
    "Y": _short_year(1, _year),
    "IYYY": _counted(4, _iso_year),
    "IYY": _short_year(3, _iso_year),
    "IY": _short_year(2, _iso_year),
    "I": _short_year(1, _iso_year),
    "RM": _roman,
    "J": _julian,
    "TZ": _zone,
    "TZH": _offset("+00"),
    "TZM": _offset("00"),
    "OF": lambda fields, field: _offset("+00" if field.fill else "+0")(fields, field),
    "FX": lambda _fields, _field: "",
}
