"""Turns: one computes at a time, but nobody waits for what users wrote.

Programs would take turns all the same, since they share a processor and what they look things up in. Nobody knows how
long a function of a user takes. So a program that calls one has its turn only while it gets what it reads; then it runs
beside the others, a few of its kind at a time. What it reads stays right meanwhile: an arrangement can be read while
others append to it, and is not compacted past the basis of any of its users.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from holdfast.compute.evaluate.python_processes import stoppable

_BESIDE = 2
"""Programs with functions of users that run at a time: each has a thread that others may want too."""

Ready = TypeVar("Ready")
Made = TypeVar("Made")


class Turn(asyncio.Lock):
    """The right to compute. `limit` says how many seconds a call of a user's function may take; None: any number."""

    def __init__(self, limit: Callable[[], float | None]) -> None:
        super().__init__()
        self._limit, self._beside = limit, asyncio.Semaphore(_BESIDE)

    async def run(
        self, ready: Callable[[], Awaitable[Ready]], work: Callable[[Ready], Made], *, runs_code: bool
    ) -> Made:
        """What the work makes, in a thread, of what is ready once it is its turn. `runs_code`: it calls what users
        wrote, which is over when whoever waits is cancelled.
        """
        if not runs_code:
            async with self:
                return await asyncio.to_thread(work, await ready())
        async with self._beside:
            async with self:
                found = await ready()
            with stoppable(self._limit()):
                return await asyncio.to_thread(work, found)
