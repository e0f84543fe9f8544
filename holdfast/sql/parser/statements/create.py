"""CREATE of every kind that has no module of its own."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.clusters import in_cluster
from holdfast.sql.parser.statements.functions import create_function
from holdfast.sql.parser.statements.options import option_list, with_options
from holdfast.sql.parser.statements.roles import role_attributes
from holdfast.sql.parser.statements.sinks import create_sink
from holdfast.sql.parser.statements.sources import create_source
from holdfast.sql.parser.statements.tables import create_table
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.create import (
    Create,
    CreateCluster,
    CreateClusterReplica,
    CreateConnection,
    CreateDatabase,
    CreateIndex,
    CreateMaterializedView,
    CreateNetworkPolicy,
    CreateRole,
    CreateSchema,
    CreateSecret,
    CreateType,
    CreateView,
    ListDefinition,
    MapDefinition,
    RecordDefinition,
)
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.types import TypeName

CONNECTIONS = (
    "KAFKA",
    "CONFLUENT SCHEMA REGISTRY",
    "AWS GLUE SCHEMA REGISTRY",
    "POSTGRES",
    "MYSQL",
    "SQL SERVER",
    "AWS PRIVATELINK",
    "AWS",
    "GCP",
    "SSH TUNNEL",
    "ICEBERG CATALOG",
)


def create(cursor: Cursor) -> Create:
    """After CREATE."""
    location = cursor.location
    if cursor.accept("OR", "REPLACE"):
        if cursor.accept("TEMP", "VIEW") or cursor.accept("TEMPORARY", "VIEW"):
            return _view(cursor, location, replace=True, temporary=True)
        return _one_of(cursor, _REPLACEABLE)(cursor, location, True)
    if cursor.accept("TEMP") or cursor.accept("TEMPORARY"):
        if cursor.accept("VIEW"):
            return _view(cursor, location, replace=False, temporary=True)
        cursor.expect("TABLE")
        return create_table(cursor, location, temporary=True)
    for phrase, parse in _REPLACEABLE.items():
        if cursor.accept_phrase(phrase):
            return parse(cursor, location, False)
    return _one_of(cursor, _PLAIN)(cursor, location)


def _one_of(cursor: Cursor, table: dict[str, Callable[..., Create]]) -> Callable[..., Create]:
    return table[cursor.expect_any(*table)]


def _view(cursor: Cursor, location: int, replace: bool, temporary: bool = False) -> Create:
    skip = cursor.if_not_exists()
    name, columns = cursor.name(), cursor.columns()
    cursor.expect("AS")
    return CreateView(name, cursor.query(), columns, temporary, replace, skip, location=location)


def _materialized_view(cursor: Cursor, location: int, replace: bool) -> Create:
    skip = cursor.if_not_exists()
    name, columns = cursor.name(), cursor.columns()
    return _materialized(cursor, name_and_columns=(name, columns), replace=replace, skip=skip, location=location)


def _replacement(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    name, columns = cursor.name(), cursor.columns()
    cursor.expect("FOR")
    return _materialized(cursor, name_and_columns=(name, columns), replaces=cursor.name(), skip=skip, location=location)


def _materialized(
    cursor: Cursor,
    *,
    name_and_columns: tuple[ObjectName, tuple[str, ...]],
    location: int,
    skip: bool,
    replace: bool = False,
    replaces: ObjectName | None = None,
) -> CreateMaterializedView:
    """From IN CLUSTER on."""
    name, columns = name_and_columns
    cluster = in_cluster(cursor)
    options = with_options(cursor)
    cursor.expect("AS")
    at = cursor.index
    statement = cursor.statement_by_grammar()
    if not isinstance(statement, SelectStatement):
        raise cursor.source.syntax_error(at)
    return CreateMaterializedView(
        name,
        statement.query,
        columns,
        replaces,
        cluster,
        options,
        statement.as_of,
        replace,
        skip,
        location=location,
    )


def _connection(cursor: Cursor, location: int, replace: bool) -> Create:
    skip = cursor.if_not_exists()
    name = cursor.name()
    cursor.expect("TO")
    kind = cursor.expect_any(*CONNECTIONS)
    options = option_list(cursor) if cursor.at_words("(") else ()
    return CreateConnection(name, kind, options, with_options(cursor), replace, skip, location=location)


def _database(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    return CreateDatabase(cursor.identifier(), skip, location=location)


def _schema(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    return CreateSchema(cursor.name(), skip, location=location)


def _index(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    name = cursor.identifier() if cursor.at_identifier() else None
    cluster = in_cluster(cursor)
    cursor.expect("ON")
    on = cursor.name()
    if cursor.accept("USING"):
        cursor.expect("ARRANGEMENT")
    key = cursor.bracketed_expressions()
    return CreateIndex(on, key, name, cluster, with_options(cursor), skip, location=location)


def _default_index(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    cluster = in_cluster(cursor)
    cursor.expect("ON")
    return CreateIndex(cursor.name(), None, None, cluster, with_options(cursor), skip, location=location)


def _type(cursor: Cursor, location: int) -> Create:
    name = cursor.name()
    cursor.expect("AS")
    if cursor.accept("LIST"):
        (element,) = _element_types(cursor, "ELEMENT")
        return CreateType(name, ListDefinition(element), location=location)
    if cursor.accept("MAP"):
        key, value = _element_types(cursor, "KEY", "VALUE")
        return CreateType(name, MapDefinition(key, value), location=location)
    return CreateType(name, RecordDefinition(cursor.parenthesized(cursor.column_type)), location=location)


def _element_types(cursor: Cursor, *parts: str) -> list[TypeName]:
    """`(PART TYPE [=] type, ...)`, in this order."""
    found: list[TypeName] = []
    cursor.expect("(")
    for part in parts:
        if found:
            cursor.expect(",")
        cursor.expect(part, "TYPE")
        cursor.accept("=")
        found.append(cursor.type_name())
    cursor.expect(")")
    return found


def _secret(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    name = cursor.name()
    cursor.expect("AS")
    return CreateSecret(name, cursor.expression(), skip, location=location)


def _cluster(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    name = cursor.identifier()
    return CreateCluster(name, _optional_list(cursor), skip, location=location)


def _cluster_replica(cursor: Cursor, location: int) -> Create:
    skip = cursor.if_not_exists()
    cluster = cursor.identifier()
    cursor.expect(".")
    name = cursor.label()
    return CreateClusterReplica(cluster, name, _optional_list(cursor), skip, location=location)


def _optional_list(cursor: Cursor) -> tuple[Option, ...]:
    return option_list(cursor) if cursor.at_words("(") else ()


def _role(cursor: Cursor, location: int) -> Create:
    name = cursor.role()
    return CreateRole(name, role_attributes(cursor), location=location)


def _network_policy(cursor: Cursor, location: int) -> Create:
    name = cursor.identifier()
    return CreateNetworkPolicy(name, option_list(cursor), location=location)


_REPLACEABLE: dict[str, Callable[[Cursor, int, bool], Create]] = {
    "VIEW": _view,
    "MATERIALIZED VIEW": _materialized_view,
    "CONNECTION": _connection,
    "FUNCTION": create_function,
}
_PLAIN: dict[str, Callable[[Cursor, int], Create]] = {
    "DATABASE": _database,
    "SCHEMA": _schema,
    "TABLE": create_table,
    "REPLACEMENT MATERIALIZED VIEW": _replacement,
    "DEFAULT INDEX": _default_index,
    "INDEX": _index,
    "TYPE": _type,
    "SECRET": _secret,
    "CLUSTER REPLICA": _cluster_replica,
    "CLUSTER": _cluster,
    "ROLE": _role,
    "NETWORK POLICY": _network_policy,
    "SOURCE": create_source,
    "SINK": create_sink,
}
