"""COPY, both ways."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import option_list
from holdfast.sql.syntax.expression import Expression, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe


def copy(cursor: Cursor) -> CopyFrom | CopyTo:
    """After COPY."""
    location = cursor.location
    if cursor.at_words("("):
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
        return CopyFrom(name, columns, source, _options(cursor), location=location)
    return _to(cursor, name, columns, location)


def _to(
    cursor: Cursor, relation: ObjectName | SelectStatement | Subscribe, columns: tuple[str, ...], location: int
) -> CopyTo:
    cursor.expect("TO")
    target = None if cursor.accept("STDOUT") else _place(cursor)
    return CopyTo(relation, columns, target, _options(cursor), location=location)


def _place(cursor: Cursor) -> Expression:
    """A URI, or an expression for one, up to WITH. Options may follow a lone URI directly."""
    location = cursor.location
    if cursor.at_string() and cursor.peek(1) == "(":
        return StringLiteral(cursor.string(), location=location)
    return cursor.expression("WITH")


def _options(cursor: Cursor) -> tuple[Option, ...]:
    """[WITH] (...)"""
    if cursor.accept("WITH") or cursor.at_words("("):
        return option_list(cursor)
    return ()
