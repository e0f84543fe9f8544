"""The types that are there from the beginning, as `pg_type` lists them. Oids below 16384 are PostgreSQL's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from holdfast.adapter.catalog.builtin.type_facts import (
    BY_VALUE,
    alignment_of,
    collation_of,
    length_of,
    storage_of,
)
from holdfast.plan.types import BASES, VECTORS, Type
from holdfast.sql.typenames import BUILT_IN

_PSEUDO = frozenset({"unknown", "record", "void"})
_KINDS = {
    "any": 2276,
    "anyarray": 2277,
    "anyelement": 2283,
    "anynonarray": 2776,
    "anyrange": 3831,
    "anycompatible": 5077,
    "anycompatiblearray": 5078,
    "anycompatiblenonarray": 5079,
    "cstring": 2275,
    "internal": 2281,
}
"""Types of arguments only."""
OF_KIND: Mapping[str, int] = {**_KINDS, "list": 16454, "map": 16455, "record": 2249}

_ARRAY_IO = ("array_in", "array_out", "array_recv", "array_send")
_RANGE_IO = ("range_in", "range_out", "range_recv", "range_send")
_MODIFIED = frozenset({"bpchar", "varchar", "time", "timestamp", "timestamptz", "interval", "numeric"})
_UNDERSCORE = frozenset(
    {
        *("date", "time", "timestamp", "timestamptz", "interval", "numeric", "uuid", "jsonb", "record", "void"),
        *("cstring", "any", "anyarray", "anyelement", "anynonarray", "anyrange", "internal"),
        *("anycompatible", "anycompatiblearray", "anycompatiblenonarray"),
    }
)
"""Types whose functions have an underscore before `in`."""
_SUBTYPES = {
    "int4range": "int4",
    "int8range": "int8",
    "numrange": "numeric",
    "daterange": "date",
    "tsrange": "timestamp",
    "tstzrange": "timestamptz",
}


@dataclass(frozen=True, slots=True)
class SystemType:
    """`functions` are the names of those that read and write its values: as text, then binary."""

    oid: int
    name: str
    kind: Literal["base", "array", "range", "pseudo", "list", "map"]
    category: str
    functions: tuple[str, str, str, str]
    preferred: bool = False
    length: int = -1
    by_value: bool = False
    alignment: str = "i"
    storage: str = "x"
    collation: int = 0
    element_oid: int = 0
    array_oid: int = 0
    modifier_functions: tuple[str, str] = ("", "")
    subtype_oid: int = 0

    @property
    def typtype(self) -> str:
        return {"range": "r", "pseudo": "p"}.get(self.kind, "b")

    @property
    def schema(self) -> str:
        return "pg_catalog" if self.oid < 16384 else "mz_catalog"


def _io(base: str) -> tuple[str, str, str, str]:
    joined = f"{base}_" if base in _UNDERSCORE else base
    return f"{joined}in", f"{joined}out", f"{joined}recv", f"{joined}send"


def _all() -> Iterator[SystemType]:
    for base, info in BASES.items():
        type_ = BUILT_IN[base]
        is_range, is_vector = base in _SUBTYPES, type_ in VECTORS
        yield SystemType(
            info.oid,
            base,
            "range" if is_range else "pseudo" if base in _PSEUDO else "base",
            info.category,
            _RANGE_IO if is_range else _io(base),
            info.preferred,
            length_of(type_),
            base in BY_VALUE,
            alignment_of(type_),
            "p" if is_vector else storage_of(type_),
            collation_of(type_),
            element_oid=VECTORS[type_].oid if is_vector else BASES["char"].oid if base == "name" else 0,
            array_oid=info.array_oid,
            modifier_functions=_modifier_functions(base),
            subtype_oid=BASES[_SUBTYPES[base]].oid if is_range else 0,
        )
        if info.array_oid:
            yield _array(info.array_oid, base, info.oid, type_)
    yield from map(_pseudo, _KINDS)
    yield SystemType(OF_KIND["list"], "list", "list", "U", _io("list"))
    yield SystemType(OF_KIND["map"], "map", "map", "U", _io("map"))


def _array(oid: int, base: str, element: int, type_: Type) -> SystemType:
    kind: Literal["pseudo", "array"] = "pseudo" if base == "record" else "array"
    return SystemType(
        oid,
        f"_{base}",
        kind,
        "P" if base == "record" else "A",
        _ARRAY_IO,
        alignment="d" if alignment_of(type_) == "d" else "i",
        collation=collation_of(type_),
        element_oid=element,
        modifier_functions=_modifier_functions(base),
    )


def _pseudo(kind: str) -> SystemType:
    """Those that hold arrays or ranges are as long as they are; PostgreSQL sends and receives few of them."""
    many = kind in ("anyarray", "anycompatiblearray", "anyrange")
    reads, writes, receives, sends = _io(kind)
    if kind not in ("anyarray", "anycompatiblearray", "cstring"):
        receives = sends = ""
    length = {"cstring": -2, "internal": 8}.get(kind, -1 if many else 4)
    return SystemType(
        _KINDS[kind],
        kind,
        "pseudo",
        "P",
        (reads, writes, receives, sends),
        length=length,
        by_value=length > 0,
        alignment="c" if kind == "cstring" else "d" if many or kind == "internal" else "i",
        storage="x" if many else "p",
        array_oid=1263 if kind == "cstring" else 0,
    )


def _modifier_functions(base: str) -> tuple[str, str]:
    return (f"{base}typmodin", f"{base}typmodout") if base in _MODIFIED else ("", "")


SYSTEM_TYPES: tuple[SystemType, ...] = tuple(_all())

TYPE_FUNCTIONS: Mapping[str, int] = {
    name: 15000 + place
    for place, name in enumerate(
        dict.fromkeys(name for found in SYSTEM_TYPES for name in (*found.functions, *found.modifier_functions) if name)
    )
}
"""The oids of the functions that read and write values, which nobody can call."""
