"""ALTER DEFAULT PRIVILEGES: what objects to come are granted."""

from __future__ import annotations

from typing import get_args

from holdfast.adapter.catalog.ddl.grants import grantees
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import InvalidGrant
from holdfast.adapter.catalog.objects import PUBLIC, DefaultGrant, DefaultKind, RoleId
from holdfast.adapter.catalog.privileges import LETTERS, require, require_member, require_superuser
from holdfast.adapter.catalog.state import key_of
from holdfast.sql.syntax.statement.privilege import AlterDefaultPrivileges, Grant

_KINDS: tuple[DefaultKind, ...] = get_args(DefaultKind)
_ALLOWED: dict[DefaultKind, frozenset[str]] = {
    "TABLES": frozenset("arwd"),
    "TYPES": frozenset("U"),
    "SECRETS": frozenset("U"),
    "CONNECTIONS": frozenset("U"),
    "SCHEMAS": frozenset("UC"),
    "DATABASES": frozenset("UC"),
    "CLUSTERS": frozenset("UC"),
}


def alter_default_privileges(statement: AlterDefaultPrivileges, work: Work) -> None:
    change = statement.change
    kind = next((each for each in _KINDS if each == statement.on.kind.plural), None)
    if kind is None:
        raise InvalidGrant(f"default privileges cannot be set on {statement.on.kind.plural}", statement.location)
    letters = frozenset(LETTERS.get(name, name) for name in change.privileges) or _ALLOWED[kind]
    if not letters <= _ALLOWED[kind]:
        wrong = next(name for name in change.privileges if LETTERS.get(name) not in _ALLOWED[kind])
        raise InvalidGrant(f"invalid privilege type {wrong} for {kind.lower()}", change.location)
    for creator in _creators(statement, work):
        for database, schema in _places(statement, work, kind):
            for grantee in _grantees(statement, work):
                _set(work, DefaultGrant(creator, kind, grantee, letters, database, schema), isinstance(change, Grant))


def _creators(statement: AlterDefaultPrivileges, work: Work) -> list[RoleId | None]:
    if not statement.creators:
        require_superuser(work.role, "alter default privileges of all roles")
        return [None]
    roles = [work.names.role(name, statement.location) for name in statement.creators]
    for role in roles:
        require_member(work.state, work.role, role)
    return [role.id for role in roles]


def _grantees(statement: AlterDefaultPrivileges, work: Work) -> list[RoleId]:
    found = grantees(work, statement.change.roles, statement.location)
    if PUBLIC in found:
        require_superuser(work.role, "alter default privileges of PUBLIC")
    return found


def _places(statement: AlterDefaultPrivileges, work: Work, kind: DefaultKind) -> list[tuple[str | None, str | None]]:
    """The databases and schemas that it is said of, by id."""
    on = statement.on
    if (on.schemas and kind in ("SCHEMAS", "DATABASES", "CLUSTERS")) or (
        on.databases and kind in ("DATABASES", "CLUSTERS")
    ):
        raise InvalidGrant(f"{kind} are not in {'schemas' if on.schemas else 'databases'}", statement.location)
    found: list[tuple[str | None, str | None]] = []
    for name in on.schemas:
        schema = work.names.schema(name)
        require(work.state, work.role, schema, "USAGE")
        found.append((schema.database, schema.id))
    for named in on.databases:
        database = work.names.database_named(named, statement.location)
        require(work.state, work.role, database, "USAGE")
        found.append((database.id, None))
    return found or [(None, None)]


def _set(work: Work, said: DefaultGrant, grants: bool) -> None:
    held = work.state.default_grants.get(key_of(said))
    before = held.privileges if held is not None else frozenset[str]()
    after = before | said.privileges if grants else before - said.privileges
    if after == before:
        return
    if held is not None:
        work.remove(held)
    if after:
        made = DefaultGrant(said.creator, said.kind, said.grantee, after, said.database, said.schema)
        work.add(made)
