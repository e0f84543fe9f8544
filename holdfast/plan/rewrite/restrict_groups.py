"""Groups that nobody joins with are not made.

Where grouped rows are joined by their key with something that is filtered, only keys that pass the filter can matter.
So the rows below the grouping are first looked up among these keys. Queries about each row of another become such
joins: without this, they would group a whole collection for the sake of a few rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.plan.functions.function import Function
from holdfast.plan.keys import equated
from holdfast.plan.relation import (
    Filter,
    Get,
    Join,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    column,
    inputs,
)
from holdfast.plan.rewrite.estimate import kept
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Scalar, children
from holdfast.plan.types import BOOL

_FEW = 0.2
"""How much of its collections something that is worth looking up may keep."""


def restrict_groups(relation: Relation) -> Relation:
    uses = _uses(relation)

    def change(part: Relation) -> Relation:
        match part:
            case Join():
                return Join(_Sides(part.inputs, part.predicates).restricted(part.inputs, uses), part.predicates)
            case OuterJoin(full=False) | SemiJoin():
                sides = _Sides((part.left, part.right), part.predicates)
                (right,) = sides.restricted((part.right,), uses)
                return replace(part, right=right)
        return part

    return bottom_up(relation, change)


def _uses(relation: Relation) -> Counter[Relation]:
    found: Counter[Relation] = Counter()
    waiting = [relation]
    while waiting:
        part = waiting.pop()
        below = inputs(part)
        waiting += [other for other in below if other not in found]
        found.update(below)
    return found


@dataclass(frozen=True, slots=True)
class _Equal:
    """A column of one of the inputs, that column as it counts there, and the operator that says it is equal."""

    part: Relation
    at: int
    function: Function


class _Sides:
    """The inputs of a join, and which columns of theirs are equal."""

    def __init__(self, parts: Sequence[Relation], predicates: Sequence[Scalar]) -> None:
        self._owners = [(part, at) for part in parts for at in range(len(part.columns))]
        self._together: dict[int, list[int]] = {}
        self._functions: dict[int, Function] = {}
        for predicate in predicates:
            self._take(predicate)

    def _take(self, predicate: Scalar) -> None:
        pair = equated(predicate)
        if pair is None or not isinstance(predicate, Call) or predicate.function.name != "=":
            return
        left, right = (self._owners[index] for index in pair)
        if left[0].columns[left[1]].type is not right[0].columns[right[1]].type:
            return
        members = [*self._together.get(pair[0], [pair[0]]), *self._together.get(pair[1], [pair[1]])]
        for index in members:
            self._together[index] = members
            self._functions[index] = predicate.function

    def equal(self, index: int) -> list[_Equal]:
        """The columns that equal one, itself among them."""
        return [_Equal(*self._owners[other], self._functions[index]) for other in self._together.get(index, ())]

    def restricted(self, parts: Sequence[Relation], uses: Counter[Relation]) -> tuple[Relation, ...]:
        """Some of the inputs, without groups that have no partners among the others."""
        return tuple(self._restricted(part) if uses[part] == 1 else part for part in parts)

    def _restricted(self, part: Relation) -> Relation:
        for index, (owner, at) in enumerate(self._owners):
            if owner is not part:
                continue
            for other in self.equal(index):
                few = None if other.part is part else _few(other.part, other.at)
                found = few and _without_groups(part, at, few, other.function)
                if found:
                    return found
        return part


def _few(relation: Relation, at: int) -> Relation | None:
    """A relation of one column that has every value of the column `at`, and is worth looking up."""
    match relation:
        case Project():
            return _few(relation.input, relation.outputs[at])
        case Filter(input=Get() | Project(input=Get())) if not any(map(_is_volatile, relation.predicates)):
            return Project(relation, (at,)) if kept(relation) <= _FEW else None
        case Filter():
            return _few(relation.input, at)
        case SemiJoin(anti=False):
            return _few_of((relation.left, relation.right), relation.predicates, at)
        case Join():
            return _few_of(relation.inputs, relation.predicates, at)
    return None


def _is_volatile(scalar: Scalar) -> bool:
    """Whether it may be another value when it is computed again."""
    if isinstance(scalar, Call) and scalar.function.stability == "volatile":
        return True
    return any(map(_is_volatile, children(scalar)))


def _few_of(parts: Sequence[Relation], predicates: Sequence[Scalar], at: int) -> Relation | None:
    found = (_few(other.part, other.at) for other in _Sides(parts, predicates).equal(at))
    return next((few for few in found if few is not None), None)


def _without_groups(relation: Relation, at: int, few: Relation, equal: Function) -> Relation | None:
    """The relation without groups below whose key, the column `at`, is not among `few`; None if there are none."""
    match relation:
        case Project():
            below = _without_groups(relation.input, relation.outputs[at], few, equal)
        case Filter():
            below = _without_groups(relation.input, at, few, equal)
        case Map() if at < len(relation.input.columns):
            below = _without_groups(relation.input, at, few, equal)
        case Reduce() if at < len(relation.keys):
            key = relation.keys[at]
            below = _among(relation.input, key.index, few, equal) if isinstance(key, Column) else None
        case _:
            return None
    return below and replace(relation, input=below)


def _among(relation: Relation, at: int, few: Relation, equal: Function) -> Relation | None:
    """The rows whose column `at` is among `few`; None if they are those already."""
    match relation:
        case Project(input=Join()):
            below = _among(relation.input, relation.outputs[at], few, equal)
            return below and replace(relation, input=below)
        case Join():
            for index, part in enumerate(relation.inputs):
                if at < len(part.columns):
                    below = _among(part, at, few, equal)
                    parts = relation.inputs[:index], relation.inputs[index + 1 :]
                    return below and Join((*parts[0], below, *parts[1]), relation.predicates)
                at -= len(part.columns)
        case SemiJoin() if relation.right is few:
            return None
    sought = few.columns[0]
    same = Call(equal, (column(relation, at), Column(len(relation.columns), sought.type, sought.nullable)), BOOL, True)
    return SemiJoin(relation, few, (same,))
