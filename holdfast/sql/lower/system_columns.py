"""Columns that PostgreSQL's relations have beside their own: which relation a row is of, and who wrote it.

The first is known of every relation of the catalog. The second only of the system's, which have one writer; of a
user's it would say that nothing has changed.
"""

from __future__ import annotations

from typing import Final

from holdfast.plan.scalar import Constant
from holdfast.plan.types import OID
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.scope import Scope

_TABLE, _WRITER = "tableoid", "xmin"
SYSTEM_COLUMNS: Final = frozenset({_TABLE, _WRITER})
_FIRST_TRANSACTION: Final = 1


def system_column(parts: tuple[str, ...], scope: Scope) -> Constant | None:
    """What the name means if no relation has a column of its own of that name; None if it means nothing."""
    *qualifier, name = parts
    for _, around in scope.levels():
        if around.hidden:
            continue
        items = [item for item in around.items if (item.called(tuple(qualifier)) if qualifier else item.bare)]
        if any(name in item.columns for item in items):
            return None
        known = [item.known for item in items if item.known is not None]
        if known:
            return _value(name, known[0]) if len(known) == 1 else None
    return None


def _value(name: str, relation: CatalogRelation) -> Constant | None:
    if name == _TABLE:
        return None if relation.oid is None else Constant(relation.oid, OID)
    return Constant(_FIRST_TRANSACTION, OID) if relation.kind == "system" else None
