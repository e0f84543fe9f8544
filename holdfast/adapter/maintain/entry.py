"""What the relations of the system say of a dataflow."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.objects import Item
from holdfast.compute.maintain import DataflowStatus
from holdfast.repr.frontier import Timestamp


def entry_of(item: Item, status: DataflowStatus | None, read_ts: Timestamp) -> DataflowEntry:
    """Of an index of a table there is no dataflow: it is what the table is."""
    if status is None:
        return DataflowEntry(item.id, item.name, "running", read_ts=read_ts, lag_ms=0)
    last_seconds = status.counts.last_seconds
    return DataflowEntry(
        item.id,
        item.name,
        status.phase,
        rows_done=status.rows_done,
        rows_total=status.rows_total,
        read_ts=None if status.lag_ms is None else status.complete,
        lag_ms=status.lag_ms,
        error=status.error,
        states=status.states,
        steps=status.counts.steps,
        last_step_ms=None if last_seconds is None else 1000 * last_seconds,
        last_steps=status.steps,
        stages=status.stages,
        arrangements=status.arrangements,
        lags=status.lags,
    )
