"""`mz_catalog` and `mz_internal`: relations about what we do not have, and the one cluster that all is in."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns, empty
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.objects import PUBLIC, Grant
from holdfast.adapter.catalog.state import CLUSTER, CLUSTER_ID, SYSTEM

_CLUSTER_GRANTS = (Grant(PUBLIC, SYSTEM, frozenset("U")), Grant(SYSTEM, SYSTEM, frozenset("UC")))

_NAMED = "id text!, oid oid!, schema_id text!, name text!"
_MADE = "owner_id text!, privileges text[]!, create_sql text, redacted_create_sql text"

_ABSENT: tuple[tuple[int, str, str, str], ...] = (
    (
        17100,
        "mz_catalog",
        "mz_sources",
        f"{_NAMED}, type text!, connection_id text, size text, envelope_type text, key_format text, "
        f"value_format text, cluster_id text, {_MADE}",
    ),
    (
        17101,
        "mz_catalog",
        "mz_sinks",
        f"{_NAMED}, type text!, connection_id text, size text, envelope_type text, format text, key_format text, "
        "value_format text, cluster_id text!, owner_id text!, create_sql text!, redacted_create_sql text!",
    ),
    (17105, "mz_catalog", "mz_connections", f"{_NAMED}, type text!, {_MADE}"),
    (17106, "mz_catalog", "mz_secrets", f"{_NAMED}, owner_id text!, privileges text[]!"),
    (
        17107,
        "mz_catalog",
        "mz_cluster_replicas",
        "id text!, name text!, cluster_id text!, size text, availability_zone text, owner_id text!, disk bool",
    ),
    (
        17108,
        "mz_catalog",
        "mz_cluster_replica_sizes",
        "size text!, processes uint8!, workers uint8!, cpu_nano_cores uint8, memory_bytes uint8, disk_bytes uint8, "
        "credits_per_hour numeric!",
    ),
    (
        17109,
        "mz_catalog",
        "mz_cluster_replica_frontiers",
        "object_id text!, replica_id text!, write_frontier mz_timestamp",
    ),
    (
        17110,
        "mz_catalog",
        "mz_audit_events",
        "id uint8!, event_type text!, object_type text!, details jsonb!, user text, occurred_at timestamptz!",
    ),
    (17111, "mz_catalog", "mz_kafka_sources", "id text!, group_id_prefix text!, topic text!"),
    (17112, "mz_catalog", "mz_kafka_connections", "id text!, brokers text[]!, sink_progress_topic text!"),
    (17113, "mz_catalog", "mz_kafka_sinks", "id text!, topic text!"),
    (17114, "mz_catalog", "mz_iceberg_sinks", "id text!, namespace text!, table text!"),
    (17115, "mz_catalog", "mz_storage_usage", "object_id text!, size_bytes uint8!, collection_timestamp timestamptz!"),
    (17116, "mz_catalog", "mz_recent_storage_usage", "object_id text!, size_bytes uint8"),
    (17117, "mz_catalog", "mz_egress_ips", "egress_ip text!, prefix_length int4!, cidr text!"),
    (17118, "mz_catalog", "mz_list_types", "id text!, element_id text!, element_modifiers uint8[]"),
    (
        17119,
        "mz_catalog",
        "mz_map_types",
        "id text!, key_id text!, value_id text!, key_modifiers uint8[], value_modifiers uint8[]",
    ),
    *(
        (
            oid,
            "mz_internal",
            name,
            "id text!, name text!, type text!, last_status_change_at timestamptz, status text!, error text, "
            "details jsonb",
        )
        for oid, name in ((17130, "mz_source_statuses"), (17131, "mz_sink_statuses"))
    ),
    *(
        (
            oid,
            "mz_internal",
            f"mz_{kind}_status_history",
            f"occurred_at timestamptz!, {kind}_id text!, status text!, error text, details jsonb, replica_id text",
        )
        for oid, kind in ((17132, "source"), (17133, "sink"))
    ),
    (
        17134,
        "mz_internal",
        "mz_source_statistics",
        "id text!, replica_id text, messages_received uint8!, bytes_received uint8!, updates_staged uint8!, "
        "updates_committed uint8!, records_indexed uint8!, bytes_indexed uint8!, rehydration_latency interval, "
        "snapshot_records_known uint8, snapshot_records_staged uint8, snapshot_committed bool!, offset_known uint8, "
        "offset_committed uint8",
    ),
    (
        17135,
        "mz_internal",
        "mz_sink_statistics",
        "id text!, replica_id text, messages_staged uint8!, messages_committed uint8!, bytes_staged uint8!, "
        "bytes_committed uint8!",
    ),
    (
        17136,
        "mz_internal",
        "mz_source_references",
        "source_id text!, namespace text, name text!, updated_at timestamptz!, columns text[]",
    ),
    (
        17146,
        "mz_internal",
        "mz_cluster_replica_statuses",
        "replica_id text!, process_id uint8!, status text!, reason text, updated_at timestamptz!",
    ),
    (
        17147,
        "mz_internal",
        "mz_cluster_replica_metrics",
        "replica_id text!, process_id uint8!, cpu_nano_cores uint8, memory_bytes uint8, disk_bytes uint8, "
        "heap_bytes uint8, heap_limit uint8",
    ),
    (
        17148,
        "mz_internal",
        "mz_cluster_replica_utilization",
        "replica_id text!, process_id uint8!, cpu_percent float8, memory_percent float8, disk_percent float8, "
        "heap_percent float8",
    ),
    (17149, "mz_internal", "mz_postgres_sources", "id text!, replication_slot text!, timeline_id uint8"),
    (17150, "mz_internal", "mz_postgres_source_tables", "id text!, schema_name text!, table_name text!"),
    (
        17151,
        "mz_internal",
        "mz_kafka_source_tables",
        "id text!, topic text!, envelope_type text, key_format text, value_format text",
    ),
    (17152, "mz_internal", "mz_webhook_sources", "id text!, name text!, url text!"),
    (
        17155,
        "mz_internal",
        "mz_notices",
        "id text!, notice_type text!, message text!, hint text!, action text, redacted_message text, "
        "redacted_hint text, redacted_action text, action_type text, object_id text, created_at timestamptz!",
    ),
    (
        17156,
        "mz_internal",
        "mz_statement_lifecycle_history",
        "statement_id text!, event_type text!, occurred_at timestamptz!",
    ),
    (17158, "mz_internal", "mz_object_graph_edges", "object_id text!, dependency_id text!"),
    (
        17159,
        "mz_internal",
        "mz_compute_operator_hydration_statuses",
        "replica_id text!, object_id text!, physical_plan_node_id uint8!, hydrated bool!",
    ),
    (
        17160,
        "mz_internal",
        "mz_object_history",
        "id text, cluster_id text, object_type text!, created_at timestamptz, dropped_at timestamptz",
    ),
    (
        17161,
        "mz_internal",
        "mz_object_lifetimes",
        "id text, previous_id text, object_type text!, event_type text!, occurred_at timestamptz!",
    ),
    (
        17162,
        "mz_internal",
        "mz_cluster_replica_status_history",
        "replica_id text!, process_id uint8!, status text!, reason text, occurred_at timestamptz!",
    ),
    (
        17163,
        "mz_internal",
        "mz_cluster_replica_metrics_history",
        "replica_id text!, process_id uint8!, cpu_nano_cores uint8, memory_bytes uint8, disk_bytes uint8, "
        "occurred_at timestamptz!, heap_bytes uint8, heap_limit uint8",
    ),
    (
        17164,
        "mz_internal",
        "mz_cluster_reconfigurations",
        "cluster_id text!, status text!, deadline timestamptz, on_timeout text, target jsonb, changes jsonb",
    ),
    (
        17165,
        "mz_internal",
        "mz_index_advice",
        "object_id text!, hint text!, details text!, referenced_object_ids text[]",
    ),
    (17166, "mz_internal", "mz_mcp_data_products", "object_name text!, cluster text, description text"),
    (
        17167,
        "mz_internal",
        "mz_mcp_data_product_details",
        "object_name text!, cluster text, description text, schema jsonb, hydration jsonb",
    ),
    (17168, "mz_catalog", "mz_role_auth", "role_id text!, role_oid oid!, password_hash text, updated_at timestamptz!"),
    (17157, "mz_internal", "mz_network_policies", "id text!, name text!, owner_id text!, privileges text[]!, oid oid!"),
)


def _clusters(shown: Shown) -> Iterator[Row]:
    yield CLUSTER_ID, CLUSTER, SYSTEM, shown.mz_acl(_CLUSTER_GRANTS), True, None, 1, False, None, False, None


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(
        17099,
        "mz_catalog",
        "mz_clusters",
        columns(
            "id text!, name text!, owner_id text!, privileges text[]!, managed bool!, size text, "
            "replication_factor uint4, disk bool, availability_zones text[], introspection_debugging bool, "
            "introspection_interval interval"
        ),
        _clusters,
        "system",
    ),
    *(empty(*found) for found in _ABSENT),
)
