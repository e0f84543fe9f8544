"""New items: a statement with whole names, what follows from it, and who may do what with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from holdfast.adapter.catalog.ddl.placing import Place
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import CreateItem, Definition, defined, name_of, with_definition
from holdfast.adapter.catalog.errors import InvalidObjectDefinition
from holdfast.adapter.catalog.functions import uses_of
from holdfast.adapter.catalog.objects import DefaultKind, Grant, Item, ItemKind
from holdfast.adapter.catalog.privileges import OF_ITEMS, granted, require_types
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.catalog.whole import Whole, whole
from holdfast.repr.ids import GlobalId
from holdfast.sql.render import render
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.create import CreateIndex

Statement = TypeVar("Statement", bound=CreateItem)

_DEFAULTS: dict[ItemKind, DefaultKind] = {
    "table": "TABLES",
    "view": "TABLES",
    "materialized-view": "TABLES",
    "index": "TABLES",
    "type": "TYPES",
    "function": "TYPES",
}
"""What default privileges of the kind are said of. Those that an item cannot have do not count."""


def at_path(statement: Statement, path: tuple[str, ...]) -> Statement:
    """The statement with the whole name of its item. An index is where its relation is, and has no path."""
    if isinstance(statement, CreateIndex):
        return replace(statement, name=path[-1])
    return replace(statement, name=ObjectName(path, location=statement.name.location))


def named_wholly(work: Work, statement: Statement, place: Place) -> Whole[Statement]:
    """The statement as it is kept, if the role may mention what it mentions."""
    path = (*work.state.path_of(place.schema), name_of(statement))
    found = whole(at_path(statement, path), work.names)
    if place.session is None:
        _check_lasting(work.state, found.uses)
    require_types(work.state, work.role, found.uses)
    return found


def _check_lasting(state: CatalogState, uses: frozenset[GlobalId]) -> None:
    for used in sorted(uses, key=lambda each: each.number):
        if state.item(used).session is not None:
            raise InvalidObjectDefinition(
                f'an item that is not temporary cannot depend on temporary item "{state.item(used).name}"'
            )


def make(
    work: Work, kind: ItemKind, found: Whole[Statement], place: Place, definition: Definition | None = None
) -> Item:
    """The new item. Its name must be free."""
    known = work.given()
    item = Item(
        GlobalId.parse(known.id),
        known.oid,
        name_of(found.statement),
        place.schema.id,
        kind,
        render(found.statement),
        work.role.id,
        uses=uses_of(found.statement, found.uses, work.names),
        grants=_grants(work, kind, place),
        session=place.session,
    )
    item = with_definition(item, definition or defined(found.statement, work.names))
    work.add(item)
    return item


def _grants(work: Work, kind: ItemKind, place: Place) -> tuple[Grant, ...]:
    schema = place.schema
    return first_grants(work, _DEFAULTS[kind], OF_ITEMS[kind], database=schema.database, schema=schema.id)


def first_grants(
    work: Work, kind: DefaultKind, privileges: frozenset[str], database: str | None = None, schema: str | None = None
) -> tuple[Grant, ...]:
    """What a new object of the role is granted: all to the role, and what was said before of such objects."""
    owner = work.role.id
    said = (
        Grant(default.grantee, owner, default.privileges & privileges)
        for default in work.state.default_grants.values()
        if default.kind == kind
        and default.creator in (None, owner)
        and default.database in (None, database)
        and default.schema in (None, schema)
    )
    return granted([Grant(owner, owner, privileges), *said])
