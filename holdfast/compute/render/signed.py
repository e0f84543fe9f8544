"""Rows that are there less than zero times, which SQL does not have, as rows with a count.

A relation that has a `Negate` in it, with no `Threshold` around that, is written with a last column that says how often
each row is there; a `Threshold` adds the counts up.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, reduce

from holdfast.compute.render.internal import COUNT, MINUS, MORE, REPEAT, TIMES, call, total
from holdfast.errors import UsageError
from holdfast.plan.relation import (
    ColumnType,
    Filter,
    FlatMap,
    Get,
    Join,
    Let,
    Local,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    Union,
    Values,
    column,
    inputs,
)
from holdfast.plan.scalar import Constant, Scalar, moved
from holdfast.plan.types import INT4, INT8


@lru_cache(maxsize=4096)
def is_signed(relation: Relation) -> bool:
    """Whether a row may be there less than zero times."""
    match relation:
        case Negate():
            return True
        case Threshold() | Values() | Get() | Local():
            return False
    return any(is_signed(part) for part in inputs(relation))


def without_counts(relation: Threshold) -> Relation:
    """The rows that are there more than zero times, each as often as that."""
    width = len(relation.columns)
    counted = with_count(relation.input)
    keys = tuple(column(counted, index) for index in range(width))
    groups = Reduce(counted, keys, (total(column(counted, width)),))
    kept = Filter(groups, (call(MORE, column(groups, width), Constant(0, INT8)),))
    repeated = FlatMap(kept, REPEAT, (column(kept, width),), (ColumnType(INT4, False),))
    return Project(repeated, tuple(range(width)))


def with_count(relation: Relation) -> Relation:
    """The relation with a last column that says how often each row is there."""
    width = len(relation.columns)
    if not is_signed(relation):
        return Map(relation, (Constant(1, COUNT.type),))
    match relation:
        case Negate():
            counted = with_count(relation.input)
            return Project(Map(counted, (call(MINUS, column(counted, width)),)), (*range(width), width + 1))
        case Union():
            return Union(tuple(with_count(part) for part in relation.inputs))
        case Filter():
            return Filter(with_count(relation.input), relation.predicates)
        case Project():
            return Project(with_count(relation.input), (*relation.outputs, len(relation.input.columns)))
        case Map():
            return _count_last(Map(with_count(relation.input), relation.scalars), len(relation.input.columns))
        case FlatMap():
            counted = with_count(relation.input)
            added = FlatMap(
                counted, relation.function, relation.arguments, relation.returns, relation.ordinality, relation.outer
            )
            return _count_last(added, len(relation.input.columns))
        case Join():
            return _join(relation)
        case SemiJoin() if not is_signed(relation.right):
            places = (*range(width), *range(width + 1, width + 1 + len(relation.right.columns)))
            predicates = (moved(predicate, places.__getitem__) for predicate in relation.predicates)
            return replace(relation, left=with_count(relation.left), predicates=tuple(predicates))
        case Let() if not is_signed(relation.value):
            return Let(relation.name, relation.value, with_count(relation.body))
    raise UsageError(f"{type(relation).__name__} cannot have rows less than zero times below it")


def _count_last(relation: Relation, place: int) -> Relation:
    """The relation with its count, which is at `place`, at the end."""
    rest = (index for index in range(len(relation.columns)) if index != place)
    return Project(relation, (*rest, place))


def _join(relation: Join) -> Relation:
    """A pair is there as often as the one row times the other."""
    parts = tuple(with_count(part) for part in relation.inputs)
    places: list[int] = []
    counts: list[int] = []
    start = 0
    for part in parts:
        end = start + len(part.columns) - 1
        places += range(start, end)
        counts.append(end)
        start = end + 1
    joined = Join(parts, tuple(moved(predicate, places.__getitem__) for predicate in relation.predicates))
    columns: list[Scalar] = [column(joined, place) for place in counts]
    product = reduce(lambda left, right: call(TIMES, left, right), columns)
    return Project(Map(joined, (product,)), (*places, start))
