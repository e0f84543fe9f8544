"""How far dataflows are, what they did and what they hold, for those who look at them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from holdfast.compute.delta import Program
from holdfast.compute.maintain.dataflow import Dataflow
from holdfast.compute.maintain.steps import ArrangementEntry, StageEntry, StepEntry
from holdfast.compute.maintain.surroundings import Counts
from holdfast.persist import WriteHandle
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


@dataclass(frozen=True, slots=True)
class DataflowStatus:
    """A dataflow, by the id of its view.

    - "hydrating" until it has rows; then "running", or "stalled" while it cannot go on, for the reason in `error`. The
      error in its data is there too.
    - `rows_total` is how many rows are to be read before it has any, `rows_done` how many were; None where unknown.
    - `complete` is the last time up to which it is known what the view is, `basis` the last that it was computed for.
    - `lag_ms` is how far it is behind the timeline; None while it has no rows.
    - `states` are the collections that it keeps for itself: the name, rows and bytes of each.
    - `steps` are the last ones, in order; `stages` are of all of them, `arrangements` of now.
    - `lags` says how far it was behind at some minutes: when they began, and milliseconds; None: it had no rows.
    """

    id: GlobalId
    program: Program
    phase: Literal["hydrating", "running", "stalled"]
    rows_done: int | None
    rows_total: int | None
    complete: Timestamp
    basis: Timestamp | None
    lag_ms: int | None
    error: str | None
    states: tuple[tuple[str, int, int], ...]
    counts: Counts
    steps: tuple[StepEntry, ...]
    stages: tuple[StageEntry, ...]
    arrangements: tuple[ArrangementEntry, ...]
    lags: Iterable[tuple[int, int | None]]


def status_of(dataflow: Dataflow, read_ts: Timestamp) -> DataflowStatus:
    hydrated, erring = dataflow.is_hydrated, dataflow.errors.open
    return DataflowStatus(
        dataflow.view.id,
        dataflow.view.program,
        "stalled" if dataflow.trouble is not None else "running" if hydrated else "hydrating",
        rows_done=None if hydrated else dataflow.rows_done,
        rows_total=None if hydrated else dataflow.input_rows(),
        complete=dataflow.complete,
        basis=dataflow.basis,
        lag_ms=dataflow.lag_ms(read_ts),
        error=dataflow.trouble or (None if erring is None else str(erring.error)),
        states=tuple((name, *_size(handle)) for name, handle in dataflow.stores.states.items()),
        counts=dataflow.counts,
        steps=dataflow.history.steps,
        stages=dataflow.history.stages,
        arrangements=dataflow.arranged(),
        lags=dataflow.lags,
    )


def _size(handle: WriteHandle) -> tuple[int, int]:
    """Rows and bytes of a collection."""
    batches = handle.state.batches
    rows = sum(part.sums.diffs for batch in batches for part in batch.parts)
    return rows, sum(batch.size for batch in batches)
