"""Reading dates and times as PostgreSQL does, with the order month, day, year where numbers alone do not tell.

Tokens are taken one by one; what a number means follows from which fields are known already. Two tokens that say the
same field are an error. `now`, `today` and their like are refused: they are not functions of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.plan.calendar import JULIAN_OF_1970, MICROS_PER_DAY, MICROS_PER_SECOND, date_of, days_in_month, days_of
from holdfast.plan.errors import (
    DataError,
    DatetimeFieldOverflow,
    InvalidDatetimeFormat,
    InvalidTimeZone,
    InvalidTimeZoneDisplacement,
)
from holdfast.plan.text.datetime_tokens import Kind, Token, tokens_of
from holdfast.plan.zones import FixedZone, Zone, abbreviated_zone, named_zone

Special: TypeAlias = Literal["epoch", "infinity", "-infinity"]

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("jan", "january"),
            ("feb", "february"),
            ("mar", "march"),
            ("apr", "april"),
            ("may",),
            ("jun", "june"),
            ("jul", "july"),
            ("aug", "august"),
            ("sep", "sept", "september"),
            ("oct", "october"),
            ("nov", "november"),
            ("dec", "december"),
        ),
        start=1,
    )
    for name in names
}
_WEEKDAYS = frozenset(
    f"{stem}{ending}"
    for stem, *endings in (
        ("sun", "", "day"),
        ("mon", "", "day"),
        ("tue", "", "s", "sday"),
        ("wed", "", "s", "nesday"),
        ("thu", "", "r", "rs", "rsday"),
        ("fri", "", "day"),
        ("sat", "", "urday"),
    )
    for ending in endings
)
_SPECIALS: dict[str, Special] = {
    "epoch": "epoch",
    "infinity": "infinity",
    "+infinity": "infinity",
    "-infinity": "-infinity",
}
_JULIAN = frozenset(("j", "jd", "julian"))
_FILLERS = frozenset(("at", "on"))
_UNITS = frozenset(("d", "h", "m", "mm", "s", "y", "dow", "doy", "isodow", "isoyear", "now", "today"))
KEYWORDS = (
    frozenset(MONTHS)
    | _WEEKDAYS
    | _JULIAN
    | _FILLERS
    | _UNITS
    | frozenset(("t", "am", "pm", "ad", "bc", "dst", "allballs", "tomorrow", "yesterday", "epoch", "infinity"))
)

_LONGEST_WORD = 10
"""PostgreSQL compares no more letters of a word."""

DATE_STYLE_HINT = 'Perhaps you need a different "DateStyle" setting.'

_INT_MAX = 2**31 - 1
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[ tT](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?([zZ]|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII
)
_DISPLACEMENT = re.compile(r"[+-](\d+)(?::(\d*))?(?::(\d*))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says. `days` and `micros` are None where it says nothing of the date or of the time of day."""

    days: int | None = None
    micros: int | None = None
    zone: Zone | None = None
    special: Special | None = None


class BadFormat(Exception):
    """The text does not read as a date or time at all."""


class FieldOverflow(Exception):
    """A field has no such value."""


class MonthOrDayOverflow(Exception):
    """Perhaps another order of month and day was meant."""


class DisplacementOverflow(Exception):
    """So far from UTC is no place."""


class UnknownZone(Exception):
    """The one argument is the name."""


def read_datetime(text: str, type_name: str) -> Reading:
    """A date, perhaps with a time and a zone."""
    try:
        if (simple := _read_iso(text)) is not None:
            return simple
        tokens = tokens_of(text, KEYWORDS)
        if not tokens:
            raise BadFormat
        return _DatetimeReader(tokens).read()
    except _PROBLEMS as problem:
        raise _error(problem, text, type_name) from None


def read_time(text: str) -> int:
    """Microseconds since midnight. What else the text says, a date and a zone, does not count."""
    try:
        tokens = tokens_of(text, KEYWORDS)
        if not tokens:
            raise BadFormat
        return _TimeReader(tokens).read_time()
    except _PROBLEMS as problem:
        raise _error(problem, text, "time") from None


