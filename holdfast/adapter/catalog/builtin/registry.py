"""All relations of the system, by id and by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from holdfast.adapter.catalog.builtin import (
    information_absent,
    information_schema,
    mz_absent,
    mz_access,
    mz_activity,
    mz_dataflows,
    mz_maintained,
    mz_notes,
    mz_objects,
    mz_show,
    mz_steps,
    pg_absent,
    pg_access,
    pg_indexes,
    pg_notes,
    pg_relations,
    pg_routines,
    pg_server,
    pg_types,
    pg_views,
    user_functions,
)
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView
from holdfast.adapter.catalog.builtin.shown import SystemRelation
from holdfast.adapter.catalog.objects import Column
from holdfast.plan.types import Type
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions
from holdfast.sql.parser import parse_query
from holdfast.sql.plan import plan_query
from holdfast.sql.syntax.query import Query

_MODULES = (
    mz_objects,
    mz_access,
    mz_activity,
    mz_maintained,
    mz_dataflows,
    mz_steps,
    mz_notes,
    mz_show,
    mz_absent,
    pg_relations,
    pg_indexes,
    pg_types,
    pg_routines,
    pg_notes,
    pg_access,
    pg_server,
    pg_views,
    pg_absent,
    information_schema,
    information_absent,
    user_functions,
)

BUILTINS: Mapping[str, Builtin | BuiltinView] = {found.id: found for module in _MODULES for found in module.RELATIONS}
_BY_NAME = {(found.schema, found.name): found for found in BUILTINS.values()}


def find(schema: str, name: str) -> CatalogRelation | None:
    """The relation of the system that has this name, as the planner asks for it."""
    found = _BY_NAME.get((schema, name))
    return None if found is None else _relation(found)


@cache
def _relation(found: Builtin | BuiltinView) -> CatalogRelation:
    columns = columns_of(found)
    if isinstance(found, BuiltinView):
        return CatalogRelation(found.id, found.name, columns, (), (found.schema,), _query(found), "system", found.oid)
    return CatalogRelation(found.id, found.name, columns, found.keys, (found.schema,), None, "system", found.oid)


@cache
def columns_of(found: Builtin | BuiltinView) -> tuple[CatalogColumn, ...]:
    if isinstance(found, Builtin):
        return found.columns
    planned = plan_query(_query(found), _SystemOnly())
    types = zip(planned.columns, planned.plan.relation.columns, strict=False)
    return tuple(CatalogColumn(shown.name, shown.type, column.nullable) for shown, column in types)


@cache
def _query(view: BuiltinView) -> Query:
    return parse_query(view.sql)


class _SystemOnly(WithoutFunctions):
    """The catalog in which the system's views are planned: names in them have their schemas."""

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        return find(*parts) if len(parts) == 2 else None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002  # the protocol's
        return None


@cache
def system_relations() -> tuple[SystemRelation, ...]:
    """All of them, as they show themselves."""
    return tuple(
        SystemRelation(
            found.id,
            found.oid,
            found.schema,
            found.name,
            tuple(Column(column.name, column.type, column.nullable) for column in columns_of(found)),
            found.sql if isinstance(found, BuiltinView) else None,
        )
        for found in BUILTINS.values()
    )
