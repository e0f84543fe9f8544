"""DECLARE, FETCH and CLOSE."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import with_options
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe


def declare(cursor: Cursor) -> Declare:
    """After DECLARE."""
    location = cursor.location
    name = cursor.identifier()
    cursor.expect("CURSOR")
    hold = cursor.accept("WITH", "HOLD")
    cursor.accept("WITHOUT", "HOLD")
    cursor.expect("FOR")
    at = cursor.index
    statement = cursor.statement()
    if not isinstance(statement, SelectStatement | Subscribe):
        raise cursor.source.syntax_error(at)
    return Declare(name, statement, hold, location=location)


def fetch(cursor: Cursor) -> Fetch:
    """After FETCH."""
    location = cursor.location
    cursor.accept("FORWARD")
    count: int | None = 1
    if cursor.accept("ALL"):
        count = None
    elif cursor.at_number():
        count = cursor.integer()
    elif cursor.peek() == "NEXT" and cursor.peek(1) != "":
        cursor.accept("NEXT")
    _ = cursor.accept("FROM") or cursor.accept("IN")
    return Fetch(cursor.identifier(), count, with_options(cursor), location=location)


def close(cursor: Cursor) -> Close:
    """After CLOSE."""
    location = cursor.location
    return Close(None if cursor.accept("ALL") else cursor.identifier(), location=location)
