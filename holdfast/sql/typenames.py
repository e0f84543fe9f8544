"""From the name of a type to the type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from holdfast.plan.types import (
    BASES,
    BPCHAR,
    DATERANGE,
    INT4RANGE,
    INT8RANGE,
    INTERVAL,
    MAX_PRECISION,
    NUMERIC,
    NUMRANGE,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TSRANGE,
    TSTZRANGE,
    VARCHAR,
    Array,
    IntervalOf,
    Modified,
    Range,
    Type,
    array_of,
    list_of,
    map_of,
    numeric,
)
from holdfast.sql.catalog import Catalog
from holdfast.sql.errors import InvalidTypeModifier, NotSupported, UndefinedObject, WrongSyntax
from holdfast.sql.syntax.types import ArrayType, IntervalType, ListType, MapType, NamedType, TypeName

_WHOLE: Mapping[str, Type] = {
    type_.base: type_
    for type_ in (
        *(BPCHAR, DATERANGE, INT4RANGE, INT8RANGE, INTERVAL, NUMERIC, NUMRANGE),
        *(TIME, TIMESTAMP, TIMESTAMPTZ, TSRANGE, TSTZRANGE, VARCHAR),
    )
}
"""The types that are more than a base."""

_ALIASES: Mapping[str, str] = {
    "json": "jsonb",
    "bool": "bool",
    "boolean": "bool",
    "smallint": "int2",
    "integer": "int4",
    "int": "int4",
    "bigint": "int8",
    "decimal": "numeric",
    "string": "text",
    "bytes": "bytea",
}
"""Names that PostgreSQL's grammar does not know, or knows only without quotes."""

_LENGTHS: Mapping[str, str] = {"varchar": "varchar", "bpchar": "char"}
_SECONDS = frozenset({"time", "timestamp", "timestamptz"})
_MAX_LENGTH = 10_485_760
_MAX_SECONDS_DIGITS = 6
_PSEUDO = frozenset({"unknown", "void"})

BUILT_IN: Mapping[str, Type] = {
    **{base: _WHOLE.get(base, Type(base)) for base in BASES},
    **{alias: _WHOLE.get(base, Type(base)) for alias, base in _ALIASES.items()},
    **{f"_{base}": array_of(_WHOLE.get(base, Type(base))) for base in BASES if base not in _PSEUDO},
}
"""By every name that `pg_catalog` has."""


def type_of(name: TypeName, catalog: Catalog) -> Type:
    """The type that `name` means."""
    match name:
        case NamedType():
            return _named(name, catalog)
        case IntervalType():
            digits = None if name.precision is None else _seconds(name.precision)
            return Modified("interval", digits) if name.fields is None else IntervalOf("interval", digits, name.fields)
        case ArrayType():
            element, found = type_of(name.element, catalog), None
            if isinstance(element, Array):
                raise NotSupported("arrays of arrays are one array with more dimensions", name.location)
            # An array of two dimensions may be written with one pair of brackets, as PostgreSQL has it.
            found = array_of(element)
            return Array(found.base, found.element, max(len(name.bounds), 1))
        case ListType():
            return list_of(type_of(name.element, catalog))
        case MapType():
            if type_of(name.key, catalog).base != "text":
                raise NotSupported("the keys of a map must be text", name.key.location)
            return map_of(type_of(name.value, catalog))
    assert_never(name)


def _named(name: NamedType, catalog: Catalog) -> Type:
    found = None
    if len(name.parts) == 1 or name.parts[-2] == "pg_catalog":
        found = BUILT_IN.get(name.parts[-1])
    if found is None:
        found = catalog.type(name.parts)
    if found is None:
        raise UndefinedObject(f'type "{".".join(name.parts)}" does not exist', name.location)
    return _modified(found, name) if name.modifiers else found


def _modified(type_: Type, name: NamedType) -> Type:
    """The type with its modifiers."""
    modifiers = tuple(modifier for modifier in name.modifiers if isinstance(modifier, int))
    if len(modifiers) < len(name.modifiers):
        raise InvalidTypeModifier(f'invalid input syntax for type integer: "{name.modifiers[0]}"', name.location)
    if type_.base == "numeric":
        return _numeric(modifiers, name.location)
    if isinstance(type_, Range) or not isinstance(type_, Modified):
        raise WrongSyntax(f'type modifier is not allowed for type "{name.parts[-1]}"', name.location)
    if len(modifiers) != 1:
        raise InvalidTypeModifier("invalid type modifier", name.location)
    if type_.base in _SECONDS or type_.base == "interval":
        if modifiers[0] < 0:
            raise InvalidTypeModifier(
                f"{type_.base.upper()}({modifiers[0]}) precision must not be negative", name.location
            )
        return Modified(type_.base, _seconds(modifiers[0]))
    shown = _LENGTHS[type_.base]
    if modifiers[0] < 1:
        raise InvalidTypeModifier(f"length for type {shown} must be at least 1", name.location)
    if modifiers[0] > _MAX_LENGTH:
        raise InvalidTypeModifier(f"length for type {shown} cannot exceed {_MAX_LENGTH}", name.location)
    return Modified(type_.base, modifiers[0])


def _seconds(digits: int) -> int:
    """PostgreSQL warns and takes the greatest it has."""
    return min(digits, _MAX_SECONDS_DIGITS)


def _numeric(modifiers: tuple[int, ...], location: int) -> Type:
    if len(modifiers) > 2:
        raise InvalidTypeModifier("invalid NUMERIC type modifier", location)
    precision, scale = modifiers[0], modifiers[1] if len(modifiers) > 1 else 0
    if not 1 <= precision <= MAX_PRECISION:
        raise InvalidTypeModifier(f"NUMERIC precision {precision} must be between 1 and {MAX_PRECISION}", location)
    if not 0 <= scale <= precision:
        raise InvalidTypeModifier(f"NUMERIC scale {scale} must be between 0 and precision {precision}", location)
    return numeric(precision, scale, declared=True)
