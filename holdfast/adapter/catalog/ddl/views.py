"""Views: CREATE [OR REPLACE] VIEW."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from holdfast.adapter.catalog.ddl.drop import drop_item
from holdfast.adapter.catalog.ddl.making import make, named_wholly
from holdfast.adapter.catalog.ddl.placing import Place, is_taken, place_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import defined
from holdfast.adapter.catalog.objects import Column, Item
from holdfast.adapter.catalog.privileges import require_owner
from holdfast.sql import plan_query
from holdfast.sql.errors import DuplicateColumn, WrongObjectType
from holdfast.sql.syntax.statement.create import CreateMaterializedView, CreateView


def create_view(statement: CreateView, work: Work) -> None:
    place = place_of(work, statement.name, temporary=statement.temporary)
    old = replaced(work, statement, place, "view") if statement.or_replace else None
    if old is None and is_taken(work, place, statement.name, skip=statement.if_not_exists):
        return
    plain = replace(statement, if_not_exists=False, or_replace=False, temporary=place.session is not None)
    if old is not None:
        # Before it is planned: a view cannot be made of itself.
        drop_item(work, old)
    found = named_wholly(work, plain, place)
    definition = defined(found.statement, work.names)
    check_columns(definition.columns, statement.location)
    # As it will be read: with all that the views it reads are made of.
    plan_query(found.statement.query, work.names)
    item = make(work, "view", found, place, definition)
    if old is not None:
        work.replace(item, replace(item, owner=old.owner, grants=old.grants))


def replaced(
    work: Work, statement: CreateView | CreateMaterializedView, place: Place, kind: Literal["view", "materialized-view"]
) -> Item | None:
    """The view of the name, which nothing may depend on."""
    held = work.state.item_in(place.schema.id, statement.name.parts[-1], place.session)
    if held is None:
        return None
    if held.kind != kind:
        raise WrongObjectType(f'"{held.name}" is not a {kind.replace("-", " ")}', statement.name.location)
    require_owner(work.state, work.role, held)
    return held


def check_columns(columns: Sequence[Column], location: int) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise DuplicateColumn(f'column "{column.name}" specified more than once', location)
        seen.add(column.name)
