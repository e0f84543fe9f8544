"""Inner joins: each input's changes, joined with the others one by one.

For the changes of input i, the inputs before it are as they are after the step, those after it as they were before:
so every pair of changes is counted once. No state is kept for the join itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.compute.delta.internal import LATER, TIMES, call
from holdfast.compute.delta.making import Making, can_be_key, looked_up
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.plan.columns import is_null
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.relation import Filter, Join, Map, Project, Relation, Union, column
from holdfast.plan.scalar import Call, Scalar, columns_of, moved
from holdfast.plan.types import BOOL

_EQUATIONS = ("=", "is_not_distinct")


@dataclass(frozen=True, slots=True)
class _Equation:
    """That a column of one input is what an expression over others is."""

    column: int
    other: Scalar
    is_strict: bool


def join_updates(making: Making, relation: Join) -> Relation:
    terms = [_Term(making, relation, first).made() for first in range(len(relation.inputs))]
    return Union(tuple(terms))


class _Term:
    """What the changes of one input contribute. Columns of the join are called by their positions in it."""

    def __init__(self, making: Making, join: Join, first: int) -> None:
        self._making, self._join, self._first = making, join, first
        self._starts: list[int] = []
        at = 0
        for part in join.inputs:
            self._starts.append(at)
            at += len(part.columns)
        self._places: dict[int, int] = {}
        self._waiting = list(join.predicates)

    def _columns(self, number: int) -> range:
        start = self._starts[number]
        return range(start, start + len(self._join.inputs[number].columns))

    def made(self) -> Relation:
        left = self._making.delta(self._join.inputs[self._first])
        self._places = {index: place for place, index in enumerate(self._columns(self._first))}
        rest = [number for number in range(len(self._join.inputs)) if number != self._first]
        own = self._ready(last=not rest)
        left = Filter(left, tuple(self._moved(predicate) for predicate in own)) if own else left
        while rest:
            number = max(rest, key=lambda each: (len(self._equations(each)), -each))
            rest.remove(number)
            left = self._joined(left, number, last=not rest)
        width = len(self._join.columns)
        order = tuple(self._places[index] for index in range(width))
        return Project(left, (*order, width, width + 1))

    def _joined(self, left: Relation, number: int, *, last: bool) -> Relation:
        """The combinations so far, bound, with those of one more input."""
        left, part = self._making.bind(left), self._join.inputs[number]
        right = self._before(left, number)
        if number < self._first:
            right = Union((right, self._making.delta(part)))
        width, added = len(left.columns) - 2, len(part.columns)
        for place, index in enumerate(self._columns(number)):
            self._places[index] = width + 2 + place
        both = Join((left, right), tuple(self._moved(predicate) for predicate in self._ready(last=last)))
        times = column(both, width), column(both, width + 2 + added)
        diffs = column(both, width + 1), column(both, width + 3 + added)
        end = len(both.columns)
        self._places = {index: place - 2 * (place > width) for index, place in self._places.items()}
        kept = (*range(width), *range(width + 2, width + 2 + added), end, end + 1)
        return Project(Map(both, (call(LATER, *times), call(TIMES, *diffs))), kept)

    def _before(self, left: Relation, number: int) -> Relation:
        part, equations = self._join.inputs[number], self._equations(number)
        found = {each.column: each for each in equations}
        values = tuple(self._moved(each.other) for each in found.values())
        strict = [
            value for value, each in zip(values, found.values(), strict=True) if each.is_strict and value.nullable
        ]
        present = Filter(left, tuple(_not(is_null(value)) for value in strict)) if strict else left
        width = len(left.columns)
        keys = Project(Map(present, values), tuple(range(width, width + len(values))))
        return self._making.before(part, list(found), keys)

    def _equations(self, number: int) -> list[_Equation]:
        """By which columns of an input rows of it are found, given the combinations so far."""
        own = self._columns(number)
        found = []
        for predicate in self._waiting:
            if not isinstance(predicate, Call) or predicate.function.name not in _EQUATIONS or can_fail(predicate):
                continue
            for one, other in (predicate.arguments, predicate.arguments[::-1]):
                place, others = looked_up(one), columns_of(other)
                if place not in own or place is None or not others or not others <= self._places.keys():
                    continue
                if can_be_key(other.type, self._join.columns[place].type):
                    found.append(_Equation(place - own.start, other, predicate.function.name == "="))
        return found

    def _ready(self, *, last: bool) -> list[Scalar]:
        """The predicates that can be told now. One that may fail waits for all others."""
        there = self._places.keys()
        ready = [p for p in self._waiting if last or (columns_of(p) <= there and not can_fail(p))]
        self._waiting = [predicate for predicate in self._waiting if predicate not in ready]
        return ready

    def _moved(self, scalar: Scalar) -> Scalar:
        return moved(scalar, self._places.__getitem__)


def _not(scalar: Scalar) -> Scalar:
    return Call(FUNCTIONS["not"][0], (scalar,), BOOL, scalar.nullable)


def equated_columns(predicates: Sequence[Scalar], width: int) -> list[tuple[int, int]]:
    """Pairs of columns of a left side, of `width`, and a right one that predicates say are equal, of one type each."""
    found = []
    for predicate in predicates:
        if not isinstance(predicate, Call) or predicate.function.name not in _EQUATIONS:
            continue
        one, other = predicate.arguments
        for left, right in ((one, other), (other, one)):
            match looked_up(left), looked_up(right):
                case int(ours), int(theirs) if ours < width <= theirs and left.type == right.type:
                    found.append((ours, theirs - width))
    return found
