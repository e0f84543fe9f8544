"""What is appended, and to what."""

from __future__ import annotations

from itertools import count
from random import Random


class Values:
    """Numbers that are given out once each, and keys that are in use for a while: as long as some numbers last."""

    def __init__(self, keys: int, together: int, lasting: int) -> None:
        self._keys, self._together, self._lasting = keys, together, lasting
        self._numbers = count(1)
        self._last = 0

    def number(self) -> int:
        self._last = found = next(self._numbers)
        return found

    def some(self, random: Random, most: int = 3) -> list[int]:
        """Different keys among those now in use."""
        first = self._last // self._lasting * self._together % self._keys
        return random.sample(range(first, first + self._together), random.randrange(1, most + 1))
