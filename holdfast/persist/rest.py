"""Rest: while somebody waits for the processors, what can wait does not begin; but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic

PATIENCE = 10.0
"""Seconds of rest, at most, that who has work puts it off for."""


class Rest:
    """Who asks for rest gets it for as long as the block lasts, and blocks that overlap it, but at most `patience`."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._asking, self._began = 0, 0.0
        self._nobody = asyncio.Event()
        self._nobody.set()

    @property
    def is_asked(self) -> bool:
        return not self._nobody.is_set()

    @contextmanager
    def asked(self) -> Iterator[None]:
        if not self._asking:
            self._began = monotonic()
            self._nobody.clear()
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            if not self._asking:
                self._nobody.set()

    async def over(self) -> None:
        """Wait until nobody asks for rest, or there was enough of it."""
        left = self._began + self._patience - monotonic()
        if self.is_asked and left > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._nobody.wait(), left)
