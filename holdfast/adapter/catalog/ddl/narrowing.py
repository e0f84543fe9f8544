"""Views that keep the columns they were made with, when a table that they read gets another.

What a view reads by `*`, by NATURAL, or by the name of the row would change its meaning, and the new column might be
taken for one of another relation. Such a view reads the columns that were there by name from then on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from holdfast.adapter.catalog.ddl.ordering import settle
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.mentions import Renaming, nodes, renamed
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.statement import view_of
from holdfast.repr.ids import GlobalId
from holdfast.sql.render import render
from holdfast.sql.syntax.expression import Column, FieldStar, Star
from holdfast.sql.syntax.query import Alias, Derived, Join, Query, Select, Table, Target
from holdfast.sql.syntax.statement.create import CreateMaterializedView, CreateView

View = TypeVar("View", bound=CreateView | CreateMaterializedView)


def narrow_views(work: Work, table: Item, column: str) -> None:
    """Make the views that read `table` indifferent to a new `column` of it."""
    path = work.state.path_of(table)
    narrow: list[GlobalId] = []
    for id_ in sorted(work.state.used_by(table.id), key=lambda each: each.number):
        view = work.state.item(id_)
        if view.query is None:
            continue
        statement = view_of(view)
        if _is_open(statement, path, column):
            work.replace(view, replace(view, sql=render(_narrowed(statement, table, path))))
            narrow.append(id_)
    # A row of the table, as a value, is of the table's type no longer.
    settle(work, narrow)


def _is_open(statement: CreateView | CreateMaterializedView, path: tuple[str, ...], column: str) -> bool:
    rows = {path[-1]}
    for node in nodes(statement):
        if isinstance(node, Table) and node.name.parts == path and node.alias is not None:
            rows.add(node.alias.name)
    return any(
        isinstance(node, Star | FieldStar)
        or (isinstance(node, Join) and node.natural)
        or (isinstance(node, Column) and (column in node.parts or (len(node.parts) == 1 and node.parts[0] in rows)))
        for node in nodes(statement)
    )


def _narrowed(statement: View, table: Item, path: tuple[str, ...]) -> View:
    targets = tuple(Target(Column((column.name,))) for column in table.columns)

    def columns_of(found: Table) -> Table | Derived:
        if found.name.parts != path:
            return found
        query = Query(Select(targets, (replace(found, alias=None),)))
        return Derived(query, found.alias or Alias(path[-1]))

    def unqualified(found: Column | Star) -> Column | Star:
        """A table with an alias, as it has one now, is not known by its path."""
        if isinstance(found, Column) and found.parts[:-1] == path:
            return replace(found, parts=found.parts[-2:])
        if isinstance(found, Star) and found.qualifier == path:
            return replace(found, qualifier=path[-1:])
        return found

    return renamed(statement, Renaming(table=columns_of, column=unqualified))
