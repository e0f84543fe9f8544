"""From the rows of a query to a relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.relation import OrderKey, Project, Relation, TopK, column
from holdfast.plan.scalar import Column, Scalar
from holdfast.sql.coerce import Coercion
from holdfast.sql.lower.block import Rows
from holdfast.sql.lower.placement import emit
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


def relation_of(rows: Rows, coercion: Coercion) -> Relation:
    """The rows as a relation with the query's columns and no others. Without a limit, their order is of no account."""
    if rows.limit is None and rows.offset is None:
        return emit(rows.relation, [coercion.text_if_unknown(term).scalar for term in rows.terms])
    found = ordered(rows, coercion)
    if len(found.relation.columns) == found.width:
        return found.relation
    return Project(found.relation, tuple(range(found.width)))


def columns_as_terms(relation: Relation, locations: Sequence[int] = ()) -> tuple[Term, ...]:
    """The columns of a relation as terms, each with a place if known."""
    found: list[Column] = [column(relation, index) for index in range(len(relation.columns))]
    return tuple(Term(part, locations[index] if index < len(locations) else 0) for index, part in enumerate(found))
