"""What is small, and not all that there is, is asked of what it is joined with, before they are joined.

A join of many inputs, by one after the other, carries rows of a large input a long way that a small one drops at the
end. A semi join with the small one drops them where they are read. It makes no row more, whatever the keys are, so the
order of the join need not be a better one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from holdfast.plan.keys import equated
from holdfast.plan.relation import Filter, Join, Map, Project, Relation, SemiJoin, column
from holdfast.plan.rewrite.estimate import kept
from holdfast.plan.rewrite.infer_predicates import equal_columns
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Scalar, transform

Small = Callable[[Relation], float | None]
"""What share of its rows is read of a collection, if these are few; None: they are many."""


def reduce_joins(relation: Relation, small: Small) -> Relation:
    return bottom_up(relation, lambda part: reduce_join(part, small) if isinstance(part, Join) else part)


def reduce_join(join: Join, small: Small) -> Join:
    reduced = _Asked(join)
    shares = {
        number: share * kept(part)
        for number, part in enumerate(join.inputs)
        if (share := small(collection(part))) is not None
    }
    # Those that say something, the one that keeps least first, and then those that they were asked of.
    asking = sorted((number for number in shares if shares[number] < 1), key=shares.__getitem__)
    asked = set[tuple[int, ...]]()
    for turn, number in enumerate(asking):
        for other in range(len(join.inputs)):
            pairs = reduced.pairs(other, number)
            places = tuple(place for place, _ in pairs)
            if not pairs or places in asked or other in asking[: turn + 1]:
                continue
            asked.add(places)
            reduced.ask(other, number, pairs)
            if other in shares and other not in asking:
                asking.append(other)
    return reduced.join


def meeting(join: Join, number: int) -> list[int]:
    """The inputs of which columns are to equal some of one of them."""
    asked = _Asked(join)
    return [other for other in range(len(join.inputs)) if other != number and asked.pairs(other, number)]


def ask(join: Join, number: int, others: Iterable[int]) -> Join:
    """Of other inputs only what meets one of them."""
    asked = _Asked(join)
    for other in others:
        asked.ask(other, number, asked.pairs(other, number))
    return asked.join


class _Asked:
    """Inputs of a join, of which some are asked of others."""

    def __init__(self, join: Join) -> None:
        self._whole, self._parts = join, list(join.inputs)
        self._classes = equal_columns(join.predicates, join)
        self._own: list[range] = []
        for part in join.inputs:
            start = self._own[-1].stop if self._own else 0
            self._own.append(range(start, start + len(part.columns)))

    @property
    def join(self) -> Join:
        parts = tuple(self._parts)
        return self._whole if parts == self._whole.inputs else Join(parts, self._whole.predicates)

    def pairs(self, other: int, number: int) -> list[tuple[int, int]]:
        """The columns of one input that equal some of another, with these."""
        found = []
        for place in self._own[other]:
            equal = next((index for index in self._classes.get(place, ()) if index in self._own[number]), None)
            found += [] if equal is None else [(place, equal)]
        return found

    def ask(self, other: int, number: int, pairs: Sequence[tuple[int, int]]) -> None:
        left, right = self._parts[other], self._parts[number]
        both = Join((left, right))
        predicates = []
        for place, equal in pairs:
            ours = column(both, place - self._own[other].start)
            theirs = column(both, equal - self._own[number].start + len(left.columns))
            predicates.append(self._equality(place, ours, theirs))
        self._parts[other] = SemiJoin(left, right, tuple(predicates))

    def _equality(self, place: int, left: Column, right: Column) -> Scalar:
        """That two columns are equal, said as the join says it of columns that equal them."""
        members = self._classes[place]
        for predicate in self._whole.predicates:
            first, second = equated(predicate) or (0, 0)
            is_equality = isinstance(predicate, Call) and predicate.function.name == "="
            if is_equality and first != second and first in members and second in members:
                return transform(predicate, partial(_instead, first, left, right))
        raise AssertionError("some predicate has made the columns equal")


def _instead(first: int, left: Column, right: Column, scalar: Scalar) -> Scalar:
    if not isinstance(scalar, Column):
        return scalar
    return left if scalar.index == first else right


def collection(relation: Relation) -> Relation:
    """What is filtered, and otherwise as it is."""
    while isinstance(relation, Filter | Map | Project):
        relation = relation.input
    return relation
