"""What clients read of a row."""

from __future__ import annotations

from collections.abc import Iterable


def integer(value: object) -> int:
    assert isinstance(value, int), f"{value!r} is no integer"
    return value


def integers(values: Iterable[object]) -> tuple[int, ...]:
    """All of them in order, also those that are there twice."""
    return tuple(sorted(map(integer, values)))
