"""Values as Spark SQL: expressions without columns, each of exactly the Spark type of its own type.

A literal has no backtick in it and no line break: in a text of ours those are names and layout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from holdfast.plan.types import REGISTERED, VECTORS, Array, List, Map, Numeric, Range, Record, Type, spark_type

_DAY = 86_400_000_000
_YEAR_1, _YEAR_10000 = -719_162, 2_932_897
"""Days since 1970 of the years that Spark's literals can say."""

_GREATEST_REAL = float(np.finfo(np.float32).max)

_ESCAPES = {ord("\\"): "\\\\", ord("'"): "\\'", ord("`"): "\\u0060", ord("\n"): "\\n", ord("\r"): "\\r", 0: "\\u0000"}


def literal(value: Any, type_: Type) -> str:  # a value as `plan/types.py` lists them
    """An expression of the value. It binds like a name: it can stand anywhere without parentheses."""
    if value is None:
        return f"CAST(NULL AS {spark_type(type_)})"
    match type_:
        case Numeric():
            return f"CAST('{value:f}' AS {spark_type(type_)})"
        case Array() if type_.dimensions > 1:
            return _array(value, Array(type_.base, type_.element, type_.dimensions - 1), type_)
        case Array() | List():
            return _array(value, type_.element, type_)
        case Map():
            return _map(value, type_)
        case Record():
            return _struct([f"f{i}" for i in range(1, len(value) + 1)], value, type_.types)
        case Range():
            flag = Type("bool")
            names = ["lower", "upper", "lower_inclusive", "upper_inclusive", "empty"]
            return _struct(names, value, (type_.subtype, type_.subtype, flag, flag, flag))
    return _SIMPLE[type_.base](value)


def string(text: str) -> str:
    return f"'{text.translate(_ESCAPES)}'"


def _signed(text: str) -> str:
    # A minus right before another would begin a comment.
    return f"({text})" if text.startswith("-") else text


def _real(value: float) -> str:
    # Spark takes the shortest text of the greatest for more than that.
    return f"{np.float32(value)}F" if abs(value) < _GREATEST_REAL else f"float({value!r}D)"


def _float(suffix: str, name: str, shown: Callable[[float], str]) -> Callable[[float], str]:
    def text(value: float) -> str:
        if math.isnan(value):
            return f"{name}('NaN')"
        if math.isinf(value):
            return f"{name}('{'-' if value < 0 else ''}Infinity')"
        return _signed(f"{shown(value)}{suffix}")

    return text


def _date(days: int) -> str:
    if _YEAR_1 <= days < _YEAR_10000:
        return f"DATE'{np.datetime64(days, 'D')}'"
    return f"date_from_unix_date({_signed(str(days))})"


def _moment(micros: int) -> str:
    return str(np.datetime64(micros, "us")).replace("T", " ")


def _timestamp(micros: int) -> str:
    if _YEAR_1 * _DAY <= micros < _YEAR_10000 * _DAY:
        return f"TIMESTAMP_NTZ'{_moment(micros)}'"
    return f"CAST(timestamp_micros({_signed(f'{micros}L')}) AS TIMESTAMP_NTZ)"


def _timestamptz(micros: int) -> str:
    if _YEAR_1 * _DAY <= micros < _YEAR_10000 * _DAY:
        return f"TIMESTAMP'{_moment(micros)}Z'"
    return f"timestamp_micros({_signed(f'{micros}L')})"


def _time(micros: int) -> str:
    if micros >= _DAY:  # 24:00:00, which PostgreSQL has and Spark has not: it says so
        return f"time_from_micros({micros}L)"
    return f"TIME'{_moment(micros).partition(' ')[2]}'"


def _interval(value: tuple[int, int, int]) -> str:
    months, days, micros = value
    return f"named_struct('months', {_int(months)}, 'days', {_int(days)}, 'micros', {_long(micros)})"


def _long(value: int) -> str:
    return _signed(f"{value}L")


def _array(value: tuple[Any, ...], element: Type, type_: Type) -> str:
    made = f"array({', '.join(literal(part, element) for part in value)})"
    return made if value else f"CAST({made} AS {spark_type(type_)})"


def _map(value: tuple[tuple[str, Any], ...], type_: Map) -> str:
    made = f"map({', '.join(f'{string(key)}, {literal(item, type_.value)}' for key, item in value)})"
    return made if value else f"CAST({made} AS {spark_type(type_)})"


def _struct(names: list[str], values: tuple[Any, ...], types: tuple[Type, ...]) -> str:
    fields = (f"'{name}', {literal(value, type_)}" for name, value, type_ in zip(names, values, types, strict=True))
    return f"named_struct({', '.join(fields)})"


def _bytes(value: bytes) -> str:
    return f"X'{value.hex().upper()}'"


def _int(value: int) -> str:
    return _signed(str(value))


def _vector(type_: Type) -> Callable[[Any], str]:
    return lambda value: _array(value, VECTORS[type_], type_)


_SIMPLE: Mapping[str, Callable[[Any], str]] = {
    "bool": lambda value: "true" if value else "false",
    "int2": lambda value: _signed(f"{value}S"),
    "int4": _int,
    "uint2": _int,
    **dict.fromkeys(("int8", "uint4", "oid", "mz_timestamp"), _long),
    **{type_.base: _long for type_ in REGISTERED},
    "uint8": lambda value: f"CAST('{value}' AS DECIMAL(20, 0))",
    "float4": _float("", "float", _real),
    "float8": _float("D", "double", repr),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "char", "jsonb", "uuid", "unknown"), string),
    "bytea": _bytes,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamptz,
    "interval": _interval,
    **{type_.base: _vector(type_) for type_ in VECTORS},
}
