"""VERIFY, INSPECT, VALIDATE CONNECTION and COMMENT ON."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.kinds import kind_of
from holdfast.sql.syntax.statement.inspect import Comment, Inspect, ValidateConnection, Verify
from holdfast.sql.syntax.statement.kind import Kind


def verify(cursor: Cursor) -> Verify:
    """After VERIFY."""
    location = cursor.location
    kind = Kind(cursor.expect_any(Kind.MATERIALIZED_VIEW.value, Kind.INDEX.value))
    name = cursor.name()
    return Verify(kind, name, cursor.as_of(), location=location)


def inspect(cursor: Cursor) -> Inspect:
    """After INSPECT."""
    location = cursor.location
    cursor.expect("SHARD")
    return Inspect(cursor.string(), location=location)


def validate(cursor: Cursor) -> ValidateConnection:
    """After VALIDATE."""
    location = cursor.location
    cursor.expect("CONNECTION")
    return ValidateConnection(cursor.name(), location=location)


def comment(cursor: Cursor) -> Comment:
    """After COMMENT."""
    location = cursor.location
    cursor.expect("ON")
    kind = None if cursor.accept("COLUMN") else kind_of(cursor)
    name = cursor.name()
    if kind is None and len(name.parts) < 2:
        raise cursor.failure()
    cursor.expect("IS")
    return Comment(kind, name, None if cursor.accept("NULL") else cursor.string(), location=location)
