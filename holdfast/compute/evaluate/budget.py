"""How many rows joins and series may come to, and pairs they may look at, where there is another way for more."""

from __future__ import annotations

from collections.abc import Sized

from holdfast.plan.errors import ProgramLimitExceeded

_LONGEST = 10_000_000
"""Rows that a series may have where there is no other way. Of a row that asks for more, memory would end."""


class TooManyRows(Exception):
    """A join or a series comes to more rows, or looks at more pairs, than are for here. No error: another answers."""


def check(rows: Sized, most: int | None) -> None:
    """Refuse more than the `most` rows. None: there is no other way."""
    if most is not None and len(rows) > most:
        raise TooManyRows


def series_room(most: int | None) -> int:
    """How many rows a series may have."""
    return _LONGEST if most is None else most


def check_series(rows: Sized, room: int, most: int | None) -> None:
    """Refuse more rows of a series than there is still room for."""
    if len(rows) <= room:
        return
    if most is None:
        raise ProgramLimitExceeded(f"a series of more than {_LONGEST} rows cannot be made in this process")
    raise TooManyRows
