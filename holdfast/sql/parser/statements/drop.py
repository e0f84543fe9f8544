"""DROP, DROP OWNED and REASSIGN OWNED."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.kinds import kind_of
from holdfast.sql.syntax.statement.drop import Behavior, Drop, DropOwned, ReassignOwned


def drop(cursor: Cursor) -> Drop | DropOwned:
    """After DROP."""
    location = cursor.location
    if cursor.accept("OWNED", "BY"):
        roles = cursor.roles()
        return DropOwned(roles, _behavior(cursor), location=location)
    kind = kind_of(cursor)
    skip = cursor.if_exists()
    names = cursor.separated(cursor.name)
    return Drop(kind, names, skip, _behavior(cursor), location=location)


def reassign(cursor: Cursor) -> ReassignOwned:
    """After REASSIGN."""
    location = cursor.location
    cursor.expect("OWNED", "BY")
    roles = cursor.roles()
    cursor.expect("TO")
    return ReassignOwned(roles, cursor.role(), location=location)


def _behavior(cursor: Cursor) -> Behavior | None:
    match cursor.accept_any("RESTRICT", "CASCADE"):
        case "RESTRICT":
            return "RESTRICT"
        case "CASCADE":
            return "CASCADE"
    return None
