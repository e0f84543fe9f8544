"""SHOW, in all its forms."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.functions import signature
from holdfast.sql.parser.statements.kinds import kind_of, plural_of
from holdfast.sql.parser.statements.variables import variable_name
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.show import (
    Show,
    ShowColumns,
    ShowCreate,
    ShowCreateFunction,
    ShowLike,
    ShowObjects,
    ShowPrivileges,
    ShowRoleMembership,
    ShowVariable,
    ShowWhere,
)

_LISTS = (*sorted((kind.plural for kind in Kind), key=len, reverse=True), "OBJECTS", "SUBSOURCES")


def show(cursor: Cursor) -> Show:
    """After SHOW."""
    location = cursor.location
    if cursor.peek(1) == "" and cursor.peek() not in (*_LISTS, "PRIVILEGES"):
        return ShowVariable(None if cursor.accept("ALL") else variable_name(cursor), location=location)
    if cursor.accept("TIME", "ZONE"):
        return ShowVariable("timezone", location=location)
    if cursor.accept("TRANSACTION", "ISOLATION", "LEVEL"):
        return ShowVariable("transaction_isolation", location=location)
    if cursor.accept("COLUMNS"):
        cursor.expect_any("FROM", "IN")
        return ShowColumns(cursor.name(), _filter(cursor), location=location)
    if found := cursor.accept_any("REDACTED CREATE", "CREATE"):
        kind = kind_of(cursor)
        if kind is Kind.FUNCTION:
            return ShowCreateFunction(signature(cursor), found != "CREATE", location=location)
        return ShowCreate(kind, cursor.name(), found != "CREATE", location=location)
    if found := cursor.accept_any("DEFAULT PRIVILEGES", "PRIVILEGES"):
        return _privileges(cursor, location, default=found != "PRIVILEGES")
    if cursor.accept("ROLE", "MEMBERSHIP"):
        return ShowRoleMembership(cursor.role() if cursor.accept("FOR") else None, location=location)
    if what := cursor.accept_any(*_LISTS):
        return _objects(cursor, what, location)
    return ShowVariable(variable_name(cursor), location=location)


def _privileges(cursor: Cursor, location: int, *, default: bool) -> ShowPrivileges:
    on: str | None = None
    if cursor.accept("ON"):
        kind = plural_of(cursor)
        if kind is None:
            cursor.expect("SYSTEM")
        on = kind.plural if kind is not None else "SYSTEM"
    role = cursor.role() if cursor.accept("FOR") else None
    return ShowPrivileges(on, role, default, location=location)


def _objects(cursor: Cursor, what: str, location: int) -> ShowObjects:
    within = on = None
    cluster: str | None = None
    if cursor.at_words("IN", "CLUSTER"):
        pass
    elif cursor.accept("FROM") or cursor.accept("IN"):
        within = cursor.name()
    elif cursor.accept("ON"):
        on = cursor.name()
    if cursor.accept("IN", "CLUSTER"):
        cluster = cursor.identifier()
    return ShowObjects(what, within, on, cluster, _filter(cursor), location=location)


def _filter(cursor: Cursor) -> ShowLike | ShowWhere | None:
    location = cursor.location
    if cursor.accept("LIKE"):
        return ShowLike(cursor.string(), location=location)
    if cursor.accept("WHERE"):
        return ShowWhere(cursor.expression(), location=location)
    return None
