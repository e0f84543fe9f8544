"""`mz_internal`: what SHOW shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns, empty
from holdfast.adapter.catalog.builtin.shown import Shown, letters
from holdfast.adapter.catalog.objects import PUBLIC, Grant, RoleId
from holdfast.adapter.catalog.privileges import LETTERS, roles_of
from holdfast.adapter.catalog.state import SYSTEM

_WORDS = {letter: word for word, letter in LETTERS.items()}
_KINDS = {
    "TABLES": "table",
    "TYPES": "type",
    "SCHEMAS": "schema",
    "DATABASES": "database",
    "SECRETS": "secret",
    "CONNECTIONS": "connection",
    "CLUSTERS": "cluster",
}
_ALL = "grantor text!, grantee text!, database text, schema text, name text, object_type text!, privilege_type text!"
_DEFAULTS = "object_owner text!, database text, schema text, object_type text!, grantee text!, privilege_type text!"


def _name(shown: Shown, role: RoleId) -> str:
    return "PUBLIC" if role == PUBLIC else shown.role_name(role)


def _each(shown: Shown, grants: tuple[Grant, ...]) -> Iterator[tuple[str, str, str]]:
    """Grantor, grantee and privilege, one by one. What the owner has of itself is no grant."""
    for grant in grants:
        if grant.grantee != grant.grantor:
            for letter in letters(grant.privileges):
                yield _name(shown, grant.grantor), _name(shown, grant.grantee), _WORDS[letter]


def _privileges(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        if role.id != SYSTEM:
            for letter in letters(role.system_privileges):
                yield shown.role_name(SYSTEM), role.name, None, None, None, "system", _WORDS[letter]
    for database in shown.state.databases.values():
        for grantor, grantee, word in _each(shown, database.grants):
            yield grantor, grantee, None, None, database.name, "database", word
    names = {database.id: database.name for database in shown.state.databases.values()}
    for schema in shown.state.schemas.values():
        if schema.database is not None:
            for grantor, grantee, word in _each(shown, schema.grants):
                yield grantor, grantee, names[schema.database], None, schema.name, "schema", word
    for item in shown.items:
        schema = shown.state.schemas[item.schema]
        database_name = None if schema.database is None else names[schema.database]
        for grantor, grantee, word in _each(shown, item.grants):
            yield grantor, grantee, database_name, schema.name, item.name, item.kind, word


def _default_privileges(shown: Shown) -> Iterator[Row]:
    state = shown.state
    for found in state.default_grants.values():
        owner = "PUBLIC" if found.creator is None else shown.role_name(found.creator)
        database = None if found.database is None else state.databases[found.database].name
        schema = None if found.schema is None else state.schemas[found.schema].name
        for letter in letters(found.privileges):
            yield owner, database, schema, _KINDS[found.kind], _name(shown, found.grantee), _WORDS[letter]


def _members(shown: Shown) -> Iterator[Row]:
    for role in shown.state.roles.values():
        for group in sorted(role.member_of):
            yield shown.role_name(group), role.name, shown.role_name(SYSTEM)


def _mine(rows: Callable[[Shown], Iterator[Row]], place: int) -> Callable[[Shown], Iterator[Row]]:
    """Those about the role that asks, and the roles it is a member of."""

    def filtered(shown: Shown) -> Iterator[Row]:
        own = {_name(shown, role) for role in roles_of(shown.state, shown.introspection.role.id)}
        return (row for row in rows(shown) if row[place] in own)

    return filtered


def _of(kind: str, *places: int) -> Callable[[Shown], Iterator[Row]]:
    """The privileges on objects of one kind, with only the columns that it has."""

    def filtered(shown: Shown) -> Iterator[Row]:
        for row in _privileges(shown):
            if (row[5] in ("system", "database", "schema") and row[5] == kind) or (kind == "object" and row[3]):
                yield tuple(row[place] for place in places)

    return filtered


def _commented(relation: str, fields: str, kind: str | None = None) -> str:
    """A relation with the comments on what it has."""
    same_kind = f" AND c.object_type = '{kind}'" if kind is not None else ""
    return (
        f"SELECT {', '.join(f'o.{field}' for field in fields.split(', '))}, coalesce(c.comment, '') AS comment "
        f"FROM {relation} o LEFT JOIN mz_internal.mz_comments c "
        f"ON o.id = c.id AND c.object_sub_id IS NULL{same_kind}"
    )


_VIEWS = (
    (17400, "mz_show_databases", _commented("mz_catalog.mz_databases", "id, name")),
    (17401, "mz_show_schemas", _commented("mz_catalog.mz_schemas", "id, database_id, name")),
    (17402, "mz_show_tables", _commented("mz_catalog.mz_tables", "id, schema_id, name, source_id")),
    (17403, "mz_show_views", _commented("mz_catalog.mz_views", "id, schema_id, name")),
    (17404, "mz_show_types", _commented("mz_catalog.mz_types", "id, schema_id, name")),
    (17405, "mz_show_roles", _commented("mz_catalog.mz_roles", "id, name")),
    (17406, "mz_show_all_objects", _commented("mz_catalog.mz_objects", "id, schema_id, name, type")),
    (17407, "mz_show_connections", _commented("mz_catalog.mz_connections", "id, schema_id, name, type")),
    (17408, "mz_show_secrets", _commented("mz_catalog.mz_secrets", "id, schema_id, name")),
    (
        17409,
        "mz_show_columns",
        "SELECT o.id, o.name, o.nullable, o.type, o.position, coalesce(c.comment, '') AS comment "
        "FROM mz_catalog.mz_columns o LEFT JOIN mz_internal.mz_comments c "
        "ON o.id = c.id AND CAST(o.position AS int4) = c.object_sub_id",
    ),
    (
        17410,
        "mz_show_clusters",
        "SELECT o.id, o.name, CAST(NULL AS text) AS replicas, CAST(NULL AS text) AS activity, '' AS comment "
        "FROM mz_catalog.mz_clusters o",
    ),
)
_ABSENT = (
    (17420, "mz_show_sources", "id text!, schema_id text!, cluster_id text, name text!, type text!, cluster text"),
    (17421, "mz_show_sinks", "id text!, schema_id text!, cluster_id text, name text!, type text!, cluster text"),
    (17424, "mz_show_cluster_replicas", "id text!, cluster text!, replica text!, size text, ready bool"),
    (17425, "mz_show_network_policies", "id text!, name text!, rules text"),
)

RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    *(BuiltinView(oid, "mz_internal", name, sql) for oid, name, sql in _VIEWS),
    *(empty(oid, "mz_internal", name, f"{spec}, comment text!") for oid, name, spec in _ABSENT),
    empty(17426, "mz_internal", "mz_show_subsources", "id text!, schema_id text!, on_id text, name text!, type text!"),
    Builtin(17440, "mz_internal", "mz_show_all_privileges", columns(_ALL), _privileges),
    Builtin(
        17441,
        "mz_internal",
        "mz_show_system_privileges",
        columns("grantor text!, grantee text!, privilege_type text!"),
        _of("system", 0, 1, 6),
    ),
    Builtin(
        17442,
        "mz_internal",
        "mz_show_database_privileges",
        columns("grantor text!, grantee text!, name text!, privilege_type text!"),
        _of("database", 0, 1, 4, 6),
    ),
    Builtin(
        17443,
        "mz_internal",
        "mz_show_schema_privileges",
        columns("grantor text!, grantee text!, database text!, name text!, privilege_type text!"),
        _of("schema", 0, 1, 2, 4, 6),
    ),
    Builtin(17444, "mz_internal", "mz_show_object_privileges", columns(_ALL), _of("object", *range(7))),
    Builtin(17445, "mz_internal", "mz_show_default_privileges", columns(_DEFAULTS), _default_privileges),
    Builtin(17446, "mz_internal", "mz_show_role_members", columns("role text!, member text!, grantor text!"), _members),
    Builtin(17450, "mz_internal", "mz_show_my_all_privileges", columns(_ALL), _mine(_privileges, 1), "session"),
    Builtin(
        17451,
        "mz_internal",
        "mz_show_my_system_privileges",
        columns("grantor text!, grantee text!, privilege_type text!"),
        _mine(_of("system", 0, 1, 6), 1),
        "session",
    ),
    Builtin(
        17452,
        "mz_internal",
        "mz_show_my_database_privileges",
        columns("grantor text!, grantee text!, name text!, privilege_type text!"),
        _mine(_of("database", 0, 1, 4, 6), 1),
        "session",
    ),
    Builtin(
        17453,
        "mz_internal",
        "mz_show_my_schema_privileges",
        columns("grantor text!, grantee text!, database text!, name text!, privilege_type text!"),
        _mine(_of("schema", 0, 1, 2, 4, 6), 1),
        "session",
    ),
    Builtin(
        17454,
        "mz_internal",
        "mz_show_my_object_privileges",
        columns(_ALL),
        _mine(_of("object", *range(7)), 1),
        "session",
    ),
    Builtin(
        17455,
        "mz_internal",
        "mz_show_my_default_privileges",
        columns(_DEFAULTS),
        _mine(_default_privileges, 4),
        "session",
    ),
    Builtin(
        17456,
        "mz_internal",
        "mz_show_my_role_members",
        columns("role text!, member text!, grantor text!"),
        _mine(_members, 1),
        "session",
    ),
)
