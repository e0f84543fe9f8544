"""COPY, both ways."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import all_columns, option_list
from holdfast.sql.syntax.expression import Expression, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option, ValueList
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe

_OLD = (
    *("BINARY", "CSV", "HEADER", "FREEZE", "DELIMITER", "NULL", "QUOTE", "ESCAPE", "ENCODING"),
    *("FORCE QUOTE", "FORCE NOT NULL", "FORCE NULL"),
)
"""Options as they were written before they had parentheses, and as many still tell them to psql."""


def copy(cursor: Cursor) -> CopyFrom | CopyTo:
    """After COPY."""
    location = cursor.location
    binary = _accept_binary(cursor)
    if cursor.at_words("(") and not binary:
        at = cursor.index + 1
        inner = cursor.bracketed_statement()
        if not isinstance(inner, SelectStatement | Subscribe):
            raise cursor.source.syntax_error(at)
        return _to(cursor, inner, (), location)
    into = cursor.accept("INTO")
    name, columns = cursor.name(), cursor.columns()
    if into or cursor.peek() == "FROM":
        cursor.expect("FROM")
        source = None if cursor.accept("STDIN") else _place(cursor)
        return CopyFrom(name, columns, source, (*binary, *_options(cursor)), location=location)
    return _to(cursor, name, columns, location, binary)


def _to(
    cursor: Cursor,
    relation: ObjectName | SelectStatement | Subscribe,
    columns: tuple[str, ...],
    location: int,
    binary: tuple[Option, ...] = (),
) -> CopyTo:
    cursor.expect("TO")
    target = None if cursor.accept("STDOUT") else _place(cursor)
    return CopyTo(relation, columns, target, (*binary, *_options(cursor)), location=location)


def _place(cursor: Cursor) -> Expression:
    """A URI, or an expression for one, up to WITH. Options may follow a lone URI directly."""
    location = cursor.location
    if cursor.at_string() and cursor.peek(1) == "(":
        return StringLiteral(cursor.string(), location=location)
    return cursor.expression("WITH")


def _accept_binary(cursor: Cursor) -> tuple[Option, ...]:
    """COPY BINARY table, as it was written before options had parentheses."""
    location = cursor.location
    if cursor.at_words("BINARY") and cursor.peek(1) not in ("FROM", "TO", "."):
        cursor.index += 1
        return (_format("binary", location),)
    return ()


def _options(cursor: Cursor) -> tuple[Option, ...]:
    """[WITH] (...), or as they were written before: [USING DELIMITERS ...] [WITH] CSV HEADER ..."""
    found: list[Option] = []
    location = cursor.location
    if cursor.accept("USING", "DELIMITERS") or cursor.accept("DELIMITERS"):
        found.append(_string("DELIMITER", cursor, location))
    cursor.accept("WITH")
    if cursor.at_words("(") and not found:
        return option_list(cursor)
    while (option := _old_option(cursor)) is not None:
        found.append(option)
    return tuple(found)


def _old_option(cursor: Cursor) -> Option | None:
    location = cursor.location
    match cursor.accept_any(*_OLD):
        case None:
            return None
        case "BINARY" | "CSV" as name:
            return _format(name.lower(), location)
        case "HEADER" | "FREEZE" as name:
            return Option(name, location=location)
        case "FORCE QUOTE" | "FORCE NOT NULL" | "FORCE NULL" as name:
            listed = all_columns(cursor) if cursor.at_words("*") else _names(cursor)
            return Option(name.replace(" ", "_"), listed, location=location)
        case name:
            return _string(name, cursor, location)


def _names(cursor: Cursor) -> ValueList:
    location = cursor.location
    found = cursor.separated(lambda: ObjectName((cursor.identifier(),), location=location))
    return ValueList(found, location=location)


def _format(name: str, location: int) -> Option:
    return Option("FORMAT", ObjectName((name,), location=location), location=location)


def _string(name: str, cursor: Cursor, location: int) -> Option:
    cursor.accept("AS")
    at = cursor.location
    return Option(name, StringLiteral(cursor.string(), location=at), location=location)
