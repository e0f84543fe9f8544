"""Rows that an INSERT says by constants and parameters alone: put together without being evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from holdfast.adapter.tables import InsertedRows, RowShape
from holdfast.plan.relation import Map, Plan, Values
from holdfast.plan.scalar import Constant, Parameter
from holdfast.sql.catalog import CatalogRelation

_PLAIN = frozenset(
    ("bool", "int2", "int4", "int8", "float4", "float8", "text", "varchar", "bytea", "date", "timestamp", "timestamptz")
)
"""Types of which every value that a parameter may have is one that a table may have."""


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
