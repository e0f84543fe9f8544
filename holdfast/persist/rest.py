"""Rest: while somebody waits for the processors, what can wait neither begins nor goes on; but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event
from time import monotonic

PATIENCE = 10.0
"""Seconds of rest, at most, that who has work puts it off for."""


class Rest:
    """Who asks for rest gets it for as long as the block lasts, and blocks that overlap it, but at most `patience`."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._asking, self._began = 0, 0.0
        self._nobody, self._nobody_in_threads = asyncio.Event(), Event()
        self._nobody.set()
        self._nobody_in_threads.set()

    @property
    def is_asked(self) -> bool:
        """Whether someone asks for rest, and there was not enough of it."""
        return bool(self._asking) and self._left > 0

    @property
    def _left(self) -> float:
        return self._began + self._patience - monotonic()

    @contextmanager
    def asked(self) -> Iterator[None]:
        if not self._asking:
            self._began = monotonic()
            self._nobody.clear()
            self._nobody_in_threads.clear()
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            if not self._asking:
                self._nobody.set()
                self._nobody_in_threads.set()

    async def over(self) -> None:
        """Wait until nobody asks for rest, or there was enough of it."""
        if self.is_asked:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._left):
                    await self._nobody.wait()

    def pause(self) -> None:
        """The same for work in a thread, which calls this where it can stop for a while."""
        if self.is_asked:
            self._nobody_in_threads.wait(self._left)
