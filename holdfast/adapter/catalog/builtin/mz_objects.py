"""`mz_catalog`: databases, schemas, relations, columns, types and functions."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.routines import routines
from holdfast.adapter.catalog.builtin.shown import Shown, ShownRelation
from holdfast.adapter.catalog.builtin.system_types import SYSTEM_TYPES
from holdfast.adapter.catalog.builtin.type_facts import modifier_of
from holdfast.adapter.catalog.builtin.user_functions import function_rows
from holdfast.adapter.catalog.objects import PUBLIC, Grant
from holdfast.adapter.catalog.state import CLUSTER_ID, SYSTEM
from holdfast.sql.render.query import SQL

_OBJECT = (
    "id text!, oid oid!, schema_id text!, name text!, type text!, owner_id text!, cluster_id text, privileges text[]"
)
_MADE = "owner_id text!, privileges text[]!, create_sql text, redacted_create_sql text"
USABLE = (Grant(PUBLIC, SYSTEM, frozenset("U")), Grant(SYSTEM, SYSTEM, frozenset("U")))
"""What is granted on every type of the system."""


def _databases(shown: Shown) -> Iterator[Row]:
    for found in shown.state.databases.values():
        yield found.id, found.oid, found.name, found.owner, shown.mz_acl(found.grants)


def _schemas(shown: Shown) -> Iterator[Row]:
    for found in shown.state.schemas.values():
        yield found.id, found.oid, found.database, found.name, found.owner, shown.mz_acl(found.grants)


def _tables(shown: Shown) -> Iterator[Row]:
    for found in shown.relations:
        if found.kind == "table":
            yield (*_named(found), found.owner, shown.mz_acl(found.grants), found.sql, found.sql, None)


def _views(shown: Shown) -> Iterator[Row]:
    for found in shown.relations:
        if found.kind == "view":
            made = (found.owner, shown.mz_acl(found.grants), found.sql, found.sql)
            yield (*_named(found), definition_of(found), *made)


def _named(found: ShownRelation) -> Row:
    return found.id, found.oid, found.schema.id, found.name


def definition_of(found: ShownRelation) -> str | None:
    """The query of a view."""
    if found.item is not None and found.item.query is not None:
        return f"{SQL.query(found.item.query)};"
    return None if found.definition is None else f"{found.definition};"


def _relations(shown: Shown) -> Iterator[Row]:
    for found in shown.relations:
        cluster = CLUSTER_ID if found.kind == "materialized-view" else None
        yield (*_named(found), found.kind, found.owner, cluster, shown.mz_acl(found.grants))


def _objects(shown: Shown) -> Iterator[Row]:
    yield from _relations(shown)
    for item in shown.indexes:
        yield str(item.id), item.oid, item.schema, item.name, "index", item.owner, CLUSTER_ID, None
    for id_, oid, schema, name, _, owner, privileges, *_ in _types(shown):
        yield id_, oid, schema, name, "type", owner, None, privileges
    for id_, oid, schema, name, *_, owner in _functions(shown):
        yield id_, oid, schema, name, "function", owner, None, None


def _columns(shown: Shown) -> Iterator[Row]:
    for found in shown.relations:
        for position, column in enumerate(found.columns, start=1):
            oid, modifier = shown.type_oid(column.type), modifier_of(column.type)
            type_ = str(column.type)
            yield found.id, column.name, position, column.nullable, type_, column.default, oid, modifier


def _types(shown: Shown) -> Iterator[Row]:
    for system in SYSTEM_TYPES:
        schema = shown.state.schema_named(None, system.schema)
        assert schema is not None
        acl = shown.mz_acl(USABLE)
        yield f"s{system.oid}", system.oid, schema.id, system.name, system.kind, SYSTEM, acl, None, None
    for item in shown.types:
        category = "composite" if item.type is None or item.type.base == "record" else item.type.base
        acl = shown.mz_acl(item.grants)
        yield str(item.id), item.oid, item.schema, item.name, category, item.owner, acl, item.sql, item.sql


def _functions(shown: Shown) -> Iterator[Row]:
    schema = shown.state.schema_named(None, "pg_catalog")
    assert schema is not None
    for found in routines():
        arguments = tuple(f"s{oid}" for oid in found.argument_oids)
        variadic = f"s{found.variadic_oid}" if found.variadic_oid else None
        result = f"s{found.result_oid}" if found.result_oid else None
        yield f"s{found.oid}", found.oid, schema.id, found.name, arguments, variadic, result, found.returns_set, SYSTEM
    yield from function_rows(shown)


def _array_types(_: Shown) -> Iterator[Row]:
    for found in SYSTEM_TYPES:
        if found.kind == "array":
            yield f"s{found.oid}", f"s{found.element_oid}"


def _base_types(_: Shown) -> Iterator[Row]:
    for found in SYSTEM_TYPES:
        if found.kind == "base":
            yield (f"s{found.oid}",)


def _pseudo_types(_: Shown) -> Iterator[Row]:
    for found in SYSTEM_TYPES:
        if found.kind == "pseudo":
            yield (f"s{found.oid}",)


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        17000,
        "mz_catalog",
        "mz_databases",
        columns("id text!, oid oid!, name text!, owner_id text!, privileges text[]!"),
        _databases,
    ),
    Builtin(
        17001,
        "mz_catalog",
        "mz_schemas",
        columns("id text!, oid oid!, database_id text, name text!, owner_id text!, privileges text[]!"),
        _schemas,
    ),
    Builtin(
        17002,
        "mz_catalog",
        "mz_tables",
        columns(f"id text!, oid oid!, schema_id text!, name text!, {_MADE}, source_id text"),
        _tables,
    ),
    Builtin(
        17003,
        "mz_catalog",
        "mz_views",
        columns(f"id text!, oid oid!, schema_id text!, name text!, definition text, {_MADE}"),
        _views,
    ),
    Builtin(17004, "mz_catalog", "mz_relations", columns(_OBJECT), _relations),
    Builtin(17005, "mz_catalog", "mz_objects", columns(_OBJECT), _objects),
    Builtin(
        17006,
        "mz_catalog",
        "mz_columns",
        columns(
            "id text!, name text!, position uint8!, nullable bool!, type text!, default text, type_oid oid!, "
            "type_mod int4!"
        ),
        _columns,
    ),
    Builtin(
        17007,
        "mz_catalog",
        "mz_types",
        columns(f"id text!, oid oid!, schema_id text!, name text!, category text!, {_MADE}"),
        _types,
    ),
    Builtin(
        17008,
        "mz_catalog",
        "mz_functions",
        columns(
            "id text!, oid oid!, schema_id text!, name text!, argument_type_ids text[]!, "
            "variadic_argument_type_id text, return_type_id text, returns_set bool!, owner_id text!"
        ),
        _functions,
    ),
    Builtin(17009, "mz_catalog", "mz_array_types", columns("id text!, element_id text!"), _array_types, "system"),
    Builtin(17010, "mz_catalog", "mz_base_types", columns("id text!"), _base_types, "system"),
    Builtin(17011, "mz_catalog", "mz_pseudo_types", columns("id text!"), _pseudo_types, "system"),
)
