"""Reading dates and times by a template, as `to_timestamp` and `to_date` do.

Without `FX` before it, a template is not strict: spaces before fields do not count, and what stands between them need
only be as long. Where a field is followed by no other digit, as many digits as there are belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from holdfast.plan.calendar import (
    JULIAN_OF_1970,
    MICROS_PER_SECOND,
    date_of,
    days_in_month,
    days_of,
    is_leap,
    start_of_iso_week,
)
from holdfast.plan.errors import DatetimeFieldOverflow, InvalidDatetimeFormat, InvalidTimeZoneDisplacement
from holdfast.plan.format.date_output import DAYS, MONTHS, ROMAN
from holdfast.plan.format.date_template import Field, Literal, parsed

_LENGTHS = {
    "HH": 2,
    "HH12": 2,
    "HH24": 2,
    "MI": 2,
    "SS": 2,
    "MS": 3,
    "US": 6,
    **{f"FF{digits}": digits for digits in range(1, 7)},
    "SSSS": 4,
    "SSSSS": 5,
    "MM": 2,
    "DDD": 3,
    "IDDD": 3,
    "DD": 2,
    "D": 1,
    "ID": 1,
    "WW": 2,
    "IW": 2,
    "W": 1,
    "CC": 2,
    "YYYY": 4,
    "YYY": 3,
    "YY": 2,
    "Y": 1,
    "IYYY": 4,
    "IYY": 3,
    "IY": 2,
    "I": 1,
    "J": 1,
    "TZH": 2,
    "TZM": 2,
    "Q": 1,
}
"""How many digits a field has where the next one begins right after it."""

_NOT_DIGITS = frozenset(
    ("A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "DAY", "DY", "FX", "MONTH", "MON", "P.M.", "PM", "RM")
)
_NOT_DIGITS_EITHER = frozenset(("TZ", "TZH", "OF", *(f"FF{digits}" for digits in range(1, 7))))
_ISO_FIELDS = frozenset(("IYYY", "IYY", "IY", "I", "IW", "ID", "IDDD"))
_GREGORIAN_FIELDS = frozenset(
    (
        "YYYY",
        "YYY",
        "YY",
        "Y",
        "Y,YYY",
        "MM",
        "MON",
        "MONTH",
        "RM",
        "DD",
        "DDD",
        "D",
        "WW",
        "W",
        "CC",
        "BC",
        "AD",
        "B.C.",
        "A.D.",
    )
)
_SAME_FIELD = {
    "HH12": "HH",
    "HH24": "HH",
    "MON": "MM",
    "MONTH": "MM",
    "RM": "MM",
    "IYYY": "YYYY",
    "YYY": "YYYY",
    "IYY": "YYYY",
    "YY": "YYYY",
    "IY": "YYYY",
    "Y": "YYYY",
    "I": "YYYY",
    "Y,YYY": "YYYY",
    "DAY": "D",
    "DY": "D",
    "ID": "D",
    "IDDD": "DDD",
    "IW": "WW",
    "SSSSS": "SSSS",
    **{f"FF{digits}": "US" for digits in range(1, 7)},
}
_INTEGER = re.compile(r"\s*[+-]?\d+", re.ASCII)
_FIXED_WIDTH_HINT = 'If your source string is not fixed-width, try using the "FM" modifier.'


@dataclass(slots=True)
class _Reading:
    text: str
    at: int = 0
    values: dict[str, int] = field(default_factory=dict)
    iso: bool | None = None
    before_christ: bool = False
    year_digits: int = 0
    twelve_hours: bool = False
    afternoon: bool = False
    zone_sign: int = 1


def read_by_template(text: str, template: str) -> tuple[int, int, int]:
    """Days since 1970, microseconds of the day, and seconds east of UTC."""
    reading = _Reading(text)
    _read_fields(reading, parsed(template), fixed=template.startswith("FX"))
    hour, minute, second, micros = _clock(reading)
    days = _days(reading)
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= micros < MICROS_PER_SECOND):
        raise _out_of_range(text)
    seconds = hour * 3600 + minute * 60 + second
    offset = reading.zone_sign * (reading.values.get("TZH", 0) * 3600 + reading.values.get("TZM", 0) * 60)
    return days, seconds * MICROS_PER_SECOND + micros, offset


def _read_fields(reading: _Reading, parts: Sequence[Field | Literal], *, fixed: bool) -> None:
    skipped = 0
    nodes = [node for part in parts for node in _nodes(part)]
    for place, node in enumerate(nodes):
        if reading.at >= len(reading.text):
            return
        if not fixed and (place == 0 or isinstance(node, Field)):
            skipped += _skip_spaces(reading)
        if isinstance(node, Literal):
            skipped = _read_literal(reading, node, skipped, fixed=fixed)
            continue
        _read_field(reading, node, _is_last_digit(nodes, place))
        skipped = 0 if fixed else _skip_spaces(reading)


def _nodes(part: Field | Literal) -> list[Field | Literal]:
    """Quoted text one character at a time."""
    if isinstance(part, Field):
        return [part]
    return [Literal(character, part.quoted) for character in part.text]


def _skip_spaces(reading: _Reading) -> int:
    start = reading.at
    while reading.at < len(reading.text) and reading.text[reading.at].isspace():
        reading.at += 1
    return reading.at - start


def _is_separator(character: str) -> bool:
    return " " < character < "\x7f" and not character.isalnum()


def _read_literal(reading: _Reading, node: Literal, skipped: int, *, fixed: bool) -> int:
    """Returns how many more characters were skipped than the template has."""
    here = reading.text[reading.at : reading.at + 1]
    if fixed:
        reading.at += 1
        return skipped
    if not node.quoted and (node.text.isspace() or _is_separator(node.text)):
        if here and (here.isspace() or _is_separator(here)):
            reading.at += 1
            return skipped
        return skipped - 1
    if skipped > 0:
        return skipped - 1
    reading.at += 1
    return skipped


def _is_last_digit(nodes: Sequence[Field | Literal], place: int) -> bool:
    """Whether no digit can follow a field."""
    node = nodes[place]
    assert isinstance(node, Field)
    if node.ordinal or place + 1 == len(nodes):
        return True
    following = nodes[place + 1]
    if isinstance(following, Field):
        return following.name in _NOT_DIGITS or following.name in _NOT_DIGITS_EITHER
    return not following.text.isdigit()


def _read_field(reading: _Reading, node: Field, last_digit: bool) -> None:
    _note_convention(reading, node.name)
    match node.name:
        case "FX":
            return
        case "MONTH":
            _set(reading, node, _named(reading, node, MONTHS) + 1)
        case "MON":
            _set(reading, node, _named(reading, node, [name[:3] for name in MONTHS]) + 1)
        case "DAY":
            _set(reading, node, _named(reading, node, DAYS) + 1)
        case "DY":
            _set(reading, node, _named(reading, node, [name[:3] for name in DAYS]) + 1)
        case "RM":
            # Longer ones first: IV starts with I.
            order = sorted(range(12), key=lambda index: -len(ROMAN[index]))
            _set(reading, node, order[_named(reading, node, [ROMAN[index] for index in order])] + 1)
        case "AM" | "PM" | "A.M." | "P.M.":
            names = ("A.M.", "P.M.") if "." in node.name else ("AM", "PM")
            reading.afternoon = _named(reading, node, names) == 1
            reading.twelve_hours = True
        case "AD" | "BC" | "A.D." | "B.C.":
            names = ("A.D.", "B.C.") if "." in node.name else ("AD", "BC")
            reading.before_christ = _named(reading, node, names) == 1
        case "Y,YYY":
            _read_thousands(reading, node)
        case "TZ" | "OF":
            _read_offset(reading, node)
        case "TZH":
            _read_sign(reading)
            _set(reading, node, _number(reading, node, last_digit)[0])
        case "J":
            _set(reading, node, _slurped(reading, node, reading.at))
        case _:
            _read_number(reading, node, last_digit)
    if node.ordinal:
        reading.at += 2


def _note_convention(reading: _Reading, name: str) -> None:
    iso = True if name in _ISO_FIELDS else False if name in _GREGORIAN_FIELDS else None
    if iso is None:
        return
    if reading.iso is not None and reading.iso != iso:
        error = InvalidDatetimeFormat("invalid combination of date conventions")
        error.hint = "Do not mix Gregorian and ISO week date conventions in a formatting template."
        raise error
    reading.iso = iso


def _set(reading: _Reading, node: Field, value: int) -> None:
    name = _SAME_FIELD.get(node.name, node.name)
    if reading.values.get(name, 0) not in (0, value):
        error = InvalidDatetimeFormat(f'conflicting values for "{node.keyword}" field in formatting string')
        error.detail = "This value contradicts a previous setting for the same field type."
        raise error
    reading.values[name] = value


def _named(reading: _Reading, node: Field, names: Sequence[str]) -> int:
    rest = reading.text[reading.at :]
    for index, name in enumerate(names):
        if rest[: len(name)].lower() == name.lower():
            reading.at += len(name)
            return index
    error = InvalidDatetimeFormat(
        f'invalid value "{rest.split(maxsplit=1)[0] if rest.strip() else rest}" for "{node.keyword}"'
    )
    error.detail = "The given value did not match any of the allowed values for this field."
    raise error


def _slurped(reading: _Reading, node: Field, start: int) -> int:
    """As many digits as there are."""
    match = _INTEGER.match(reading.text, start)
    if match is None:
        shown = reading.text[start : start + _LENGTHS[node.name]]
        error = InvalidDatetimeFormat(f'invalid value "{shown}" for "{node.keyword}"')
        error.detail = "Value must be an integer."
        raise error
    reading.at = match.end()
    return _in_range(int(match[0]), node)


def _in_range(value: int, node: Field) -> int:
    if not -(2**31) <= value < 2**31:
        error = DatetimeFieldOverflow(f'value for "{node.keyword}" in source string is out of range')
        error.detail = f"Value must be in the range {-(2**31)} to {2**31 - 1}."
        raise error
    return value


def _number(reading: _Reading, node: Field, last_digit: bool) -> tuple[int, int]:
    """A number, and of how many characters."""
    _skip_spaces(reading)
    start = reading.at
    if not node.fill or last_digit:
        value = _slurped(reading, node, start)
        return value, reading.at - start
    length = _LENGTHS[node.name]
    piece = reading.text[start : start + length]
    if len(piece) < length:
        error = InvalidDatetimeFormat(f'source string too short for "{node.keyword}" formatting field')
        error.detail = f"Field requires {length} characters, but only {len(piece)} remain."
        error.hint = _FIXED_WIDTH_HINT
        raise error
    match = _INTEGER.match(piece)
    if match is not None and match.end() < length:
        error = InvalidDatetimeFormat(f'invalid value "{piece}" for "{node.keyword}"')
        error.detail = f"Field requires {length} characters, but only {match.end()} could be parsed."
        error.hint = _FIXED_WIDTH_HINT
        raise error
    if match is None:
        return _slurped(reading, node, start), 0
    reading.at += length
    return int(piece), length


def _read_number(reading: _Reading, node: Field, last_digit: bool) -> None:
    if node.name == "Q":
        _number(reading, node, last_digit)
        return
    value, length = _number(reading, node, last_digit)
    match node.name:
        case "MS":
            value *= 10 ** max(3 - length, 0)
        case "US" | "FF1" | "FF2" | "FF3" | "FF4" | "FF5" | "FF6":
            value *= 10 ** max(6 - length, 0)
        case "HH" | "HH12":
            reading.twelve_hours = True
        case "YYYY" | "IYYY":
            reading.year_digits = 4
        case "YYY" | "IYY" | "YY" | "IY" | "Y" | "I":
            reading.year_digits = _LENGTHS[node.name]
            if length < 4:
                value = _recent(value)
        case "ID":
            # Counted as days of the week elsewhere are, from Sunday on.
            value = 1 if value >= 7 else value + 1
    _set(reading, node, value)


def _recent(year: int) -> int:
    """The year nearest 2020 with these last digits."""
    if year < 70:
        return year + 2000
    if year < 100:
        return year + 1900
    if year < 520:
        return year + 2000
    return year + 1000 if year < 1000 else year


def _read_thousands(reading: _Reading, node: Field) -> None:
    match = re.compile(r"\s*(\d+),(\d{1,3})", re.ASCII).match(reading.text, reading.at)
    if match is None:
        raise InvalidDatetimeFormat(f'invalid value "{reading.text[reading.at :]}" for "{node.keyword}"')
    reading.at = match.end()
    reading.year_digits = 4
    _set(reading, node, int(match[1]) * 1000 + int(match[2]))


def _read_sign(reading: _Reading) -> None:
    if reading.text[reading.at : reading.at + 1] in ("+", "-", " "):
        reading.zone_sign = -1 if reading.text[reading.at] == "-" else 1
        reading.at += 1
    elif reading.at and reading.text[reading.at - 1] == "-":
        # Taken for what stands between two fields.
        reading.zone_sign = -1


def _read_offset(reading: _Reading, node: Field) -> None:
    match = re.compile(r"([+-])?(\d{2})(?::?(\d{2}))?", re.ASCII).match(reading.text, reading.at)
    if match is None and node.name == "TZ":
        match = re.compile("(?i)(?:utc|gmt|z|ut)()()()").match(reading.text, reading.at)
    if match is None:
        raise InvalidDatetimeFormat(f'invalid value "{reading.text[reading.at :]}" for "{node.keyword}"')
    reading.at = match.end()
    reading.zone_sign = -1 if match[1] == "-" else 1
    reading.values["TZH"], reading.values["TZM"] = int(match[2] or 0), int(match[3] or 0)
    if reading.values["TZH"] > 15 or reading.values["TZM"] > 59:
        raise InvalidTimeZoneDisplacement(f'time zone displacement out of range: "{reading.text}"')


def _clock(reading: _Reading) -> tuple[int, int, int, int]:
    values = reading.values
    hour, minute, second = 0, 0, 0
    if values.get("SSSS"):
        hour, rest = divmod(values["SSSS"], 3600)
        minute, second = divmod(rest, 60)
    hour, minute, second = values.get("HH") or hour, values.get("MI") or minute, values.get("SS") or second
    if reading.twelve_hours:
        if not 1 <= hour <= 12:
            error = InvalidDatetimeFormat(f'hour "{hour}" is invalid for the 12-hour clock')
            error.hint = "Use the 24-hour clock, or give an hour between 1 and 12."
            raise error
        hour = hour % 12 + (12 if reading.afternoon else 0)
    return hour, minute, second, values.get("MS", 0) * 1000 + values.get("US", 0)


def _year(reading: _Reading) -> int:
    year, century = reading.values.get("YYYY", 0), reading.values.get("CC", 0)
    if year:
        if century and reading.year_digits <= 2:
            return _year_of_century(year % 100, -century if reading.before_christ else century)
        if reading.before_christ and year > 0:
            year = -year
        return year + 1 if year < 0 else year
    if century:
        century = -century if reading.before_christ else century
        return (century - 1) * 100 + 1 if century >= 0 else century * 100 + 1
    return 0


def _year_of_century(year: int, century: int) -> int:
    if not year:
        return century * 100 + (0 if century >= 0 else 1)
    return (century - 1) * 100 + year if century >= 0 else (century + 1) * 100 - year + 1


def _days(reading: _Reading) -> int:
    values = reading.values
    if values.get("J"):
        return values["J"] - JULIAN_OF_1970
    year, month, day = _year(reading), values.get("MM") or 1, values.get("DD") or 1
    weeks, day_of_year = values.get("WW", 0), values.get("DDD", 0)
    if weeks and reading.iso:
        start = start_of_iso_week(year, weeks)
        weekday = values.get("D", 0)
        return start + (0 if not weekday else 6 if weekday == 1 else weekday - 2)
    if weeks:
        day_of_year = (weeks - 1) * 7 + 1
    if values.get("W"):
        day = (values["W"] - 1) * 7 + 1
    if day_of_year and (month <= 1 or day <= 1):
        return _by_day_of_year(reading, year, day_of_year, month, day)
    if not 1 <= month <= 12 or not 1 <= day <= 31 or day > days_in_month(year, month):
        raise _out_of_range(reading.text)
    return days_of(year, month, day)


def _by_day_of_year(reading: _Reading, year: int, day_of_year: int, month: int, day: int) -> int:
    if not year and not reading.before_christ:
        raise InvalidDatetimeFormat("cannot calculate day of year without year information")
    if reading.iso:
        return start_of_iso_week(year, 1) + day_of_year - 1
    if not 1 <= day_of_year <= (366 if is_leap(year) else 365):
        raise _out_of_range(reading.text)
    _, found_month, found_day = date_of(days_of(year, 1, 1) + day_of_year - 1)
    # What was said of month and day holds.
    return days_of(year, found_month if month <= 1 else month, found_day if day <= 1 else day)


def _out_of_range(text: str) -> DatetimeFieldOverflow:
    return DatetimeFieldOverflow(f'date/time field value out of range: "{text}"')
