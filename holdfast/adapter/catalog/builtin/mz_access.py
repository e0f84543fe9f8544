"""`mz_catalog`: roles, what they are members of, and what is granted to them."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown, letters
from holdfast.adapter.catalog.objects import PUBLIC
from holdfast.adapter.catalog.state import SYSTEM

_OBJECT_TYPES = {
    "TABLES": "table",
    "TYPES": "type",
    "SCHEMAS": "schema",
    "DATABASES": "database",
    "SECRETS": "secret",
    "CONNECTIONS": "connection",
    "CLUSTERS": "cluster",
}


def _roles(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        yield role.id, role.oid, role.name, role.inherit, role.login, role.superuser


def _members(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        for group in sorted(role.member_of):
            yield group, role.id, SYSTEM


def _parameters(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        for name, value in role.parameters:
            yield role.id, name, value


def _default_privileges(shown: Shown) -> Iterator[Row]:
    for found in shown.state.default_grants.values():
        creator = PUBLIC if found.creator is None else found.creator
        kind = _OBJECT_TYPES[found.kind]
        yield creator, found.database, found.schema, kind, found.grantee, letters(found.privileges)


def _system_privileges(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        if role.system_privileges:
            yield (f"{role.id}={letters(role.system_privileges)}/{SYSTEM}",)


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        17020,
        "mz_catalog",
        "mz_roles",
        columns("id text!, oid oid!, name text!, inherit bool!, rolcanlogin bool, rolsuper bool"),
        _roles,
    ),
    Builtin(17021, "mz_catalog", "mz_role_members", columns("role_id text!, member text!, grantor text!"), _members),
    Builtin(
        17022,
        "mz_catalog",
        "mz_role_parameters",
        columns("role_id text!, parameter_name text!, parameter_value text!"),
        _parameters,
    ),
    Builtin(
        17023,
        "mz_catalog",
        "mz_default_privileges",
        columns("role_id text!, database_id text, schema_id text, object_type text!, grantee text!, privileges text!"),
        _default_privileges,
    ),
    Builtin(17024, "mz_catalog", "mz_system_privileges", columns("privileges text!"), _system_privileges),
)
