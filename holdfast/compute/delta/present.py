"""The rows of keys at the points of a step, put together in one pass over what is known of each key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.compute.delta.bits import found_by_bits
from holdfast.compute.evaluate.keys import Key, equality
from holdfast.compute.evaluate.multiset import Multiset
from holdfast.compute.evaluate.scalars import Row, columns_at
from holdfast.compute.evaluate.values import Value
from holdfast.plan.order import is_natural, nullable_key
from holdfast.plan.types import Type


def rows_at(
    points: Sequence[Row],
    before: Sequence[Row],
    updates: Sequence[Row],
    key: tuple[int, ...],
    types: Sequence[Type],
    *,
    merged: bool,
) -> Multiset:
    """Each row as often as it is there at a point, with the point's time and next time.

    Points are keys with these; `before` and `updates` are updates of rows of `types`, whose columns `key` are theirs.
    If they are `merged`, all rows of a key are the same, whichever way they are written.
    """
    same_key, of_row = equality([types[index] for index in key]), columns_at(key)
    moments: dict[Key, list[tuple[int, int | None]]] = {}
    for point in points:
        moments.setdefault(same_key(point[:-2]), []).append(point[-2:])
    known: dict[Key, tuple[list[Row], list[Row]]] = {each: ([], []) for each in moments}
    for place, part in enumerate((before, updates)):
        for row in part:
            found = known.get(same_key(of_row(row)))
            if found is not None:
                found[place].append(row)
    same_row, present = by_bits(types), list[Row]()
    for each, times in moments.items():
        present += _in_turn(times, *known[each], same_row, merged=merged)
    return Multiset(present)


def _in_turn(
    times: list[tuple[int, int | None]],
    before: list[Row],
    updates: list[Row],
    same_row: Callable[[Row], Key],
    *,
    merged: bool,
) -> list[Row]:
    """The rows of one key at its points."""
    counts: dict[Key, int] = {}
    rows: dict[Key, Row] = {}

    def add(update: Row) -> None:
        row = update[:-2]
        of_row = same_row(row)
        rows.setdefault(of_row, row)
        counts[of_row] = counts.get(of_row, 0) + update[-1]

    for update in before:
        add(update)
    present: list[Row] = []
    # The time before the step is less than all of the step.
    waiting = sorted(updates, key=lambda update: update[-2], reverse=True)
    for moment in sorted(times, key=lambda pair: pair[0]):
        while waiting and waiting[-1][-2] <= moment[0]:
            add(waiting.pop())
        there = [(rows[of_row], count) for of_row, count in counts.items() if count > 0]
        if merged and there:
            there = [(min((row for row, _ in there), key=repr), sum(counts.values()))]
        for row, count in there:
            present += [row + moment] * count
    return present


def by_bits(types: Sequence[Type]) -> Callable[[Row], Key]:
    """Rows that are equal, but not written the same, are different rows: each has to be taken back as it came."""
    keys = [_spelled(type_) for type_ in types]
    if not any(keys):
        return lambda row: row
    return lambda row: tuple([value if of is None else of(value) for value, of in zip(row, keys, strict=True)])


def _spelled(type_: Type) -> Callable[[Value], Key] | None:
    """What tells values of a type apart by their bits; None if they do so themselves. Zeros have no sign."""
    if is_natural(type_) or type_.base == "jsonb":
        return None
    return nullable_key(type_) if found_by_bits(type_) else repr
