"""What follows from the statement that made an item: its columns, its query, its type, its key, its options.

The statement has whole names, and what follows from it is the same for every session. Views that it reads are taken for
tables of the same columns: they were planned when they were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from holdfast.adapter.catalog.errors import InvalidParameter
from holdfast.adapter.catalog.functions import function_of
from holdfast.adapter.catalog.materialized import asserted, refresh_of
from holdfast.adapter.catalog.mentions import placeless
from holdfast.adapter.catalog.names import SessionNames, as_relation
from holdfast.adapter.catalog.objects import RELATIONS, Column, Item, KeyPart, Refresh
from holdfast.plan.functions.function import Function
from holdfast.plan.text import read_of
from holdfast.plan.types import INTERVAL, Interval, Type, list_of, map_of, record_of
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query
from holdfast.sql.catalog import Catalog, CatalogRelation
from holdfast.sql.errors import NotSupported, UndefinedParameter, WrongSyntax
from holdfast.sql.index_key import plan_key
from holdfast.sql.render.query import SQL
from holdfast.sql.syntax.expression import StringLiteral
from holdfast.sql.syntax.option import Option, Phrase
from holdfast.sql.syntax.query import Query
from holdfast.sql.syntax.statement.create import (
    ColumnDefinition,
    CreateFunction,
    CreateIndex,
    CreateMaterializedView,
    CreateTable,
    CreateType,
    CreateView,
    ListDefinition,
    RecordDefinition,
)
from holdfast.sql.typenames import type_of

CreateItem: TypeAlias = CreateTable | CreateView | CreateMaterializedView | CreateIndex | CreateType | CreateFunction

RETAIN_HISTORY = "RETAIN HISTORY"


@dataclass(frozen=True, slots=True)
class Definition:
    columns: tuple[Column, ...] = ()
    query: Query | None = None
    type: Type | None = None
    retain_history: int | None = None
    refresh: tuple[Refresh, ...] = ()
    asserts: tuple[int, ...] = ()
    on: GlobalId | None = None
    key: tuple[KeyPart, ...] = ()
    function: Function | None = None


def name_of(statement: CreateItem) -> str:
    """What the item is called within its schema. A statement that is kept has a name."""
    if isinstance(statement, CreateIndex):
        assert statement.name is not None
        return statement.name
    return statement.name.parts[-1]


def with_definition(item: Item, found: Definition) -> Item:
    return replace(
        item,
        columns=found.columns,
        query=found.query,
        type=found.type,
        retain_history=found.retain_history,
        refresh=found.refresh,
        asserts=found.asserts,
        on=found.on,
        key=found.key,
        function=found.function,
    )


def defined(statement: CreateItem, names: SessionNames) -> Definition:
    catalog = names.anywhere()
    match statement:
        case CreateTable():
            columns = tuple(table_column(column, catalog) for column in statement.columns)
            return Definition(columns, retain_history=retained(statement.options))
        case CreateView():
            return Definition(view_columns(statement, catalog), placeless(statement.query))
        case CreateMaterializedView():
            return _materialized(statement, catalog)
        case CreateIndex():
            return _index(statement, catalog)
        case CreateType():
            return Definition(type=_type(statement, catalog))
        case CreateFunction():
            return Definition(function=function_of(statement, catalog))


def undefined(statement: CreateView | CreateMaterializedView | CreateIndex, names: SessionNames) -> Definition:
    """What follows from a statement that cannot be planned."""
    match statement:
        case CreateView():
            return Definition(query=placeless(statement.query))
        case CreateMaterializedView():
            retain, refresh = retained(statement.options), refresh_of(statement.options)
            return Definition(query=placeless(statement.query), retain_history=retain, refresh=refresh)
        case CreateIndex():
            on = names.anywhere().item(statement.on, *RELATIONS)
            return Definition(retain_history=retained(statement.options), on=on.id)


def table_column(column: ColumnDefinition, catalog: Catalog) -> Column:
    default = None if column.default is None else SQL.expression(column.default)
    return Column(column.name, type_of(column.type, catalog), column.nullable, default)


@dataclass(frozen=True, slots=True)
class _Shallow:
    """A catalog in which views are what they are to those who only want to know their columns."""

    catalog: Catalog

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        found = self.catalog.relation(parts)
        return found if found is None or found.view is None else replace(found, view=None)

    def type(self, parts: tuple[str, ...]) -> Type | None:
        return self.catalog.type(parts)

    def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:
        return self.catalog.functions(parts)


def view_columns(statement: CreateView | CreateMaterializedView, catalog: Catalog) -> tuple[Column, ...]:
    planned = plan_query(statement.query, _Shallow(catalog))
    if planned.parameters:
        raise UndefinedParameter("there is no parameter $1", statement.location)
    if len(statement.columns) > len(planned.columns):
        what = "VIEW" if isinstance(statement, CreateView) else "MATERIALIZED VIEW"
        raise WrongSyntax(f"CREATE {what} specifies more column names than columns", statement.location)
    names = (*statement.columns, *(column.name for column in planned.columns[len(statement.columns) :]))
    held = planned.plan.relation.columns
    return tuple(Column(name, column.type, column.nullable) for name, column in zip(names, held, strict=False))


def _materialized(statement: CreateMaterializedView, catalog: Catalog) -> Definition:
    columns = view_columns(statement, catalog)
    asserts = asserted(statement.options, columns)
    return Definition(
        tuple(replace(column, nullable=False) if at in asserts else column for at, column in enumerate(columns)),
        placeless(statement.query),
        retain_history=retained(statement.options),
        refresh=refresh_of(statement.options),
        asserts=asserts,
    )


def _index(statement: CreateIndex, names: SessionNames) -> Definition:
    assert statement.key is not None  # a statement that is kept says it
    on = names.item(statement.on, *RELATIONS)
    relation = as_relation(names.state, on)
    scalars = plan_key(statement.key, relation, names)
    key = tuple(KeyPart(SQL.expression(each), scalar) for each, scalar in zip(statement.key, scalars, strict=True))
    return Definition(retain_history=retained(statement.options), on=on.id, key=key)


def _type(statement: CreateType, catalog: Catalog) -> Type:
    definition = statement.definition
    if isinstance(definition, RecordDefinition):
        types = tuple(type_of(field.type, catalog) for field in definition.fields)
        return record_of(tuple(field.name for field in definition.fields), types, statement.name.parts[-1])
    if isinstance(definition, ListDefinition):
        return list_of(type_of(definition.element, catalog))
    if type_of(definition.key, catalog).base != "text":
        raise NotSupported("the keys of a map must be text", definition.key.location)
    return map_of(type_of(definition.value, catalog))


def retained(options: tuple[Option, ...]) -> int | None:
    """Milliseconds of history that the options ask for."""
    for option in options:
        if option.name == RETAIN_HISTORY:
            return _milliseconds(option)
    return None


def _milliseconds(option: Option) -> int:
    value = option.value
    if isinstance(value, Phrase) and value.words == "FOR" and len(value.arguments) == 1:
        given = value.arguments[0]
        if isinstance(given, StringLiteral):
            found = read_of(INTERVAL)(given.value)
            assert isinstance(found, Interval)  # what the text of an interval is read as
            if found.months:
                raise InvalidParameter("RETAIN HISTORY cannot be given in months or years", option.location)
            milliseconds = (found.days * 86_400_000_000 + found.micros) // 1000
            if milliseconds <= 0:
                raise InvalidParameter("RETAIN HISTORY must be greater than zero", option.location)
            return milliseconds
    raise InvalidParameter("invalid RETAIN HISTORY: FOR and an interval are expected", option.location)
