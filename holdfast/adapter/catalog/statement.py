"""The statement that made an item, read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from holdfast.adapter.catalog.definition import CreateItem, defined, name_of, with_definition
from holdfast.adapter.catalog.errors import UnreadableCatalog
from holdfast.adapter.catalog.functions import uses_of
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item, ItemKind
from holdfast.errors import HoldfastError, UsageError
from holdfast.sql.parser import parse_one
from holdfast.sql.render import render
from holdfast.sql.syntax.statement.create import (
    CreateFunction,
    CreateIndex,
    CreateMaterializedView,
    CreateTable,
    CreateType,
    CreateView,
)

_KINDS: Mapping[type[CreateItem], ItemKind] = {
    CreateTable: "table",
    CreateView: "view",
    CreateMaterializedView: "materialized-view",
    CreateIndex: "index",
    CreateType: "type",
    CreateFunction: "function",
}


def statement_of(item: Item) -> CreateItem:
    found = _parsed(item.sql)
    kind = _KINDS[type(found)]
    if kind != item.kind:
        raise UnreadableCatalog(f"the statement of {item.kind} {item.id} makes a {kind}")
    return found


def table_of(item: Item) -> CreateTable:
    found = statement_of(item)
    if not isinstance(found, CreateTable):
        raise UsageError(f"{item.id} is no table")
    return found


def view_of(item: Item) -> CreateView | CreateMaterializedView:
    found = statement_of(item)
    if not isinstance(found, CreateView | CreateMaterializedView):
        raise UsageError(f"{item.id} is no view")
    return found


@lru_cache(maxsize=256)
def _parsed(sql: str) -> CreateItem:
    try:
        found = parse_one(sql).statement
    except HoldfastError as error:
        raise UnreadableCatalog(f"a statement of the catalog cannot be read: {error}") from error
    match found:
        case CreateTable() | CreateView() | CreateMaterializedView() | CreateIndex() | CreateType() | CreateFunction():
            return found
    raise UnreadableCatalog("a statement of the catalog makes no item")


def with_statement(item: Item, statement: CreateItem, names: SessionNames) -> Item:
    """The item with another statement, and what follows from it. What it uses is the same."""
    named = replace(item, name=name_of(statement), sql=render(statement))
    return settled(named, statement, names)


def settled(item: Item, statement: CreateItem, names: SessionNames) -> Item:
    """The item with what follows from its statement. What it uses is among what it is said to use."""
    made = with_definition(item, defined(statement, names))
    return replace(made, uses=uses_of(statement, item.uses, names))
