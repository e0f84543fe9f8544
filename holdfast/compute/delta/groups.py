"""The keyed operators: what each makes of the rows of its keys at the points of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.compute.delta.join import equated_columns
from holdfast.compute.delta.keyed import Part, Points, key_columns, keyed_updates, same_time
from holdfast.compute.delta.making import Making
from holdfast.plan.columns import is_null
from holdfast.plan.relation import (
    Join,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    column,
)
from holdfast.plan.scalar import Case, Coalesce, Scalar, moved


def threshold_updates(making: Making, relation: Threshold) -> Relation:
    """The rows of a key are those whose diffs add up to more than zero, which is what a threshold keeps."""
    whole = tuple(range(len(relation.columns)))
    return keyed_updates(making, [Part(relation.input, whole)], lambda _, rows: rows[0])


def top_updates(making: Making, relation: TopK) -> Relation:
    width = len(relation.columns)

    def top(_: Points, rows: Sequence[Relation]) -> Relation:
        group = (*relation.group, width, width + 1)
        return TopK(rows[0], group, relation.order, relation.limit, relation.offset)

    return keyed_updates(making, [Part(relation.input, relation.group)], top)


def reduce_updates(making: Making, relation: Reduce) -> Relation:
    """From the rows of each group. Keys are columns of the input."""
    width, keys = len(relation.input.columns), len(relation.keys)

    def reduced(points: Points, rows: Sequence[Relation]) -> Relation:
        (members,) = rows
        point = column(members, width), column(members, width + 1)
        groups = Reduce(members, (*relation.keys, *point), relation.aggregates)
        made = Project(groups, (*range(keys), *range(keys + 2, len(groups.columns)), keys, keys + 1))
        return made if relation.keys else _with_empty(making.bind(made), points, relation)

    return keyed_updates(making, [Part(relation.input, key_columns(relation.keys))], reduced)


def _with_empty(made: Relation, points: Points, relation: Reduce) -> Relation:
    """Without keys there is a row also where there is none to aggregate."""
    at = points.relation
    same = same_time(0, len(at.columns) + len(relation.columns), Join((at, made)))
    without = SemiJoin(at, made, (same,), True)
    empty = Reduce(Values((), relation.input.columns), (), relation.aggregates)
    return Union((made, Join((empty, without))))


def window_updates(making: Making, relation: Window) -> Relation:
    """All calls have one partition, of columns of the input."""
    width = len(relation.input.columns)

    def windowed(_: Points, rows: Sequence[Relation]) -> Relation:
        (members,) = rows
        point = column(members, width), column(members, width + 1)
        made = Window(members, tuple(replace(each, partition=(*each.partition, *point)) for each in relation.calls))
        return Project(made, (*range(width), *range(width + 2, len(made.columns)), width, width + 1))

    return keyed_updates(making, [Part(relation.input, key_columns(relation.calls[0].partition))], windowed)


def outer_updates(making: Making, relation: OuterJoin) -> Relation:
    left, right = len(relation.left.columns), len(relation.right.columns)

    def joined(_: Points, rows: Sequence[Relation]) -> Relation:
        ours, theirs = rows
        at = same_time(left, left + 2 + right, Join((ours, theirs)))
        made = OuterJoin(ours, theirs, (*_apart(relation.predicates, left), at), relation.full)
        time, other_time = column(made, left), column(made, left + 2 + right)
        after, other_after = column(made, left + 1), column(made, left + 3 + right)
        point = Coalesce((time, other_time)), Case(((is_null(time), other_after),), after)
        end = len(made.columns)
        return Project(Map(made, point), (*range(left), *range(left + 2, left + 2 + right), end, end + 1))

    return keyed_updates(making, _sides(relation), joined)


def semi_updates(making: Making, relation: SemiJoin) -> Relation:
    left, right = len(relation.left.columns), len(relation.right.columns)

    def joined(_: Points, rows: Sequence[Relation]) -> Relation:
        ours, theirs = rows
        at = same_time(left, left + 2 + right, Join((ours, theirs)))
        return SemiJoin(ours, theirs, (*_apart(relation.predicates, left), at), relation.anti)

    return keyed_updates(making, _sides(relation), joined)


def _sides(relation: OuterJoin | SemiJoin) -> list[Part]:
    keys = equated_columns(relation.predicates, len(relation.left.columns))
    ours, theirs = tuple(our for our, _ in keys), tuple(their for _, their in keys)
    return [Part(relation.left, ours), Part(relation.right, theirs)]


def _apart(predicates: Sequence[Scalar], left: int) -> tuple[Scalar, ...]:
    """Predicates over both sides, of which the left one has two more columns at its end."""
    return tuple(moved(predicate, lambda index: index + 2 * (index >= left)) for predicate in predicates)
