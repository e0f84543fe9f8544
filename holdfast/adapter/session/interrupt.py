"""What ends a statement before its end: a request to cancel it, its timeout, the end of its session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.errors import HoldfastError


class Interrupt:
    """Of one session. Statements run in `interruptible` blocks; what must not be broken off is `masked` in them."""

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._reason: HoldfastError | None = None
        self._masked = False
        self._pending: HoldfastError | None = None

    def interrupt(self, reason: HoldfastError) -> None:
        """End what runs now with `reason`; nothing, if nothing does."""
        if self._task is not None and not self._masked and self._reason is None:
            self._reason = reason
            self._task.cancel()

    def interrupt_next(self, reason: HoldfastError) -> None:
        """End the next block with `reason` before it begins, if none runs now: it is of the same statement."""
        if self._task is None:
            self._pending = reason
        else:
            self.interrupt(reason)

    @property
    def is_pending(self) -> bool:
        """Whether the next block ends before it begins."""
        return self._pending is not None

    def forget(self) -> None:
        """The statement is over."""
        self._pending = None

    @contextmanager
    def interruptible(self, deadline: float | None, late: HoldfastError) -> Iterator[None]:
        """Run the block until `deadline`, which is a time of the loop's; then it ends with `late`."""
        if self._task is not None:  # already inside
            yield
            return
        if self._pending is not None:
            pending, self._pending = self._pending, None
            raise pending
        task = self._task = asyncio.current_task()
        self._reason = None
        timer = None
        if deadline is not None:
            timer = asyncio.get_running_loop().call_at(deadline, self.interrupt, late)
        try:
            yield
        except asyncio.CancelledError:
            reason: HoldfastError | None = self._reason
            if reason is None or task is None or task.uncancel() > 0:
                raise
            raise reason from None
        finally:
            if timer is not None:
                timer.cancel()
            self._task = None

    @contextmanager
    def masked(self) -> Iterator[None]:
        """Not to be interrupted: what is begun here is either done or not, and the client must hear which."""
        self._masked = True
        try:
            yield
        finally:
            self._masked = False
