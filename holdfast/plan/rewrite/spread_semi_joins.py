"""What few rows decide of a join is asked of every input that has what they decide by."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.plan.keys import equated
from holdfast.plan.relation import Join, Relation, SemiJoin, column
from holdfast.plan.rewrite.infer_predicates import equal_columns
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Scalar, transform


def spread_semi_joins(relation: Relation, is_small: Callable[[Relation], bool]) -> Relation:
    """Semi joins of joins with what is small, by equality: they become semi joins of all inputs that have the columns.

    Those that the join wants to equal them are as good. What is small is asked several times, so that what is large is
    made small before it is joined.
    """
    return bottom_up(relation, lambda part: _spread(part, is_small) if isinstance(part, SemiJoin) else part)


def _spread(relation: SemiJoin, is_small: Callable[[Relation], bool]) -> Relation:
    join = relation.left
    if relation.anti or not isinstance(join, Join) or not is_small(relation.right):
        return relation
    width = len(join.columns)
    pairs = [_pair(predicate, width) for predicate in relation.predicates]
    classes = equal_columns(join.predicates, join)
    parts, start = list(join.inputs), 0
    for number, part in enumerate(join.inputs):
        own = range(start, start + len(part.columns))
        found = [None if pair is None else _within(own, pair[0], classes) for pair in pairs]
        if found and None not in found:
            places = {pair[0]: place for pair, place in zip(pairs, found, strict=True) if pair and place is not None}
            parts[number] = _of_one(relation, part, start, places)
        start = own.stop
    return relation if parts == list(join.inputs) else Join(tuple(parts), join.predicates)


def _pair(predicate: Scalar, width: int) -> tuple[int, int] | None:
    """The column of the left side and the one of the right that a predicate wants to be equal. None: it is no such."""
    pair = equated(predicate) if isinstance(predicate, Call) and predicate.function.name == "=" else None
    if pair is None or not min(pair) < width <= max(pair):
        return None
    return min(pair), max(pair)


def _within(own: range, asked: int, classes: dict[int, tuple[int, ...]]) -> int | None:
    """A column among `own` that is, or equals, what is asked."""
    return next((index for index in (asked, *classes.get(asked, ())) if index in own), None)


def _of_one(relation: SemiJoin, part: Relation, start: int, places: dict[int, int]) -> Relation:
    width, both = len(relation.left.columns), Join((part, relation.right))

    def place(scalar: Scalar) -> Scalar:
        if not isinstance(scalar, Column):
            return scalar
        index = scalar.index
        return column(both, places[index] - start if index < width else index - width + len(part.columns))

    return SemiJoin(part, relation.right, tuple(transform(each, place) for each in relation.predicates))
