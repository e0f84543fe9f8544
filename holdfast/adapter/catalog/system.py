"""The relations of the system, as planning sees them."""

from __future__ import annotations

from holdfast.sql.catalog import CatalogRelation


def system_relation(schema: str, name: str) -> CatalogRelation | None:  # noqa: ARG001
    return None
