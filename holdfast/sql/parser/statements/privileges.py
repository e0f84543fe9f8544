"""GRANT, REVOKE and ALTER DEFAULT PRIVILEGES.

PostgreSQL's grammar does not have our kinds of object, so these are ours.
"""

from __future__ import annotations

from holdfast.sql.errors import SyntaxFailure
from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.kinds import accept_kind, plural_of
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.privilege import (
    PRIVILEGES,
    AlterDefaultPrivileges,
    Grant,
    GrantRole,
    OnAll,
    OnObjects,
    OnSystem,
    Revoke,
    RevokeRole,
    Subject,
)


def grant(cursor: Cursor) -> Grant | GrantRole:
    """After GRANT."""
    location = cursor.location
    if (privileges := _privileges(cursor)) is None:
        granted = cursor.roles()
        cursor.expect("TO")
        return GrantRole(granted, _grantees(cursor), location=location)
    subject = _subject(cursor)
    cursor.expect("TO")
    return Grant(privileges, subject, _grantees(cursor), location=location)


def revoke(cursor: Cursor) -> Revoke | RevokeRole:
    """After REVOKE."""
    location = cursor.location
    if (privileges := _privileges(cursor)) is None:
        revoked = cursor.roles()
        cursor.expect("FROM")
        return RevokeRole(revoked, _grantees(cursor), location=location)
    subject = _subject(cursor)
    cursor.expect("FROM")
    return Revoke(privileges, subject, _grantees(cursor), location=location)


def default_privileges(cursor: Cursor, location: int) -> AlterDefaultPrivileges:
    """After ALTER DEFAULT PRIVILEGES."""
    cursor.expect("FOR")
    creators: tuple[str, ...] = ()
    if not cursor.accept("ALL", "ROLES"):
        cursor.expect_any("ROLE", "USER")
        creators = cursor.roles()
    schemas = cursor.separated(cursor.name) if cursor.accept("IN", "SCHEMA") else ()
    databases = cursor.separated(cursor.identifier) if not schemas and cursor.accept("IN", "DATABASE") else ()
    at = cursor.location
    grants = cursor.expect_any("GRANT", "REVOKE") == "GRANT"
    privileges = _privileges(cursor)
    if privileges is None:
        raise cursor.failure()
    cursor.expect("ON")
    kind = plural_of(cursor)
    if kind is None:
        raise cursor.failure()
    cursor.expect("TO" if grants else "FROM")
    subject = OnAll(kind, schemas, databases)
    change = (Grant if grants else Revoke)(privileges, subject, _grantees(cursor), location=at)
    return AlterDefaultPrivileges(creators, change, location=location)


def _privileges(cursor: Cursor) -> tuple[str, ...] | None:
    """Privileges up to ON, none for ALL; None where roles are meant."""
    if cursor.accept("ALL"):
        cursor.accept("PRIVILEGES")
        return ()
    if cursor.peek() not in PRIVILEGES and cursor.peek(1) == "ON":
        raise SyntaxFailure(f'unrecognized privilege type "{cursor.peek().lower()}"', cursor.location)
    if cursor.peek() not in PRIVILEGES or cursor.peek(1) not in (",", "ON"):
        return None
    return cursor.separated(lambda: cursor.expect_any(*PRIVILEGES))


def _subject(cursor: Cursor) -> Subject:
    cursor.expect("ON")
    location = cursor.location
    if cursor.accept("SYSTEM"):
        return OnSystem(location=location)
    if cursor.accept("ALL"):
        kind = plural_of(cursor)
        if kind is None:
            raise cursor.failure()
        schemas = cursor.separated(cursor.name) if cursor.accept("IN", "SCHEMA") else ()
        databases = cursor.separated(cursor.identifier) if not schemas and cursor.accept("IN", "DATABASE") else ()
        return OnAll(kind, schemas, databases, location=location)
    named = None
    if cursor.peek(1) not in (",", "TO", "FROM", "."):
        named = accept_kind(cursor)
    return OnObjects(named or Kind.TABLE, cursor.separated(cursor.name), location=location)


def _grantees(cursor: Cursor) -> tuple[str, ...]:
    return cursor.separated(lambda: _grantee(cursor))


def _grantee(cursor: Cursor) -> str:
    cursor.accept("GROUP")
    return cursor.role()
