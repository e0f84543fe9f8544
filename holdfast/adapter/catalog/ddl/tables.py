"""Tables: CREATE TABLE, ALTER TABLE ADD COLUMN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.adapter.catalog.ddl.making import make, named_wholly
from holdfast.adapter.catalog.ddl.narrowing import narrow_views
from holdfast.adapter.catalog.ddl.ordering import settle
from holdfast.adapter.catalog.ddl.placing import is_taken, place_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import RETAIN_HISTORY, retained, table_column
from holdfast.adapter.catalog.errors import InvalidParameter, InvalidTableDefinition
from holdfast.adapter.catalog.functions import called
from holdfast.adapter.catalog.objects import Column
from holdfast.adapter.catalog.privileges import require_owner, require_types
from holdfast.adapter.catalog.statement import table_of
from holdfast.adapter.catalog.whole import whole
from holdfast.sql.catalog import Catalog
from holdfast.sql.change.expression import plan_expression
from holdfast.sql.errors import DuplicateColumn, NotSupported, UndefinedColumn, UndefinedParameter
from holdfast.sql.render import render
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option, ValueList
from holdfast.sql.syntax.statement.alter import AddColumn
from holdfast.sql.syntax.statement.create import ColumnDefinition, CreateTable, TableConstraint

_PSEUDO = frozenset({"unknown", "void"})
PARTITION_BY = "PARTITION BY"


def create_table(statement: CreateTable, work: Work) -> None:
    _refuse(statement.constraints)
    place = place_of(work, statement.name, temporary=statement.temporary)
    if is_taken(work, place, statement.name, skip=statement.if_not_exists):
        return
    plain = replace(statement, if_not_exists=False, temporary=place.session is not None)
    found = named_wholly(work, plain, place)
    _check_columns(found.statement.columns)
    _check_options(found.statement.options, [column.name for column in statement.columns])
    item = make(work, "table", found, place)
    for column, kept in zip(found.statement.columns, item.columns, strict=True):
        check_column(column, kept, work.names)


def _refuse(constraints: Sequence[TableConstraint]) -> None:
    for constraint in constraints:
        raise NotSupported(
            f"{constraint.kind} constraints are not supported",
            constraint.location,
            hint="Leave the constraint out: tables hold every row that is written, as often as it is written.",
        )


def _check_columns(columns: Sequence[ColumnDefinition]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise DuplicateColumn(f'column "{column.name}" specified more than once', column.location)
        seen.add(column.name)


def check_column(column: ColumnDefinition, kept: Column, catalog: Catalog) -> None:
    """Whether a table can have the column, and the column its default."""
    if kept.type.base in _PSEUDO or str(kept.type) == "record":
        raise InvalidTableDefinition(f'column "{column.name}" has pseudo-type {kept.type}', column.location)
    if column.default is not None:
        planned = plan_expression(column.default, catalog, kept.type, column=column.name)
        if planned.parameters:
            raise UndefinedParameter("there is no parameter $1", column.location)
        if called(planned.plan):
            raise NotSupported("functions of users cannot be called in defaults of columns", column.location)


def _check_options(options: Sequence[Option], columns: Sequence[str]) -> None:
    for option in options:
        if option.name == PARTITION_BY:
            check_partition(option, columns)
        elif option.name != RETAIN_HISTORY:
            raise InvalidParameter(f'unrecognized parameter "{option.name.lower()}"', option.location)
    if len({option.name for option in options}) < len(options):
        raise InvalidParameter("an option is given more than once", options[0].location)


def check_partition(option: Option, columns: Sequence[str]) -> None:
    """PARTITION BY asks for an order of rows where they are kept: that of the first columns."""
    names: list[str] = []
    if isinstance(option.value, ValueList):
        names = [item.parts[0] for item in option.value.items if isinstance(item, ObjectName)]
    missing = next((name for name in names if name not in columns), None)
    if missing is not None:
        raise UndefinedColumn(f'column "{missing}" does not exist', option.location)
    if not names or list(columns[: len(names)]) != names:
        raise InvalidParameter("PARTITION BY columns must be a prefix of the table's columns", option.location)


def add_column(statement: AddColumn, work: Work) -> None:
    """Rows that are there have null in the new column, and views that are there do not have it."""
    if statement.if_exists and work.names.find(statement.name.parts) is None:
        work.notice(f'relation "{".".join(statement.name.parts)}" does not exist, skipping')
        return
    table = work.names.item(statement.name, "table")
    require_owner(work.state, work.role, table)
    column = statement.column
    if any(held.name == column.name for held in table.columns):
        message = f'column "{column.name}" of relation "{table.name}" already exists'
        if not statement.column_if_not_exists:
            raise DuplicateColumn(message, column.location)
        work.notice(f"{message}, skipping", "42701")
        return
    if not column.nullable or column.default is not None:
        raise NotSupported(
            "ALTER TABLE ADD COLUMN with NOT NULL or DEFAULT is not supported",
            column.location,
            hint="A new column is null in the rows that are there.",
        )
    found = whole(column, work.names)
    require_types(work.state, work.role, found.uses)
    made = table_of(table)
    made = replace(made, columns=(*made.columns, found.statement))
    new = table_column(found.statement, work.names)
    check_column(found.statement, new, work.names)
    narrow_views(work, table, column.name)
    work.replace(
        table,
        replace(
            table,
            sql=render(made),
            columns=(*table.columns, new),
            uses=table.uses | found.uses,
            retain_history=retained(made.options),
        ),
    )
    # A key may be made of whole rows.
    settle(work, [index.id for index in work.state.indexes_of(table.id)])
