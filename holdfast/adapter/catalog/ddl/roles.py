"""Roles: CREATE, ALTER and DROP ROLE, and who is a member of which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.adapter.catalog.ddl.placing import check_name
from holdfast.adapter.catalog.ddl.shown import shown
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import DependentObjects, DuplicateObject, InvalidGrant, ObjectInUse, ReservedName
from holdfast.adapter.catalog.objects import Role, RoleId
from holdfast.adapter.catalog.privileges import LETTERS, memberships, require_of_system, require_superuser
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.scram import parse_verifier, verifier_of
from holdfast.sql.errors import UndefinedObject, WrongSyntax
from holdfast.sql.syntax.expression import (
    BitStringLiteral,
    BooleanLiteral,
    IntegerLiteral,
    Literals,
    NullLiteral,
    NumericLiteral,
    StringLiteral,
)
from holdfast.sql.syntax.statement.alter import AlterRole
from holdfast.sql.syntax.statement.create import CreateRole
from holdfast.sql.syntax.statement.drop import Drop
from holdfast.sql.syntax.statement.privilege import GrantRole, RevokeRole
from holdfast.sql.syntax.statement.role import RoleAttribute, RolePassword
from holdfast.sql.syntax.statement.session import SetVariable

_RESERVED = ("mz_", "pg_", "external_")
_WORDS = frozenset({"public", "none", "current_user", "session_user", "current_role"})


def _check_new(state: CatalogState, name: str, location: int) -> None:
    check_name(name, location)
    prefix = next((each for each in _RESERVED if name.startswith(each)), None)
    if name in _WORDS or prefix is not None:
        detail = None if prefix is None else f'Role names starting with "{prefix}" are reserved.'
        raise ReservedName(f'role name "{name}" is reserved', location, detail=detail)
    if state.role_named(name) is not None:
        raise DuplicateObject(f'role "{name}" already exists', location)


def _check_own(role: Role, location: int = 0) -> None:
    if role.id.startswith("s"):
        raise ReservedName(f'role name "{role.name}" is reserved', location)


def create_role(statement: CreateRole, work: Work) -> None:
    """As in PostgreSQL it may not log in unless that is said; a password says so too."""
    require_of_system(work.state, work.role, "CREATEROLE")
    _check_new(work.state, statement.name, statement.location)
    known = work.given()
    password = any(isinstance(each, RolePassword) for each in statement.attributes)
    role = Role(known.id, known.oid, statement.name, login=password)
    work.add(_with_attributes(role, statement.attributes, work))


def _with_attributes(role: Role, attributes: Sequence[RoleAttribute], work: Work) -> Role:
    seen: set[str] = set()
    for attribute in attributes:
        said = "PASSWORD" if isinstance(attribute, RolePassword) else attribute.name.removeprefix("NO")
        if said in seen:
            raise WrongSyntax("conflicting or redundant options", attribute.location)
        seen.add(said)
        if isinstance(attribute, RolePassword):
            role = replace(role, verifier=_verifier(attribute.value))
            continue
        match attribute.name:
            case "SUPERUSER" | "NOSUPERUSER":
                require_superuser(work.role, "alter the SUPERUSER attribute")
                role = replace(role, superuser=attribute.name == "SUPERUSER")
            case "LOGIN" | "NOLOGIN":
                role = replace(role, login=attribute.name == "LOGIN")
            case "INHERIT" | "NOINHERIT":
                role = replace(role, inherit=attribute.name == "INHERIT")
            case _:
                role = replace(role, system_privileges=role.system_privileges | {LETTERS[attribute.name]})
    return role


def _verifier(password: str | None) -> str | None:
    """What is kept of a password; one that is a verifier already is kept as it is."""
    if not password:
        return None
    return password if parse_verifier(password) is not None else str(verifier_of(password))


def alter_role(statement: AlterRole, work: Work) -> None:
    role = work.names.role(statement.name, statement.location)
    _check_own(role, statement.location)
    own = role.id == work.role.id
    only_own = statement.parameter is not None or all(isinstance(each, RolePassword) for each in statement.attributes)
    if not (own and only_own):
        require_of_system(work.state, work.role, "CREATEROLE")
    if role.superuser and not own:
        require_superuser(work.role, "alter a superuser")
    if statement.parameter is None:
        changed = _with_attributes(role, statement.attributes, work)
    else:
        parameters = dict(role.parameters)
        change = statement.parameter
        if isinstance(change, SetVariable) and change.values:
            name, value = work.checked(change.name, [text_of(each) for each in change.values])
            parameters[name] = value
        elif change.name is None:
            parameters.clear()
        else:
            parameters.pop(work.checked(change.name, ())[0], None)
        changed = replace(role, parameters=tuple(sorted(parameters.items())))
    work.replace(role, changed)


def text_of(literal: Literals) -> str:
    """What a parameter is set to, as a text."""
    match literal:
        case StringLiteral() | BooleanLiteral() | IntegerLiteral():
            return str(literal.value).lower() if isinstance(literal, BooleanLiteral) else str(literal.value)
        case NumericLiteral():
            return literal.text
        case NullLiteral():
            raise WrongSyntax("a parameter cannot be set to NULL", literal.location)
        case BitStringLiteral():
            raise WrongSyntax("a parameter cannot be set to bits", literal.location)


def rename_role(work: Work, role: Role, new: str, location: int) -> None:
    require_of_system(work.state, work.role, "CREATEROLE")
    _check_own(role, location)
    _check_new(work.state, new, location)
    work.replace(role, replace(role, name=new))


def drop_roles(statement: Drop, work: Work) -> None:
    for name in statement.names:
        role = work.state.role_named(name.parts[-1])
        if role is None:
            missing = f'role "{name.parts[-1]}" does not exist'
            if not statement.if_exists:
                raise UndefinedObject(missing, name.location)
            work.notice(f"{missing}, skipping")
            continue
        _drop(work, role, name.location)


def _drop(work: Work, role: Role, location: int) -> None:
    require_of_system(work.state, work.role, "CREATEROLE")
    _check_own(role, location)
    if role.id == work.role.id:
        raise ObjectInUse("current user cannot be dropped", location)
    if role.superuser:
        require_superuser(work.role, "drop a superuser")
    held = _depending(work, role.id)
    if held:
        raise DependentObjects(f'role "{role.name}" cannot be dropped because some objects depend on it', held)
    for other in list(work.state.roles.values()):
        if role.id in other.member_of:
            work.replace(other, replace(other, member_of=other.member_of - {role.id}))
    work.remove(role, *(each for each in work.state.comments.values() if each.object == role.id))


def _depending(work: Work, role: RoleId) -> list[str]:
    """What has the role as its owner, or grants it something, in words."""
    state, found = work.state, list[str]()
    for held in state.owned():
        if held.owner == role:
            found.append(f"owner of {shown(work.names, held)}")
        elif any(role in (grant.grantee, grant.grantor) for grant in held.grants):
            found.append(f"privileges for {shown(work.names, held)}")
    for default in state.default_grants.values():
        if role in (default.creator, default.grantee):
            found.append(f"default privileges on {default.kind.lower()}")
    return found


# Membership


def grant_role(statement: GrantRole, work: Work) -> None:
    require_of_system(work.state, work.role, "CREATEROLE")
    for granted in statement.granted:
        for name in statement.roles:
            role, member = _pair(work, granted, name, statement.location)
            if role.superuser:
                require_superuser(work.role, "grant a superuser's role")
            if member.id in memberships(work.state, role.id):
                raise InvalidGrant(f'role "{role.name}" is a member of role "{member.name}"', statement.location)
            if role.id in member.member_of:
                work.notice(f'role "{member.name}" is already a member of role "{role.name}"')
            else:
                work.replace(member, replace(member, member_of=member.member_of | {role.id}))


def revoke_role(statement: RevokeRole, work: Work) -> None:
    require_of_system(work.state, work.role, "CREATEROLE")
    for revoked in statement.revoked:
        for name in statement.roles:
            role, member = _pair(work, revoked, name, statement.location)
            if role.id not in member.member_of:
                work.warn(f'role "{member.name}" is not a member of role "{role.name}"')
            else:
                work.replace(member, replace(member, member_of=member.member_of - {role.id}))


def _pair(work: Work, role: str, member: str, location: int) -> tuple[Role, Role]:
    if "public" in (role, member):
        raise InvalidGrant("PUBLIC cannot be a member of a role or have members", location)
    found = work.names.role(role, location), work.names.role(member, location)
    for each in found:
        _check_own(each, location)
    return found
