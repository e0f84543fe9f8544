"""What a dataflow did: its last steps one by one, and what the stages of all of them took together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter, time_ns

from holdfast.compute.delta.cost import StageCost
from holdfast.compute.maintain.how import How
from holdfast.compute.maintain.steps import Phase, StageEntry, StepEntry, StepMode
from holdfast.repr.frontier import Timestamp

KEPT = 20
"""Steps of a dataflow that are remembered."""


class Draft:
    """A step while it is made: how, and what it has taken so far. At each moment it is in one phase."""

    def __init__(self) -> None:
        self.began_at = time_ns() // 1000
        self.mode: StepMode = "idle"
        self.reason = ""
        self.rows_in = self.rows_out = 0
        self.error: str | None = None
        self.costs: tuple[StageCost, ...] = ()
        self.seconds: dict[Phase, float] = dict.fromkeys(("wait", "read", "compute", "commit"), 0.0)
        self._phase: Phase = "wait"
        self._since = perf_counter()

    def enter(self, phase: Phase) -> None:
        """What comes now is this."""
        now = perf_counter()
        self.seconds[self._phase] += now - self._since
        self._phase, self._since = phase, now

    def is_made(self, how: How, rows_in: int) -> None:
        self.mode, self.reason, self.rows_in = how.mode, how.reason, rows_in

    def err(self, error: Exception) -> None:
        self.error = str(error) or type(error).__name__
        self.reason = self.reason or "what it reads errs"

    def end(self, number: int, lower: Timestamp, upper: Timestamp) -> StepEntry:
        self.enter("wait")
        return StepEntry(
            number,
            self.began_at,
            lower,
            upper,
            self.mode,
            self.reason,
            self.rows_in,
            self.rows_out,
            dict(self.seconds),
            self.error,
            self.costs,
        )


@dataclass(slots=True)
class _Total:
    """What a stage did in all steps in which it ran."""

    ran: int = 0
    rows_in: int = 0
    looked_up: int = 0
    rows_out: int = 0
    seconds: float = 0.0

    def add(self, cost: StageCost) -> None:
        if cost.ran:
            self.ran += 1
            self.rows_in += cost.rows_in
            self.looked_up += cost.looked_up
            self.rows_out += cost.rows_out
            self.seconds += cost.seconds


class History:
    """Steps that one after another come to nothing for the same reason are remembered as one."""

    def __init__(self) -> None:
        self._steps: deque[StepEntry] = deque(maxlen=KEPT)
        self._totals: dict[str, _Total] = {}
        self._number = self._staged = 0

    @property
    def steps(self) -> tuple[StepEntry, ...]:
        """The last ones, in order."""
        return tuple(self._steps)

    @property
    def stages(self) -> tuple[StageEntry, ...]:
        """Those that ever had a chance to run, in the order in which they do."""
        return tuple(
            StageEntry(name, self._staged, total.ran, total.rows_in, total.looked_up, total.rows_out, total.seconds)
            for name, total in self._totals.items()
        )

    @contextmanager
    def step(self, next_time: Callable[[], Timestamp]) -> Iterator[Draft]:
        """A step that is made inside the block. It decides from `next_time` before it to `next_time` after it.

        A draft without a reason was no step.
        """
        draft, lower = Draft(), next_time()
        try:
            yield draft
        except Exception as error:
            draft.reason = draft.reason or "nothing was known yet"
            draft.err(error)
            raise
        finally:
            if draft.reason:
                self._add(draft.end(self._number + 1, lower, next_time()))

    def _add(self, step: StepEntry) -> None:
        self._number = step.number
        last = self._steps[-1] if self._steps else None
        if last is not None and _is_more_of(last, step):
            self._steps[-1] = replace(step, lower=last.lower)
            return
        self._steps.append(step)
        self._staged += bool(step.stages)
        for cost in step.stages:
            self._totals.setdefault(cost.stage, _Total()).add(cost)


def _is_more_of(last: StepEntry, step: StepEntry) -> bool:
    """Whether a step came to nothing just like the last one did."""
    came_to_nothing = step.mode == "idle" or step.error is not None
    return came_to_nothing and (last.mode, last.reason, last.error) == (step.mode, step.reason, step.error)
