"""A group that is looked up in another relation is made first, and looked up once.

Where a join finds at most one row for each row of one side, and all rows of a group find the same one, the groups can
be made before it: there are fewer of them than rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.columns import projected
from holdfast.plan.free import scalars
from holdfast.plan.keys import covers, equated
from holdfast.plan.rebuild import aggregate_with
from holdfast.plan.relation import Join, Project, Reduce, Relation, column
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Scalar, columns_of, moved


def push_down_reduce(relation: Relation) -> Relation:
    return bottom_up(relation, lambda part: _pushed(part) if isinstance(part, Reduce) else part)


@dataclass(frozen=True, slots=True)
class _Sides:
    """A join by equalities of `rows`, which are the join's `first` input or its second, with what they look up.

    `pairs` are the positions that each of `equals` compares, in `rows` and in `lookup`.
    """

    rows: Relation
    lookup: Relation
    first: bool
    equals: tuple[Call, ...]
    pairs: tuple[tuple[int, int], ...]

    def in_rows(self, index: int) -> int | None:
        """The position of a column of the join in the rows, if it is one of theirs."""
        start = 0 if self.first else len(self.lookup.columns)
        return index - start if start <= index < start + len(self.rows.columns) else None

    def in_lookup(self, index: int) -> int:
        return index - len(self.rows.columns) if self.first else index


def _pushed(relation: Reduce) -> Relation:
    below = relation.input
    join = below.input if isinstance(below, Project) else below
    outputs = below.outputs if isinstance(below, Project) else tuple(range(len(below.columns)))
    if not isinstance(join, Join) or len(join.inputs) != 2 or not relation.aggregates:
        return relation
    keys = [outputs[key.index] for key in relation.keys if isinstance(key, Column)]
    if len(keys) != len(relation.keys):
        return relation
    for first in (True, False):
        sides = _sides(join, first)
        if sides is not None and (found := _grouped_first(relation, outputs, keys, sides)) is not None:
            return found
    return relation


def _sides(join: Join, first: bool) -> _Sides | None:
    rows, lookup = join.inputs if first else join.inputs[::-1]
    border = len(join.inputs[0].columns)
    equals: list[Call] = []
    pairs: list[tuple[int, int]] = []
    for predicate in join.predicates:
        pair = equated(predicate)
        if pair is None or not isinstance(predicate, Call) or (min(pair) < border) != (max(pair) >= border):
            return None
        low, high = min(pair), max(pair) - border
        pairs.append((low, high) if first else (high, low))
        equals.append(predicate)
    if not pairs or not covers(lookup, [theirs for _, theirs in pairs]):
        return None
    return _Sides(rows, lookup, first, tuple(equals), tuple(pairs))


def _grouped_first(relation: Reduce, outputs: tuple[int, ...], keys: list[int], sides: _Sides) -> Relation | None:
    used = frozenset[int]().union(
        *(columns_of(part) for part in scalars(Reduce(relation.input, (), relation.aggregates)))
    )
    if any(sides.in_rows(outputs[index]) is None for index in used):
        return None
    own = {ours for key in keys if (ours := sides.in_rows(key)) is not None}
    theirs = {sides.in_lookup(key) for key in keys if sides.in_rows(key) is None}
    if any(ours not in own and other not in theirs for ours, other in sides.pairs):
        return None
    grouped = sorted(own | {ours for ours, _ in sides.pairs})

    def place(scalar: Scalar) -> Scalar:
        return moved(scalar, lambda index: sides.in_rows(outputs[index]) or 0)

    calls = tuple(aggregate_with(call, place) for call in relation.aggregates)
    made = Reduce(sides.rows, tuple(column(sides.rows, index) for index in grouped), calls)
    where = {index: position for position, index in enumerate(grouped)}
    width = len(made.columns)
    predicates = []
    for call, (ours, other) in zip(sides.equals, sides.pairs, strict=True):
        left = column(made, where[ours])
        target = sides.lookup.columns[other]
        right = Column(width + other, target.type, target.nullable)
        in_order = (left, right) if _is_ours_left(call, sides) else (right, left)
        predicates.append(Call(call.function, in_order, call.type, call.nullable))
    joined = Join((made, sides.lookup), tuple(predicates))
    shown = [where[p] if (p := sides.in_rows(key)) is not None else width + sides.in_lookup(key) for key in keys]
    return projected(joined, [*shown, *range(len(grouped), width)])


def _is_ours_left(call: Call, sides: _Sides) -> bool:
    left = call.arguments[0]
    assert isinstance(left, Column)
    return sides.in_rows(left.index) is not None
