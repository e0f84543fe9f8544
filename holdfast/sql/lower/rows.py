"""From the rows of a query to a relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.functions.registry import WINDOWS
from holdfast.plan.relation import Filter, OrderKey, Relation, TopK, Window, WindowCall, column
from holdfast.plan.scalar import Coalesce, Column, Constant, Scalar
from holdfast.plan.types import INT8
from holdfast.sql.coerce import Coercion
from holdfast.sql.lower.apply import operator
from holdfast.sql.lower.block import Rows
from holdfast.sql.lower.placement import emit, projected
from holdfast.sql.term import Term


@dataclass(frozen=True, slots=True)
class Ordered:
    """The first `width` columns of `relation` are the query's; others are there for `order`."""

    relation: Relation
    width: int
    order: tuple[OrderKey, ...]


def ordered(rows: Rows, coercion: Coercion) -> Ordered:
    """The rows as a relation, with what they are ordered by; limits are applied."""
    found = _with_order(rows, coercion)
    if rows.limit is None and rows.offset is None:
        return found
    limited = TopK(found.relation, (), found.order, rows.limit, rows.offset)
    return Ordered(limited, found.width, found.order)


def unlimited(rows: Rows, coercion: Coercion) -> Ordered:
    """The rows as a relation, with what they are ordered by; limits are left to the caller."""
    return _with_order(rows, coercion)


def _with_order(rows: Rows, coercion: Coercion) -> Ordered:
    outputs: list[Scalar] = [coercion.text_if_unknown(term).scalar for term in rows.terms]
    width = len(outputs)
    places: list[int] = []
    for key in rows.order:
        if key.expression not in outputs:
            outputs.append(key.expression)
        places.append(outputs.index(key.expression))
    relation = emit(rows.relation, outputs)
    order = [
        OrderKey(column(relation, place), key.descending, key.nulls_first)
        for place, key in zip(places, rows.order, strict=True)
    ]
    return Ordered(relation, width, tuple(order))


def numbered(rows: Rows, coercion: Coercion) -> Rows:
    """The rows with limits that only the rows around, or another query, know: applied by counting them.

    As where a limit is known, rows that the order leaves equal are told apart by all their columns.
    """
    found = _with_order(rows, coercion)
    width = len(found.relation.columns)
    every = (OrderKey(column(found.relation, index)) for index in range(width))
    row_number = WINDOWS["row_number"][0]
    counted = Window(found.relation, (WindowCall(row_number, (), INT8, False, (), (*found.order, *every)),))
    place = Term(column(counted, width), 0)
    kept: list[Scalar] = []
    if rows.offset is not None:
        after = Term(Coalesce((rows.offset, Constant(0, INT8))), 0)
        kept.append(operator(">", [place, after], 0, coercion).scalar)
        place = operator("-", [place, after], 0, coercion)
    if rows.limit is not None:
        most = Term(Coalesce((rows.limit, Constant(2**63 - 1, INT8))), 0)
        kept.append(operator("<=", [place, most], 0, coercion).scalar)
    relation = Filter(counted, tuple(kept))
    return Rows(relation, columns_as_terms(relation)[: found.width], rows.names, found.order)


def relation_of(rows: Rows, coercion: Coercion) -> Relation:
    """The rows as a relation with the query's columns and no others. Without a limit, their order is of no account."""
    if rows.limit is None and rows.offset is None:
        return emit(rows.relation, [coercion.text_if_unknown(term).scalar for term in rows.terms])
    found = ordered(rows, coercion)
    if len(found.relation.columns) == found.width:
        return found.relation
    return projected(found.relation, range(found.width))


def columns_as_terms(relation: Relation, locations: Sequence[int] = ()) -> tuple[Term, ...]:
    """The columns of a relation as terms, each with a place if known."""
    found: list[Column] = [column(relation, index) for index in range(len(relation.columns))]
    return tuple(Term(part, locations[index] if index < len(locations) else 0) for index, part in enumerate(found))
