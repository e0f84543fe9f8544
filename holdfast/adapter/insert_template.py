"""Rows that an INSERT says by constants, literals and parameters alone: put together without being evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from holdfast.adapter.tables import InsertedRows, RowShape, TableChange, Write
from holdfast.compute.evaluate.values import table_from
from holdfast.plan.relation import Map, Plan, Values
from holdfast.plan.scalar import Constant, Parameter
from holdfast.plan.types import Numeric, arrow_type
from holdfast.repr.ids import GlobalId
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.change import LiteralColumns

_PLAIN = frozenset(
    ("bool", "int2", "int4", "int8", "float4", "float8", "text", "varchar", "bytea", "date", "timestamp", "timestamptz")
)
"""Types of which every value that a parameter may have is one that a table may have."""

_FEW = 16
"""Rows that are kept by their values, to become columns with those of others; more become columns by themselves."""


@dataclass(frozen=True, slots=True)
class InsertTemplate:
    """One row: the numbers of parameters, from zero on, or constants in their stead. `required` must not be null."""

    shape: RowShape
    columns: tuple[int | Constant, ...]
    required: tuple[int, ...]

    def inserted(self, parameters: Sequence[object]) -> InsertedRows | None:
        """The row; None if it has a null where none can be, which is for others to tell."""
        row = tuple([parameters[each] if isinstance(each, int) else each.value for each in self.columns])
        for place in self.required:
            if row[place] is None:
                return None
        return InsertedRows(self.shape, (row,))


def template_of(plan: Plan, table: CatalogRelation, nothing: pa.Table) -> InsertTemplate | None:
    relation = plan.relation
    types = tuple(column.type for column in table.columns)
    if not isinstance(relation, Map) or relation.input != Values(((),), ()) or len(relation.scalars) != len(types):
        return None
    if any(type_.base not in _PLAIN for type_ in types) or [each.type for each in relation.scalars] != list(types):
        return None
    columns = tuple(
        each.number - 1 if isinstance(each, Parameter) else each
        for each in relation.scalars
        if isinstance(each, Parameter | Constant)
    )
    if len(columns) < len(types):
        return None
    required = tuple(place for place, column in enumerate(table.columns) if not column.nullable)
    return InsertTemplate(RowShape(types, nothing), columns, required)


@dataclass(frozen=True, slots=True)
class LiteralTemplate:
    """Rows of literals. `required` must not be null. Up to `few` are kept by their values."""

    columns: LiteralColumns
    shape: RowShape
    required: tuple[int, ...]
    few: int

    @property
    def table(self) -> GlobalId:
        return GlobalId.parse(self.columns.table.id)

    def inserted(self, written: Sequence[Sequence[str]]) -> Write | None:
        """The rows, from columns of literals; None if one cannot be read, or has a null where none can be."""
        columns = self.columns.values(written)
        if columns is None or any(None in columns[place] for place in self.required):
            return None
        types, nothing = self.shape.types, self.shape.nothing
        if len(columns[0]) <= self.few:
            return InsertedRows(self.shape, list(zip(*columns, strict=True)))
        return TableChange(table_from(columns, types, nothing.schema.names), nothing)


def literal_template(columns: LiteralColumns) -> LiteralTemplate:
    found = columns.table.columns
    types = tuple(column.type for column in found)
    nothing = pa.schema([(column.name, arrow_type(column.type)) for column in found]).empty_table()
    required = tuple(place for place, column in enumerate(found) if not column.nullable)
    plain = all(type_.base in _PLAIN or isinstance(type_, Numeric) for type_ in types)
    return LiteralTemplate(columns, RowShape(types, nothing), required, _FEW if plain else 0)
