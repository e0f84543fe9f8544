"""`pg_catalog`: roles."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.state import SYSTEM

_CREATE_ROLE, _CREATE_DATABASE = "R", "B"
"""System privileges."""


def _roles(shown: Shown) -> Iterator[Row]:
    """The password of none is shown, not even what it is known by."""
    for role in shown.state.roles.values():
        creates_roles = role.superuser or _CREATE_ROLE in role.system_privileges
        creates_databases = role.superuser or _CREATE_DATABASE in role.system_privileges
        rights = (creates_roles, creates_databases, role.login, False, role.superuser)
        yield role.oid, role.name, role.superuser, role.inherit, *rights, -1, None, None


def _members(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        for group in sorted(role.member_of):
            roles = (shown.role_oid(group), role.oid, shown.role_oid(SYSTEM))
            yield roles[0] << 16 ^ roles[1], *roles, False, role.inherit, True


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        1260,
        "pg_catalog",
        "pg_authid",
        columns(
            "oid oid!, rolname name!, rolsuper bool!, rolinherit bool!, rolcreaterole bool!, rolcreatedb bool!, "
            "rolcanlogin bool!, rolreplication bool!, rolbypassrls bool!, rolconnlimit int4!, rolpassword text, "
            "rolvaliduntil timestamptz"
        ),
        _roles,
        keys=((0,),),
    ),
    Builtin(
        1261,
        "pg_catalog",
        "pg_auth_members",
        columns(
            "oid oid!, roleid oid!, member oid!, grantor oid!, admin_option bool!, inherit_option bool!, "
            "set_option bool!"
        ),
        _members,
    ),
    BuiltinView(
        17200,
        "pg_catalog",
        "pg_roles",
        "SELECT a.rolname, a.rolsuper, a.rolinherit, a.rolcreaterole, a.rolcreatedb, a.rolcanlogin, a.rolreplication, "
        "a.rolconnlimit, '********'::text AS rolpassword, a.rolvaliduntil, a.rolbypassrls, "
        "CAST(NULL AS text[]) AS rolconfig, a.oid FROM pg_catalog.pg_authid a",
    ),
    BuiltinView(
        17201,
        "pg_catalog",
        "pg_user",
        "SELECT a.rolname AS usename, a.oid AS usesysid, a.rolcreatedb AS usecreatedb, a.rolsuper AS usesuper, "
        "a.rolreplication AS userepl, a.rolbypassrls AS usebypassrls, '********'::text AS passwd, "
        "a.rolvaliduntil AS valuntil, CAST(NULL AS text[]) AS useconfig FROM pg_catalog.pg_authid a "
        "WHERE a.rolcanlogin",
    ),
    BuiltinView(
        17202,
        "pg_catalog",
        "pg_shadow",
        "SELECT a.rolname AS usename, a.oid AS usesysid, a.rolcreatedb AS usecreatedb, a.rolsuper AS usesuper, "
        "a.rolreplication AS userepl, a.rolbypassrls AS usebypassrls, a.rolpassword AS passwd, "
        "a.rolvaliduntil AS valuntil, CAST(NULL AS text[]) AS useconfig FROM pg_catalog.pg_authid a "
        "WHERE a.rolcanlogin",
    ),
    BuiltinView(
        17203,
        "pg_catalog",
        "pg_group",
        "SELECT a.rolname AS groname, a.oid AS grosysid, "
        "ARRAY(SELECT m.member FROM pg_catalog.pg_auth_members m WHERE m.roleid = a.oid) AS grolist "
        "FROM pg_catalog.pg_authid a WHERE NOT a.rolcanlogin",
    ),
)
