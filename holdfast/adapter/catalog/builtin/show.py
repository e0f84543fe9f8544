"""SHOW as a query over the relations of the system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.adapter.catalog.objects import RELATIONS
from holdfast.errors import UsageError
from holdfast.sql.errors import NotSupported, UndefinedTable
from holdfast.sql.parser import parse_query
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import identifier, string
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import Query
from holdfast.sql.syntax.statement.show import (
    Show,
    ShowColumns,
    ShowLike,
    ShowObjects,
    ShowPrivileges,
    ShowRoleMembership,
    ShowWhere,
)

if TYPE_CHECKING:
    from holdfast.adapter.catalog.names import SessionNames

_IN_SCHEMA: Mapping[str, tuple[str, str]] = {
    "OBJECTS": ("mz_show_all_objects", "name, type, comment"),
    "TABLES": ("mz_show_tables", "name, comment"),
    "VIEWS": ("mz_show_views", "name, comment"),
    "TYPES": ("mz_show_types", "name, comment"),
    "FUNCTIONS": ("mz_show_functions", "name, arguments, result, language"),
    "CONNECTIONS": ("mz_show_connections", "name, type, comment"),
    "SECRETS": ("mz_show_secrets", "name, comment"),
    "SOURCES": ("mz_show_sources", "name, type, cluster, comment"),
    "SINKS": ("mz_show_sinks", "name, type, cluster, comment"),
    "SUBSOURCES": ("mz_show_subsources", "name, type"),
    "MATERIALIZED VIEWS": ("mz_show_materialized_views", "name, cluster, comment, replacing"),
    "INDEXES": ("mz_show_indexes", 'name, "on", cluster, key, comment'),
}
"""What stands in schemas: the relation that has it, and the columns that are shown."""
_GLOBAL: Mapping[str, tuple[str, str]] = {
    "DATABASES": ("mz_show_databases", "name, comment"),
    "ROLES": ("mz_show_roles", "name, comment"),
    "CLUSTERS": ("mz_show_clusters", "name, replicas, activity, comment"),
    "CLUSTER REPLICAS": ("mz_show_cluster_replicas", "cluster, replica, size, ready, comment"),
    "NETWORK POLICIES": ("mz_show_network_policies", "name, rules, comment"),
}
_OBJECT_TYPES = {
    "TABLES": "table",
    "TYPES": "type",
    "SCHEMAS": "schema",
    "DATABASES": "database",
    "SECRETS": "secret",
    "CONNECTIONS": "connection",
    "CLUSTERS": "cluster",
    "SYSTEM": "system",
    "VIEWS": "view",
}


def show_query(statement: Show, names: SessionNames) -> Query:
    """The query that answers a SHOW of objects, columns, privileges or members."""
    match statement:
        case ShowObjects():
            return parse_query(_objects(statement, names))
        case ShowColumns():
            found = _relation_id(statement.relation, names)
            conditions = [f"id = {string(found)}", *_filter(statement.filter)]
            shown = f"SELECT * FROM mz_internal.mz_show_columns WHERE {_all(conditions)}"
            return parse_query(f"SELECT name, nullable, type, comment FROM ({shown}) AS shown ORDER BY position")
        case ShowPrivileges():
            return parse_query(_privileges(statement, names))
        case ShowRoleMembership():
            conditions = _of_role(statement.role, "member", names)
            where = f" WHERE {_all(conditions)}" if conditions else ""
            return parse_query(
                f"SELECT role, member, grantor FROM mz_internal.mz_show_role_members{where} ORDER BY 1, 2"
            )
    raise UsageError(f"{type(statement).__name__} is not about objects")


def _objects(statement: ShowObjects, names: SessionNames) -> str:
    if statement.what in _GLOBAL:
        relation, shown = _GLOBAL[statement.what]
        conditions: list[str] = []
    elif statement.what == "SCHEMAS":
        relation, shown = "mz_show_schemas", "name, comment"
        conditions = [f"(database_id = {string(_database_id(statement.within, names))} OR database_id IS NULL)"]
    elif statement.what in _IN_SCHEMA:
        relation, shown = _IN_SCHEMA[statement.what]
        conditions = [_place(statement, names)]
    else:
        raise NotSupported(f"SHOW {statement.what} is not supported", statement.location)
    if statement.cluster is not None and statement.what in ("INDEXES", "MATERIALIZED VIEWS", "SOURCES", "SINKS"):
        conditions.append(f"cluster = {string(statement.cluster)}")
    conditions += _filter(statement.filter)
    where = f" WHERE {_all(conditions)}" if conditions else ""
    return f"SELECT {shown} FROM mz_internal.{identifier(relation)}{where} ORDER BY {shown}"


def _place(statement: ShowObjects, names: SessionNames) -> str:
    """In the schema that is named, or the current one; or about the object that is named."""
    if statement.on is not None:
        return f"on_id = {string(_relation_id(statement.on, names))}"
    if statement.within is not None:
        schema = names.schema(statement.within)
    else:
        schema = names.schema_to_create_in(ObjectName(("",), location=statement.location))
    return f"schema_id = {string(schema.id)}"


def _database_id(name: ObjectName | None, names: SessionNames) -> str:
    if name is None:
        return names.database_named(names.database).id
    if len(name.parts) > 1:
        raise NotSupported("a database has a name of one part", name.location)
    return names.database_named(name.parts[0], name.location).id


def _relation_id(name: ObjectName, names: SessionNames) -> str:
    found = names.find(name.parts, *RELATIONS)
    if found is None:
        raise UndefinedTable(f'relation "{".".join(name.parts)}" does not exist', name.location)
    return str(found.id)


def _privileges(statement: ShowPrivileges, names: SessionNames) -> str:
    conditions = _of_role(statement.role, "grantee", names)
    if statement.on is not None:
        kind = _OBJECT_TYPES.get(statement.on)
        if kind is None:
            raise NotSupported(f"SHOW PRIVILEGES ON {statement.on} is not supported", statement.location)
        # As in GRANT, tables are all relations.
        kinds = (
            "('table', 'view', 'materialized-view')"
            if kind == "table" and not statement.default
            else f"({string(kind)})"
        )
        conditions.append(f"object_type IN {kinds}")
    where = f" WHERE {_all(conditions)}" if conditions else ""
    relation, shown = "mz_show_all_privileges", "grantor, grantee, database, schema, name, object_type, privilege_type"
    if statement.default:
        relation = "mz_show_default_privileges"
        shown = "object_owner, database, schema, object_type, grantee, privilege_type"
    return f"SELECT {shown} FROM mz_internal.{relation}{where} ORDER BY {shown}"


def _of_role(role: str | None, column: str, names: SessionNames) -> list[str]:
    """What the role has, of its own, as a member of others, or as anyone."""
    if role is None:
        return []
    found = names.role(role)
    members = [found.name, "PUBLIC"]
    waiting = list(found.member_of)
    while waiting:
        group = names.state.roles[waiting.pop()]
        if group.name not in members:
            members.append(group.name)
            waiting += group.member_of
    return [f"{column} IN ({', '.join(map(string, members))})"]


def _filter(found: ShowLike | ShowWhere | None) -> list[str]:
    match found:
        case ShowLike():
            return [f"name LIKE {string(found.pattern)}"]
        case ShowWhere():
            return [f"({SQL.expression(found.condition)})"]
    return []


def _all(conditions: list[str]) -> str:
    return " AND ".join(conditions)
