"""IN CLUSTER, which says where an object is computed."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor


def in_cluster(cursor: Cursor) -> str | None:
    """IN CLUSTER name, if it stands here."""
    return cursor.identifier() if cursor.accept("IN", "CLUSTER") else None
