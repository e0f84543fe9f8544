"""Whether a role may: `has_table_privilege` and its kin, and `pg_has_role`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from holdfast.adapter.catalog.builtin.functions.registered import (
    function_oid,
    relation_oid,
    schema_oid,
    type_oid,
)
from holdfast.adapter.catalog.builtin.functions.visible import Visible
from holdfast.adapter.catalog.builtin.mz_objects import USABLE
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.objects import PUBLIC, Grant, RoleId
from holdfast.adapter.catalog.privileges import LETTERS, roles_of
from holdfast.adapter.catalog.state import CatalogState
from holdfast.plan.errors import (
    InvalidParameterValue,
    UndefinedColumnAtRunTime,
    UndefinedDatabaseAtRunTime,
    UndefinedObjectAtRunTime,
)

Grants: TypeAlias = Mapping[int, tuple[tuple[Grant, ...], RoleId]]
"""By oid: what was granted, and the owner, who may do anything."""
Has: TypeAlias = Callable[..., bool | None]

_WORDS: Mapping[str, frozenset[str]] = {
    "table": frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"}),
    "column": frozenset({"SELECT", "INSERT", "UPDATE", "REFERENCES"}),
    "schema": frozenset({"CREATE", "USAGE"}),
    "database": frozenset({"CREATE", "CONNECT", "TEMPORARY", "TEMP", "USAGE"}),
    "function": frozenset({"EXECUTE"}),
    "type": frozenset({"USAGE"}),
    "language": frozenset({"USAGE"}),
    "tablespace": frozenset({"CREATE"}),
    "sequence": frozenset({"USAGE", "SELECT", "UPDATE"}),
    "server": frozenset({"USAGE"}),
    "cluster": frozenset({"USAGE", "CREATE"}),
}
_FOR_ALL = frozenset({"CONNECT", "TEMPORARY", "TEMP", "EXECUTE"})
"""What everyone may."""
_GRANTABLE = " WITH GRANT OPTION"
_MEMBER = frozenset({"USAGE", "MEMBER", "SET"})


class Roles:
    """Roles by name and oid, and whose privileges each has."""

    def __init__(self, shown: Shown) -> None:
        state: CatalogState = shown.state
        self.own = shown.introspection.role.id
        self._by_name = {role.name: role.id for role in state.roles.values()}
        self._by_oid = {role.oid: role.id for role in state.roles.values()}
        self.superusers = frozenset(role.id for role in state.roles.values() if role.superuser)
        self.inherited = {role: roles_of(state, role) for role in state.roles}

    def id(self, role: str | int) -> RoleId | None:
        """None for an oid that no role has; the name `public` means everyone."""
        if isinstance(role, int):
            return self._by_oid.get(role)
        if role == "public":
            return PUBLIC
        if role not in self._by_name:
            raise UndefinedObjectAtRunTime(f'role "{role}" does not exist')
        return self._by_name[role]


def _letters(text: str, words: frozenset[str]) -> list[str]:
    """The privileges of a list with commas: `WITH GRANT OPTION` is what owners have."""
    found = []
    for part in text.split(","):
        word = part.strip().upper()
        grantable = word.endswith(_GRANTABLE)
        word = word.removesuffix(_GRANTABLE).strip()
        if word not in words:
            raise InvalidParameterValue(f'unrecognized privilege type: "{part.strip()}"')
        found.append("*" if grantable else word)
    return found


def _has(kind: str, roles: Roles, grants: Grants, read: Callable[[str], int]) -> Has:
    words = _WORDS[kind]

    def has(*arguments: str | int) -> bool | None:
        *given, thing, wanted = arguments
        role = roles.id(given[0]) if given else roles.own
        oid = read(thing) if isinstance(thing, str) else thing
        asked = _letters(str(wanted), words)
        if role is None or oid not in grants:
            return None
        granted, owner = grants[oid]
        return any(_may(role, word, granted, owner, roles) for word in asked)

    return has


def _may(role: RoleId, word: str, granted: tuple[Grant, ...], owner: RoleId, roles: Roles) -> bool:
    if role in roles.superusers or word in _FOR_ALL:
        return True
    held = frozenset({PUBLIC}) if role == PUBLIC else roles.inherited[role]
    if owner in held:
        return True
    letter = LETTERS.get(word)
    return letter is not None and any(letter in grant.privileges and grant.grantee in held for grant in granted)


def table(visible: Visible, shown: Shown) -> Has:
    return _has("table", Roles(shown), _of_relations(shown), relation_oid(visible, shown))


def any_column(visible: Visible, shown: Shown) -> Has:
    return _has("column", Roles(shown), _of_relations(shown), relation_oid(visible, shown))


def column(visible: Visible, shown: Shown) -> Has:
    """A privilege on a column is one on its table."""
    on_table = any_column(visible, shown)
    read = relation_oid(visible, shown)
    columns = {found.oid: tuple(column.name for column in found.columns) for found in shown.relations_here}
    names = {found.oid: found.name for found in shown.relations_here}

    def has(*arguments: str | int) -> bool | None:
        *before, which, wanted = arguments
        oid = read(before[-1]) if isinstance(before[-1], str) else before[-1]
        listed = columns.get(oid, ())
        if isinstance(which, str) and oid in columns and which not in listed:
            raise UndefinedColumnAtRunTime(f'column "{which}" of relation "{names[oid]}" does not exist')
        if isinstance(which, int) and not 1 <= which <= len(listed):
            return None
        return on_table(*before[:-1], oid, wanted)

    return has


def _of_relations(shown: Shown) -> Grants:
    return {found.oid: (found.grants, found.owner) for found in shown.relations_here}


def schema(visible: Visible, shown: Shown) -> Has:
    grants = {found.oid: (found.grants, found.owner) for found in shown.schemas_here}
    return _has("schema", Roles(shown), grants, schema_oid(visible, shown))


def database(_: Visible, shown: Shown) -> Has:
    databases = shown.state.databases.values()
    oids = {found.name: found.oid for found in databases}

    def read(name: str) -> int:
        if name not in oids:
            raise UndefinedDatabaseAtRunTime(f'database "{name}" does not exist')
        return oids[name]

    return _has("database", Roles(shown), {found.oid: (found.grants, found.owner) for found in databases}, read)


def type_(visible: Visible, shown: Shown) -> Has:
    own = {item.oid: (item.grants, item.owner) for item in shown.types_here}
    grants = {**dict.fromkeys(visible.types.names, (USABLE, "s1")), **own}
    return _has("type", Roles(shown), grants, type_oid(visible, shown))


def function(visible: Visible, shown: Shown) -> Has:
    grants: Grants = dict.fromkeys(visible.functions.names, ((), "s1"))
    return _has("function", Roles(shown), grants, function_oid(visible, shown))


def absent(kind: str) -> Callable[[Visible, Shown], Has]:
    """On what we do not have: null for any oid, an error for any name."""

    def build(_: Visible, shown: Shown) -> Has:
        def read(name: str) -> int:
            raise UndefinedObjectAtRunTime(f'{kind.replace("_", "-")} "{name}" does not exist')

        return _has(kind if kind in _WORDS else "type", Roles(shown), {}, read)

    return build


def everyone(_visible: Visible, _shown: Shown) -> Has:
    """What is nobody's to withhold."""
    return lambda *_: True


def system(_: Visible, shown: Shown) -> Has:
    roles, state = Roles(shown), shown.state
    held = {role: state.roles[role].system_privileges for role in state.roles}

    def has(*arguments: str) -> bool | None:
        *given, wanted = arguments
        role = roles.id(given[0]) if given else roles.own
        asked = _letters(wanted, frozenset({"CREATEROLE", "CREATEDB", "CREATECLUSTER", "CREATENETWORKPOLICY"}))
        if role is None:
            return None
        return role in roles.superusers or any(
            LETTERS.get(word, "*") in held.get(each, ()) for word in asked for each in roles.inherited.get(role, ())
        )

    return has


def has_role(_: Visible, shown: Shown) -> Has:
    roles = Roles(shown)

    def has(*arguments: str | int) -> bool | None:
        *given, group, wanted = arguments
        role, of = roles.id(given[0]) if given else roles.own, roles.id(group)
        _letters(str(wanted).upper().replace("WITH ADMIN OPTION", "").strip(), _MEMBER)
        if role is None or of is None:
            return None
        return role in roles.superusers or of in roles.inherited.get(role, ())

    return has
