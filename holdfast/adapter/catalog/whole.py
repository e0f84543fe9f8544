"""Statements with whole names: what they mean then depends on no session.

A relation is named by database, schema and name; one of the system by schema and name. So is a type that users made,
and a relation before a column, where it was named with its schema.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from holdfast.adapter.catalog.mentions import Renaming, renamed
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.repr.ids import GlobalId
from holdfast.sql.syntax.expression import Column, Star
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import Table
from holdfast.sql.syntax.types import NamedType
from holdfast.sql.typenames import BUILT_IN

Tree = TypeVar("Tree", bound=Node)


@dataclass(frozen=True, slots=True)
class Whole(Generic[Tree]):
    """`uses` are the items of users that it mentions."""

    statement: Tree
    uses: frozenset[GlobalId]


def whole(statement: Tree, names: SessionNames) -> Whole[Tree]:
    """Names that mean nothing stay as they are: planning knows best what to say of them."""
    uses: set[GlobalId] = set()
    mentioned: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)

    def table(found: Table) -> Table:
        relation = names.find(found.name.parts, "table", "view")
        if relation is None:
            return found
        if isinstance(relation, Item):
            uses.add(relation.id)
            parts = names.state.path_of(relation)
        else:
            parts = (*relation.schema, relation.name)
        mentioned[parts[-2:]].add(parts)
        return replace(found, name=ObjectName(parts, location=found.name.location))

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

    named = renamed(statement, Renaming(table, type_))
    return Whole(renamed(named, Renaming(column=column)), frozenset(uses))
