"""Type names as they are written.

PostgreSQL's grammar already turns its own spellings into names in
`pg_catalog`: `int` is `pg_catalog.int4`, `timestamp with time zone` is
`pg_catalog.timestamptz`, `char` is `pg_catalog.bpchar` with modifier 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.node import Node

IntervalFields = Literal[
    "YEAR",
    "MONTH",
    "DAY",
    "HOUR",
    "MINUTE",
    "SECOND",
    "YEAR TO MONTH",
    "DAY TO HOUR",
    "DAY TO MINUTE",
    "DAY TO SECOND",
    "HOUR TO MINUTE",
    "HOUR TO SECOND",
    "MINUTE TO SECOND",
]


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """A type by name, with modifiers in parentheses: numbers, or words as some types have them."""

    parts: tuple[str, ...]
    modifiers: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class IntervalType(Node):
    """`interval`, perhaps with fields. With fields, only those that end in SECOND have a precision."""

    fields: IntervalFields | None = None
    precision: int | None = None


@dataclass(frozen=True, slots=True)
class ArrayType(Node):
    """An array; each bound is the length written in one pair of brackets, or None. The element is no array."""

    element: TypeName
    bounds: tuple[int | None, ...] = (None,)


@dataclass(frozen=True, slots=True)
class ListType(Node):
    """`element list`"""

    element: TypeName


@dataclass(frozen=True, slots=True)
class MapType(Node):
    """`map[key => value]`"""

    key: TypeName
    value: TypeName


TypeName = NamedType | IntervalType | ArrayType | ListType | MapType
