"""The units that `date_trunc`, `extract` and their like are asked for, by all the names PostgreSQL has for them."""

from __future__ import annotations

from holdfast.plan.errors import DataError, InvalidParameterValue, UnsupportedValue
from holdfast.plan.types import Type

_LONGEST_WORD = 10
"""PostgreSQL compares no more letters of a word."""

UNITS: dict[str, str] = {
    word: unit
    for unit, words in (
        ("microseconds", "microsecon us usec usecond useconds usecs"),
        ("milliseconds", "millisecon ms msec msecond mseconds msecs"),
        ("second", "s sec second seconds secs"),
        ("minute", "m min mins minute minutes"),
        ("hour", "h hour hours hr hrs"),
        ("day", "d day days"),
        ("week", "w week weeks"),
        ("month", "mon mons month months"),
        ("quarter", "qtr quarter"),
        ("year", "y year years yr yrs"),
        ("decade", "dec decade decades decs"),
        ("century", "c cent centuries century"),
        ("millennium", "mil millennia millennium mils"),
        ("timezone", "timezone"),
        ("timezone_hour", "timezone_h"),
        ("timezone_minute", "timezone_m"),
    )
    for word in words.split()
}
FIELDS: dict[str, str] = {
    **UNITS,
    "dow": "dow",
    "doy": "doy",
    "epoch": "epoch",
    "isodow": "isodow",
    "isoyear": "isoyear",
    "j": "julian",
    "jd": "julian",
    "julian": "julian",
}
"""What there is to extract: units, and more."""


def unit_of(text: str) -> str | None:
    return UNITS.get(text.lower()[:_LONGEST_WORD])


def field_of(text: str) -> str | None:
    return FIELDS.get(text.lower()[:_LONGEST_WORD])


def not_recognized(text: str, type_: Type) -> DataError:
    return InvalidParameterValue(f'unit "{text.lower()}" not recognized for type {type_}')


def not_supported(text: str, type_: Type) -> DataError:
    return UnsupportedValue(f'unit "{text.lower()}" not supported for type {type_}')
