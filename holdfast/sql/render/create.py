"""CREATE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from holdfast.sql.render.format import envelope, format_of, formats, includes
from holdfast.sql.render.option import options
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted, identifier, names, string
from holdfast.sql.render.role import role_attributes
from holdfast.sql.render.types import type_name
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.create import (
    AllTables,
    CheckInput,
    ColumnDefinition,
    Create,
    CreateCluster,
    CreateClusterReplica,
    CreateConnection,
    CreateDatabase,
    CreateFunction,
    CreateIndex,
    CreateMaterializedView,
    CreateNetworkPolicy,
    CreateRole,
    CreateSchema,
    CreateSecret,
    CreateSink,
    CreateSource,
    CreateTable,
    CreateTableFromSource,
    CreateType,
    CreateView,
    CreateWebhook,
    FunctionArgument,
    ListDefinition,
    MapDefinition,
    OfSchemas,
    OfTables,
    RecordDefinition,
    Upstream,
    UpstreamTable,
    WebhookCheck,
)


def create(statement: Create) -> str:
    return " ".join(["CREATE", *_parts(statement)])


def _parts(statement: Create) -> Iterable[str]:
    match statement:
        case CreateDatabase(name=name):
            return ["DATABASE", *_skip(statement.if_not_exists), identifier(name)]
        case CreateSchema(name=name):
            return ["SCHEMA", *_skip(statement.if_not_exists), dotted(name.parts)]
        case CreateTable():
            return _table(statement)
        case CreateTableFromSource():
            return _table_from_source(statement)
        case CreateView():
            return _view(statement)
        case CreateMaterializedView():
            return _materialized_view(statement)
        case CreateIndex():
            return _index(statement)
        case CreateType():
            return _type(statement)
        case CreateSecret(name=name, value=value):
            return ["SECRET", *_skip(statement.if_not_exists), dotted(name.parts), "AS", SQL.expression(value)]
        case CreateCluster(name=name, options=given):
            return ["CLUSTER", *_skip(statement.if_not_exists), identifier(name), *_listed(given)]
        case CreateClusterReplica(cluster=cluster, name=name, options=given):
            full = f"{identifier(cluster)}.{identifier(name)}"
            return ["CLUSTER REPLICA", *_skip(statement.if_not_exists), full, *_listed(given)]
        case CreateRole(name=name, attributes=attributes):
            return ["ROLE", identifier(name), *role_attributes(attributes)]
        case CreateNetworkPolicy(name=name, options=given):
            return ["NETWORK POLICY", identifier(name), f"({options(given, SQL)})"]
        case CreateConnection():
            return _connection(statement)
        case CreateSource():
            return _source(statement)
        case CreateWebhook():
            return _webhook(statement)
        case CreateSink():
            return _sink(statement)
        case CreateFunction():
            return _function(statement)
        case _:
            assert_never(statement)


def with_options(given: tuple[Option, ...]) -> list[str]:
    """The clause, if there is one."""
    return [f"WITH ({options(given, SQL)})"] if given else []


def column_definition(column: ColumnDefinition) -> str:
    parts = [identifier(column.name), type_name(column.type)]
    if not column.nullable:
        parts.append("NOT NULL")
    if column.default is not None:
        parts.append(f"DEFAULT ({SQL.expression(column.default)})")
    return " ".join(parts)


def upstream_table(table: UpstreamTable) -> str:
    return dotted(table.name.parts) + (f" AS {dotted(table.alias.parts)}" if table.alias is not None else "")


def _skip(if_not_exists: bool) -> list[str]:
    return ["IF NOT EXISTS"] if if_not_exists else []


def _listed(given: tuple[Option, ...]) -> list[str]:
    return [f"({options(given, SQL)})"] if given else []


def _cluster(cluster: str | None) -> list[str]:
    return [f"IN CLUSTER {identifier(cluster)}"] if cluster is not None else []


def _named(name: ObjectName, columns: tuple[str, ...]) -> str:
    return f"{dotted(name.parts)} ({names(columns)})" if columns else dotted(name.parts)


def _table(statement: CreateTable) -> list[str]:
    items = [column_definition(column) for column in statement.columns]
    items += [f"{item.kind} ({names(item.columns)})" for item in statement.constraints]
    return [
        *(["TEMPORARY"] if statement.temporary else []),
        "TABLE",
        *_skip(statement.if_not_exists),
        f"{dotted(statement.name.parts)} ({', '.join(items)})",
        *with_options(statement.options),
    ]


def _table_from_source(statement: CreateTableFromSource) -> list[str]:
    reference = statement.reference
    return [
        "TABLE",
        *_skip(statement.if_not_exists),
        _named(statement.name, statement.columns),
        f"FROM SOURCE {dotted(statement.source.parts)}",
        *([f"(REFERENCE = {dotted(reference.parts)})"] if reference is not None else []),
        *formats(statement.formats),
        *includes(statement.include),
        *envelope(statement.envelope),
        *with_options(statement.options),
    ]


def _view(statement: CreateView) -> list[str]:
    return [
        *(["OR REPLACE"] if statement.or_replace else []),
        *(["TEMPORARY"] if statement.temporary else []),
        "VIEW",
        *_skip(statement.if_not_exists),
        _named(statement.name, statement.columns),
        f"AS {SQL.query(statement.query)}",
    ]


def _materialized_view(statement: CreateMaterializedView) -> list[str]:
    replaces = statement.replaces
    return [
        *(["OR REPLACE"] if statement.or_replace else []),
        *(["REPLACEMENT"] if replaces is not None else []),
        "MATERIALIZED VIEW",
        *_skip(statement.if_not_exists),
        _named(statement.name, statement.columns),
        *([f"FOR {dotted(replaces.parts)}"] if replaces is not None else []),
        *_cluster(statement.cluster),
        *with_options(statement.options),
        f"AS {SQL.query(statement.query)}{SQL.as_of(statement.as_of)}",
    ]


def _index(statement: CreateIndex) -> list[str]:
    return [
        "DEFAULT INDEX" if statement.key is None else "INDEX",
        *_skip(statement.if_not_exists),
        *([identifier(statement.name)] if statement.name is not None else []),
        *_cluster(statement.cluster),
        f"ON {dotted(statement.on.parts)}",
        *([f"({SQL.listed(statement.key)})"] if statement.key is not None else []),
        *with_options(statement.options),
    ]


def _type(statement: CreateType) -> list[str]:
    match statement.definition:
        case RecordDefinition(fields=fields):
            definition = f"({SQL.column_types(fields)})"
        case ListDefinition(element=element):
            definition = f"LIST (ELEMENT TYPE = {type_name(element)})"
        case MapDefinition(key=key, value=value):
            definition = f"MAP (KEY TYPE = {type_name(key)}, VALUE TYPE = {type_name(value)})"
        case _:
            assert_never(statement.definition)
    return ["TYPE", dotted(statement.name.parts), "AS", definition]


def _connection(statement: CreateConnection) -> list[str]:
    return [
        *(["OR REPLACE"] if statement.or_replace else []),
        "CONNECTION",
        *_skip(statement.if_not_exists),
        dotted(statement.name.parts),
        f"TO {statement.kind}",
        *_listed(statement.options),
        *with_options(statement.with_options),
    ]


def _upstream(upstream: Upstream) -> list[str]:
    connection = upstream.connection
    named = [f"CONNECTION {dotted(connection.parts)}"] if connection is not None else []
    return [upstream.kind, *named, *_listed(upstream.options)]


def _source(statement: CreateSource) -> list[str]:
    progress = statement.progress
    return [
        "SOURCE",
        *_skip(statement.if_not_exists),
        dotted(statement.name.parts),
        *_cluster(statement.cluster),
        "FROM",
        *_upstream(statement.upstream),
        *formats(statement.formats),
        *includes(statement.include),
        *envelope(statement.envelope),
        *_references(statement.references),
        *([f"EXPOSE PROGRESS AS {dotted(progress.parts)}"] if progress is not None else []),
        *with_options(statement.options),
    ]


def _references(references: AllTables | OfSchemas | OfTables | None) -> list[str]:
    match references:
        case None:
            return []
        case AllTables():
            return ["FOR ALL TABLES"]
        case OfSchemas(schemas=schemas):
            return [f"FOR SCHEMAS ({names(schemas)})"]
        case OfTables(tables=tables):
            return [f"FOR TABLES ({', '.join(map(upstream_table, tables))})"]
        case _:
            assert_never(references)


def _webhook(statement: CreateWebhook) -> list[str]:
    return [
        "TABLE" if statement.as_table else "SOURCE",
        *_skip(statement.if_not_exists),
        dotted(statement.name.parts),
        *_cluster(statement.cluster),
        f"FROM WEBHOOK BODY FORMAT {format_of(statement.body)}",
        *includes(statement.include),
        *([f"CHECK ({_check(statement.check)})"] if statement.check is not None else []),
    ]


def _check(check: WebhookCheck) -> str:
    inputs = f"WITH ({', '.join(map(_check_input, check.inputs))}) " if check.inputs else ""
    return inputs + SQL.expression(check.condition)


def _check_input(item: CheckInput) -> str:
    parts = [item.kind if item.secret is None else f"{item.kind} {dotted(item.secret.parts)}"]
    if item.alias is not None:
        parts.append(f"AS {identifier(item.alias)}")
    return " ".join([*parts, "BYTES"] if item.bytes else parts)


def _sink(statement: CreateSink) -> list[str]:
    key = statement.key
    parts = ["SINK", *_skip(statement.if_not_exists)]
    if statement.name is not None:
        parts.append(dotted(statement.name.parts))
    parts += [*_cluster(statement.cluster), f"FROM {dotted(statement.relation.parts)} INTO"]
    parts += _upstream(statement.into)
    if key is not None:
        parts.append(f"KEY ({names(key.columns)}){'' if key.enforced else ' NOT ENFORCED'}")
    if statement.headers is not None:
        parts.append(f"HEADERS {identifier(statement.headers)}")
    parts += [*formats(statement.formats), *envelope(statement.envelope)]
    if statement.mode is not None:
        parts.append(f"MODE {statement.mode}")
    return [*parts, *with_options(statement.options)]


def _function(statement: CreateFunction) -> list[str]:
    parts = ["OR REPLACE"] if statement.or_replace else []
    parts += ["FUNCTION", *_skip(statement.if_not_exists)]
    parts.append(f"{dotted(statement.name.parts)}({', '.join(map(_argument, statement.arguments))})")
    if statement.returns is not None:
        parts.append(f"RETURNS {type_name(statement.returns)}")
    else:
        parts.append(f"RETURNS TABLE ({SQL.column_types(statement.columns)})")
    parts.append(f"LANGUAGE {identifier(statement.language)}")
    if statement.volatility is not None:
        parts.append(statement.volatility)
    if statement.strict:
        parts.append("STRICT")
    return [*parts, *with_options(statement.options), f"AS {string(statement.body)}"]


def _argument(argument: FunctionArgument) -> str:
    named = f"{identifier(argument.name)} " if argument.name is not None else ""
    return named + type_name(argument.type)
