"""DECLARE, FETCH and CLOSE. Rows come in one direction only."""

from __future__ import annotations

from typing import Never

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import with_options
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe

_ELSEWHERE = ("BACKWARD", "PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE")
"""Words with which FETCH goes to other places than the next."""


def declare(cursor: Cursor) -> Declare:
    """After DECLARE."""
    location = cursor.location
    name = cursor.identifier()
    _ = cursor.accept("INSENSITIVE") or cursor.accept("ASENSITIVE")
    if not cursor.accept("NO", "SCROLL") and cursor.at_words("SCROLL"):
        raise NotSupported("SCROLL cursors are not supported", cursor.location)
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
    if cursor.peek() in _ELSEWHERE and cursor.peek(1) not in ("", "WITH"):
        raise NotSupported(f"FETCH {cursor.peek()} is not supported", location)
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


def move(cursor: Cursor) -> Never:
    """After MOVE."""
    raise NotSupported("MOVE is not supported", cursor.location)


def close(cursor: Cursor) -> Close:
    """After CLOSE."""
    location = cursor.location
    return Close(None if cursor.accept("ALL") else cursor.identifier(), location=location)
