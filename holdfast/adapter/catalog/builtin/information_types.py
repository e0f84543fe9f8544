"""How `information_schema` tells of a type: by name, by length, by digits."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.plan.functions.type_names import format_type
from holdfast.plan.types import Array, Modified, Numeric, Record, Type

_BITS = {"int2": 16, "int4": 32, "int8": 64, "uint2": 16, "uint4": 32, "uint8": 64, "float4": 24, "float8": 53}
_MOMENTS = frozenset({"time", "timestamp", "timestamptz", "interval"})
_ALL_DIGITS = 6
_TEXTS = frozenset({"text", "varchar", "bpchar"})
_LONGEST = 1 << 30
"""Bytes of a text, as PostgreSQL bounds it."""
_BYTES_PER_LETTER = 4


def data_type(type_: Type) -> str:
    if isinstance(type_, Array):
        return "ARRAY"
    if isinstance(type_, Record) or type_.base in ("list", "map"):
        return "USER-DEFINED"
    return str(format_type(type_.oid, None))


def type_facts(type_: Type) -> dict[str, object]:
    """The columns that every relation has that is about something with a type."""
    found: dict[str, object] = {"data_type": data_type(type_)}
    if type_.base in _BITS:
        found["numeric_precision"], found["numeric_precision_radix"] = _BITS[type_.base], 2
        if "int" in type_.base:
            found["numeric_scale"] = 0
    elif isinstance(type_, Numeric):
        found["numeric_precision_radix"] = 10
        if type_.declared:
            found["numeric_precision"], found["numeric_scale"] = type_.precision, type_.scale
    elif type_.base in _TEXTS:
        length = type_.modifier if isinstance(type_, Modified) else None
        found["character_maximum_length"] = length
        found["character_octet_length"] = _LONGEST if length is None else length * _BYTES_PER_LETTER
    elif type_.base == "date":
        found["datetime_precision"] = 0
    elif type_.base in _MOMENTS:
        digits = type_.modifier if isinstance(type_, Modified) else None
        found["datetime_precision"] = _ALL_DIGITS if digits is None else digits
    return found


def type_place(shown: Shown, type_: Type) -> tuple[str, str]:
    """The schema and the name of a type."""
    oid = shown.type_oid(type_)
    for item in shown.types:
        if item.oid == oid:
            return shown.state.schemas[item.schema].name, item.name
    return "pg_catalog" if oid < 16384 else "mz_catalog", type_.base
