"""Ties: how a query that was pulled out of another is joined to it again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.plan.columns import (
    columns_at,
    is_null_constant,
    own_columns,
    projected,
)
from holdfast.plan.free import free_in_scalar
from holdfast.plan.functions.internal import SINGLE_VALUE, SOME_VALUE
from holdfast.plan.functions.registry import AGGREGATES
from holdfast.plan.relation import (
    AggregateCall,
    Map,
    Project,
    Reduce,
    Relation,
    Values,
    column,
)
from holdfast.plan.scalar import (
    Call,
    Column,
    Scalar,
    null,
    transform,
)
from holdfast.plan.types import INT8


@dataclass(frozen=True, slots=True)
class Tie:
    """`equals` compares `outer`, a scalar of outer columns alone, with the column `inner`."""

    equals: Call
    outer: Scalar
    inner: int


@dataclass(frozen=True, slots=True)
class Pulled:
    """A query without what ties it to outer rows.

    - The first `width` columns of `relation` are those of the query; more may follow.
    - Its rows for an outer row are those for which all ties are equal and all `residual` predicates true.
    - `default` is the one row for an outer row for which there are none of these, if that is how the query is.
    - `one_row`: there is never more than one row for an outer row.
    """

    relation: Relation
    width: int
    ties: tuple[Tie, ...] = ()
    residual: tuple[Scalar, ...] = ()
    default: tuple[Scalar, ...] | None = None
    one_row: bool = False

    @property
    def tied(self) -> list[int]:
        return [tie.inner for tie in self.ties]


class CannotPull(Exception):  # not an error: the query must be bound instead
    pass


def trimmed(pulled: Pulled) -> Pulled:
    """Only the query's own columns and those of ties."""
    outputs = [*range(pulled.width), *pulled.tied]
    ties = tuple(Tie(t.equals, t.outer, pulled.width + place) for place, t in enumerate(pulled.ties))
    return replace(pulled, relation=projected(pulled.relation, outputs), ties=ties)


def without_residual(pulled: Pulled) -> Pulled:
    if pulled.residual:
        raise CannotPull
    return pulled


def tie_sides(predicate: Scalar) -> tuple[Call, Scalar, Scalar] | None:
    """For an equality of something outer with something of ours: the call, and both."""
    if not isinstance(predicate, Call) or predicate.function.name != "=" or len(predicate.arguments) != 2:
        return None
    if predicate.function.arguments[0] is not predicate.function.arguments[1]:
        return None  # the sides of such an equality cannot change places
    for outer, inner in (predicate.arguments, predicate.arguments[::-1]):
        if free_in_scalar(outer) and not own_columns(outer) and not free_in_scalar(inner) and own_columns(inner):
            return predicate, outer, inner
    return None


def has_one_row(relation: Relation) -> bool:
    while isinstance(relation, Map | Project):
        relation = relation.input
    return (isinstance(relation, Reduce) and not relation.keys) or (
        isinstance(relation, Values) and len(relation.rows) == 1
    )


def value_and_count(value: Scalar) -> tuple[AggregateCall, ...]:
    count = next(found for found in AGGREGATES["count"] if not found.arguments)
    return AggregateCall(SOME_VALUE, (value,), value.type, True), AggregateCall(count, (), INT8, False)


def checked(value: Scalar, count: Scalar) -> Scalar:
    """The value, with an error where there is more than one: only for rows that ask for it."""
    return Call(SINGLE_VALUE, (value, count), value.type, True)


def counted(pulled: Pulled) -> Pulled:
    """A query for one value as that value and how many rows there are."""
    relation = pulled.relation
    value = column(relation, 0)
    keys = tuple(columns_at(relation, pulled.tied))
    first = len(keys)
    reduced = projected(Reduce(relation, keys, value_and_count(value)), [first, first + 1, *range(first)])
    ties = tuple(Tie(tie.equals, tie.outer, 2 + place) for place, tie in enumerate(pulled.ties))
    return Pulled(reduced, 2, ties, default=(null(value.type), null(INT8)), one_row=True)


def on_default(scalar: Scalar, default: tuple[Scalar, ...]) -> Scalar:
    """A scalar over the default row."""

    def place(part: Scalar) -> Scalar:
        if isinstance(part, Column):
            return default[part.index]
        if isinstance(part, Call) and part.function.strict and any(is_null_constant(a) for a in part.arguments):
            return null(part.type)
        return part

    return transform(scalar, place)
