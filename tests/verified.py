"""What is maintained is what it is from scratch: asked of every view and index that a test leaves behind."""

from __future__ import annotations

from contextlib import nullcontext, suppress

import psycopg
from psycopg import sql

_MAINTAINED = """
    SELECT o.type, d.name, s.name, o.name
    FROM mz_catalog.mz_objects AS o
    JOIN mz_catalog.mz_schemas AS s ON s.id = o.schema_id
    JOIN mz_catalog.mz_databases AS d ON d.id = s.database_id
    WHERE o.type IN ('materialized-view', 'index')
    ORDER BY o.id
"""


def verify_all(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """No row is missing or extra, and nothing errs."""
    for kind, *path in connection.execute(_MAINTAINED).fetchall():
        name = sql.Identifier(*map(str, path))
        what = sql.SQL("INDEX" if kind == "index" else "MATERIALIZED VIEW")
        # Of a table's index by which nothing is found there is nothing to verify.
        with suppress(psycopg.errors.FeatureNotSupported) if kind == "index" else nullcontext():
            differing = connection.execute(sql.SQL("VERIFY {} {}").format(what, name)).fetchall()
            assert differing == [], f"{path}: {differing[:5]}"
