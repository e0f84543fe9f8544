"""Work beside everything else: nobody waits for it but who ends it all."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


class Background:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None], name: str) -> asyncio.Task[None]:
        """Begin work that raises nothing."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        """Wait until all that was begun has ended."""
        while self._tasks:
            await asyncio.gather(*self._tasks)
