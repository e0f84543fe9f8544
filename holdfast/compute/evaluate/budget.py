"""How many rows joins may come to, and pairs they may look at, where there is another way for more."""

from __future__ import annotations

from collections.abc import Sized


class TooManyRows(Exception):
    """A join comes to more rows, or looks at more pairs, than this process is to. It is no error: another answers."""


def check(rows: Sized, most: int | None) -> None:
    """Refuse more than the `most` rows. None: there is no other way."""
    if most is not None and len(rows) > most:
        raise TooManyRows
