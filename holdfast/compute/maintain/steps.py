"""What a dataflow did and holds, as the relations of the system and EXPLAIN ANALYZE tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from holdfast.compute.delta.cost import StageCost

StepMode = Literal["incremental", "scratch", "spark", "idle"]
"""Of the changes; from scratch, in this process or on Spark; or not at all: nothing had to be computed."""

Phase = Literal["wait", "read", "compute", "commit"]
"""What a step spends time on: waiting for inputs and for its turn; reading changes, and what is to be looked things up
in; computing; writing and telling others.
"""


@dataclass(frozen=True, slots=True)
class StepEntry:
    """A step of a dataflow: the `number`th since it began, counted with those that came to nothing.

    - It decided what the view is at the times from `lower` on and before `upper`. Where both are the same it failed,
      or made only states.
    - `began_at` is in microseconds since 1970.
    - `rows_in` are the updates of inputs that it took, or their rows, roughly, if it began from scratch; `rows_out` the
      updates of the view that it made.
    - `error` is what the view errs with at these times, or what kept the step from being made.
    - `stages` are in the order in which they ran. There are none if it began from scratch.
    """

    number: int
    began_at: int
    lower: int
    upper: int
    mode: StepMode
    reason: str
    rows_in: int
    rows_out: int
    seconds: Mapping[Phase, float]
    error: str | None = None
    stages: tuple[StageCost, ...] = ()


@dataclass(frozen=True, slots=True)
class StageEntry:
    """What a stage did in all `steps` of changes since the dataflow began: in some of them it `ran`."""

    name: str
    steps: int
    ran: int
    rows_in: int
    looked_up: int
    rows_out: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ArrangementEntry:
    """What a dataflow looks things up in, in memory: an input, by its id, which others may share; or its own state."""

    name: str
    kind: Literal["input", "state"]
    updates: int
    size: int
