"""Planning a change: from the syntax of INSERT, UPDATE or DELETE to what goes and comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from holdfast.plan.types import Type
from holdfast.sql.catalog import Catalog, CatalogRelation
from holdfast.sql.change.change import ChangeKind, PlannedChange
from holdfast.sql.change.insert import lower_insert
from holdfast.sql.change.reads import reads_relations
from holdfast.sql.change.returning import Returned, lower_returning
from holdfast.sql.change.target import item_of_target, rows_of_target, target
from holdfast.sql.change.update import assignments, deleted, pick, predicates, updated
from holdfast.sql.errors import StatementTooComplex
from holdfast.sql.lower.block import Rows, Statement
from holdfast.sql.lower.common_tables import lower_with
from holdfast.sql.lower.expressions import lower_term
from holdfast.sql.lower.query import lower_query
from holdfast.sql.lower.source import Inside
from holdfast.sql.parameters import Parameters
from holdfast.sql.plan import MAX_DEPTH, plan_of, planned
from holdfast.sql.syntax.query import Query, With, WithMutuallyRecursive
from holdfast.sql.syntax.statement.dml import Delete, Insert, Update

Wrap = Callable[[Rows], Rows]


def plan_change(
    statement: Insert | Update | Delete, catalog: Catalog, *, parameter_types: Sequence[Type | None] = ()
) -> PlannedChange:
    """The plan of a change. `parameter_types` are those that the client gave, None for those it left open."""
    state = Statement(catalog, Parameters(parameter_types), lower_term, lower_query)
    try:
        return _planned(statement, state)
    except RecursionError:
        raise StatementTooComplex(MAX_DEPTH) from None


def _planned(statement: Insert | Update | Delete, state: Statement) -> PlannedChange:
    kind: ChangeKind
    match statement:
        case Insert():
            kind = "insert"
        case Update():
            kind = "update"
        case Delete():
            kind = "delete"
        case _:
            assert_never(statement)
    table = target(statement.table, state.catalog, kind, statement.location)
    inside = Inside(state, None, {})
    inside, wrap = _with(statement.common, inside)
    match statement:
        case Insert():
            rows, returned = _insert(statement, table, inside)
        case Update():
            rows, returned = _update(statement, table, inside)
        case Delete():
            rows, returned = _delete(statement, table, inside)
    plan = plan_of(wrap(rows), state.coercion)
    returning = None if returned is None else plan_of(wrap(returned.rows), state.coercion)
    parameters = state.parameters.types()
    return PlannedChange(
        kind,
        table,
        plan,
        parameters,
        None if returning is None else planned(returning, parameters),
        kind == "insert" and not reads_relations(plan.relation),
    )


def _with(common: With | WithMutuallyRecursive | None, inside: Inside) -> tuple[Inside, Wrap]:
    if common is None:
        return inside, lambda rows: rows
    return lower_with(common, inside, _lower)


def _lower(query: Query, inside: Inside) -> Rows:
    return lower_query(query, inside.statement, inside.outer, inside.common)


def _insert(insert: Insert, table: CatalogRelation, inside: Inside) -> tuple[Rows, Returned | None]:
    """The WITH of the query stands around its values too, since literals among them get their types last."""
    source = insert.source
    within, inner = _with(None if source is None else source.common, inside)
    rows = lower_insert(insert, None if source is None else replace(source, common=None), table, within)
    returned = None
    if insert.returning:
        items, columns = (item_of_target(table, insert.alias),), rows_of_target(table).columns
        returned = lower_returning(insert.returning, table, items, columns, inside)
    return inner(rows), returned


def _update(update: Update, table: CatalogRelation, inside: Inside) -> tuple[Rows, Returned | None]:
    picked = pick(table, update.alias, update.from_items, inside)
    kept = predicates(picked, update.where)
    returned = None
    if update.returning:
        scope = picked.block.scope
        returned = lower_returning(update.returning, table, scope.items, scope.columns, inside)
    new = assignments(picked, update.assignments)
    return updated(picked, kept, new, returned.extra if returned else ()), returned


def _delete(delete: Delete, table: CatalogRelation, inside: Inside) -> tuple[Rows, Returned | None]:
    picked = pick(table, delete.alias, delete.using, inside)
    kept = predicates(picked, delete.where)
    returned = None
    if delete.returning:
        scope = picked.block.scope
        returned = lower_returning(delete.returning, table, scope.items, scope.columns, inside)
    return deleted(picked, kept, returned.extra if returned else ()), returned
