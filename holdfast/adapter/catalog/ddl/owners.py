"""Owners: OWNER TO, REASSIGN OWNED, DROP OWNED."""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapter.catalog.ddl.drop import drop_all
from holdfast.adapter.catalog.ddl.target import target_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import InsufficientPrivilege, ReservedName
from holdfast.adapter.catalog.objects import Grant, Item, Object, Role, RoleId, Schema
from holdfast.adapter.catalog.privileges import Grantable, granted, require_create_in, require_member, require_owner
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.sql.errors import WrongObjectType
from holdfast.sql.syntax.statement.alter import ChangeOwner
from holdfast.sql.syntax.statement.drop import DropOwned, ReassignOwned


def change_owner(statement: ChangeOwner, work: Work) -> None:
    found = target_of(work, statement.kind, statement.name, skip=statement.if_exists)
    if found is None:
        return
    if isinstance(found, Role):
        raise WrongObjectType("roles have no owner", statement.location)
    if isinstance(found, Schema) and found.database is None:
        raise InsufficientPrivilege(f'system schema "{found.name}" cannot be modified', statement.location)
    if isinstance(found, Item) and found.kind == "index":
        hint = "Change the ownership of the index's relation instead."
        work.warn(f'cannot change owner of index "{found.name}"', "42809", hint)
        return
    owner = work.names.role(statement.owner, statement.location)
    require_owner(work.state, work.role, found)
    require_member(work.state, work.role, owner)
    if isinstance(found, Schema) and found.database is not None:
        require_create_in(work.state, work.role, work.state.databases[found.database])
    if isinstance(found, Item):
        require_create_in(work.state, work.role, work.state.schemas[found.schema])
        work.change([Change(each, given_to(each, owner.id)) for each in work.state.indexes_of(found.id)])
    work.replace(found, given_to(found, owner.id))


def given_to(found: Grantable, owner: RoleId) -> Grantable:
    """The object of another owner, who has in all grants the place of the one before."""

    def now(role: RoleId) -> RoleId:
        return owner if role == found.owner else role

    grants = granted(Grant(now(each.grantee), now(each.grantor), each.privileges) for each in found.grants)
    return replace(found, owner=owner, grants=grants)


def owned(state: CatalogState, role: RoleId) -> list[Grantable]:
    return [found for found in state.owned() if found.owner == role]


def reassign_owned(statement: ReassignOwned, work: Work) -> None:
    to = work.names.role(statement.to, statement.location)
    require_member(work.state, work.role, to)
    for name in statement.roles:
        role = _role(work, name, statement.location)
        changes = [Change(found, given_to(found, to.id)) for found in owned(work.state, role.id)]
        work.change([change for change in changes if change.removed != change.added])


def drop_owned(statement: DropOwned, work: Work) -> None:
    """All that the roles own, and what they were granted on the rest."""
    roles = [_role(work, name, statement.location) for name in statement.roles]
    ids = {role.id for role in roles}
    roots = [found for role in roles for found in owned(work.state, role.id)]
    drop_all(work, roots, cascade=statement.behavior == "CASCADE")
    changes = [Change(found, _without(found, ids)) for found in work.state.owned()]
    defaults: list[Object] = [
        each for each in work.state.default_grants.values() if each.creator in ids or each.grantee in ids
    ]
    work.change([change for change in changes if change.removed != change.added])
    work.remove(*defaults)


def _role(work: Work, name: str, location: int) -> Role:
    role = work.names.role(name, location)
    if role.id.startswith("s"):
        raise ReservedName(f'role name "{role.name}" is reserved', location)
    require_member(work.state, work.role, role)
    return role


def _without(found: Grantable, roles: set[RoleId]) -> Grantable:
    kept = tuple(each for each in found.grants if each.grantee not in roles and each.grantor not in roles)
    return replace(found, grants=kept)
