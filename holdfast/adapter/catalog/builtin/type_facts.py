"""What PostgreSQL's catalogs say of a type: its oid, its modifier, how long its values are."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.plan.functions.type_names import interval_modifier
from holdfast.plan.types import BASES, REGISTERED, Array, IntervalOf, Modified, Numeric, Range, Record, Type

_HEADER = 4
"""What lengths and digits are moved by in a modifier, so that -1 says that there are none."""
_ALL_FIELDS = 0x7FFF << 16
"""An interval of all fields, in its modifier."""

LENGTHS: Mapping[str, int] = {
    "bool": 1,
    "char": 1,
    "int2": 2,
    "uint2": 2,
    **dict.fromkeys(("int4", "uint4", "float4", "date", "oid"), 4),
    **{type_.base: 4 for type_ in REGISTERED},
    **dict.fromkeys(("int8", "uint8", "float8", "time", "timestamp", "timestamptz", "mz_timestamp"), 8),
    "interval": 16,
    "uuid": 16,
    "name": 64,
    "unknown": -2,
    "void": 4,
}
"""Bytes of a value of a base type; of all others it is -1: they are as long as they are."""

BY_VALUE = frozenset(base for base, length in LENGTHS.items() if 0 < length <= 8)

ALIGNMENTS: Mapping[int, str] = {1: "c", 2: "s", 4: "i", 8: "d", -1: "i", -2: "c", 64: "c", 16: "d"}
"""By length."""

DEFAULT_COLLATION, C_COLLATION = 100, 950


def length_of(type_: Type) -> int:
    return LENGTHS.get(type_.base, -1)


def alignment_of(type_: Type) -> str:
    match type_:
        case Array():
            return "d" if alignment_of(type_.element) == "d" else "i"
        case Range():
            return alignment_of(type_.subtype) if length_of(type_.subtype) == 8 else "i"
    if type_.base in ("uuid", "record"):
        return "c" if type_.base == "uuid" else "d"
    return ALIGNMENTS[length_of(type_)]


def storage_of(type_: Type) -> str:
    """`p` for those of one length, `m` and `x` for those that PostgreSQL would compress or keep apart."""
    if length_of(type_) != -1:
        return "p"
    return "m" if type_.base == "numeric" else "x"


def collation_of(type_: Type) -> int:
    if isinstance(type_, Array):
        return collation_of(type_.element)
    if type_.base == "name":
        return C_COLLATION
    return DEFAULT_COLLATION if type_.base in ("text", "varchar", "bpchar") else 0


def modifier_of(type_: Type) -> int:
    """As in `pg_attribute.atttypmod`."""
    match type_:
        case Array():
            return modifier_of(type_.element)
        case Numeric() if type_.declared:
            return (type_.precision << 16 | type_.scale) + _HEADER
        case IntervalOf():
            return interval_modifier(type_)
        case Modified() if type_.modifier is not None:
            if type_.base in ("varchar", "bpchar"):
                return type_.modifier + _HEADER
            return type_.modifier | (_ALL_FIELDS if type_.base == "interval" else 0)
    return -1


def dimensions_of(type_: Type) -> int:
    return type_.dimensions if isinstance(type_, Array) else 0


class TypeOids:
    """The oids of types, those that users made among them. Composite types are known by what they are."""

    def __init__(self, made: Mapping[Type, int]) -> None:
        self._made = made

    def __call__(self, type_: Type) -> int:
        if isinstance(type_, Record) and type_ in self._made:
            return self._made[type_]
        if isinstance(type_, Array) and type_.element.base not in BASES:
            return 0
        return type_.oid
