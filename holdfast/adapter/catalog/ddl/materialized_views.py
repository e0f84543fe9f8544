"""Materialized views: CREATE [OR REPLACE] MATERIALIZED VIEW."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.adapter.catalog.ddl.clusters import cluster_of
from holdfast.adapter.catalog.ddl.drop import drop_item
from holdfast.adapter.catalog.ddl.making import make, named_wholly
from holdfast.adapter.catalog.ddl.placing import is_taken, place_of
from holdfast.adapter.catalog.ddl.tables import PARTITION_BY, check_partition
from holdfast.adapter.catalog.ddl.views import check_columns, replaced
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import RETAIN_HISTORY, defined
from holdfast.adapter.catalog.errors import InvalidObjectDefinition, InvalidParameter
from holdfast.adapter.catalog.maintainable import check_maintainable
from holdfast.adapter.catalog.materialized import ASSERT_NOT_NULL, REFRESH
from holdfast.sql import plan_query
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.create import CreateMaterializedView

_SEVERAL = (ASSERT_NOT_NULL, REFRESH)
"""Options that may be given more than once."""


def create_materialized_view(statement: CreateMaterializedView, work: Work) -> None:
    _refuse(statement)
    cluster = cluster_of(statement.cluster, statement.location)
    place = place_of(work, statement.name, temporary=False)
    if place.session is not None:
        raise InvalidObjectDefinition("materialized views cannot be temporary", statement.location)
    old = replaced(work, statement, place, "materialized-view") if statement.or_replace else None
    if old is None and is_taken(work, place, statement.name, skip=statement.if_not_exists):
        return
    if old is not None:
        # Before it is planned: a view cannot be made of itself.
        drop_item(work, old)
    plain = replace(statement, cluster=cluster, if_not_exists=False, or_replace=False)
    found = named_wholly(work, plain, place)
    definition = defined(found.statement, work.names)
    check_columns(definition.columns, statement.location)
    _check_options(statement.options, [column.name for column in definition.columns])
    check_maintainable(plan_query(found.statement.query, work.names).plan)
    item = make(work, "materialized-view", found, place, definition)
    if old is not None:
        work.replace(item, replace(item, owner=old.owner, grants=old.grants))


def _refuse(statement: CreateMaterializedView) -> None:
    if statement.replaces is not None:
        raise NotSupported("CREATE REPLACEMENT MATERIALIZED VIEW is not supported", statement.location)
    if statement.as_of is not None:
        raise NotSupported("CREATE MATERIALIZED VIEW ... AS OF is not supported", statement.as_of.location)


def _check_options(options: Sequence[Option], columns: Sequence[str]) -> None:
    seen: set[str] = set()
    for option in options:
        if option.name == PARTITION_BY:
            check_partition(option, columns)
        elif option.name not in (RETAIN_HISTORY, *_SEVERAL):
            raise InvalidParameter(f'unrecognized parameter "{option.name.lower()}"', option.location)
        if option.name in seen and option.name not in _SEVERAL:
            raise InvalidParameter(f"{option.name} specified more than once", option.location)
        seen.add(option.name)
