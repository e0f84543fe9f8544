"""Values of Python's own library as values of SQL: what functions that users wrote in Python return.

A value is taken only where it says all that the type asks for: `python_values` lists which Python type that is. An
integer is taken for a real or numeric too; a text is read where it is how the type shows what Python has no value for
(infinite times, ranges). All else is a mistake of the function, and an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from operator import index
from typing import Any, NoReturn, TypeAlias
from uuid import UUID

from holdfast.plan.errors import DatatypeMismatch, NumericValueOutOfRange
from holdfast.plan.functions.numeric_types import fitted
from holdfast.plan.real import rounded
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import REGISTERED, VECTORS, VOID, Array, Interval, List, Map, Numeric, Record, Type

Convert: TypeAlias = Callable[[Any], Any]  # of whatever a function returned, None excepted

_EPOCH = datetime(1970, 1, 1)
_FIRST_DAY = date(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)

_RANGES: Mapping[str, tuple[int, int]] = {
    "int2": (-(2**15), 2**15 - 1),
    "int4": (-(2**31), 2**31 - 1),
    "int8": (-(2**63), 2**63 - 1),
    "uint2": (0, 2**16 - 1),
    "uint4": (0, 2**32 - 1),
    "uint8": (0, 2**64 - 1),
    "oid": (0, 2**32 - 1),
    "mz_timestamp": (0, 2**63 - 1),
}


def is_convertible(type_: Type) -> bool:
    """Whether functions in Python can take and return values of the type."""
    match type_:
        case Array() | List():
            return is_convertible(type_.element)
        case Map():
            return is_convertible(type_.value)
        case Record():
            return type_.name is not None and all(map(is_convertible, type_.types))
    return type_ not in (*REGISTERED, *VECTORS, VOID) and type_.base not in ("unknown", "record")


@lru_cache(maxsize=4096)
def value_from(type_: Type) -> Convert:
    """How what a function returned becomes a value of the type; None is null, whatever the type."""
    convert = _converter(type_)
    return lambda value: None if value is None else convert(value)


def _converter(type_: Type) -> Convert:
    match type_:
        case Numeric():
            return lambda value: _numeric(type_, value)
        case Array() | List():
            return _sequence(type_, value_from(type_.element))
        case Map():
            return _mapping(type_, value_from(type_.value))
        case Record():
            return _record(type_, [value_from(part) for part in type_.types])
    if type_.base in _RANGES:
        return lambda value: _integer(type_, value)
    convert: Callable[[Type, Any], Any] = _CONVERT.get(type_.base, _text_alone)  # a value of the type
    return lambda value: convert(type_, value)


def _refuse(type_: Type, value: object) -> NoReturn:
    raise DatatypeMismatch(f"returned a value of type {type(value).__name__} where {type_} is expected")


def _boolean(type_: Type, value: object) -> bool:
    return value if isinstance(value, bool) else _refuse(type_, value)


def _integer(type_: Type, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        _refuse(type_, value)
    found, (least, greatest) = index(value), _RANGES[type_.base]
    if not least <= found <= greatest:
        raise NumericValueOutOfRange(f"{type_} out of range")
    return found


def _float(type_: Type, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(type_, value)
    try:
        return float(value)
    except OverflowError:
        raise NumericValueOutOfRange(f"{type_} out of range") from None


def _real(type_: Type, value: object) -> float:
    return rounded(_float(type_, value))


def _numeric(type_: Numeric, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        _refuse(type_, value)
    found = Decimal(value)
    if not found.is_finite():
        raise NumericValueOutOfRange(f"{type_} out of range")
    return fitted(found, type_)


def _bytes(type_: Type, value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else _refuse(type_, value)


def _text_alone(type_: Type, value: object) -> Any:  # what the type's values are
    return _read(type_, value) if isinstance(value, str) else _refuse(type_, value)


def _read(type_: Type, text: str) -> Any:  # what the type's values are
    if "\0" in text:
        raise DatatypeMismatch(f"returned a text with a NUL character where {type_} is expected")
    return read_of(type_)(text.encode(errors="replace").decode())


def _date(type_: Type, value: object) -> int:
    if isinstance(value, date) and not isinstance(value, datetime):
        return (value - _FIRST_DAY).days
    found: int = _text_alone(type_, value)
    return found


def _time(type_: Type, value: object) -> int:
    if isinstance(value, time) and value.tzinfo is None:
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    found: int = _text_alone(type_, value)
    return found


def _timestamp(type_: Type, value: object) -> int:
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            raise DatatypeMismatch(f"returned a datetime with a time zone where {type_} is expected")
        return (value - _EPOCH) // _MICROSECOND
    found: int = _text_alone(type_, value)
    return found


def _timestamptz(type_: Type, value: object) -> int:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise DatatypeMismatch(f"returned a datetime without a time zone where {type_} is expected")
        return (value - _EPOCH.replace(tzinfo=UTC)) // _MICROSECOND
    found: int = _text_alone(type_, value)
    return found


def _interval(type_: Type, value: object) -> Interval:
    if isinstance(value, timedelta):
        return Interval(0, value.days, value.seconds * 1_000_000 + value.microseconds)
    found: Interval = _text_alone(type_, value)
    return found


def _uuid(type_: Type, value: object) -> str:
    if isinstance(value, UUID):
        return str(value)
    found: str = _text_alone(type_, value)
    return found


def _json(type_: Type, value: object) -> str:
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise DatatypeMismatch(f"returned what is no JSON where {type_} is expected: {error}") from None
    found: str = read_of(type_)(text)
    return found


_CONVERT: Mapping[str, Callable[[Type, Any], Any]] = {
    "bool": _boolean,
    "float4": _real,
    "float8": _float,
    "bytea": _bytes,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamptz,
    "interval": _interval,
    "uuid": _uuid,
    "jsonb": _json,
}


def _sequence(type_: Type, element: Convert) -> Convert:
    def convert(value: object) -> tuple[object, ...]:
        if not isinstance(value, list | tuple):
            _refuse(type_, value)
        return tuple([element(each) for each in value])

    return convert


def _mapping(type_: Type, item: Convert) -> Convert:
    def convert(value: object) -> tuple[tuple[str, object], ...]:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            _refuse(type_, value)
        pairs = ((key, item(each)) for key, each in value.items())
        return tuple(sorted(pairs, key=lambda pair: pair[0].encode()))

    return convert


def _record(type_: Record, parts: list[Convert]) -> Convert:
    def convert(value: object) -> tuple[object, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(parts):
            _refuse(type_, value)
        return tuple([part(each) for part, each in zip(parts, value, strict=True)])

    return convert
