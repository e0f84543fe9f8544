"""Reads of few rows by equality: found in an index, without looking at the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from holdfast.adapter.tables import Part, can_look_up
from holdfast.plan.relation import Filter, Get, Map, Plan, Project, Relation, TopK
from holdfast.plan.scalar import And, Call, Column, Constant, Parameter, Scalar
from holdfast.plan.types import Type

_INTEGERS = ("int2", "int4", "int8")
"""Those whose values can be equal to each other's."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Rows of `collection` of which what they are found `by` equals `keys`. They are the query's input, and its filter
    still holds.

    `outputs`: the query only picks these columns of the rows found, and the equalities are all of its filter.
    """

    collection: str
    by: tuple[Part, ...]
    keys: tuple[Constant | Parameter, ...]
    outputs: tuple[int, ...] | None

    def values(self, parameters: Sequence[object]) -> tuple[object, ...]:
        return tuple([key.value if isinstance(key, Constant) else parameters[key.number - 1] for key in self.keys])


def lookup_of(plan: Plan, indexes: Collection[tuple[Part, ...]]) -> Lookup | None:
    """How a plain read of a collection with these indexes finds its rows by equality, if it does.

    By columns it does so without an index too, and then by all of them; by an expression only where an index has it,
    and the query has all that the index finds rows by.
    """
    relation, outputs = _picked(plan.relation)
    exact = outputs is not None and not plan.order and plan.limit is None and plan.offset is None
    filtered = relation if isinstance(relation, Filter) else _lowest_filter(relation)
    if filtered is None or not isinstance(filtered.input, Get):
        return None
    pairs: dict[Part, Constant | Parameter] = {}
    terms = [part for predicate in filtered.predicates for part in _terms(predicate)]
    for term in terms:
        pair = _equality(term)
        if pair is not None:
            pairs.setdefault(*pair)
    columns = tuple(sorted(part for part in pairs if isinstance(part, int)))
    by: tuple[Part, ...] = columns
    if len(columns) < len(pairs):
        fitting = [each for each in indexes if pairs.keys() >= set(each)]
        best = max(fitting, key=lambda each: (len(each), each == columns), default=columns)
        by = columns if all(isinstance(part, int) for part in best) else best
    if not by:
        return None
    whole = exact and filtered is relation and len(by) == len(terms)
    picked = outputs[: len(plan.names)] if whole and outputs is not None else None
    return Lookup(filtered.input.name, by, tuple(pairs[part] for part in by), picked)


def _picked(relation: Relation) -> tuple[Relation, tuple[int, ...] | None]:
    """What lies below projections, and which of its columns they pick."""
    if isinstance(relation, Project):
        below, outputs = _picked(relation.input)
        return below, None if outputs is None else tuple(outputs[index] for index in relation.outputs)
    return relation, tuple(range(len(relation.columns)))


def _lowest_filter(relation: Relation) -> Filter | None:
    found: Filter | None = None
    while isinstance(relation, Map | Filter | Project | TopK):
        if isinstance(relation, Filter):
            found = relation
        relation = relation.input
    return found


def _terms(predicate: Scalar) -> Sequence[Scalar]:
    return predicate.terms if isinstance(predicate, And) else (predicate,)


def _equality(term: Scalar) -> tuple[Part, Constant | Parameter] | None:
    if not isinstance(term, Call) or term.function.name != "=":
        return None
    for one, other in (term.arguments, term.arguments[::-1]):
        if isinstance(other, Constant | Parameter) and _finds(other.type, one.type):
            return one.index if isinstance(one, Column) else one, other
    return None


def _finds(key: Type, column: Type) -> bool:
    return can_look_up(column) and (column.base == key.base or (column.base in _INTEGERS and key.base in _INTEGERS))
