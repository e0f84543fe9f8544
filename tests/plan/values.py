"""Values of every type, at random: what is common and what lies at the ends of the type."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from holdfast.plan import types as t
from holdfast.plan.calendar import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    FIRST_DATE,
    FIRST_TIMESTAMP,
    INFINITY,
    LAST_DATE,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    MINUS_INFINITY,
)
from holdfast.plan.json_value import json_object, write
from holdfast.plan.range_value import EMPTY, range_of
from holdfast.plan.text.strings import char_of_byte, name_of, uuid_of_hex
from holdfast.plan.types import Type

Strategy = st.SearchStrategy[Any]


def _ordered(members: dict[str, Any]) -> dict[str, Any]:
    return json_object(members.items())


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
_INTERVAL = st.builds(
    t.Interval,
    st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-30, 30),
    st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-40, 40),
    st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-(10**11), 10**11),
) | st.sampled_from(
    (t.Interval(2**31 - 1, 2**31 - 1, 2**63 - 1), t.Interval(-(2**31), -(2**31), -(2**63)), t.Interval(0, 0, 0))
)
_TIMESTAMP = (
    st.integers(-(10**16), 10**16)
    | st.integers(FIRST_TIMESTAMP, LAST_TIMESTAMP)
    | st.sampled_from((INFINITY, MINUS_INFINITY, 0, FIRST_TIMESTAMP, LAST_TIMESTAMP))
)
_DATE = (
    st.integers(-30_000, 60_000)
    | st.integers(FIRST_DATE, LAST_DATE)
    | st.sampled_from((DATE_INFINITY, DATE_MINUS_INFINITY, FIRST_DATE, LAST_DATE))
)
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.just(Decimal("1.5")) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3).map(_ordered),
    max_leaves=5,
)
_OID = st.integers(0, 2**32 - 1)


_SIMPLE: dict[str, Strategy] = {
    "bool": st.booleans(),
    "int2": st.integers(-(2**15), 2**15 - 1),
    "int4": st.integers(-(2**31), 2**31 - 1),
    "int8": st.integers(-(2**63), 2**63 - 1),
    "uint2": st.integers(0, 2**16 - 1),
    "uint4": st.integers(0, 2**32 - 1),
    "uint8": st.integers(0, 2**64 - 1),
    "float4": st.floats(width=32, allow_nan=False) | st.just(math.inf),
    "float8": st.floats(allow_nan=False) | st.just(-math.inf),
    "text": _TEXT,
    "name": _TEXT.map(name_of),
    "char": st.integers(0, 255).map(char_of_byte),
    "bytea": st.binary(max_size=8),
    "date": _DATE,
    "time": st.integers(0, MICROS_PER_DAY),
    "timestamp": _TIMESTAMP,
    "timestamptz": _TIMESTAMP,
    "interval": _INTERVAL,
    "jsonb": _JSON.map(write),
    "uuid": st.binary(min_size=16, max_size=16).map(lambda data: uuid_of_hex(data.hex())),
    "oid": _OID,
    "regclass": _OID,
    "regproc": _OID,
    "regtype": _OID,
    "regprocedure": _OID,
    "regnamespace": _OID,
    "regrole": _OID,
    "oidvector": st.lists(_OID, max_size=4).map(tuple),
    "int2vector": st.lists(st.integers(-(2**15), 2**15 - 1), max_size=4).map(tuple),
    "mz_timestamp": st.integers(0, 2**63 - 1),
    "unknown": _TEXT,
}


def values(type_: Type) -> Strategy:
    """Values that a column of the type may hold. NaN is left out, since it does not equal itself."""
    match type_:
        case t.Numeric():
            return _numerics(type_)
        case t.Array():
            return _arrays(type_)
        case t.List():
            return st.lists(nullable(type_.element), max_size=4).map(tuple)
        case t.Map():
            return st.dictionaries(_TEXT, nullable(type_.value), max_size=3).map(lambda m: tuple(sorted(m.items())))
        case t.Record():
            return st.tuples(*map(nullable, type_.types))
        case t.Range():
            return _ranges(type_)
        case t.Modified(base="varchar", modifier=int(length)):
            return _TEXT.map(lambda text: text[:length])
        case t.Modified(base="varchar"):
            return _TEXT
        case t.Modified(base="bpchar", modifier=length):
            return _TEXT.map(lambda text: text[:length].rstrip(" "))
    return _SIMPLE[type_.base]


def nullable(type_: Type) -> Strategy:
    return st.none() | values(type_)


def _numerics(type_: t.Numeric) -> Strategy:
    bound = 10**type_.precision - 1
    digits = st.integers(-bound, bound) | st.integers(-99_999, 99_999) | st.just(0)
    return digits.map(lambda number: Decimal(f"{number}E{-type_.scale}") if number else Decimal(0))


def _arrays(type_: t.Array) -> Strategy:
    """All slices of a dimension have one length, and an array with an empty slice is empty."""
    sizes = st.lists(st.integers(1, 3), min_size=type_.dimensions, max_size=type_.dimensions)

    def of(sizes: list[int]) -> Strategy:
        found = nullable(type_.element)
        for size in reversed(sizes):
            found = st.lists(found, min_size=size, max_size=size).map(tuple)
        return found

    return st.just(()) | sizes.flatmap(of)


def _ranges(type_: t.Range) -> Strategy:
    bound = st.none() | values(type_.subtype).filter(lambda value: value not in _STEPLESS.get(type_.base, ()))

    def made(one: Any, other: Any, low: bool, high: bool) -> t.RangeValue:
        lower, upper = (one, other) if one is None or other is None else sorted((one, other))
        return range_of(type_.base, lower, upper, low, high)

    return st.just(EMPTY) | st.builds(made, bound, bound, st.booleans(), st.booleans())


_STEPLESS = {"int4range": (2**31 - 1,), "int8range": (2**63 - 1,), "daterange": (LAST_DATE,)}
"""Bounds without a next one."""

SCALARS: tuple[Type, ...] = (
    t.BOOL,
    t.INT2,
    t.INT4,
    t.INT8,
    t.FLOAT4,
    t.FLOAT8,
    t.numeric(10, 2),
    t.numeric(38, 0),
    t.numeric(38, 18),
    t.numeric(38, 37),
    t.TEXT,
    t.NAME,
    t.CHAR,
    t.VARCHAR,
    t.Modified("varchar", 5),
    t.BPCHAR,
    t.Modified("bpchar", 5),
    t.BYTEA,
    t.DATE,
    t.TIME,
    t.TIMESTAMP,
    t.TIMESTAMPTZ,
    t.INTERVAL,
    t.JSONB,
    t.UUID,
    t.OID,
    t.REGCLASS,
    t.REGPROC,
    t.REGTYPE,
    t.REGPROCEDURE,
    t.REGNAMESPACE,
    t.REGROLE,
    t.INT2VECTOR,
    t.OIDVECTOR,
)
"""Types of PostgreSQL."""
RANGES: tuple[Type, ...] = (t.INT4RANGE, t.INT8RANGE, t.NUMRANGE, t.DATERANGE, t.TSRANGE, t.TSTZRANGE)
ARRAYS: tuple[Type, ...] = (
    *map(t.array_of, (t.BOOL, t.INT4, t.TEXT, t.numeric(20, 4), t.TIMESTAMPTZ, t.BYTEA, t.JSONB, t.UUID, t.INTERVAL)),
    t.array_of(t.array_of(t.INT4)),
    t.array_of(t.array_of(t.array_of(t.TEXT))),
    t.array_of(t.DATERANGE),
)
OURS: tuple[Type, ...] = (
    t.UINT2,
    t.UINT4,
    t.UINT8,
    t.MZ_TIMESTAMP,
    t.UNKNOWN,
    t.list_of(t.INT4),
    t.list_of(t.list_of(t.TEXT)),
    t.map_of(t.INT4),
    t.map_of(t.map_of(t.BOOL)),
    t.record_of(("a", "b", "c"), (t.INT4, t.TEXT, t.array_of(t.DATE))),
    t.record_of((), ()),
)
"""Types that PostgreSQL does not have, or reads only where they have a name."""
EVERY = tuple(chain(SCALARS, RANGES, ARRAYS, OURS))
