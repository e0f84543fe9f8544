"""Statements with whole names: what they mean then depends on no session.

A relation is named by database, schema and name; one of the system by schema and name. So are types and
functions that users made, and a relation before a column, where it was named with its schema.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from holdfast.adapter.catalog.mentions import Renaming, renamed
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import RELATIONS, Item
from holdfast.repr.ids import GlobalId
from holdfast.sql.resolve import CALLABLE
from holdfast.sql.syntax.expression import Call, Column, Star
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import Table
from holdfast.sql.syntax.statement.create import CreateIndex
from holdfast.sql.syntax.types import NamedType
from holdfast.sql.typenames import BUILT_IN

Tree = TypeVar("Tree", bound=Node)


@dataclass(frozen=True, slots=True)
class Whole(Generic[Tree]):
    """`uses` are the items of users that it mentions: of functions, all that have the name."""

    statement: Tree
    uses: frozenset[GlobalId]


def whole(statement: Tree, names: SessionNames) -> Whole[Tree]:
    """Names that mean nothing stay as they are: planning knows best what to say of them."""
    uses: set[GlobalId] = set()
    mentioned: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)

    def table(found: Table) -> Table:
        name = named(found.name)
        if name is not None:
            mentioned[name.parts[-2:]].add(name.parts)
        return found if name is None else replace(found, name=name)

    def named(name: ObjectName) -> ObjectName | None:
        relation = names.find(name.parts, *RELATIONS)
        if relation is None:
            return None
        if isinstance(relation, Item):
            uses.add(relation.id)
            return ObjectName(names.state.path_of(relation), location=name.location)
        return ObjectName((*relation.schema, relation.name), location=name.location)

    def type_(found: NamedType) -> NamedType:
        if found.parts[-1] in BUILT_IN and (len(found.parts) == 1 or found.parts[-2] == "pg_catalog"):
            return found
        item = names.find(found.parts, "type")
        if not isinstance(item, Item):
            return found
        uses.add(item.id)
        return replace(found, parts=names.state.path_of(item))

    def column(found: Column | Star) -> Column | Star:
        relation = found.parts[:-1] if isinstance(found, Column) else found.qualifier
        candidates = mentioned.get(relation, set())
        if len(relation) != 2 or len(candidates) != 1:
            return found
        parts = next(iter(candidates))
        if isinstance(found, Column):
            return replace(found, parts=(*parts, found.parts[-1]))
        return replace(found, qualifier=parts)

    def call(found: Call) -> Call:
        if len(found.name.parts) == 1 and found.name.parts[0] in CALLABLE:
            return found
        items = names.functions_named(found.name.parts)
        if not items:
            return found
        uses.update(item.id for item in items)
        return replace(found, name=ObjectName(names.state.path_of(items[0]), location=found.name.location))

    if isinstance(statement, CreateIndex):
        statement = replace(statement, on=named(statement.on) or statement.on)
    made = renamed(statement, Renaming(table, type_, call=call))
    return Whole(renamed(made, Renaming(column=column)), frozenset(uses))
