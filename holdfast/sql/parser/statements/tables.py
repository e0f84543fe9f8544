"""CREATE TABLE, also FROM SOURCE and FROM WEBHOOK."""

from __future__ import annotations

from typing import Literal

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.formats import envelope, formats, includes
from holdfast.sql.parser.statements.options import with_options
from holdfast.sql.parser.statements.webhooks import create_webhook
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.create import (
    ColumnDefinition,
    Create,
    CreateTable,
    CreateTableFromSource,
    TableConstraint,
)

_AFTER_DEFAULT = ("NOT NULL", "NULL", "DEFAULT", "PRIMARY KEY", "UNIQUE")


def create_table(cursor: Cursor, location: int, *, temporary: bool = False) -> Create:
    """After CREATE TABLE."""
    skip = cursor.if_not_exists()
    name = cursor.name()
    if cursor.accept("FROM", "WEBHOOK"):
        return create_webhook(cursor, name, location, as_table=True, cluster=None, skip=skip)
    if cursor.accept("FROM", "SOURCE"):
        return _from_source(cursor, name, (), location, skip)
    if _names_only(cursor):
        columns = cursor.columns()
        cursor.expect("FROM", "SOURCE")
        return _from_source(cursor, name, columns, location, skip)
    definitions: list[ColumnDefinition] = []
    constraints: list[TableConstraint] = []
    if not cursor.accept("(", ")"):
        for item, inner in cursor.parenthesized(lambda: _item(cursor)):
            constraints += inner
            definitions += [item] if item is not None else []
    options = with_options(cursor)
    return CreateTable(name, tuple(definitions), tuple(constraints), temporary, skip, options, location=location)


def _names_only(cursor: Cursor) -> bool:
    """Whether `(name, ...)` stands here, without types."""
    return cursor.at_words("(") and cursor.at_identifier(1) and cursor.peek(2) in (",", ")")


def _from_source(
    cursor: Cursor, name: ObjectName, columns: tuple[str, ...], location: int, skip: bool
) -> CreateTableFromSource:
    source = cursor.name()
    reference = None
    if cursor.accept("(", "REFERENCE"):
        cursor.accept("=")
        reference = cursor.name()
        cursor.expect(")")
    format_of, include, enveloped = formats(cursor), includes(cursor), envelope(cursor)
    options = with_options(cursor)
    return CreateTableFromSource(
        name, source, reference, columns, format_of, include, enveloped, options, skip, location=location
    )


def _item(cursor: Cursor) -> tuple[ColumnDefinition | None, list[TableConstraint]]:
    location = cursor.location
    if found := cursor.accept_any("PRIMARY KEY", "UNIQUE"):
        columns = cursor.parenthesized(cursor.identifier)
        kind: Literal["PRIMARY KEY", "UNIQUE"] = "UNIQUE" if found == "UNIQUE" else "PRIMARY KEY"
        return None, [TableConstraint(kind, columns, location=location)]
    return column_definition(cursor)


def column_definition(cursor: Cursor) -> tuple[ColumnDefinition, list[TableConstraint]]:
    """A column; a constraint of it is one of the table."""
    location = cursor.location
    name, type_name = cursor.identifier(), cursor.type_name()
    nullable, default, constraints = True, None, list[TableConstraint]()
    while found := cursor.accept_any(*_AFTER_DEFAULT):
        match found:
            case "NOT NULL":
                nullable = False
            case "DEFAULT":
                default = _default(cursor)
            case "PRIMARY KEY":
                constraints.append(TableConstraint("PRIMARY KEY", (name,), location=location))
            case "UNIQUE":
                constraints.append(TableConstraint("UNIQUE", (name,), location=location))
    return ColumnDefinition(name, type_name, nullable, default, location=location), constraints


def _default(cursor: Cursor) -> Expression:
    if cursor.at_words("NULL"):
        return cursor.expression("NOT NULL", "DEFAULT", "PRIMARY KEY", "UNIQUE")
    return cursor.expression(*_AFTER_DEFAULT)
