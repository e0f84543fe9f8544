"""What a row's description says of a type beside its oid: its length and its modifier, as PostgreSQL has them."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.plan import types
from holdfast.plan.functions.type_names import interval_modifier
from holdfast.plan.types import BASES, Array, IntervalOf, Modified, Numeric, Type, array_of

_LENGTHS: Mapping[str, int] = {
    "bool": 1,
    "char": 1,
    "int2": 2,
    "uint2": 2,
    "int4": 4,
    "uint4": 4,
    "float4": 4,
    "date": 4,
    "oid": 4,
    "regclass": 4,
    "regproc": 4,
    "regtype": 4,
    "void": 4,
    "int8": 8,
    "uint8": 8,
    "float8": 8,
    "time": 8,
    "timestamp": 8,
    "timestamptz": 8,
    "mz_timestamp": 8,
    "interval": 16,
    "uuid": 16,
    "name": 64,
    "unknown": -2,
}
"""In bytes; those that are not here vary (-1)."""

_HEADER = 4
"""What PostgreSQL counts into the modifiers of types that vary in length."""

_ALL_FIELDS = 0x7FFF
"""An interval that is not limited to some of its fields."""


def type_length(type_: Type) -> int:
    return _LENGTHS.get(type_.base, -1)


def type_modifier(type_: Type) -> int:
    """-1 if there is none."""
    match type_:
        case Array():
            return type_modifier(type_.element)
        case Numeric(precision=precision, scale=scale, declared=True):
            return ((precision << 16) | (scale & 0x7FF)) + _HEADER
        case IntervalOf():
            return interval_modifier(type_)
        case Modified(modifier=int(modifier)):
            if type_.base in ("varchar", "bpchar"):
                return modifier + _HEADER
            return (_ALL_FIELDS << 16) | modifier if type_.base == "interval" else modifier
    return -1


_WITHOUT_FIELDS = frozenset({"record", "void"})

_SCALARS = {
    value.base: value
    for value in vars(types).values()
    if isinstance(value, Type) and value.base in BASES and value.base not in _WITHOUT_FIELDS
}

_BY_OID: Mapping[int, Type] = {
    **{type_.oid: type_ for type_ in _SCALARS.values()},
    **{BASES[base].array_oid: array_of(type_) for base, type_ in _SCALARS.items() if BASES[base].array_oid},
}


def type_of_oid(oid: int) -> Type | None:
    """The type that a client means by a number, or None if it means none of those that every database has."""
    return _BY_OID.get(oid)
