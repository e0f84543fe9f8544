"""How far a view is up to date with what it reads, and since when it is not.

A view that has nothing to do is complete wherever its inputs are: that costs nothing, however many there are. Once an
input has changed, it is complete only before that, until it has been brought up to date.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.compute.maintain.collection import Erring, Progress
from holdfast.compute.maintain.erring import Errors
from holdfast.compute.maintain.outside import Timeline
from holdfast.errors import HoldfastError
from holdfast.repr.frontier import Timestamp


@dataclass(slots=True)
class Version:
    """Counts up whenever some view may be complete further than it was, but for time that passes."""

    number: int = 0


class ViewProgress:
    """Invariants:

    - All times up to `done` are decided: at each the view has rows, or errs. `done` only grows.
    - Rows and states are known up to `basis`; it is None until they are known at all. It is `done`, unless the view
      errs: then it is the last time before that.
    - `changed` is when something that the view reads changed last, as far as it was told, or it changed by itself.
    - `due` is the first time after `done` at which the view changes by itself.
    - Nothing that it reads has changed later than `done`, unless `is_behind`; but for a view that `refreshes`: it is
      only brought up to date when it is due, and `basis` is when that was last.
    """

    def __init__(
        self,
        timeline: Timeline,
        version: Version,
        inputs: Sequence[Progress],
        done: Timestamp,
        basis: Timestamp | None,
        errors: Errors,
        *,
        refreshes: bool = False,
    ) -> None:
        self._timeline, self._version, self._inputs = timeline, version, inputs
        self.done, self.basis, self.errors = done, basis, errors
        self.refreshes = refreshes
        self.changed = done
        self.due: Timestamp | None = None
        self.is_preparing = False
        self.failure: HoldfastError | None = None
        self.on_behind: Callable[[], None] = lambda: None
        self._moved = asyncio.Event()
        self._known: tuple[Timestamp, int, Timestamp] | None = None

    @property
    def is_behind(self) -> bool:
        """Whether there is something to do."""
        return self.changed > self.done or self.is_preparing

    @property
    def complete(self) -> Timestamp:
        if self.is_behind:
            return self.done
        key = (self._timeline.read_ts, self._version.number)
        if self._known is None or self._known[:2] != key:
            self._known = (*key, self._complete())
        return self._known[2]

    def _complete(self) -> Timestamp:
        reached = self._reachable()
        if self.due is not None and self.due <= reached:
            reached = Timestamp(self.due - 1)
        return max(self.done, reached)

    def _reachable(self) -> Timestamp:
        """How far all that can show in the view is complete."""
        if self.refreshes:
            return self._timeline.read_ts
        return min((each.complete for each in self._inputs), default=self._timeline.read_ts)

    def erring(self, start: Timestamp, end: Timestamp, /) -> Erring | None:
        return self.errors.within(start, end)

    async def reached(self, time: Timestamp) -> None:
        """Wait until the view is complete at `time`."""
        while self.complete < time:
            if self.failure is not None:
                raise self.failure
            if self.is_behind:
                await self._moved.wait()
            elif self._reachable() > self.complete:
                assert self.due is not None  # nothing else keeps it behind its inputs
                self.input_changed(self.due)
            elif self.refreshes:
                await self._timeline.reached(time)
            else:
                await self._inputs_reached(time)

    async def _inputs_reached(self, time: Timestamp) -> None:
        if not self._inputs:
            await self._timeline.reached(time)
        for each in self._inputs:
            await each.reached(time)

    def input_changed(self, time: Timestamp) -> None:
        """Something that the view reads has changed at `time`, or the view does so by itself."""
        self.settle()
        if time > self.changed:
            self.changed = time
            self._version.number += 1
        if self.is_behind:
            self.on_behind()

    def settle(self) -> None:
        """Nothing happened up to where the view is complete now."""
        if not self.is_behind:
            self.done = self.complete
            if self.errors.open is None and not self.refreshes:
                self.basis = self.done

    def moved(self, done: Timestamp, basis: Timestamp | None) -> None:
        """All up to `done` is decided, and durable."""
        assert done >= self.done
        self.done, self.basis = done, basis
        self.stirred()

    def stirred(self) -> None:
        """Something is other than those who wait knew."""
        self._version.number += 1
        self._moved.set()
        self._moved = asyncio.Event()

    def fail(self, error: HoldfastError) -> None:
        """Nothing will happen any more."""
        self.failure = error
        self.stirred()
