"""Multisets of rows, while they are evaluated: rows, and how often each is there, which `Negate` makes negative."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from holdfast.compute.evaluate.keys import Key, equality
from holdfast.compute.evaluate.scalars import Row
from holdfast.errors import UsageError
from holdfast.plan.types import Type


@dataclass(frozen=True, slots=True)
class Multiset:
    """`counts` is None where every row counts once; a row may come more than once in either case."""

    rows: Sequence[Row]
    counts: Sequence[int] | None = None

    def counted(self) -> Iterator[tuple[Row, int]]:
        if self.counts is None:
            return ((row, 1) for row in self.rows)
        return zip(self.rows, self.counts, strict=True)

    def each(self, change: Callable[[Row], Row]) -> Multiset:
        return Multiset([change(row) for row in self.rows], self.counts)

    def flat(self, change: Callable[[Row], Sequence[Row]]) -> Multiset:
        """Every row replaced by some."""
        if self.counts is None:
            return Multiset([new for row in self.rows for new in change(row)])
        pairs = [(new, count) for row, count in self.counted() for new in change(row)]
        return Multiset([row for row, _ in pairs], [count for _, count in pairs])

    def where(self, keep: Callable[[Row], bool]) -> Multiset:
        if self.counts is None:
            return Multiset([row for row in self.rows if keep(row)])
        pairs = [(row, count) for row, count in self.counted() if keep(row)]
        return Multiset([row for row, _ in pairs], [count for _, count in pairs])

    def negated(self) -> Multiset:
        return Multiset(self.rows, [-count for _, count in self.counted()])

    def consolidated(self, types: Sequence[Type]) -> list[tuple[Row, int]]:
        """Each different row once, with its count, which is not zero."""
        key = equality(types)
        found: dict[Key, tuple[Row, int]] = {}
        for row, count in self.counted():
            of_row = key(row)
            first, before = found.get(of_row, (row, 0))
            found[of_row] = (first, before + count)
        return [(row, count) for row, count in found.values() if count]

    def expanded(self, types: Sequence[Type]) -> Sequence[Row]:
        """Every row as often as it counts; none may count less than zero times."""
        if self.counts is None:
            return self.rows
        pairs = self.consolidated(types)
        if any(count < 0 for _, count in pairs):
            raise UsageError("a row is there less than zero times")
        return [row for row, count in pairs for _ in range(count)]

    def positive(self, types: Sequence[Type]) -> Multiset:
        """Each row as often as it counts, if that is more than never."""
        return Multiset([row for row, count in self.consolidated(types) for _ in range(count)])


def union(parts: Sequence[Multiset]) -> Multiset:
    rows = [row for part in parts for row in part.rows]
    if all(part.counts is None for part in parts):
        return Multiset(rows)
    return Multiset(rows, [count for part in parts for _, count in part.counted()])
