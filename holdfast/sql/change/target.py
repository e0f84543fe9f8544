"""The table that a statement changes, and the columns that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from holdfast.plan.relation import ColumnType, Get
from holdfast.sql.catalog import Catalog, CatalogRelation
from holdfast.sql.change.change import ChangeKind
from holdfast.sql.errors import (
    DuplicateColumn,
    NotUpdatable,
    SystemCatalog,
    UndefinedColumn,
    UndefinedTable,
    WrongObjectType,
)
from holdfast.sql.scope import Item
from holdfast.sql.syntax.name import ObjectName

_WORDS: Mapping[ChangeKind | Literal["copy"], str] = {
    "insert": "insert into",
    "update": "update",
    "delete": "delete from",
    "copy": "copy to",
}


def target(name: ObjectName, catalog: Catalog, kind: ChangeKind, location: int) -> CatalogRelation:
    """The table of this name, whose rows users may change."""
    found = catalog.relation(name.parts)
    if found is None:
        raise UndefinedTable(f'relation "{".".join(name.parts)}" does not exist', location)
    check_changeable(found, kind)
    return found


def check_changeable(table: CatalogRelation, kind: ChangeKind | Literal["copy"]) -> None:
    if table.kind == "system":
        raise SystemCatalog(f'permission denied: "{table.name}" is a system catalog')
    if table.kind == "materialized view":
        raise WrongObjectType(
            f'cannot {_WORDS[kind]} materialized view "{table.name}"',
            hint="Change the tables that the materialized view reads.",
        )
    if table.kind == "view" or table.view is not None:
        raise NotUpdatable(
            f'cannot {_WORDS[kind]} view "{table.name}"',
            detail="Views are not updatable.",
            hint="Change the tables that the view reads.",
        )


def rows_of_target(table: CatalogRelation) -> Get:
    columns = tuple([ColumnType(column.type, column.nullable) for column in table.columns])
    return Get(table.id, columns, table.keys)


def item_of_target(table: CatalogRelation, alias: str | None) -> Item:
    """The table as expressions of the statement name it, its columns the first of the row."""
    names = tuple(column.name for column in table.columns)
    schema = table.schema if alias is None else ()
    return Item(alias or table.name, names, tuple(range(len(names))), schema, table.name, table.keys)


def position(table: CatalogRelation, name: str, location: int = 0) -> int:
    """Where among its columns the table has one of this name."""
    for index, column in enumerate(table.columns):
        if column.name == name:
            return index
    raise UndefinedColumn(f'column "{name}" of relation "{table.name}" does not exist', location)


def positions(table: CatalogRelation, names: Sequence[str], location: int = 0) -> tuple[int, ...]:
    """The columns of a list, each of which may be there once; all of the table's if the list is empty."""
    if not names:
        return tuple(range(len(table.columns)))
    found: list[int] = []
    for name in names:
        index = position(table, name, location)
        if index in found:
            raise DuplicateColumn(f'column "{name}" specified more than once', location)
        found.append(index)
    return tuple(found)
