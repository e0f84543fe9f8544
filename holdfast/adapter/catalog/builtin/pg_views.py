"""`pg_catalog`: the views over its relations that people read."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView

RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    BuiltinView(
        17240,
        "pg_catalog",
        "pg_tables",
        "SELECT n.nspname AS schemaname, c.relname AS tablename, a.rolname AS tableowner, "
        "CAST(NULL AS name) AS tablespace, c.relhasindex AS hasindexes, c.relhasrules AS hasrules, "
        "c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity FROM pg_catalog.pg_class c "
        "LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "LEFT JOIN pg_catalog.pg_authid a ON a.oid = c.relowner WHERE c.relkind IN ('r', 'p')",
    ),
    BuiltinView(
        17241,
        "pg_catalog",
        "pg_views",
        "SELECT n.nspname AS schemaname, c.relname AS viewname, a.rolname AS viewowner, "
        "pg_catalog.pg_get_viewdef(c.oid) AS definition FROM pg_catalog.pg_class c "
        "LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "LEFT JOIN pg_catalog.pg_authid a ON a.oid = c.relowner WHERE c.relkind = 'v'",
    ),
    BuiltinView(
        17242,
        "pg_catalog",
        "pg_matviews",
        "SELECT n.nspname AS schemaname, c.relname AS matviewname, a.rolname AS matviewowner, "
        "CAST(NULL AS name) AS tablespace, c.relhasindex AS hasindexes, c.relispopulated AS ispopulated, "
        "pg_catalog.pg_get_viewdef(c.oid) AS definition FROM pg_catalog.pg_class c "
        "LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "LEFT JOIN pg_catalog.pg_authid a ON a.oid = c.relowner WHERE c.relkind = 'm'",
    ),
    BuiltinView(
        17243,
        "pg_catalog",
        "pg_indexes",
        "SELECT n.nspname AS schemaname, c.relname AS tablename, i.relname AS indexname, "
        "CAST(NULL AS name) AS tablespace, pg_catalog.pg_get_indexdef(i.oid) AS indexdef FROM pg_catalog.pg_index x "
        "JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid "
        "LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace",
    ),
    *(
        BuiltinView(
            oid,
            "pg_catalog",
            f"pg_stat_{which}_tables",
            "SELECT c.oid AS relid, n.nspname AS schemaname, c.relname, CAST(0 AS int8) AS seq_scan, "
            "CAST(0 AS int8) AS seq_tup_read, CAST(0 AS int8) AS idx_scan, CAST(0 AS int8) AS idx_tup_fetch, "
            "CAST(0 AS int8) AS n_tup_ins, CAST(0 AS int8) AS n_tup_upd, CAST(0 AS int8) AS n_tup_del, "
            "CAST(0 AS int8) AS n_live_tup, CAST(0 AS int8) AS n_dead_tup, "
            "CAST(NULL AS timestamptz) AS last_vacuum, CAST(NULL AS timestamptz) AS last_analyze "
            "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            f"WHERE c.relkind = 'r'{condition}",
        )
        for oid, which, condition in (
            (17244, "all", ""),
            (17245, "user", " AND c.oid >= 20000"),
            (17246, "sys", " AND c.oid < 20000"),
        )
    ),
)
