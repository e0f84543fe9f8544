"""The statement that made an item, read again."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from holdfast.adapter.catalog.definition import CreateItem, defined
from holdfast.adapter.catalog.errors import UnreadableCatalog
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.errors import HoldfastError, UsageError
from holdfast.sql.parser import parse_one
from holdfast.sql.render import render
from holdfast.sql.syntax.statement.create import CreateTable, CreateType, CreateView


def statement_of(item: Item) -> CreateItem:
    found = _parsed(item.sql)
    kind = {CreateTable: "table", CreateView: "view", CreateType: "type"}[type(found)]
    if kind != item.kind:
        raise UnreadableCatalog(f"the statement of {item.kind} {item.id} makes a {kind}")
    return found


def table_of(item: Item) -> CreateTable:
    found = statement_of(item)
    if not isinstance(found, CreateTable):
        raise UsageError(f"{item.id} is no table")
    return found


def view_of(item: Item) -> CreateView:
    found = statement_of(item)
    if not isinstance(found, CreateView):
        raise UsageError(f"{item.id} is no view")
    return found


@lru_cache(maxsize=256)
def _parsed(sql: str) -> CreateItem:
    try:
        found = parse_one(sql).statement
    except HoldfastError as error:
        raise UnreadableCatalog(f"a statement of the catalog cannot be read: {error}") from error
    if not isinstance(found, CreateTable | CreateView | CreateType):
        raise UnreadableCatalog("a statement of the catalog makes no item")
    return found


def with_statement(item: Item, statement: CreateItem, names: SessionNames) -> Item:
    """The item with another statement, and what follows from it. What it uses is the same."""
    named = replace(item, name=statement.name.parts[-1], sql=render(statement))
    return settled(named, statement, names)


def settled(item: Item, statement: CreateItem, names: SessionNames) -> Item:
    """The item with what follows from its statement."""
    found = defined(statement, names)
    return replace(item, columns=found.columns, query=found.query, type=found.type, retain_history=found.retain_history)
