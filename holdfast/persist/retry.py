"""Retrying what a store did not do.

A store that does not answer is waited for, with growing pauses and a word in the log, until it answers or
the caller gives up. Only calls whose repetition is harmless are retried here.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Iterator
from typing import TypeVar

from holdfast.errors import UnavailableError
from holdfast.persist.metrics import RETRIES, PersistMetrics

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_FIRST_PAUSE = 0.004
_LONGEST_PAUSE = 16.0
_ATTEMPTS_BEFORE_WARNING = 3


def pauses() -> Iterator[float]:
    """Seconds to wait before each next attempt: doubling, with some chance so that waiters spread out."""
    pause = _FIRST_PAUSE
    while True:
        yield pause * random.uniform(0.9, 1.1)  # spreads load, decides nothing
        pause = min(pause * 2, _LONGEST_PAUSE)


async def report_and_pause(action: str, error: Exception, attempt: int, pause: float, metrics: PersistMetrics) -> None:
    """Say that `action` will be tried again, then wait."""
    metrics.add(RETRIES)
    level = logging.WARNING if attempt >= _ATTEMPTS_BEFORE_WARNING else logging.DEBUG
    log.log(level, "store call failed, will retry", extra={"action": action, "attempt": attempt, "reason": str(error)})
    await asyncio.sleep(pause)


async def retrying(
    action: str, call: Callable[[], Result], metrics: PersistMetrics, patient: Callable[[], bool] = lambda: True
) -> Result:
    """The result of `call`, run in a thread, again and again while the store is unavailable and we are `patient`."""
    for attempt, pause in enumerate(pauses(), start=1):
        try:
            return await asyncio.to_thread(call)
        except UnavailableError as error:
            if not patient():
                raise
            await report_and_pause(action, error, attempt, pause, metrics)
    raise AssertionError("pauses never end")
