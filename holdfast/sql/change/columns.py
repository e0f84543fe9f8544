"""The columns that rows come with from outside, and what the others have then: for COPY ... FROM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.sql.catalog import Catalog, CatalogRelation
from holdfast.sql.change.expression import plan_expression
from holdfast.sql.change.target import check_changeable, positions
from holdfast.sql.plan import Planned


@dataclass(frozen=True, slots=True)
class PlannedColumns:
    """`given` are positions in the table, in the order in which values come. All other columns have a default or null.

    `defaults` has those that have one, each planned as one row with one column of the table's type.
    """

    given: tuple[int, ...]
    defaults: Mapping[int, Planned]


def plan_columns(table: CatalogRelation, columns: tuple[str, ...], catalog: Catalog) -> PlannedColumns:
    """What rows with these columns, or all if none are named, come to in the table."""
    check_changeable(table, "copy")
    given = positions(table, columns)
    defaults = {
        index: plan_expression(column.default, catalog, column.type, column=column.name)
        for index, column in enumerate(table.columns)
        if index not in given and column.default is not None
    }
    return PlannedColumns(given, defaults)
