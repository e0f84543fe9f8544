"""Inner joins: each input's changes, joined with the others one by one.

Inputs have an order. For the changes of one, those before it in the order are as they are after the step, and those
after it as they were before: so every pair of changes is counted once. No state is kept for the join itself.

Those that are equated by few columns come first, as orders before their lines: new lines are joined once with all there
is of their orders, and new orders, which had no lines, with nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from holdfast.compute.delta.equations import Equation, columns_of_parts, equations, found_from
from holdfast.compute.delta.internal import LATER, TIMES, call
from holdfast.compute.delta.making import Making
from holdfast.compute.delta.quick import Met
from holdfast.compute.evaluate.python_calls import calls_users
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.plan.columns import is_null
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.keys import is_equation
from holdfast.plan.relation import Filter, Join, Map, Project, Relation, Union, column
from holdfast.plan.scalar import Call, Column, Scalar, columns_of, moved
from holdfast.plan.types import BOOL


def join_updates(making: Making, relation: Join) -> Relation:
    order = _order(relation)
    return Union(tuple(term_updates(making, relation, first, order[:place]) for place, first in enumerate(order)))


def term_updates(making: Making, relation: Join, first: int, after: Collection[int] = ()) -> Relation:
    """Those that follow from the changes of one input, with others as they are `after` the step or were before."""
    return _Term(making, relation, first, after).made(making.delta(relation.inputs[first]))


def _order(relation: Join) -> list[int]:
    equated = frozenset[int]().union(*map(columns_of, filter(is_equation, relation.predicates)))
    parts = columns_of_parts(relation)
    return sorted(range(len(parts)), key=lambda number: len(equated.intersection(parts[number])))


def joined_before(making: Making, relation: Join, columns: tuple[int, ...], keys: Relation) -> Relation:
    """The updates of a join before the step, found by columns that it joins by: those of one input, with the others."""
    first = found_from(relation, columns)
    assert first is not None, "only what can be found is looked for"
    own = columns_of_parts(relation)[first]
    places = tuple(place for place, index in enumerate(columns) if index in own)
    wanted = tuple(columns[place] - own.start for place in places)
    found = making.before(
        relation.inputs[first], wanted, keys if len(places) == len(columns) else Project(keys, places)
    )
    return _Term(making, relation, first, ()).made(found)


class _Term:
    """What the rows of one input come to with those of the others. Columns of the join are called by their positions.

    The inputs `after` are as they are after the step, the others as they were before.
    """

    def __init__(self, making: Making, join: Join, first: int, after: Collection[int]) -> None:
        self._making, self._join, self._first, self._after = making, join, first, after
        self._parts = columns_of_parts(join)
        self._places: dict[int, int] = {}
        self._waiting = list(join.predicates)

    def made(self, left: Relation) -> Relation:
        """`left` are updates of the first input."""
        self._places = {index: place for place, index in enumerate(self._parts[self._first])}
        rest = [number for number in range(len(self._parts)) if number != self._first]
        own = self._ready(last=not rest)
        left = Filter(left, tuple(self._moved(predicate) for predicate in own)) if own else left
        while rest:
            number = max(rest, key=lambda each: (len(self._equations(each)), -each))
            rest.remove(number)
            left = self._joined(self._making.bind(left), number, last=not rest)
        width = len(self._join.columns)
        order = tuple(self._places[index] for index in range(width))
        return Project(left, (*order, width, width + 1))

    def _joined(self, left: Relation, number: int, *, last: bool) -> Relation:
        """The combinations so far, which are bound, with those of one more input, bound too."""
        part = self._join.inputs[number]
        right = self._before(left, number)
        if number in self._after:
            right = Union((right, self._making.delta(part)))
        width, added = len(left.columns) - 2, len(part.columns)
        for place, index in enumerate(self._parts[number]):
            self._places[index] = width + 2 + place
        both = Join((left, right), tuple(self._moved(predicate) for predicate in self._ready(last=last)))
        times = column(both, width), column(both, width + 2 + added)
        diffs = column(both, width + 1), column(both, width + 3 + added)
        end = len(both.columns)
        self._places = {index: place - 2 * (place > width) for index, place in self._places.items()}
        kept = (*range(width), *range(width + 2, width + 2 + added), end, end + 1)
        made = Project(Map(both, (call(LATER, *times), call(TIMES, *diffs))), kept)
        quick = None if any(map(calls_users, both.predicates)) else Met(left, right, both.predicates)
        return self._making.bind(made, quick)

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

    def _equations(self, number: int) -> list[Equation]:
        """By which columns of an input rows of it are found, given the combinations so far."""
        return equations(self._join, self._waiting, self._parts[number], self._places.keys())

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
        if not is_equation(predicate):
            continue
        one, other = predicate.arguments
        for left, right in ((one, other), (other, one)):
            match left, right:
                case Column(), Column() if left.index < width <= right.index and left.type == right.type:
                    found.append((left.index, right.index - width))
    return found
