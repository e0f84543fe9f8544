"""`mz_internal`: what is known about objects beside the objects: comments, dependencies, whole names, retention."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.state import CLUSTER_ID
from holdfast.repr.ids import GlobalId

_EDGES = columns("object_id text!, referenced_object_id text!")


def _comments(shown: Shown) -> Iterator[Row]:
    kinds = {
        **dict.fromkeys(shown.state.roles, "role"),
        **dict.fromkeys(shown.state.databases, "database"),
        **dict.fromkeys(shown.state.schemas, "schema"),
        **{str(item.id): item.kind for item in shown.items},
    }
    for found in shown.state.comments.values():
        if found.object in kinds:
            yield found.object, kinds[found.object], found.column, found.text


def _dependencies(shown: Shown) -> Iterator[Row]:
    for item in shown.items:
        for used in sorted(map(str, item.uses)):
            yield str(item.id), used


def _transitive(shown: Shown) -> Iterator[Row]:
    for item in shown.items:
        seen, waiting = set[GlobalId](), list(item.uses)
        while waiting:
            used = waiting.pop()
            if used not in seen:
                seen.add(used)
                waiting += shown.state.items[used].uses if used in shown.state.items else ()
        for each in sorted(map(str, seen)):
            yield str(item.id), each


def _whole_names(shown: Shown) -> Iterator[Row]:
    databases = shown.state.databases
    for found in shown.relations:
        schema = found.schema
        database = None if schema.database is None else databases[schema.database].name
        cluster = CLUSTER_ID if found.kind == "materialized-view" else None
        yield found.id, found.name, found.kind, schema.id, schema.name, schema.database, database, cluster
    for item in (*shown.indexes, *shown.types):
        schema = shown.state.schemas[item.schema]
        database = None if schema.database is None else databases[schema.database].name
        cluster = CLUSTER_ID if item.kind == "index" else None
        yield str(item.id), item.name, item.kind, schema.id, schema.name, schema.database, database, cluster


def _retention(shown: Shown) -> Iterator[Row]:
    for item in shown.items:
        if item.retain_history is not None:
            yield str(item.id), "FOR", str(item.retain_history)


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        17060,
        "mz_internal",
        "mz_comments",
        columns("id text!, object_type text!, object_sub_id int4, comment text!"),
        _comments,
    ),
    Builtin(17061, "mz_internal", "mz_object_dependencies", _EDGES, _dependencies),
    Builtin(17062, "mz_internal", "mz_object_transitive_dependencies", _EDGES, _transitive),
    Builtin(
        17063,
        "mz_internal",
        "mz_object_fully_qualified_names",
        columns(
            "id text!, name text!, object_type text!, schema_id text!, schema_name text!, database_id text, "
            "database_name text, cluster_id text"
        ),
        _whole_names,
    ),
    Builtin(
        17064,
        "mz_internal",
        "mz_history_retention_strategies",
        columns("id text!, strategy text!, value jsonb!"),
        _retention,
    ),
)
