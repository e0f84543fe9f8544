"""Values as Python's own library has them, for those who use the database from Python.

| type | Python |
| --- | --- |
| boolean, integers, real, double precision, numeric, text and its kin, bytea | bool, int, float, Decimal, str, bytes |
| date, time, timestamp, timestamptz | date, time, datetime, datetime in UTC |
| interval | timedelta, a month as 30 days |
| uuid, jsonb | UUID, what `json.loads` makes of it |
| arrays and lists, maps, records | list, dict, tuple |
| all else, and what Python has no value for (infinite times, years before 1 and after 9999) | its text |

Parameters may be any of these; a text is read as the type that the statement has for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from holdfast.plan.text.codec import read_of, write_of
from holdfast.plan.types import Array, Interval, List, Map, Record, Type

_EPOCH = datetime(1970, 1, 1)
_FIRST_DAY = date(1970, 1, 1)
_MONTH = timedelta(days=30)
_SECOND = 1_000_000

Convert = Callable[[Any], Any]  # of a value of one type, which is never None

_NUMBERS = ("int2", "int4", "int8", "uint2", "uint4", "uint8", "oid", "float4", "float8", "numeric", "mz_timestamp")
_AS_THEY_ARE = frozenset((*_NUMBERS, "bool", "bytea", "text", "varchar", "name"))


def _date(days: int) -> date:
    return _FIRST_DAY + timedelta(days=days)


def _time(micros: int) -> time:
    seconds, micros = divmod(micros, _SECOND)
    if seconds == 86_400:
        raise OverflowError("Python has no time 24:00")
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60, micros)


def _datetime(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _datetime_utc(micros: int) -> datetime:
    return _datetime(micros).replace(tzinfo=UTC)


def _timedelta(value: Interval) -> timedelta:
    return value.months * _MONTH + timedelta(days=value.days, microseconds=value.micros)


_CONVERT: dict[str, Convert] = {
    "date": _date,
    "time": _time,
    "timestamp": _datetime,
    "timestamptz": _datetime_utc,
    "interval": _timedelta,
    "uuid": UUID,
    "jsonb": json.loads,
}


@lru_cache(maxsize=4096)
def python_of(type_: Type) -> Convert:
    """How a value of the type becomes Python's."""
    match type_:
        case Array() if type_.dimensions > 1:
            return _sequence(python_of(Array(type_.base, type_.element, type_.dimensions - 1)))
        case Array() | List():
            return _sequence(python_of(type_.element))
        case Map():
            part = _or_none(python_of(type_.value))
            return lambda value: {key: part(held) for key, held in value}
        case Record():
            parts = [_or_none(python_of(part)) for part in type_.types]
            return lambda value: tuple(convert(held) for convert, held in zip(parts, value, strict=True))
    if type_.base in _AS_THEY_ARE:
        return lambda value: value
    convert, write = _CONVERT.get(type_.base), write_of(type_)
    return write if convert is None else _or_text(convert, write)


def python_rows(types: Sequence[Type], rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    converts = [_or_none(python_of(type_)) for type_ in types]
    return [tuple(convert(value) for convert, value in zip(converts, row, strict=True)) for row in rows]


def value_of(type_: Type, given: object) -> object:
    """A parameter's value of a type, from Python's."""
    match given:
        case None:
            return None
        case list() | tuple() if isinstance(type_, Array) and type_.dimensions > 1:
            inner = Array(type_.base, type_.element, type_.dimensions - 1)
            return tuple(value_of(inner, each) for each in given)
        case list() | tuple() if isinstance(type_, Array | List):
            return tuple(value_of(type_.element, each) for each in given)
        case dict() if isinstance(type_, Map):
            return tuple(sorted((key, value_of(type_.value, each)) for key, each in given.items()))
        case list() | tuple() if isinstance(type_, Record):
            return tuple(value_of(part, each) for part, each in zip(type_.types, given, strict=True))
        case bytes() | bytearray() | memoryview() if type_.base == "bytea":
            return bytes(given)
    return read_of(type_)(_text(type_, given))


def _text(type_: Type, given: object) -> str:
    """As SQL would write it."""
    match given:
        case str():
            return given
        case _ if type_.base == "jsonb":
            return json.dumps(given)
        case bool():
            return "true" if given else "false"
        case bytes() | bytearray() | memoryview():
            return f"\\x{bytes(given).hex()}"
        case timedelta():
            return f"{given.days} days {given.seconds} seconds {given.microseconds} microseconds"
        case _:
            return str(given)


def _sequence(element: Convert) -> Convert:
    part = _or_none(element)
    return lambda value: [part(each) for each in value]


def _or_none(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _or_text(convert: Convert, write: Convert) -> Convert:
    def converted(value: Any) -> Any:  # of the type
        try:
            return convert(value)
        except (OverflowError, ValueError):
            return write(value)

    return converted
