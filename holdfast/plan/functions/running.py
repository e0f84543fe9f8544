"""Aggregates row by row: what an aggregate is of all rows so far, without starting over for each.

Windows ask for that: a sum up to the current row is the one before it and one value more. The order in which rows come
does not show in the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isinf, isnan, nan
from typing import Any, Generic, NamedTuple, TypeVar

State = TypeVar("State")


class Running(Generic[State]):
    """A state that each row changes by `step`, and what the aggregate is of it and of how many rows there were."""

    def __init__(
        self,
        start: State,
        step: Callable[[State, Any], State],  # the value of a row, as `plan/types.py` lists them
        finish: Callable[[State, int], Any],  # to a value of the aggregate's type
    ) -> None:
        self._state, self._step, self.finish = start, step, finish
        self._count = 0

    def add(self, row: tuple[Any, ...]) -> None:  # the arguments of a row
        self._state = self._step(self._state, row[0] if row else None)
        self._count += 1

    def value(self) -> Any:  # as above
        return self.finish(self._state, self._count)


class FloatTotal(NamedTuple):
    """The exact sum of floats, in units of the least that there is, and how many of them are not finite."""

    units: int = 0
    nans: int = 0
    infinite: int = 0
    minus_infinite: int = 0

    def plus(self, value: float) -> FloatTotal:
        if isnan(value):
            return self._replace(nans=self.nans + 1)
        if isinf(value):
            if value > 0:
                return self._replace(infinite=self.infinite + 1)
            return self._replace(minus_infinite=self.minus_infinite + 1)
        numerator, denominator = value.as_integer_ratio()
        return self._replace(units=self.units + numerator * (_UNITS // denominator))

    def rounded(self) -> float:
        """The nearest float. An OverflowError says that there is none."""
        if self.nans or (self.infinite and self.minus_infinite):
            return nan
        if self.infinite or self.minus_infinite:
            return inf if self.infinite else -inf
        return self.units / _UNITS


_UNITS = 2**1074
"""Of which 1 has so many: every finite float is a multiple of their inverse."""
