"""Planning: a query, as text or syntax, to a typed plan that may still have queries inside of expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.relation import Plan
from holdfast.plan.types import Type
from holdfast.sql.catalog import Catalog
from holdfast.sql.coerce import Coercion
from holdfast.sql.errors import NotSupported, StatementTooComplex
from holdfast.sql.lower.block import Rows, Statement
from holdfast.sql.lower.expressions import lower_term
from holdfast.sql.lower.query import lower_query
from holdfast.sql.lower.rows import unlimited
from holdfast.sql.parameters import Parameters
from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.query import Query
from holdfast.sql.syntax.statement.dml import SelectStatement

MAX_DEPTH = 1000
"""How deep expressions nest that Python's stack is sure to have room for."""


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the result, as the client is told of it."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned query. `parameters` are the types of $1 and so on, given or inferred."""

    plan: Plan
    parameters: tuple[Type, ...]
    columns: tuple[OutputColumn, ...]


def plan_query(
    statement: str | SelectStatement | Query, catalog: Catalog, *, parameter_types: Sequence[Type | None] = ()
) -> Planned:
    """The plan of a query. `parameter_types` are those that the client gave, None for those it left open."""
    query = _query_of(statement)
    state = Statement(catalog, Parameters(parameter_types), lower_term, lower_query)
    try:
        plan = plan_of(lower_query(query, state, None, {}), state.coercion)
    except RecursionError:
        raise StatementTooComplex(MAX_DEPTH) from None
    return planned(plan, state.parameters.types())


def plan_of(rows: Rows, coercion: Coercion) -> Plan:
    """What has been lowered, as a whole."""
    found = unlimited(rows, coercion)
    return Plan(found.relation, rows.names, found.order, rows.limit, rows.offset)


def planned(plan: Plan, parameters: tuple[Type, ...]) -> Planned:
    shown = zip(plan.names, plan.relation.columns, strict=False)
    return Planned(plan, parameters, tuple(OutputColumn(name, column.type) for name, column in shown))


def _query_of(statement: str | SelectStatement | Query) -> Query:
    if isinstance(statement, Query):
        return statement
    found = parse_one(statement).statement if isinstance(statement, str) else statement
    if not isinstance(found, SelectStatement):
        raise NotSupported("only queries can be planned", found.location)
    return found.query
