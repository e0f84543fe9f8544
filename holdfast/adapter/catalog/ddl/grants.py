"""GRANT and REVOKE of privileges on objects and on the system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdfast.adapter.catalog.ddl.drop import ITEM_KINDS
from holdfast.adapter.catalog.ddl.target import target_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import InsufficientPrivilege, InvalidGrant
from holdfast.adapter.catalog.objects import PUBLIC, RELATIONS, Grant, Item, Role, RoleId, Schema
from holdfast.adapter.catalog.privileges import (
    LETTERS,
    OF_SYSTEM,
    Grantable,
    all_privileges,
    granted,
    require_of_system,
    require_owner,
)
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement import privilege as syntax
from holdfast.sql.syntax.statement.kind import Kind


def grant(statement: syntax.Grant, work: Work) -> None:
    roles = grantees(work, statement.roles, statement.location)
    if isinstance(statement.subject, syntax.OnSystem):
        _on_system(statement, work, roles)
        return
    for found, letters in _subjects(statement, work):
        added = [Grant(role, found.owner, letters) for role in roles]
        _regrant(work, found, granted([*found.grants, *added]))


def revoke(statement: syntax.Revoke, work: Work) -> None:
    """Whoever granted it."""
    roles = grantees(work, statement.roles, statement.location)
    if isinstance(statement.subject, syntax.OnSystem):
        _on_system(statement, work, roles)
        return
    for found, letters in _subjects(statement, work):
        kept = [
            replace(each, privileges=each.privileges - letters) if each.grantee in roles else each
            for each in found.grants
        ]
        _regrant(work, found, granted(kept))


def grantees(work: Work, names: tuple[str, ...], location: int) -> list[RoleId]:
    return [PUBLIC if name == "public" else work.names.role(name, location).id for name in names]


def _regrant(work: Work, found: Grantable, grants: tuple[Grant, ...]) -> None:
    if grants != found.grants:
        work.replace(found, replace(found, grants=grants))


def _on_system(statement: syntax.Grant | syntax.Revoke, work: Work, roles: list[RoleId]) -> None:
    require_of_system(work.state, work.role, "CREATEROLE")
    letters = _letters(statement.privileges, OF_SYSTEM, "system", statement.location)
    for id_ in roles:
        if id_ == PUBLIC:
            raise NotSupported("system privileges cannot be granted to PUBLIC", statement.location)
        role = work.state.roles[id_]
        held = role.system_privileges
        now = held | letters if isinstance(statement, syntax.Grant) else held - letters
        if now != held:
            work.replace(role, replace(role, system_privileges=now))


def _letters(names: tuple[str, ...], allowed: frozenset[str], what: str, location: int) -> frozenset[str]:
    """The privileges by letter; all that are allowed if none is named."""
    found = frozenset(LETTERS.get(name, name) for name in names)
    for name in names:
        if LETTERS.get(name) not in allowed:
            raise InvalidGrant(f"invalid privilege type {name} for {what}", location)
    return found or allowed


def _subjects(statement: syntax.Grant | syntax.Revoke, work: Work) -> Iterator[tuple[Grantable, frozenset[str]]]:
    """Each object, with the privileges that are meant of it. The role must own it."""
    match statement.subject:
        case syntax.OnObjects(kind=kind, names=names):
            for name in names:
                found = _named(work, kind, name)
                what = found.noun if isinstance(found, Item) else type(found).__name__.lower()
                letters = _letters(statement.privileges, all_privileges(found), what, name.location)
                yield _owned(work, found), letters
        case syntax.OnAll() as subject:
            wanted = frozenset(LETTERS.get(name, name) for name in statement.privileges)
            for found in list(_all(work, subject)):
                letters = all_privileges(found) & wanted if wanted else all_privileges(found)
                if letters:
                    yield _owned(work, found), letters


def _named(work: Work, kind: Kind, name: ObjectName) -> Grantable:
    if kind is Kind.TABLE:
        # ON TABLE, which may be left out, is said of all relations.
        return work.names.item(name, *RELATIONS)
    found = target_of(work, kind, name)
    if found is None or isinstance(found, Role):
        raise InvalidGrant(f"privileges cannot be granted on {kind.value.lower()}s", name.location)
    return found


def _owned(work: Work, found: Grantable) -> Grantable:
    if isinstance(found, Schema) and found.database is None:
        raise InsufficientPrivilege(f'system schema "{found.name}" cannot be modified')
    require_owner(work.state, work.role, found)
    return found


def _all(work: Work, subject: syntax.OnAll) -> Iterator[Grantable]:
    state = work.state
    if subject.kind is Kind.DATABASE:
        yield from state.databases.values()
        return
    databases = [work.names.database_named(name, subject.location) for name in subject.databases]
    if subject.schemas:
        schemas = [work.names.schema(name) for name in subject.schemas]
    elif databases:
        schemas = [schema for database in databases for schema in state.schemas_of(database.id)]
    else:
        schemas = [schema for schema in state.schemas.values() if schema.database is not None]
    if subject.kind is Kind.SCHEMA:
        yield from schemas
        return
    if subject.kind not in ITEM_KINDS:
        raise NotSupported(f"objects of kind {subject.kind.value} are not supported yet", subject.location)
    kinds = RELATIONS if subject.kind is Kind.TABLE else (ITEM_KINDS[subject.kind],)
    for schema in schemas:
        yield from (item for item in state.items_of(schema.id) if item.kind in kinds)
