"""Relations of updates: operators that are linear apply to updates as they do to rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.compute.delta.internal import MINUS, NOT_ZERO, call, total
from holdfast.compute.delta.program import update_columns
from holdfast.plan.relation import (
    Columns,
    Filter,
    FlatMap,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    Union,
    Values,
    column,
)
from holdfast.plan.scalar import Constant, Scalar
from holdfast.plan.types import INT8

Linear = Map | Filter | Project | FlatMap | Union | Negate


def is_linear(relation: Relation) -> bool:
    return isinstance(relation, Linear)


def lifted(relation: Linear, below: Callable[[Relation], Relation]) -> Relation:
    """The updates of a linear operator, given those of what is below it."""
    match relation:
        case Map():
            added = Map(below(relation.input), relation.scalars)
            return with_last(added, len(relation.input.columns))
        case Filter():
            return Filter(below(relation.input), relation.predicates)
        case Project():
            width = len(relation.input.columns)
            return Project(below(relation.input), (*relation.outputs, width, width + 1))
        case FlatMap():
            made = FlatMap(
                below(relation.input),
                relation.function,
                relation.arguments,
                relation.returns,
                relation.ordinality,
                relation.outer,
            )
            return with_last(made, len(relation.input.columns))
        case Union():
            return Union(tuple(below(part) for part in relation.inputs))
        case Negate():
            return negated(below(relation.input))


def with_last(relation: Relation, place: int) -> Relation:
    """The relation with the two columns from `place` on moved to its end."""
    rest = (index for index in range(len(relation.columns)) if index not in (place, place + 1))
    return Project(relation, (*rest, place, place + 1))


def negated(updates: Relation) -> Relation:
    width = len(updates.columns)
    return Project(Map(updates, (call(MINUS, column(updates, width - 1)),)), (*range(width - 1), width))


def no_updates(columns: Columns) -> Relation:
    return Values((), update_columns(columns))


def placed(rows: Relation, width: int, time: Scalar, diff: int) -> Relation:
    """The first columns of some rows as updates."""
    count = len(rows.columns)
    return Project(Map(rows, (time, Constant(diff, INT8))), (*range(width), count, count + 1))


def at_time(updates: Relation, time: Scalar) -> Relation:
    """The updates, all at one time."""
    width = len(updates.columns)
    return Project(Map(updates, (time,)), (*range(width - 2), width, width - 1))


def consolidated(updates: Relation) -> Relation:
    """Each row and time once, with the sum of its diffs, where that is not zero."""
    width = len(updates.columns)
    keys = tuple(column(updates, index) for index in range(width - 1))
    summed = Reduce(updates, keys, (total(column(updates, width - 1)),))
    return Filter(summed, (call(NOT_ZERO, column(summed, width - 1)),))


def picked(relation: Relation, columns: Sequence[int]) -> Relation:
    return Project(relation, tuple(columns))
