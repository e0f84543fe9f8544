"""The rows of the system's relations, as Arrow tables. What follows from the catalog alone is made once per version."""

from __future__ import annotations

from collections.abc import Hashable

import pyarrow as pa

from holdfast.adapter.catalog.builtin.introspection import Introspection
from holdfast.adapter.catalog.builtin.recent import Recent
from holdfast.adapter.catalog.builtin.registry import BUILTINS, system_relations
from holdfast.adapter.catalog.builtin.relation import Builtin
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.compute.evaluate.values import table_of
from holdfast.errors import UsageError


class Contents:
    """The tables of one server's system relations. Versions of its catalog tell them apart."""

    def __init__(self, size: int = 200) -> None:
        self._tables: Recent[pa.Table] = Recent(size)

    def table(self, id: str, introspection: Introspection) -> pa.Table:
        """The relation of this id, which is no view, its columns in order."""
        found = BUILTINS[id]
        if not isinstance(found, Builtin):
            raise UsageError(f"{found.name} is a view")
        if found.follows == "session":
            return _made(found, introspection)
        return self._tables.get(_key(found, introspection), lambda: _made(found, introspection))


def _key(found: Builtin, introspection: Introspection) -> Hashable:
    if found.follows == "system":
        return (found.id,)
    state, session = introspection.state, introspection.session
    own = session if state.items_of_session(session) else None
    role = introspection.role if found.follows == "role" else None
    return found.id, state.version, introspection.database, own, role


def _made(found: Builtin, introspection: Introspection) -> pa.Table:
    rows = list(found.rows(Shown(introspection, system_relations())))
    return table_of(rows, [column.type for column in found.columns], [column.name for column in found.columns])
