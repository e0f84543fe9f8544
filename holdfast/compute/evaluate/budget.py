"""How many rows joins may come to here, where there is another way for more."""

from __future__ import annotations

from collections.abc import Sized


class TooManyRows(Exception):
    """A join comes to more rows than this process is to hold. That is no error: it is for another to answer."""


def check(rows: Sized, most: int | None) -> None:
    """Refuse more than the `most` rows. None: there is no other way."""
    if most is not None and len(rows) > most:
        raise TooManyRows
