"""Objects that are called otherwise from now on, and the statements of all that mention them.

A statement that mentions an object by a name without a path, as a column's does, goes on to do so: the relation keeps
its old name there, as an alias.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdfast.adapter.catalog.ddl.making import at_path
from holdfast.adapter.catalog.ddl.ordering import in_order
from holdfast.adapter.catalog.ddl.shown import shown
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import CreateItem
from holdfast.adapter.catalog.errors import BrokenView, DependentObjects
from holdfast.adapter.catalog.mentions import Renaming, nodes, renamed
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.adapter.catalog.statement import statement_of, with_statement
from holdfast.repr.ids import GlobalId
from holdfast.sql.errors import SemanticError
from holdfast.sql.syntax.expression import Call, Column, Star
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import Alias, Table
from holdfast.sql.syntax.statement.create import CreateIndex
from holdfast.sql.syntax.types import NamedType


def move(work: Work, changes: Iterable[Change], moved: Iterable[GlobalId]) -> None:
    """Make the changes, by which the `moved` items get other paths, and mention them by these."""
    before = work.names
    moved = set(moved)
    work.change(list(changes))
    users = {user for id_ in moved for user in before.state.used_by(id_)}
    for id_ in in_order(work.state, moved | users):
        item = work.state.item(id_)
        if item.broken is not None:
            # Nobody knows whether it would mean the same.
            raise BrokenView.of(item.noun, before.state.path_of(before.state.item(id_)), item.broken)
        names = replace(work.names, session=item.session)
        mentions = _Mentions(replace(before, session=item.session), work.state)
        own = work.state.path_of(item)
        try:
            statement = at_path(mentions.renamed(statement_of(item)), own)
            made = with_statement(item, statement, names)
        except SemanticError as error:
            raise _conflict(work, item, str(error)) from error
        if [column.name for column in made.columns] != [column.name for column in item.columns]:
            raise _conflict(work, item, "its columns would have other names")
        work.replace(item, made)


def _conflict(work: Work, item: Item, reason: str) -> DependentObjects:
    return DependentObjects(f"renaming conflict: {shown(work.names, item)} would mean something else", [reason])


def _called(statement: CreateItem) -> Iterator[str]:
    """The names without a path that are said of relations, or may be: a whole row is called like a column."""
    for node in nodes(statement):
        if isinstance(node, Column) and len(node.parts) <= 2:
            yield node.parts[0]
        elif isinstance(node, Star) and len(node.qualifier) == 1:
            yield node.qualifier[0]


class _Mentions:
    """The mentions of one statement, as they were and as they are to be."""

    def __init__(self, before: SessionNames, after: CatalogState) -> None:
        self._before, self._after = before, after
        self._called: set[str] = set()
        self._aliased: set[tuple[str, ...]] = set()

    def renamed(self, statement: CreateItem) -> CreateItem:
        """The same statement, over the same items."""
        self._called = set(_called(statement))
        if isinstance(statement, CreateIndex):
            statement = replace(statement, on=ObjectName(self._path(statement.on.parts)))
        named = renamed(statement, Renaming(self._table, self._type, call=self._call))
        return renamed(named, Renaming(column=self._column))

    def _path(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """What the item of this path is called now."""
        found = self._before.find(parts)
        if not isinstance(found, Item):
            return parts
        return self._after.path_of(self._after.item(found.id))

    def _table(self, found: Table) -> Table:
        old, new = found.name.parts, self._path(found.name.parts)
        alias = found.alias
        if alias is None and old[-1] != new[-1] and old[-1] in self._called:
            alias = Alias(old[-1])
            self._aliased.add(old)
        return replace(found, name=ObjectName(new), alias=alias)

    def _type(self, found: NamedType) -> NamedType:
        if len(found.parts) < 2 or found.parts[-2] == "pg_catalog":
            return found
        return replace(found, parts=self._path(found.parts))

    def _call(self, found: Call) -> Call:
        items = self._before.functions_named(found.name.parts) if len(found.name.parts) > 1 else ()
        if not items:
            return found
        return replace(found, name=ObjectName(self._after.path_of(self._after.item(items[0].id))))

    def _column(self, found: Column | Star) -> Column | Star:
        qualifier = found.parts[:-1] if isinstance(found, Column) else found.qualifier
        if len(qualifier) < 2:
            return found
        new = qualifier[-1:] if qualifier in self._aliased else self._path(qualifier)
        if isinstance(found, Column):
            return replace(found, parts=(*new, found.parts[-1]))
        return replace(found, qualifier=new)
