"""RETURNING: what the client is told of the rows that were changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.relation import Columns, ColumnType, Get
from holdfast.plan.scalar import Column
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.change.change import RETURNING
from holdfast.sql.lower.block import Block, Clause, Rows
from holdfast.sql.lower.placement import Placement
from holdfast.sql.lower.source import Inside
from holdfast.sql.lower.targets import lower_targets
from holdfast.sql.scope import Item, Scope
from holdfast.sql.syntax.query import Target
from holdfast.sql.term import Term

_CLAUSE = Clause("RETURNING")


@dataclass(frozen=True, slots=True)
class Returned:
    """The list, over `Get(RETURNING)`: the columns of the table, and after them those at `extra` of the row."""

    rows: Rows
    extra: tuple[int, ...]


def lower_returning(
    targets: Sequence[Target], table: CatalogRelation, items: Sequence[Item], columns: Columns, inside: Inside
) -> Returned:
    """`items` are the relations that the list may name, `columns` the row that they are made of."""
    block = Block(inside.statement, Scope(items, columns, inside.outer), inside.common, _CLAUSE)
    found = lower_targets(targets, block, _CLAUSE)
    width = len(table.columns)
    extra = sorted({one.column.index for one in block.references} - set(range(width)))
    places = {index: width + place for place, index in enumerate(extra)}

    def move(part: Column) -> Column:
        return Column(places.get(part.index, part.index), part.type, part.nullable)

    own = tuple(ColumnType(column.type, column.nullable) for column in table.columns)
    got = Get(RETURNING, (*own, *(columns[index] for index in extra)))
    place = Placement(len(got.columns), move)
    terms = tuple(Term(place.scalar(term.scalar), term.location) for term in found.terms)
    return Returned(Rows(got, terms, tuple(found.names)), tuple(extra))
