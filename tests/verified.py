"""What is maintained is what it is from scratch: asked of every view and index that a test leaves behind."""

from __future__ import annotations

import psycopg
from psycopg import sql

_MAINTAINED = """
    SELECT o.type, d.name, s.name, o.name
    FROM mz_catalog.mz_objects AS o
    JOIN mz_catalog.mz_schemas AS s ON s.id = o.schema_id
    JOIN mz_catalog.mz_databases AS d ON d.id = s.database_id
    WHERE o.type = 'materialized-view'
    OR o.type = 'index' AND NOT EXISTS (
        SELECT FROM mz_catalog.mz_index_columns AS c JOIN mz_catalog.mz_indexes AS i ON i.id = c.index_id
        JOIN mz_catalog.mz_tables AS t ON t.id = i.on_id
        WHERE c.index_id = o.id AND c.on_expression IS NOT NULL)
    ORDER BY o.id
"""
"""Materialized views, and indexes, of which those of tables by an expression have nothing to verify."""


def verify_all(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """No row is missing or extra, and nothing errs."""
    for kind, *path in connection.execute(_MAINTAINED).fetchall():
        name = sql.Identifier(*map(str, path))
        what = sql.SQL("INDEX" if kind == "index" else "MATERIALIZED VIEW")
        differing = connection.execute(sql.SQL("VERIFY {} {}").format(what, name)).fetchall()
        assert differing == [], f"{path}: {differing[:5]}"
