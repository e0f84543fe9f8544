"""GRANT, REVOKE and ALTER DEFAULT PRIVILEGES."""

from __future__ import annotations

from typing import assert_never

from holdfast.sql.render.quote import dotted, identifier, names, quoted
from holdfast.sql.syntax.name import ObjectName
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


def privilege(statement: Grant | Revoke | GrantRole | RevokeRole | AlterDefaultPrivileges) -> str:
    match statement:
        case Grant(subject=subject, roles=roles):
            return f"GRANT {_privileges(statement)} ON {_subject(subject)} TO {names(roles)}"
        case Revoke(subject=subject, roles=roles):
            return f"REVOKE {_privileges(statement)} ON {_subject(subject)} FROM {names(roles)}"
        case GrantRole(granted=granted, roles=roles):
            return f"GRANT {_granted(granted)} TO {names(roles)}"
        case RevokeRole(revoked=revoked, roles=roles):
            return f"REVOKE {_granted(revoked)} FROM {names(roles)}"
        case AlterDefaultPrivileges():
            return _default(statement)
        case _:
            assert_never(statement)


def _granted(roles: tuple[str, ...]) -> str:
    """Roles where privileges could stand: a role may have the name of one."""
    return ", ".join(quoted(role) if role.upper() in PRIVILEGES else identifier(role) for role in roles)


def _privileges(change: Grant | Revoke) -> str:
    return ", ".join(change.privileges) or "ALL PRIVILEGES"


def _subject(subject: Subject) -> str:
    match subject:
        case OnSystem():
            return "SYSTEM"
        case OnObjects(kind=kind, names=objects):
            return f"{kind.value} {_listed(objects)}"
        case OnAll(kind=kind):
            return f"ALL {kind.plural}{_within(subject)}"
        case _:
            assert_never(subject)


def _within(subject: OnAll) -> str:
    if subject.schemas:
        return f" IN SCHEMA {_listed(subject.schemas)}"
    return f" IN DATABASE {names(subject.databases)}" if subject.databases else ""


def _listed(objects: tuple[ObjectName, ...]) -> str:
    return ", ".join(dotted(name.parts) for name in objects)


def _default(statement: AlterDefaultPrivileges) -> str:
    change = statement.change
    creators = f"ROLE {', '.join(map(identifier, statement.creators))}" if statement.creators else "ALL ROLES"
    parts = [f"ALTER DEFAULT PRIVILEGES FOR {creators}{_within(statement.on)}"]
    words = ("GRANT", "TO") if isinstance(change, Grant) else ("REVOKE", "FROM")
    parts.append(f"{words[0]} {_privileges(change)} ON {statement.on.kind.plural} {words[1]} {names(change.roles)}")
    return " ".join(parts)
