"""Privileges: who may do what with which object.

A role has what it was granted, what was granted to PUBLIC, and what the roles have that it is a member of, if it
inherits. A superuser may do everything. What a view reads, materialized or not, is read with the rights of its owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from holdfast.adapter.catalog.errors import InsufficientPrivilege
from holdfast.adapter.catalog.objects import PUBLIC, Database, Grant, Item, ItemKind, Role, RoleId, Schema
from holdfast.adapter.catalog.state import CatalogState
from holdfast.repr.ids import GlobalId

Privilege: TypeAlias = Literal[
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "USAGE",
    "CREATE",
    "CREATEROLE",
    "CREATEDB",
    "CREATECLUSTER",
    "CREATENETWORKPOLICY",
]

LETTERS: Mapping[str, str] = {
    "SELECT": "r",
    "INSERT": "a",
    "UPDATE": "w",
    "DELETE": "d",
    "USAGE": "U",
    "CREATE": "C",
    "CREATEROLE": "R",
    "CREATEDB": "B",
    "CREATECLUSTER": "N",
    "CREATENETWORKPOLICY": "P",
}

OF_ITEMS: Mapping[ItemKind, frozenset[str]] = {
    "table": frozenset("arwd"),
    "view": frozenset("r"),
    "materialized-view": frozenset("r"),
    "index": frozenset(),
    "type": frozenset("U"),
    "function": frozenset(),
}
OF_CONTAINERS = frozenset("UC")
OF_SYSTEM = frozenset("RBNP")

Grantable: TypeAlias = Database | Schema | Item


def all_privileges(found: Grantable) -> frozenset[str]:
    """The letters of all that can be granted on the object."""
    return OF_ITEMS[found.kind] if isinstance(found, Item) else OF_CONTAINERS


def granted(grants: Iterable[Grant]) -> tuple[Grant, ...]:
    """The grants in order, those of the same grantee and grantor made one, those of nothing left out."""
    merged: dict[tuple[RoleId, RoleId], frozenset[str]] = {}
    for grant in grants:
        key = (grant.grantee, grant.grantor)
        merged[key] = merged.get(key, frozenset()) | grant.privileges
    kept = ((key, letters) for key, letters in merged.items() if letters)
    return tuple(Grant(grantee, grantor, letters) for (grantee, grantor), letters in sorted(kept, key=lambda g: g[0]))


# Roles


def roles_of(state: CatalogState, role: RoleId) -> frozenset[RoleId]:
    """The roles whose privileges the role has: itself, those it inherits from, and PUBLIC."""
    found: set[RoleId] = {PUBLIC}
    waiting = [role]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            if state.roles[current].inherit:
                waiting.extend(state.roles[current].member_of)
    return frozenset(found)


def memberships(state: CatalogState, role: RoleId) -> frozenset[RoleId]:
    """The role and those it is a member of, perhaps through others, whether or not it inherits."""
    found: set[RoleId] = set()
    waiting = [role]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting.extend(state.roles[current].member_of)
    return frozenset(found)


def _unchecked(state: CatalogState, role: RoleId) -> bool:
    return state.roles[role].superuser or state.parameter("enable_rbac_checks") in ("off", "false")


# What a role may do


def holds(state: CatalogState, role: RoleId, found: Grantable, privilege: Privilege) -> bool:
    """Whether the role may do this with the object. PUBLIC may do what everyone may."""
    if role != PUBLIC and _unchecked(state, role):
        return True
    letter = LETTERS[privilege]
    roles = frozenset({PUBLIC}) if role == PUBLIC else roles_of(state, role)
    return any(letter in grant.privileges and grant.grantee in roles for grant in found.grants)


def owns(state: CatalogState, role: RoleId, owner: RoleId) -> bool:
    """Whether the role may do what only the owner may."""
    return _unchecked(state, role) or owner in roles_of(state, role)


def holds_of_system(state: CatalogState, role: RoleId, privilege: Privilege) -> bool:
    if _unchecked(state, role):
        return True
    held = (state.roles[each].system_privileges for each in roles_of(state, role) if each != PUBLIC)
    return any(LETTERS[privilege] in letters for letters in held)


# What is refused


def described(state: CatalogState, found: Grantable) -> str:
    """The object as errors name it: `TABLE "materialize.public.t"`."""
    kind = found.noun if isinstance(found, Item) else type(found).__name__
    path = (found.name,) if isinstance(found, Database) else state.path_of(found)
    return f'{kind.upper()} "{".".join(path)}"'


def require(state: CatalogState, role: Role, found: Grantable, privilege: Privilege) -> None:
    if not holds(state, role.id, found, privilege):
        shown = described(state, found)
        raise InsufficientPrivilege(
            f"permission denied for {shown}", detail=f"The '{role.name}' role needs {privilege} privileges on {shown}"
        )


def require_owner(state: CatalogState, role: Role, found: Grantable) -> None:
    if not owns(state, role.id, found.owner):
        raise InsufficientPrivilege(f"must be owner of {described(state, found)}")


def require_create_in(state: CatalogState, role: Role, container: Schema | Database) -> None:
    require(state, role, container, "CREATE")


def require_of_system(state: CatalogState, role: Role, privilege: Privilege) -> None:
    if not holds_of_system(state, role.id, privilege):
        raise InsufficientPrivilege(
            "permission denied for SYSTEM", detail=f"The '{role.name}' role needs {privilege} privileges on SYSTEM"
        )


def require_superuser(role: Role, what: str) -> None:
    if not role.superuser:
        raise InsufficientPrivilege(f"permission denied to {what}", detail="You must be a superuser.")


def require_member(state: CatalogState, role: Role, of: Role) -> None:
    if not role.superuser and of.id not in memberships(state, role.id):
        raise InsufficientPrivilege(f'must be a member of role "{of.name}"')


def require_select(state: CatalogState, role: Role, ids: Iterable[GlobalId]) -> None:
    """What a query that mentions these items needs: to read the relations, to use the types, to call the functions.

    The items are those that its text names: what a view among them reads is for the view's owner to read.
    """
    waiting = [(role, each) for each in ids]
    seen: set[tuple[RoleId, GlobalId]] = set()
    while waiting:
        reader, id_ = waiting.pop()
        if (reader.id, id_) in seen:
            continue
        seen.add((reader.id, id_))
        item = state.item(id_)
        if item.kind == "function":
            # Everyone may call it who may use its schema.
            require(state, reader, state.schemas[item.schema], "USAGE")
        else:
            _require_of_item(state, reader, item, "USAGE" if item.kind == "type" else "SELECT")
        if item.query is not None:
            owner = state.roles[item.owner]
            waiting.extend((owner, used) for used in item.uses)


def require_insert(state: CatalogState, role: Role, ids: Iterable[GlobalId]) -> None:
    for each in ids:
        _require_of_item(state, role, state.item(each), "INSERT")


def require_update(state: CatalogState, role: Role, ids: Iterable[GlobalId]) -> None:
    for each in ids:
        _require_of_item(state, role, state.item(each), "UPDATE")


def require_delete(state: CatalogState, role: Role, ids: Iterable[GlobalId]) -> None:
    for each in ids:
        _require_of_item(state, role, state.item(each), "DELETE")


def require_types(state: CatalogState, role: Role, ids: Iterable[GlobalId]) -> None:
    """What making an object that mentions these items needs: to use the types, and the schemas of all."""
    for each in ids:
        item = state.item(each)
        require(state, role, state.schemas[item.schema], "USAGE")
        if item.kind == "type":
            require(state, role, item, "USAGE")


def _require_of_item(state: CatalogState, role: Role, item: Item, privilege: Privilege) -> None:
    require(state, role, state.schemas[item.schema], "USAGE")
    require(state, role, item, privilege)
