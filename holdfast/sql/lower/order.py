"""Keys of ORDER BY."""

from __future__ import annotations

from holdfast.plan.relation import OrderKey
from holdfast.plan.types import Map, Type
from holdfast.sql.coerce import Coercion
from holdfast.sql.errors import NotSupported, UndefinedFunction
from holdfast.sql.syntax.expression import Order
from holdfast.sql.term import Term

_USING = {"<": False, ">": True}
_NO_ORDER = "Use an explicit ordering operator or modify the query."


def order_key(key: Order, term: Term, coercion: Coercion) -> OrderKey:
    """The key that `term` is, as it is written. Nulls are greater than all values unless it says otherwise."""
    term = coercion.text_if_unknown(term)
    must_be_sortable(term.type, term.location)
    descending = key.direction == "DESC"
    if key.using is not None:
        if key.using.symbol not in _USING:
            raise NotSupported(f"operator {key.using.symbol} is not a valid ordering operator", key.location)
        descending = _USING[key.using.symbol]
    nulls_first = descending if key.nulls is None else key.nulls == "FIRST"
    return OrderKey(term.scalar, descending, nulls_first)


def must_be_sortable(type_: Type, location: int) -> None:
    if isinstance(type_, Map):
        raise UndefinedFunction(f"could not identify an ordering operator for type {type_}", location, _NO_ORDER)
