"""DROP, DROP OWNED and REASSIGN OWNED."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.functions import signature
from holdfast.sql.parser.statements.kinds import kind_of
from holdfast.sql.syntax.statement.drop import Behavior, Drop, DropFunctions, DropOwned, ReassignOwned
from holdfast.sql.syntax.statement.kind import Kind


def drop(cursor: Cursor) -> Drop | DropFunctions | DropOwned:
    """After DROP."""
    location = cursor.location
    if cursor.accept("OWNED", "BY"):
        roles = cursor.roles()
        return DropOwned(roles, _behavior(cursor), location=location)
    kind = kind_of(cursor)
    skip = cursor.if_exists()
    if kind is Kind.FUNCTION:
        functions = cursor.separated(lambda: signature(cursor))
        return DropFunctions(functions, skip, _behavior(cursor), location=location)
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
