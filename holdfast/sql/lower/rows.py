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
    """The rows with limits that only the rows around, or another query, know: applied by counting them."""
    places = _Places(rows, coercion, "row_number")
    kept = places.after_offset()
    if rows.limit is not None:
        kept.append(places.up_to("row_number", rows.limit))
    return places.rows(kept)


def with_ties(rows: Rows, coercion: Coercion) -> Rows:
    """The rows up to a limit, and those that the order leaves equal to the last of them."""
    assert rows.limit is not None
    places = _Places(rows, coercion, "row_number", "rank")
    kept = places.after_offset()
    # Of no rows none is the last.
    some = operator(">", [Term(_or_else(rows.limit, 1), 0), Term(Constant(0, INT8), 0)], 0, coercion)
    kept += [some.scalar, places.up_to("rank", rows.limit)]
    return places.rows(kept)


class _Places:
    """Rows with their places in the order, and predicates about these.

    As where a limit is known, rows that the order leaves equal are told apart by all their columns, but not for `rank`.
    """

    def __init__(self, rows: Rows, coercion: Coercion, *functions: str) -> None:
        self._rows, self._coercion, self._functions = rows, coercion, functions
        self._found = found = _with_order(rows, coercion)
        every = tuple(OrderKey(column(found.relation, index)) for index in range(len(found.relation.columns)))
        orders = [found.order if name == "rank" else (*found.order, *every) for name in functions]
        calls = (
            WindowCall(WINDOWS[name][0], (), INT8, False, (), order)
            for name, order in zip(functions, orders, strict=True)
        )
        self._counted = Window(found.relation, tuple(calls))

    def after_offset(self) -> list[Scalar]:
        if self._rows.offset is None:
            return []
        return [self._operator(">", self._place("row_number"), self._skipped(self._rows.offset)).scalar]

    def up_to(self, function: str, limit: Scalar) -> Scalar:
        """Whether the place of a row is within the limit. One that is null is none."""
        place = self._place(function)
        if self._rows.offset is not None:
            place = self._operator("-", place, self._skipped(self._rows.offset))
        return self._operator("<=", place, Term(_or_else(limit, 2**63 - 1), 0)).scalar

    def _place(self, function: str) -> Term:
        return Term(column(self._counted, len(self._found.relation.columns) + self._functions.index(function)), 0)

    def _skipped(self, offset: Scalar) -> Term:
        return Term(_or_else(offset, 0), 0)

    def _operator(self, symbol: str, left: Term, right: Term) -> Term:
        return operator(symbol, [left, right], 0, self._coercion)

    def rows(self, kept: list[Scalar]) -> Rows:
        relation = Filter(self._counted, tuple(kept))
        found = self._found
        return Rows(relation, columns_as_terms(relation)[: found.width], self._rows.names, found.order)


def _or_else(number: Scalar, default: int) -> Scalar:
    return Coalesce((number, Constant(default, INT8)))


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
