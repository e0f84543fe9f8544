"""Queries: a body, what it is ordered by, and how much of it is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from holdfast.plan.errors import InvalidRowCountInLimit, InvalidRowCountInOffset
from holdfast.plan.free import free_in_scalar, holds_query
from holdfast.plan.relation import OrderKey
from holdfast.plan.scalar import Constant, Scalar
from holdfast.plan.types import INT4, INT8
from holdfast.sql.errors import InvalidColumnReference, NotSupported
from holdfast.sql.lower.block import LIMIT, OFFSET, ORDER_BY, Block, Clause, Common, Rows, Statement
from holdfast.sql.lower.common_tables import lower_with
from holdfast.sql.lower.levels import reads_row
from holdfast.sql.lower.order import order_key
from holdfast.sql.lower.placement import Placement, with_columns
from holdfast.sql.lower.rows import columns_as_terms, numbered, with_ties
from holdfast.sql.lower.select import lower_select
from holdfast.sql.lower.set_operations import lower_set_operation
from holdfast.sql.lower.source import Inside
from holdfast.sql.lower.targets import Targets, output
from holdfast.sql.lower.values import lower_values
from holdfast.sql.scope import Item, Scope
from holdfast.sql.syntax.expression import Expression, Order
from holdfast.sql.syntax.query import Body, Query, Select, SetOperation, Values
from holdfast.sql.term import Term

_ONLY_NAMES = "Only result column names can be used, not expressions or functions."
_ADD_TO_ALL = "Add the expression/function to every SELECT, or move the UNION into a FROM clause."


def lower_query(query: Query, statement: Statement, outer: Scope | None, common: Mapping[str, Common]) -> Rows:
    return _query(query, Inside(statement, outer, common))


def _query(query: Query, inside: Inside) -> Rows:
    if query.common is None:
        return _plain(query, inside)
    within, wrap = lower_with(query.common, inside, _query)
    return wrap(_plain(query, within))


def _plain(query: Query, inside: Inside) -> Rows:
    """The query without its WITH."""
    rows = _body(query.body, query.order_by, inside)
    limit = None
    ties = query.limit is not None and query.limit.with_ties
    if query.limit is not None and query.limit.count is not None:
        limit = _bound(query.limit.count, LIMIT, rows, inside)
    elif ties:
        raise InvalidRowCountInLimit("row count cannot be null in FETCH FIRST ... WITH TIES clause")
    offset = None if query.offset is None else _bound(query.offset, OFFSET, rows, inside)
    if limit is None and offset is None:
        return rows
    limited = replace(rows, limit=limit, offset=offset)
    if ties and limit is not None:
        return with_ties(limited, inside.statement.coercion)
    if any(bound is not None and (holds_query(bound) or free_in_scalar(bound)) for bound in (limit, offset)):
        return numbered(limited, inside.statement.coercion)
    return limited


def _body(body: Body, order_by: Sequence[Order], inside: Inside) -> Rows:
    match body:
        case Select():
            return lower_select(body, order_by, inside)
        case Values():
            return _ordered_values(lower_values(body, inside), order_by, inside)
        case SetOperation():
            rows = lower_set_operation(body, inside.statement, lambda branch: _body(branch, (), inside))
            return _ordered_by_name(rows, order_by, inside)
        case Query():
            return _query(body, inside)
    assert_never(body)


def _ordered_values(rows: Rows, order_by: Sequence[Order], inside: Inside) -> Rows:
    """VALUES is ordered by its columns, or by expressions of them."""
    if not order_by:
        return rows
    scalars = [inside.statement.coercion.text_if_unknown(term).scalar for term in rows.terms]
    relation, columns = with_columns(rows.relation, scalars)
    item = Item(None, rows.names, tuple([found.index for found in columns]), qualified=False)
    return _order_over(Rows(relation, columns_as_terms(relation), rows.names), item, order_by, inside, named=False)


def _ordered_by_name(rows: Rows, order_by: Sequence[Order], inside: Inside) -> Rows:
    item = Item(None, rows.names, tuple(range(len(rows.names))), qualified=False)
    return _order_over(rows, item, order_by, inside, named=True)


def _order_over(rows: Rows, item: Item, order_by: Sequence[Order], inside: Inside, *, named: bool) -> Rows:
    """Ordered by columns of the result by name or number; expressions are refused where they must be `named`."""
    if not order_by:
        return rows
    columns = rows.relation.columns
    block = Block(inside.statement, Scope((item,), columns, inside.outer), inside.common, ORDER_BY)
    targets = Targets(list(rows.names), list(rows.terms), [()] * len(rows.terms))
    keys: list[OrderKey] = []
    for key in order_by:
        index = output(key.expression, targets, block, ORDER_BY)
        if index is not None:
            term = rows.terms[index]
        else:
            term = block.term(key.expression)
            if named:
                raise NotSupported(
                    "invalid UNION/INTERSECT/EXCEPT ORDER BY clause", term.location, _ADD_TO_ALL, _ONLY_NAMES
                )
        keys.append(order_key(key, term, inside.statement.coercion))
    return replace(rows, order=Placement(len(columns)).order(keys))


def _bound(expression: Expression, clause: Clause, rows: Rows, inside: Inside) -> Scalar | None:
    """How many rows there are at most, or left out; None if null, which bounds nothing."""
    scope = rows.scope or Scope((), (), inside.outer)
    block = Block(inside.statement, scope, inside.common, clause)
    term = block.term(expression)
    if isinstance(term.scalar, Constant) and term.type is INT4:
        term = Term(Constant(term.scalar.value, INT8), term.location)
    scalar = Placement(0).scalar(inside.statement.coercion.specific(term, INT8, clause.name))
    if reads_row(scalar):
        raise InvalidColumnReference(f"argument of {clause.name} must not contain variables", term.location)
    if isinstance(scalar, Constant):
        if scalar.value is None:
            return None
        if isinstance(scalar.value, int) and scalar.value < 0:
            error = InvalidRowCountInLimit if clause is LIMIT else InvalidRowCountInOffset
            raise error(f"{clause.name} must not be negative")
    return scalar
