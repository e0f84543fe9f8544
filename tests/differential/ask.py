"""Asking PostgreSQL, and asking us."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import psycopg
import pyarrow as pa

from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import from_arrow, to_arrow
from holdfast.errors import HoldfastError
from holdfast.plan.check import check
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.relation import Plan
from holdfast.plan.rewrite import optimize
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import Type
from holdfast.sql import plan_query
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions
from tests.differential.answer import Answer
from tests.differential.schema import Table


def ask_postgres(connection: psycopg.Connection[tuple[object, ...]], query: str) -> Answer:
    try:
        cursor = connection.execute(query)
    except psycopg.Error as error:
        return Answer(error=error.sqlstate)
    result = cursor.pgresult
    assert result is not None
    assert cursor.description is not None
    names = tuple(column.name for column in cursor.description)
    types = tuple(_type_name(connection, column.type_code) for column in cursor.description)
    rows = tuple(
        tuple(
            None if (value := result.get_value(row, column)) is None else value.decode() for column in range(len(names))
        )
        for row in range(result.ntuples)
    )
    return Answer(names, types, rows)


_names: dict[int, str] = {}


def _type_name(connection: psycopg.Connection[tuple[object, ...]], oid: int) -> str:
    if oid not in _names:
        found = connection.execute("SELECT format_type(%s, null)", (oid,)).fetchone()
        assert found is not None
        _names[oid] = str(found[0])
    return _names[oid]


class Tables(WithoutFunctions):
    """A catalog of tables in memory, in the schema of the search path."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._relations = {
            table.name: CatalogRelation(
                table.name, table.name, tuple(CatalogColumn(name, type_) for name, type_ in table.columns)
            )
            for table in tables
        }
        self.contents: Mapping[str, pa.Table] = {table.name: _contents(table) for table in tables}

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        return self._relations.get(parts[-1])

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None


def _contents(table: Table) -> pa.Table:
    columns = []
    for index, (_, type_) in enumerate(table.columns):
        read = read_of(type_)
        texts = [row[index] for row in table.rows]
        columns.append(to_arrow([None if text is None else read(text) for text in texts], type_))
    return pa.Table.from_arrays(columns, names=[name for name, _ in table.columns])


def plan_of(query: str, catalog: Tables, *, optimized: bool) -> tuple[Plan, tuple[Type, ...]]:
    """The plan of a query, checked after each step."""
    planned = plan_query(query, catalog)
    check(planned.plan)
    plan = decorrelate(planned.plan)
    check(plan, decorrelated=True)
    if optimized:
        plan = optimize(plan)
        check(plan, decorrelated=True)
    return plan, tuple(column.type for column in plan.relation.columns[: len(plan.names)])


_MOST = 3_000_000


def ask_us(query: str, catalog: Tables, *, optimized: bool) -> Answer:
    """Raises `TooManyRows` where a join comes to more than there is memory for."""
    try:
        plan, types = plan_of(query, catalog, optimized=optimized)
    except HoldfastError as error:
        return Answer(error=sqlstate(error))
    return evaluated(plan, types, catalog, _MOST)


def evaluated(plan: Plan, types: Sequence[Type], catalog: Tables, most: int | None = None) -> Answer:
    try:
        return answer_of(evaluate(plan, catalog.contents, (), most), types)
    except HoldfastError as error:
        return Answer(error=sqlstate(error))


def answer_of(table: pa.Table, types: Sequence[Type]) -> Answer:
    """What a client would see of a result."""
    columns = [
        [None if value is None else write_of(type_)(value) for value in from_arrow(column, type_)]
        for column, type_ in zip(table.columns, types, strict=True)
    ]
    rows = tuple(zip(*columns, strict=True)) if columns else ()
    # Without modifiers, as PostgreSQL's protocol names the type.
    names = tuple(re.sub(r"\(.*?\)", "", str(type_)) for type_ in types)
    return Answer(tuple(table.column_names), names, rows)
