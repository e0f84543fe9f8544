"""What the server is doing: sessions, statements, subscriptions, frontiers."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.state import CLUSTER, CLUSTER_ID


def _sessions(shown: Shown) -> Iterator[Row]:
    for found in shown.introspection.sessions:
        yield found.id, found.connection_id, found.role_id, found.client_ip, found.connected_at


def _history(shown: Shown) -> Iterator[Row]:
    for found in shown.introspection.sessions:
        yield found.id, found.connected_at, found.application_name, shown.role_name(found.role_id)


def _subscriptions(shown: Shown) -> Iterator[Row]:
    for found in shown.introspection.subscriptions:
        yield found.id, found.session_id, CLUSTER_ID, found.created_at, found.object_ids


def _activity(shown: Shown) -> Iterator[Row]:
    role = shown.introspection.role
    for found in shown.introspection.activity:
        if not role.superuser and found.user != role.name:
            continue
        yield (
            found.execution_id,
            1.0,
            CLUSTER_ID,
            found.application_name,
            CLUSTER,
            found.database,
            found.search_path,
            found.transaction_isolation,
            found.execution_timestamp,
            found.params,
            found.began_at,
            found.finished_at,
            found.finished_status,
            found.error_message,
            found.result_size,
            found.rows_returned,
            found.execution_strategy,
            found.session_id,
            found.statement_type,
            found.user,
            found.sql,
        )


def _frontiers(shown: Shown) -> Iterator[Row]:
    """Of tables, and of materialized views that a dataflow has begun to keep."""
    kept = {entry.id for entry in shown.introspection.dataflows}
    for item in shown.items:
        if item.kind == "table" or (item.kind == "materialized-view" and item.id in kept):
            since, upper = shown.introspection.frontiers(item.id)
            yield str(item.id), since.time, upper.time


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        17040,
        "mz_internal",
        "mz_sessions",
        columns("id text!, connection_id uint4!, role_id text!, client_ip text, connected_at timestamptz!"),
        _sessions,
        "session",
    ),
    Builtin(
        17041,
        "mz_internal",
        "mz_session_history",
        columns(
            "session_id text!, connected_at timestamptz!, initial_application_name text!, authenticated_user text!"
        ),
        _history,
        "session",
    ),
    Builtin(
        17042,
        "mz_internal",
        "mz_subscriptions",
        columns("id text!, session_id text!, cluster_id text!, created_at timestamptz!, referenced_object_ids text[]!"),
        _subscriptions,
        "session",
    ),
    Builtin(
        17043,
        "mz_internal",
        "mz_recent_activity_log",
        columns(
            "execution_id text!, sample_rate float8!, cluster_id text, application_name text!, cluster_name text, "
            "database_name text!, search_path text[]!, transaction_isolation text!, execution_timestamp uint8, "
            "params text[]!, began_at timestamptz!, finished_at timestamptz, finished_status text, "
            "error_message text, result_size int8, rows_returned int8, execution_strategy text, session_id text!, "
            "statement_type text!, authenticated_user text!, sql text!"
        ),
        _activity,
        "session",
    ),
    Builtin(
        17044,
        "mz_internal",
        "mz_frontiers",
        columns("object_id text!, read_frontier mz_timestamp, write_frontier mz_timestamp"),
        _frontiers,
        "session",
    ),
)
