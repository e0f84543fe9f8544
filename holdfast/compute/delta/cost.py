"""What the stages of a step cost: the rows that came in, that were looked up and that came out, and the time."""

from __future__ import annotations

from typing import Literal, NamedTuple

StageMode = Literal["incremental", "scratch", "idle"]
"""Of what changed; from scratch, at each time at which something did; or not at all."""


class StageCost(NamedTuple):
    """What one stage of a step did. A tuple, as these are made soonest: every stage of every step has one.

    - `rows_in` are those of the changes and of the earlier stages that it reads; of a lookup, the keys.
    - `looked_up` are the updates that it found of what was there before the step.
    - A stage that is idle had nothing to do: what it reads has no rows, or enough of it has none.
    """

    stage: str
    mode: StageMode
    rows_in: int
    looked_up: int
    rows_out: int
    seconds: float

    @property
    def ran(self) -> bool:
        return self.mode != "idle"
