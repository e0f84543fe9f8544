"""How far behind a dataflow was, minute by minute, as far back as a day."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from holdfast.repr.frontier import Timestamp

MINUTE = 60_000
"""Milliseconds from one look at a dataflow to the next."""

KEPT = 24 * 60
"""Minutes that are remembered."""

_UNKNOWN = -1


class Lags:
    """In order of time, and few bytes each: there may be many views. Who reads them is in any thread."""

    def __init__(self) -> None:
        self._samples = array("q")

    def add(self, time: Timestamp, lag_ms: int | None) -> None:
        """At `time` the dataflow was behind by so much; None: it had no rows yet."""
        self._samples.extend((time // MINUTE * MINUTE, _UNKNOWN if lag_ms is None else lag_ms))
        if len(self._samples) > 2 * KEPT:
            del self._samples[:2]

    def __iter__(self) -> Iterator[tuple[int, int | None]]:
        """The beginnings of minutes, in milliseconds since 1970, with how far behind it was in each."""
        known = self._samples[:]
        return ((time, None if lag == _UNKNOWN else lag) for time, lag in zip(known[::2], known[1::2], strict=True))
