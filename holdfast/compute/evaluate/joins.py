"""Joins of rows in memory: by hash where predicates are equations between the sides, then by all other predicates.

IS NOT DISTINCT FROM is an equation too, in which nulls are equal.

A predicate that may fail is run only for combinations that all others let through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar

from holdfast.compute.evaluate.budget import TooManyRows, check
from holdfast.compute.evaluate.multiset import Multiset
from holdfast.compute.evaluate.scalars import Row, can_fail, compiled, compiled_all
from holdfast.plan.order import is_itself
from holdfast.plan.scalar import Call, Scalar, columns_of, moved

Item = TypeVar("Item")

_INTEGERS = frozenset(("int2", "int4", "int8"))
_EQUAL = "="
_EQUATIONS = frozenset((_EQUAL, "is_not_distinct"))


@dataclass(frozen=True, slots=True)
class Sides:
    """Predicates over a left and a right side, split: equations by which rows find each other, and the rest."""

    left: tuple[Scalar, ...]
    right: tuple[Scalar, ...]
    rest: tuple[Scalar, ...]
    strict: tuple[int, ...]
    """The places of the equations that are not true of nulls."""


def split(predicates: Sequence[Scalar], width: int) -> Sides:
    """The columns from `width` on are the right side's."""
    left: list[Scalar] = []
    right: list[Scalar] = []
    rest: list[Scalar] = []
    strict: list[int] = []
    for predicate in predicates:
        sides = _equation(predicate, width)
        if sides is None:
            rest.append(predicate)
            continue
        if isinstance(predicate, Call) and predicate.function.name == _EQUAL:
            strict.append(len(left))
        left.append(sides[0])
        right.append(moved(sides[1], lambda index: index - width))
    return Sides(tuple(left), tuple(right), tuple(sorted(rest, key=can_fail)), tuple(strict))


def joined(
    inputs: Sequence[Multiset],
    widths: Sequence[int],
    predicates: Sequence[Scalar],
    parameters: Sequence[object],
    most: int | None = None,
) -> Multiset:
    """The combinations of rows of all inputs for which all predicates are true. They are not more than the `most`."""
    left, width = inputs[0], widths[0]
    waiting = list(predicates)
    for right, added in zip(inputs[1:], widths[1:], strict=True):
        last = width + added == sum(widths)
        ready = [p for p in waiting if last or (max(columns_of(p), default=0) < width + added and not can_fail(p))]
        waiting = [p for p in waiting if p not in ready]
        left, width = _pairs(left, right, split(ready, width), parameters, most), width + added
    return left


def _pairs(left: Multiset, right: Multiset, sides: Sides, parameters: Sequence[object], most: int | None) -> Multiset:
    _check_pairs(left.rows, right.rows, sides, most)
    candidates = _candidates(list(right.counted()), sides, parameters, of=lambda pair: pair[0])
    keep = true_for(sides.rest, parameters)
    rows, counts = [], []
    for row, count in left.counted():
        for other, times in candidates(row):
            both = row + other
            if keep(both):
                rows.append(both)
                counts.append(count * times)
        check(rows, most)
    return Multiset(rows, None if left.counts is None and right.counts is None else counts)


def joined_updates(
    left: Sequence[Row], right: Sequence[Row], width: int, predicates: Sequence[Scalar], most: int | None
) -> list[Row]:
    """The combinations of updates for which the predicates are true: what one has and then the other, at the later of
    their times, with the product of their diffs. They are not more than the `most`.

    Rows on the left have `width` columns; the last two, as on the right, are time and diff.
    """
    sides = split(predicates, width)
    _check_pairs(left, right, sides, most)
    items = [(row, row[:-2], row[-2], row[-1]) for row in right]
    candidates = _candidates(items, sides, (), of=itemgetter(0))
    keep = true_for(sides.rest, ()) if sides.rest else None
    found: list[Row] = []
    for row in left:
        values, time, diff = row[:-2], row[-2], row[-1]
        for other, added, other_time, other_diff in candidates(row):
            if keep is None or keep(row + other):
                later = time if time >= other_time else other_time
                found.append((*values, *added, later, diff * other_diff))
        check(found, most)
    return found


