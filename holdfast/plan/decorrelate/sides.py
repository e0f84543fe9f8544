"""Predicates over the two sides of a join whose places are not known yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from holdfast.plan.columns import (
    appended,
    own_columns,
    projected,
    width_of,
)
from holdfast.plan.decorrelate.row import Row
from holdfast.plan.rebuild import outer_moved
from holdfast.plan.relation import (
    OuterJoin,
    Relation,
    SemiJoin,
    Union,
    column,
)
from holdfast.plan.scalar import (
    Column,
    Outer,
    Scalar,
    Subquery,
    children,
    null,
    transform,
    with_children,
)

_RIGHT = 1 << 40
"""Added to the positions of the right side while it is not known where that begins."""


def _marked(scalar: Scalar) -> Scalar:
    def place(part: Scalar) -> Scalar:
        return Column(part.index + _RIGHT, part.type, part.nullable) if isinstance(part, Column) else part

    return transform(scalar, place)


def sided(scalar: Scalar, before: int) -> Scalar:
    """The scalar with the right side at its place, after `before` columns of the left."""

    def place(part: Scalar) -> Scalar:
        if isinstance(part, Column) and part.index >= _RIGHT:
            return Column(part.index - _RIGHT + before, part.type, part.nullable)
        return part

    return transform(scalar, place)


def side_marked(row: Row, predicate: Scalar, right: Relation, first: int, known: Mapping[Scalar, Column]) -> Scalar:
    """A predicate over our own columns and those of `right` from `first` on, the latter marked.

    The answers to queries that are `known` are columns of `right`.
    """
    match predicate:
        case Subquery():
            return _marked(known[predicate])
        case Column() if predicate.index < row.width:
            return column(row.relation, row.shift + predicate.index)
        case Column():
            return _marked(column(right, first + predicate.index - row.width))
        case Outer():
            return column(row.relation, row.env[predicate.level - 1](predicate.index))
    below = tuple(side_marked(row, part, right, first, known) for part in children(predicate))
    return with_children(predicate, below)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The rows of two relations for which all of `same` are true.

    `places` says where the columns that a predicate on both has as its own are in the two side by side.
    """

    left: Relation
    right: Relation
    same: tuple[Scalar, ...]
    places: list[int]


@dataclass(frozen=True, slots=True)
class Answered:
    """A right side with the answers of queries, and which of its columns have to be the same as which of the left."""

    right: Relation
    known: dict[Scalar, Column]
    ties: list[tuple[int, int]]


def on_sides(predicate: Scalar, left: Row, right: Row, known: Mapping[Scalar, Column]) -> Scalar:
    """The predicate over the columns of `left`, and those of `right` marked by `_RIGHT`."""
    width, total = left.width, left.width + right.width
    match predicate:
        case Subquery():
            if predicate in known:
                return _marked(known[predicate])
            if all(index < width or index >= total for index in own_columns(predicate)):
                return left.scalar(pair_moved(predicate, lambda index: index, total, width))
            return _marked(right.scalar(pair_moved(predicate, lambda index: index - width, total, right.width)))
        case Column() if predicate.index >= width:
            return _marked(right.scalar(Column(predicate.index - width, predicate.type, predicate.nullable)))
        case Column() | Outer():
            return left.scalar(predicate)
    return with_children(predicate, tuple(on_sides(part, left, right, known) for part in children(predicate)))


def queries_in(predicate: Scalar) -> list[Subquery]:
    """The queries of a predicate, not those inside of them."""
    if isinstance(predicate, Subquery):
        return [predicate]
    return [query for part in children(predicate) for query in queries_in(part)]


def about_both(predicate: Scalar, width: int, total: int) -> list[Subquery]:
    """The queries of a predicate that are about both sides of a join: the left has `width` of `total` columns."""
    found = []
    for query in queries_in(predicate):
        own = {index for index in own_columns(query) if index < total}
        if any(index < width for index in own) and any(index >= width for index in own):
            found.append(query)
    return found


def pair_moved(scalar: Scalar, places: Callable[[int], int], total: int, width: int) -> Scalar:
    """A scalar about a row of `total` columns as one about a row of `width`, where they are elsewhere.

    What follows the row are the columns of the query of an `any`.
    """

    def move(index: int) -> int:
        return places(index) if index < total else index - total + width

    match scalar:
        case Column():
            return Column(move(scalar.index), scalar.type, scalar.nullable)
        case Subquery():
            predicate = None if scalar.predicate is None else pair_moved(scalar.predicate, places, total, width)
            relation = outer_moved(scalar.relation, 1, move)
            return Subquery(scalar.kind, relation, predicate, scalar.type, scalar.nullable)
    return with_children(scalar, tuple(pair_moved(part, places, total, width) for part in children(scalar)))


def full_as_union(relation: OuterJoin) -> Relation:
    """A full join as the left join and the rows of the right side that have no partner."""
    left, right = width_of(relation.left), width_of(relation.right)
    total = left + right

    def swap(index: int) -> int:
        return index + right if index < left else index - left

    predicates = tuple(pair_moved(predicate, swap, total, total) for predicate in relation.predicates)
    lonely: Relation = SemiJoin(relation.right, relation.left, predicates, anti=True)
    padded = appended(lonely, [null(found.type) for found in relation.left.columns])
    lonely = projected(padded, [*range(right, total), *range(right)])
    return Union((replace(relation, full=False), lonely))
