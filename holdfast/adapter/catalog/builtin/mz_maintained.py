"""What is kept up to date: materialized views and indexes, as the catalog has them."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.mz_objects import definition_of
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CLUSTER, CLUSTER_ID, CatalogState
from holdfast.plan.types import Interval
from holdfast.repr.ids import GlobalId


def _materialized_views(shown: Shown) -> Iterator[Row]:
    for found in shown.relations:
        if found.kind == "materialized-view":
            named = (found.id, found.oid, found.schema.id, found.name, CLUSTER_ID)
            yield (*named, definition_of(found), found.owner, shown.mz_acl(found.grants), found.sql, found.sql)


def _indexes(shown: Shown) -> Iterator[Row]:
    for item in shown.indexes:
        yield str(item.id), item.oid, item.name, str(item.on), CLUSTER_ID, item.owner, item.sql, item.sql


def _index_columns(shown: Shown) -> Iterator[Row]:
    for item in shown.indexes:
        for number, part in enumerate(item.key, start=1):
            position = None if part.position is None else part.position + 1
            yield str(item.id), number, position, part.sql if position is None else None, part.nullable


def _strategies(shown: Shown) -> Iterator[Row]:
    for item in shown.items:
        if item.kind != "materialized-view":
            continue
        if not item.refresh:
            yield str(item.id), "on-commit", None, None, None
        for found in item.refresh:
            at = None if found.at is None else found.at * 1000
            if found.interval is None:
                # One at its creation is at a time as good as any other, once it has happened.
                yield str(item.id), "at", None, None, at
            else:
                yield str(item.id), "every", Interval(0, 0, found.interval * 1000), at, None


def read_by(state: CatalogState, item: Item) -> set[GlobalId]:
    """The relations with contents of their own that a materialized view or an index reads, through what has none."""
    found: set[GlobalId] = set()
    waiting = list(item.uses)
    while waiting:
        used = state.items.get(waiting.pop())
        if used is None:
            continue
        if used.kind == "view":
            waiting += used.uses
        elif used.kind in ("table", "materialized-view"):
            found.add(used.id)
    return found


def _dependencies(shown: Shown) -> Iterator[Row]:
    for item in shown.items:
        if item.kind in ("materialized-view", "index"):
            for used in sorted(map(str, read_by(shown.state, item))):
                yield str(item.id), used


def _shown_views(shown: Shown) -> Iterator[Row]:
    comments = shown.state.comments
    for item in shown.items:
        if item.kind == "materialized-view":
            comment = comments.get((str(item.id), None))
            told = "" if comment is None else comment.text
            yield str(item.id), item.schema, CLUSTER_ID, item.name, CLUSTER, None, told


def _shown_indexes(shown: Shown) -> Iterator[Row]:
    comments = shown.state.comments
    for item in shown.indexes:
        assert item.on is not None  # what an index is of
        comment = comments.get((str(item.id), None))
        told = "" if comment is None else comment.text
        key = tuple(part.sql for part in item.key)
        on = shown.state.item(item.on).name
        yield str(item.id), str(item.on), item.schema, CLUSTER_ID, item.name, on, CLUSTER, key, told


_EDGES = columns("object_id text!, dependency_id text!")

RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        17102,
        "mz_catalog",
        "mz_materialized_views",
        columns(
            "id text!, oid oid!, schema_id text!, name text!, cluster_id text!, definition text!, owner_id text!, "
            "privileges text[]!, create_sql text, redacted_create_sql text"
        ),
        _materialized_views,
    ),
    Builtin(
        17103,
        "mz_catalog",
        "mz_indexes",
        columns(
            "id text!, oid oid!, name text!, on_id text!, cluster_id text!, owner_id text!, create_sql text, "
            "redacted_create_sql text"
        ),
        _indexes,
    ),
    Builtin(
        17104,
        "mz_catalog",
        "mz_index_columns",
        columns("index_id text!, index_position uint8!, on_position uint8, on_expression text, nullable bool!"),
        _index_columns,
    ),
    Builtin(
        17154,
        "mz_internal",
        "mz_materialized_view_refresh_strategies",
        columns("materialized_view_id text!, type text!, interval interval, aligned_to timestamptz, at timestamptz"),
        _strategies,
    ),
    Builtin(17144, "mz_internal", "mz_compute_dependencies", _EDGES, _dependencies),
    Builtin(17145, "mz_internal", "mz_materialization_dependencies", _EDGES, _dependencies),
    Builtin(
        17422,
        "mz_internal",
        "mz_show_materialized_views",
        columns(
            "id text!, schema_id text!, cluster_id text!, name text!, cluster text!, replacing text, comment text!"
        ),
        _shown_views,
    ),
    Builtin(
        17423,
        "mz_internal",
        "mz_show_indexes",
        columns(
            "id text!, on_id text!, schema_id text!, cluster_id text!, name text!, on text!, cluster text!, "
            "key text[]!, comment text!"
        ),
        _shown_indexes,
    ),
)