_PROBLEMS = (BadFormat, FieldOverflow, MonthOrDayOverflow, DisplacementOverflow, UnknownZone)


def _error(problem: Exception, text: str, type_name: str) -> DataError:
    match problem:
        case UnknownZone():
            return InvalidTimeZone(f'time zone "{problem.args[0]}" not recognized')
        case DisplacementOverflow():
            return InvalidTimeZoneDisplacement(f'time zone displacement out of range: "{text}"')
        case FieldOverflow():
            return DatetimeFieldOverflow(f'date/time field value out of range: "{text}"')
        case MonthOrDayOverflow():
            error = DatetimeFieldOverflow(f'date/time field value out of range: "{text}"')
            error.hint = DATE_STYLE_HINT
            return error
    return InvalidDatetimeFormat(f'invalid input syntax for type {type_name}: "{text}"')


def _read_iso(text: str) -> Reading | None:
    """The common form at once. None for what is not certainly good."""
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if not (year and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)):
        return None
    days = days_of(year, month, day)
    if match[4] is None:
        return Reading(days)
    hour, minute, second = int(match[4]), int(match[5]), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    micros = (hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND + int((match[7] or "").ljust(6, "0"))
    zone: Zone | None = None
    if (shown := match[8]) is not None:
        zone = FixedZone(0) if shown in "zZ" else displacement(shown)
    return Reading(days, micros, zone)


def displacement(text: str) -> FixedZone:
    """`+05:30`, `-8`, `+0530`, `+01:02:03`."""
    match = _DISPLACEMENT.match(text)
    if match is None:
        raise BadFormat
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    if match[2] is None and len(text) > 3 and match.end() == len(text):
        hours, minutes = divmod(hours, 100)
    if hours > 15 or minutes > 59 or seconds > 59:
        raise DisplacementOverflow
    if match.end() < len(text):
        raise BadFormat
    seconds += hours * 3600 + minutes * 60
    return FixedZone(-seconds if text[0] == "-" else seconds)


def micros_of_fraction(text: str) -> int:
    """Of digits after a point. As PostgreSQL, by way of a float."""
    return round(float(f"0.{text or '0'}") * MICROS_PER_SECOND)


def integer(text: str, longest: int = _INT_MAX) -> int:
    if not text.isdigit():
        raise BadFormat
    value = int(text)
    if value > longest:
        raise FieldOverflow
    return value


class _DatetimeReader:
    """Reads the tokens of one text. `known` has the fields that have been said, each at most once."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._known: set[str] = set()
        self._year = self._month = self._day = self._day_of_year = 0
        self._hour = self._minute = self._second = self._fraction = 0
        self._julian: int | None = None
        self._zone: Zone | None = None
        self._special: Special | None = None
        self._half: Literal["am", "pm"] | None = None
        self._before_christ = False
        self._short_year = False
        self._named_month = False
        self._expected: Literal["julian", "time"] | None = None

    def read(self) -> Reading:
        self._read_all()
        if self._special is not None:
            if self._known != {"special"}:
                raise BadFormat
            return Reading(special=self._special)
        days = self._checked_date()
        micros = self._checked_time()
        if not {"year", "month", "day"} <= self._known:
            raise BadFormat
        if "time" not in self._known and self._zone is not None:
            # As PostgreSQL: a zone without a time is that of midnight.
            micros = 0
        return Reading(days, micros if "time" in self._known or self._zone is not None else None, self._zone)

    def _read_all(self) -> None:
        for place, token in enumerate(self._tokens):
            match token.kind:
                case Kind.DATE:
                    self._read_date_token(token.text, place)
                case Kind.TIME:
                    self._read_time_token(token.text)
                case Kind.SIGNED:
                    self._zone = displacement(token.text)
                    self._say("zone")
                case Kind.NUMBER:
                    self._read_number_token(token.text, place)
                case Kind.WORD | Kind.SPECIAL:
                    self._read_word(token.text, place)
        if self._expected is not None:
            raise BadFormat

    def _say(self, *fields: str) -> None:
        if self._known & set(fields):
            raise BadFormat
        self._known.update(fields)

    @property
    def _has_date(self) -> bool:
        return {"year", "month", "day"} <= self._known

    # Tokens.

    def _read_date_token(self, text: str, place: int) -> None:  # noqa: ARG002
        if self._expected == "julian":
            self._read_julian_and_zone(text)
        elif self._expected is not None or {"month", "day"} <= self._known:
            self._read_time_and_zone(text)
        else:
            self._read_date(text)

    def _read_time_and_zone(self, text: str) -> None:
        """`040506-08`, or the name of a zone."""
        if not text[0].isdigit() and self._expected is None:
            self._zone = self._named(text)
            self._say("zone")
            return
        self._expected = None
        time, minus, zone = text.partition("-")
        if "time" in self._known or not minus:
            raise BadFormat
        self._say("zone")
        self._zone = displacement(f"-{zone}")
        self._read_run_together(time)

    def _named(self, text: str) -> Zone:
        found = named_zone(text)
        if found is None:
            raise UnknownZone(text)
        return found

    def _read_julian_and_zone(self, text: str) -> None:
        number, minus, zone = text.partition("-")
        if not minus:
            raise BadFormat
        self._say("zone")
        self._zone = displacement(f"-{zone}")
        self._read_julian(number)

    def _read_julian(self, text: str) -> None:
        self._expected = None
        number, point, fraction = text.partition(".")
        self._say("year", "month", "day")
        self._julian = integer(number)
        if point:
            self._say("time")
            self._fraction = int(float(f"0.{fraction or '0'}") * MICROS_PER_DAY)

    def _read_time_token(self, text: str) -> None:
        if self._expected == "julian":
            raise BadFormat
        self._expected = None
        self._say("time")
        self._hour, self._minute, self._second, self._fraction = clock_of(text)
        # Times without colons are not checked, as PostgreSQL does not: 1999 is twenty to nine.
        self._check_clock()

    def _check_clock(self) -> None:
        if (self._hour * 3600 + self._minute * 60 + self._second) * MICROS_PER_SECOND + self._fraction > MICROS_PER_DAY:
            raise FieldOverflow

    def _read_number_token(self, text: str, place: int) -> None:  # noqa: ARG002
        before_point, point, _ = text.partition(".")
        if self._expected == "julian":
            self._read_julian(text)
        elif self._expected == "time":
            self._expected = None
            self._read_run_together(text, date_known=True)
        elif point and not self._known & {"year", "month", "day"}:
            self._read_date(text)
        elif (point and len(before_point) > 2) or (
            len(text) >= 6 and not (self._known & {"year", "month", "day"} and "time" in self._known)
        ):
            self._read_run_together(text)
        else:
            self._read_number(text)

    def _read_word(self, text: str, place: int) -> None:
        if self._expected is not None:
            raise BadFormat
        zone = abbreviated_zone(text)
        word = text[:_LONGEST_WORD]
        if zone is not None:
            self._say("zone")
            self._zone = zone
        elif text in _SPECIALS:
            self._say("special")
            self._special = _SPECIALS[text]
        elif word in MONTHS or text in MONTHS:
            self._read_month(MONTHS[word])
        elif word in _WEEKDAYS:
            self._say("weekday")
        elif word in ("am", "pm"):
            self._say("half")
            self._half = "am" if word == "am" else "pm"
        elif word in ("ad", "bc"):
            self._say("era")
            self._before_christ = word == "bc"
        elif word == "allballs":
            self._say("time")
            self._zone = self._zone or FixedZone(0)
            self._known.add("zone")
        elif word in _JULIAN:
            self._expected = "julian"
        elif word == "t":
            self._expect_time(place)
        elif word not in _FILLERS:
            self._read_zone_name(text)

    def _read_zone_name(self, text: str) -> None:
        zone = None if text in KEYWORDS else named_zone(text)
        if zone is None:
            raise BadFormat
        self._say("zone")
        self._zone = zone

    def _expect_time(self, place: int) -> None:
        if not self._has_date and "filler" not in self._known:
            raise BadFormat
        following = self._tokens[place + 1 : place + 2]
        if not following or following[0].kind not in (Kind.NUMBER, Kind.TIME, Kind.DATE):
            raise BadFormat
        self._expected = "time"

    def _read_month(self, month: int) -> None:
        if "month" in self._known and not self._named_month and "day" not in self._known and 1 <= self._month <= 31:
            # A number taken for the month was the day: `08 January 1999`.
            self._say("day")
            self._day = self._month
        else:
            self._say("month")
        self._named_month = True
        self._month = month

    # Dates.

    def _read_date(self, text: str) -> None:
        """Parts with anything between them, three in all."""
        parts = re.findall(r"\d+|[a-z]+|[^a-z0-9]+$", text)
        if parts and not parts[-1].isalnum() and len(parts[-1]) > 1:
            raise BadFormat
        parts = [part for part in parts if part.isalnum()]
        said: set[str] = set()
        for part in parts:
            if part[0].isalpha() and part[:_LONGEST_WORD] not in _FILLERS:
                if part[:_LONGEST_WORD] not in MONTHS or "month" in said:
                    raise BadFormat
                self._say("month")
                said.add("month")
                self._month, self._named_month = MONTHS[part[:_LONGEST_WORD]], True
        for part in parts:
            if part[0].isdigit():
                self._read_number(part)
        if self._known - {"zone", "weekday"} != {"year", "month", "day"}:
            raise BadFormat

    def _read_number(self, text: str) -> None:
        """One number of a date, or a time after it."""
        if "." in text:
            if len(text.partition(".")[0]) > 2:
                self._read_run_together(text, date_known=True)
                return
            text, _, fraction = text.partition(".")
            self._fraction = micros_of_fraction(fraction)
        value, length = integer(text), len(text)
        known = self._known & {"year", "month", "day"}
        if length == 3 and known == {"year"} and 1 <= value <= 366:
            self._say("month", "day")
            self._day_of_year = value
            return
        if known == {"year", "month", "day"}:
            self._read_run_together(text)
            return
        field = self._field_of_number(known, value, length)
        if field == "year":
            self._year, self._short_year = value, length <= 2
        elif field == "month":
            self._month = value
        else:
            self._day = value
        self._say(field)

    def _field_of_number(self, known: set[str], value: int, length: int) -> Literal["year", "month", "day"]:
        match sorted(known):
            case []:
                return "year" if length >= 3 else "month"
            case ["month"] if self._named_month:
                return "year" if length >= 3 else "day"
            case ["month"] | ["month", "year"]:
                if len(known) == 2 and self._named_month and length >= 3 and self._short_year:
                    # What was taken for a year was the day.
                    self._day, self._year, self._short_year = self._year, value, False
                    self._known.discard("year")
                    self._known.add("day")
                    return "year"
                return "day"
            case ["year"] | ["day"]:
                return "month"
            case ["day", "month"]:
                return "year"
        raise BadFormat

    def _read_run_together(self, text: str, *, date_known: bool = False) -> None:
        """`20200102`, `040506.789`, `0405`."""
        digits, point, fraction = text.partition(".")
        if not digits.isdigit() or (fraction and not fraction.isdigit()):
            raise BadFormat
        if not point and not (date_known or self._has_date) and len(digits) >= 6:
            self._say("year", "month", "day")
            self._year, self._month, self._day = integer(digits[:-4]), int(digits[-4:-2]), int(digits[-2:])
            self._short_year = len(digits) == 6
            return
        if "time" in self._known or len(digits) not in (4, 6):
            raise BadFormat
        self._say("time")
        self._hour, self._minute = int(digits[:2]), int(digits[2:4])
        self._second = int(digits[4:] or 0)
        self._fraction = micros_of_fraction(fraction)

    # Together.

    def _checked_date(self) -> int | None:
        if self._julian is not None:
            if self._before_christ:
                raise FieldOverflow
            return self._julian - JULIAN_OF_1970
        if "year" in self._known:
            self._year = self._full_year()
        if self._day_of_year:
            _, self._month, self._day = date_of(days_of(self._year, 1, 1) + self._day_of_year - 1)
        if "month" in self._known and not 1 <= self._month <= 12:
            raise MonthOrDayOverflow
        if "day" in self._known and not 1 <= self._day <= 31:
            raise MonthOrDayOverflow
        if not self._has_date:
            return None
        if self._day > days_in_month(self._year, self._month):
            raise FieldOverflow
        return days_of(self._year, self._month, self._day)

    def _full_year(self) -> int:
        if self._before_christ:
            if self._year <= 0:
                raise FieldOverflow
            return 1 - self._year
        if self._short_year:
            return self._year + (2000 if self._year < 70 else 1900)
        if self._year <= 0:
            raise FieldOverflow
        return self._year

    def _checked_time(self) -> int:
        hour = self._hour
        if self._half is not None:
            if hour > 12:
                raise FieldOverflow
            hour = hour % 12 + (12 if self._half == "pm" else 0)
        return (hour * 3600 + self._minute * 60 + self._second) * MICROS_PER_SECOND + self._fraction


class _TimeReader(_DatetimeReader):
    """Where a time is expected, numbers alone are times, and a date is one only beside a time."""

    _needs_date = False

    def read_time(self) -> int:
        self._read_all()
        self._checked_date()
        if "time" not in self._known or (self._needs_date and not self._has_date):
            raise BadFormat
        micros = self._checked_time()
        if micros > MICROS_PER_DAY or self._minute > 59 or self._second > 60:
            raise FieldOverflow
        return micros

    def _check_clock(self) -> None:
        """Only when all has been read."""

    def _named(self, text: str) -> Zone:
        zone = super()._named(text)
        self._needs_date = not isinstance(zone, FixedZone)
        return zone

    def _read_zone_name(self, text: str) -> None:
        super()._read_zone_name(text)
        self._needs_date = not isinstance(self._zone, FixedZone)

    def _expect_time(self, place: int) -> None:
        self._known.add("filler")
        super()._expect_time(place)

    def _read_word(self, text: str, place: int) -> None:
        if text in _SPECIALS or text in _WEEKDAYS or text in MONTHS:
            raise BadFormat
        super()._read_word(text, place)

    def _read_date_token(self, text: str, place: int) -> None:
        if self._expected is None and self._may_be_date(place):
            self._read_date(text)
        elif self._expected == "julian":
            self._read_julian_and_zone(text)
        else:
            self._read_time_and_zone(text)

    def _may_be_date(self, place: int) -> bool:
        tokens = self._tokens
        return place == 0 and len(tokens) >= 2 and (tokens[-1].kind is Kind.DATE or tokens[1].kind is Kind.TIME)

    def _read_number_token(self, text: str, place: int) -> None:
        before_point, point, _ = text.partition(".")
        if self._expected == "julian":
            self._read_julian(text)
            return
        expected, self._expected = self._expected, None
        if expected is None and point and place == 0 and len(self._tokens) >= 2 and self._tokens[-1].kind is Kind.DATE:
            self._read_date(text)
        elif expected is not None or (len(before_point) > 2 if point else len(text) >= 4):
            self._read_run_together(text, date_known=True)
        else:
            raise BadFormat


def clock_of(text: str, longest: int = _INT_MAX) -> tuple[int, int, int, int]:
    """Hours, minutes, seconds and microseconds. Two parts with a fraction are minutes and seconds."""
    whole, point, fraction = text.partition(".")
    parts = whole.split(":")
    if len(parts) not in (2, 3) or (fraction and not fraction.isdigit()):
        raise BadFormat
    numbers = [integer(part or "0", longest) for part in parts]
    if len(numbers) == 2:
        numbers = [0, *numbers] if point else [*numbers, 0]
    hour, minute, second = numbers
    micros = micros_of_fraction(fraction)
    if minute > 59 or second > 60:
        raise FieldOverflow
    return hour, minute, second, micros
