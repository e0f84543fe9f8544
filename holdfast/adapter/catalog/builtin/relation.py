"""Relations of the system: what they are called, their columns, and where their rows come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.plan.types import Type, array_of
from holdfast.sql.catalog import CatalogColumn
from holdfast.sql.typenames import BUILT_IN

Row: TypeAlias = tuple[Any, ...]  # values as `plan/types.py` lists them

Follows: TypeAlias = Literal["system", "catalog", "role", "session"]
"""What the rows follow from: nothing that changes while the server runs; the catalog and which database is asked; who
asks, too; or anything in an introspection."""

_COLUMN = re.compile(r"(\S+) (\S+?)(\[\])?(!)?")
_NO_TYPES_OF_OURS = {
    "aclitem": "text",
    "inet": "text",
    "pg_lsn": "text",
    "pg_node_tree": "text",
    "xid": "oid",
    "anyarray": "text",
}
"""Types of PostgreSQL's catalogs that we do not have, and what their columns have instead."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """A relation whose rows are made by Python. `oid` is PostgreSQL's where it has one that is fixed."""

    oid: int
    schema: str
    name: str
    columns: tuple[CatalogColumn, ...]
    rows: Callable[[Shown], Iterable[Row]]
    follows: Follows = "catalog"
    keys: tuple[tuple[int, ...], ...] = ()

    @property
    def id(self) -> str:
        return f"s{self.oid}"


@dataclass(frozen=True, slots=True)
class BuiltinView:
    """A relation that is a query over others, whose names in `sql` have their schemas."""

    oid: int
    schema: str
    name: str
    sql: str

    @property
    def id(self) -> str:
        return f"s{self.oid}"


def columns(text: str) -> tuple[CatalogColumn, ...]:
    """The columns of a list like `oid oid!, relname name!, reloptions text[]`: with `!`, one is never null."""
    return tuple(_column(part) for part in text.split(", "))


def _column(text: str) -> CatalogColumn:
    found = _COLUMN.fullmatch(text)
    assert found is not None, text
    name, base, array, mark = found.groups()
    return CatalogColumn(name, _type(base, array is not None), nullable=mark is None)


def _type(base: str, is_array: bool) -> Type:
    element = BUILT_IN[_NO_TYPES_OF_OURS.get(base, base)]
    return array_of(element) if is_array else element


class Shape:
    """The columns of a wide relation. Its rows name only what is not null; or zero, false or empty, if never null."""

    def __init__(self, text: str) -> None:
        self.columns = columns(text)
        self._places = {column.name: place for place, column in enumerate(self.columns)}
        self._blank = [None if column.nullable else _zero(column.type) for column in self.columns]

    def row(self, **values: object) -> Row:
        found = self._blank.copy()
        for name, value in values.items():
            found[self._places[name]] = value
        return tuple(found)


def _zero(type_: Type) -> object:
    if type_.base == "bool":
        return False
    if type_.category == "A":
        return ()
    return "" if type_.category in ("S", "Z") else 0


def empty(oid: int, schema: str, name: str, spec: str) -> Builtin:
    """A relation about what we do not have: tools ask for it and find nothing."""
    return Builtin(oid, schema, name, columns(spec), _no_rows, "system")


def is_empty(relation: Builtin) -> bool:
    """Whether it never has rows."""
    return relation.rows is _no_rows


def _no_rows(_: Shown) -> Sequence[Row]:
    return ()
