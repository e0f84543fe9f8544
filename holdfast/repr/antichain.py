"""Antichains: frontiers over partially ordered times.

An antichain is a set of times of which none is before another. As a frontier
it stands for all times in advance of some element, and two antichains are
equal iff those times are. (Totally ordered times: `holdfast.repr.frontier`.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar


class PartialTime(Protocol):
    """A partially ordered time. Times are equal iff each is `less_equal` to the other."""

    def less_equal(self, other: Self, /) -> bool:
        """Whether `other` is in advance of this time: reflexive, transitive, antisymmetric."""
        ...

    def join(self, other: Self, /) -> Iterable[Self]:
        """The least times in advance of both.

        Every time in advance of both is in advance of one of them; there are
        none iff no time is in advance of both.
        """
        ...

    def sort_key(self) -> tuple[int, ...]:
        """Tells unequal times apart. It decides in which order they are listed, and nothing else."""
        ...


T = TypeVar("T", bound=PartialTime)


@dataclass(frozen=True, slots=True)
class Antichain(Generic[T]):
    """The times in advance of some element, `elements` being the least of them. Built by `of`.

    - No element is `less_equal` to another; they are listed by `sort_key`.
    - `<=` is a partial order: `a <= b` iff every time in advance of `b` is in advance of `a`.
    - The empty antichain is the greatest: no time is in advance of it.
    - `join` and `meet` make it a distributive lattice.
    """

    elements: tuple[T, ...]

    @classmethod
    def of(cls, times: Iterable[T]) -> Antichain[T]:
        """The least of `times`, in whatever order and however often they are given."""
        least: list[T] = []
        for time in times:
            if not any(element.less_equal(time) for element in least):
                least = [element for element in least if not time.less_equal(element)]
                least.append(time)
        return cls(tuple(sorted(least, key=lambda time: time.sort_key())))

    @property
    def is_empty(self) -> bool:
        return not self.elements

    def less_equal(self, time: T) -> bool:
        """Whether `time` is in advance of this frontier: of some element."""
        return any(element.less_equal(time) for element in self.elements)

    def __le__(self, other: Antichain[T]) -> bool:
        """Whether every element of `other` is in advance of this frontier."""
        return all(self.less_equal(time) for time in other.elements)

    def __lt__(self, other: Antichain[T]) -> bool:
        return self != other and self <= other

    def join(self, other: Antichain[T]) -> Antichain[T]:
        """The least upper bound: a time is in advance of it iff it is in advance of both."""
        return Antichain.of(time for ours in self.elements for theirs in other.elements for time in ours.join(theirs))

    def meet(self, other: Antichain[T]) -> Antichain[T]:
        """The greatest lower bound: a time is in advance of it iff it is in advance of either."""
        return Antichain.of((*self.elements, *other.elements))

    def __str__(self) -> str:
        return f"{{{', '.join(str(time) for time in self.elements)}}}"