def outer_joined(
    left: Sequence[Row],
    right: Sequence[Row],
    widths: tuple[int, int],
    predicates: Sequence[Scalar],
    parameters: Sequence[object],
    *,
    full: bool,
    most: int | None = None,
) -> list[Row]:
    sides = split(predicates, widths[0])
    _check_pairs(left, right, sides, most)
    candidates = _candidates(list(enumerate(right)), sides, parameters, of=lambda pair: pair[1])
    keep = true_for(sides.rest, parameters)
    found: list[Row] = []
    matched: set[int] = set()
    no_left, no_right = (None,) * widths[0], (None,) * widths[1]
    for row in left:
        places = [place for place, other in candidates(row) if keep(row + other)]
        found.extend(row + right[place] for place in places)
        if not places:
            found.append(row + no_right)
        matched.update(places)
        check(found, most)
    if full:
        found.extend(no_left + other for place, other in enumerate(right) if place not in matched)
    return found


def semi_joined(
    left: Multiset,
    right: Sequence[Row],
    width: int,
    predicates: Sequence[Scalar],
    parameters: Sequence[object],
    *,
    anti: bool,
    most: int | None = None,
) -> Multiset:
    if not right:
        return left if anti else Multiset([])
    sides = split(predicates, width)
    _check_pairs(left.rows, right, sides, most)
    candidates = _candidates(right, sides, parameters, of=lambda row: row)
    keep = true_for(sides.rest, parameters)
    # Where one may fail, all are looked at: that it does must not depend on which row comes first.
    seen = any(map(can_fail, sides.rest))

    def is_found(row: Row) -> bool:
        found = (keep(row + other) for other in candidates(row))
        return any(list(found) if seen else found)

    return left.where(lambda row: is_found(row) is not anti)


def _check_pairs(left: Sequence[Row], right: Sequence[Row], sides: Sides, most: int | None) -> None:
    """Where nothing is equated, all pairs are looked at: so many as rows may be."""
    if not sides.left and most is not None and len(left) * len(right) > most:
        raise TooManyRows


def true_for(predicates: Sequence[Scalar], parameters: Sequence[object]) -> Callable[[Row], bool]:
    """Whether all are true for a row, run in turn."""
    parts = [compiled(predicate, parameters) for predicate in predicates]
    if not parts:
        return lambda _: True
    if len(parts) == 1:
        (only,) = parts
        return lambda row: only(row) is True

    return lambda row: all(part(row) is True for part in parts)


def _equation(predicate: Scalar, width: int) -> tuple[Scalar, Scalar] | None:
    """The parts of `left = right`, if each is about one side, cannot fail, and is compared as Python compares."""
    if not isinstance(predicate, Call) or predicate.function.name not in _EQUATIONS or can_fail(predicate):
        return None
    one, other = predicate.arguments
    bases = {one.type.base, other.type.base}
    if not is_itself(one.type) or (len(bases) > 1 and not bases <= _INTEGERS):
        return None
    of_one, of_other = columns_of(one), columns_of(other)
    if not of_one or not of_other:
        return None
    if max(of_one) < width <= min(of_other):
        return one, other
    if max(of_other) < width <= min(of_one):
        return other, one
    return None


def _candidates(
    items: Sequence[Item], sides: Sides, parameters: Sequence[object], of: Callable[[Item], Row]
) -> Callable[[Row], Sequence[Item]]:
    """For a row of the left side, the items whose rows agree with it in all equations."""
    if not sides.left:
        return lambda _: items
    left, right = compiled_all(sides.left, parameters), compiled_all(sides.right, parameters)
    by_key: dict[Row, list[Item]] = {}
    for item in items:
        key = right(of(item))
        if None not in key or not any(key[place] is None for place in sides.strict):
            by_key.setdefault(key, []).append(item)
    # A key with a null where nulls are not equal is not among them.
    return lambda row: by_key.get(left(row), ())
