"""Type names, in the SQL standard's spelling where there is one."""

from __future__ import annotations

from typing import assert_never

from holdfast.sql.render.quote import dotted, string
from holdfast.sql.syntax.types import ArrayType, IntervalType, ListType, MapType, NamedType, TypeName

_STANDARD = {
    "bool": "boolean",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
}
_WITH_LENGTH = {"varchar": "character varying", "varbit": "bit varying", "numeric": "numeric"}
_ALWAYS_LENGTH = {"bpchar": "character", "bit": "bit"}
"""Types that have a length of 1 where none is written."""
_TIMES = {
    "time": ("time", "without"),
    "timetz": ("time", "with"),
    "timestamp": ("timestamp", "without"),
    "timestamptz": ("timestamp", "with"),
}


def type_name(name: TypeName) -> str:
    match name:
        case NamedType():
            return _named(name)
        case IntervalType(fields=fields, precision=precision):
            shown = f"interval {fields.lower()}" if fields else "interval"
            return shown if precision is None else f"{shown}({precision})"
        case ArrayType(element=element, bounds=bounds):
            return type_name(element) + "".join("[]" if bound is None else f"[{bound}]" for bound in bounds)
        case ListType(element=element):
            return f"{type_name(element)} list"
        case MapType(key=key, value=value):
            return f"map[{type_name(key)} => {type_name(value)}]"
        case _:
            assert_never(name)


def _named(name: NamedType) -> str:
    modifiers = name.modifiers
    listed = ", ".join(string(item) if isinstance(item, str) else str(item) for item in modifiers)
    if len(name.parts) == 2 and name.parts[0] == "pg_catalog":
        own = name.parts[1]
        numbers = not any(isinstance(item, str) for item in modifiers)
        if own in _STANDARD and not modifiers:
            return _STANDARD[own]
        if own in _WITH_LENGTH and numbers and len(modifiers) <= (2 if own == "numeric" else 1):
            return f"{_WITH_LENGTH[own]}({listed})" if modifiers else _WITH_LENGTH[own]
        if own in _ALWAYS_LENGTH and numbers and len(modifiers) == 1:
            return f"{_ALWAYS_LENGTH[own]}({listed})"
        if own in _TIMES and numbers and len(modifiers) <= 1:
            word, zone = _TIMES[own]
            return f"{word}({listed}) {zone} time zone" if modifiers else f"{word} {zone} time zone"
    return f"{dotted(name.parts)}({listed})" if modifiers else dotted(name.parts)
