"""What dataflows share, and what each of them counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.compute.maintain.arrangements import Arrangements
from holdfast.compute.maintain.collection import Collections
from holdfast.compute.maintain.on_spark import OnSpark
from holdfast.compute.maintain.outside import ErrorCodes, Timeline
from holdfast.compute.maintain.progress import Version, ViewProgress
from holdfast.compute.maintain.turn import Turn
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Without `spark` everything is computed in this process.

    `on_due` is told when one wants to work at a later time, `on_end` when one has ended.
    """

    tables: Collections
    timeline: Timeline
    arrangements: Arrangements
    turn: Turn
    version: Version
    spark: OnSpark | None
    codes: ErrorCodes
    on_due: Callable[[Timestamp, ViewProgress], None]
    on_end: Callable[[GlobalId], None]


@dataclass(slots=True)
class Counts:
    """What a dataflow has done since it was begun."""

    steps: int = 0
    updates_in: int = 0
    updates_out: int = 0
    seconds: float = 0.0
    last_seconds: float | None = None
    failures: int = 0
