"""Scopes: what the names in an expression can mean.

A scope is one row, and the relations of FROM whose columns it is made of; around it are the rows of the queries
that the expression stands in, and, for what is LATERAL, of the relations to its left. Each is one level: an `Outer`
column counts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.plan.relation import Columns
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.errors import (
    AmbiguousAlias,
    AmbiguousColumn,
    InvalidColumnReference,
    UndefinedColumn,
    UndefinedTable,
    WrongSyntax,
)
from holdfast.sql.spelling import Near, nearest

if TYPE_CHECKING:
    from holdfast.sql.lower.block import Block

_OUT_OF_SIGHT = 'There is an entry for table "{}", but it cannot be referenced from this part of the query.'


@dataclass(frozen=True, slots=True)
class Item:
    """One relation of FROM: what it is called, what its columns are called, and where they are in the row.

    - `bare`: its columns may be named without it. Those of a relation inside a join are named by the join's.
    - `qualified`: it may be named.
    - `relation` is the name of the relation where an alias hides it.
    - `keys` are positions among its own columns.
    - `single`: its rows are single values, those of a function, so its name means the value.
    - `known` is the relation as the catalog has it, if it does: its rows have a type of its name.
    """

    name: str | None
    columns: tuple[str, ...]
    places: tuple[int, ...]
    schema: tuple[str, ...] = ()
    relation: str | None = None
    keys: tuple[tuple[int, ...], ...] = ()
    bare: bool = True
    qualified: bool = True
    single: bool = False
    known: CatalogRelation | None = None

    def moved(self, by: int) -> Item:
        return replace(self, places=tuple(place + by for place in self.places)) if by else self

    def called(self, parts: tuple[str, ...]) -> bool:
        """Whether a name of one to three parts means this relation."""
        if not self.qualified or self.name != parts[-1]:
            return False
        schema = parts[:-1]
        return not schema or (bool(self.schema) and self.schema[-len(schema) :] == schema)


@dataclass(frozen=True, slots=True)
class Found:
    """A column: so many levels out, at this position of that row."""

    level: int
    index: int
    item: Item
    name: str


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A whole row of a relation: so many levels out."""

    level: int
    item: Item


class Scope:
    """One row and those around it.

    `hidden` rows are there, so they count as levels, and cannot be named: relations to the left of one that is not
    LATERAL. `forbids` is why one that can be named may not be. Those `beside` are in the same FROM and out of
    sight.
    """

    def __init__(
        self, items: Sequence[Item], columns: Columns, parent: Scope | None, block: Block | None = None
    ) -> None:
        self.items, self.columns, self.parent, self.block = items, columns, parent, block
        self.hidden = False
        self.forbids: str | None = None
        self.used = False
        self.beside: Sequence[Item] = ()

    def levels(self) -> Iterator[tuple[int, Scope]]:
        level, scope = 0, self
        while True:
            yield level, scope
            if scope.parent is None:
                return
            level, scope = level + 1, scope.parent

    def at(self, level: int) -> Scope:
        scope = self
        for _ in range(level):
            assert scope.parent is not None  # levels come from a look through the same scopes
            scope = scope.parent
        return scope

    def column(self, parts: tuple[str, ...], location: int) -> Found | FoundRow:
        """What a name in an expression means, or the error that PostgreSQL has for it."""
        if len(parts) > 4:
            raise WrongSyntax(f"improper qualified name (too many dotted names): {'.'.join(parts)}", location)
        if len(parts) == 1:
            found = self._bare(parts[0], location)
            if found is not None:
                return found
            row = self._row(parts, location)
            if row is not None:
                return row
            raise self._missing(None, parts[0], location)
        row = self._row(parts[:-1], location)
        if row is None:
            raise self.missing_relation(parts[:-1], location)
        column = _position(row.item, parts[-1], location)
        if column is None:
            raise self._missing(parts[-2], parts[-1], location)
        return Found(row.level, row.item.places[column], row.item, parts[-1])

    def row(self, parts: tuple[str, ...], location: int) -> FoundRow:
        """The relation that `name.*` is about."""
        found = self._row(parts, location)
        if found is None:
            raise self.missing_relation(parts, location)
        return found

    def _bare(self, name: str, location: int) -> Found | None:
        for level, scope in self.levels():
            if scope.hidden:
                continue
            found: Found | None = None
            for item in scope.items:
                if not item.bare:
                    continue
                position = _position(item, name, location)
                if position is None:
                    continue
                if found is not None:
                    raise AmbiguousColumn(f'column reference "{name}" is ambiguous', location)
                found = Found(level, item.places[position], item, name)
            if found is not None:
                scope._use(found.item, location)
                return found
        return None

    def _row(self, parts: tuple[str, ...], location: int) -> FoundRow | None:
        for level, scope in self.levels():
            if scope.hidden:
                continue
            found = [item for item in scope.items if item.called(parts)]
            if len(found) > 1:
                raise AmbiguousAlias(f'table reference "{parts[-1]}" is ambiguous', location)
            if found:
                scope._use(found[0], location)
                return FoundRow(level, found[0])
        return None

    def _use(self, item: Item, location: int) -> None:
        if self.forbids is not None:
            raise InvalidColumnReference(
                f'invalid reference to FROM-clause entry for table "{item.name}"', location, detail=self.forbids
            )
        self.used = True

    def missing_relation(self, parts: tuple[str, ...], location: int) -> UndefinedTable:
        name = parts[-1]
        for _, scope in self.levels():
            named_so = (item.called(parts[-1:]) for item in scope.items) if len(parts) > 1 else ()
            if any(item.called(parts) for item in scope.beside) or any(named_so):
                return UndefinedTable(
                    f'invalid reference to FROM-clause entry for table "{name}"',
                    location,
                    detail=_OUT_OF_SIGHT.format(name),
                )
            for item in scope.items:
                if scope.hidden and item.called(parts):
                    return UndefinedTable(
                        f'invalid reference to FROM-clause entry for table "{name}"',
                        location,
                        detail=_OUT_OF_SIGHT.format(name),
                        hint="To reference that table, you must mark this subquery with LATERAL.",
                    )
                if item.relation == name and item.name is not None and len(parts) == 1:
                    return UndefinedTable(
                        f'invalid reference to FROM-clause entry for table "{name}"',
                        location,
                        hint=f'Perhaps you meant to reference the table alias "{item.name}".',
                    )
        return UndefinedTable(f'missing FROM-clause entry for table "{name}"', location)

    def _missing(self, relation: str | None, name: str, location: int) -> UndefinedColumn:
        message = f'column "{name}" does not exist' if relation is None else f"column {relation}.{name} does not exist"
        near = nearest(relation, name, self._near())
        return UndefinedColumn(message, location, hint=near.hint, detail=near.detail)

    def _near(self) -> Iterator[Near]:
        for _, scope in self.levels():
            for item in scope.items:
                if item.name is not None:
                    for column in item.columns:
                        yield Near(item.name, column, visible=not scope.hidden)


def _position(item: Item, name: str, location: int) -> int | None:
    """Where among its columns the relation has one of this name."""
    found = [index for index, column in enumerate(item.columns) if column == name]
    if len(found) > 1:
        raise AmbiguousColumn(f'column reference "{name}" is ambiguous', location)
    return found[0] if found else None
