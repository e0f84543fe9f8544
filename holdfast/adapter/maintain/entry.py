"""What the relations of the system say of a dataflow."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.maintain.dataflow import Dataflow
from holdfast.persist import WriteHandle
from holdfast.repr.frontier import Timestamp


def entry_of(item: Item, dataflow: Dataflow | None, read_ts: Timestamp) -> DataflowEntry:
    """Of an index of a table there is no dataflow: it is what the table is."""
    if dataflow is None:
        return DataflowEntry(item.id, item.name, "running", read_ts=read_ts, lag_ms=0)
    complete, counts, erring = dataflow.complete, dataflow.counts, dataflow.errors.open
    hydrated = dataflow.is_hydrated
    error = dataflow.trouble or (None if erring is None else str(erring.error))
    return DataflowEntry(
        item.id,
        item.name,
        "stalled" if dataflow.trouble is not None else "running" if hydrated else "hydrating",
        rows_done=None if hydrated else dataflow.rows_done,
        rows_total=None if hydrated else dataflow.input_rows(),
        read_ts=complete if hydrated else None,
        lag_ms=dataflow.lag_ms(read_ts),
        error=error,
        states=tuple((name, *_size(handle)) for name, handle in dataflow.stores.states.items()),
        steps=counts.steps,
        last_step_ms=None if counts.last_seconds is None else 1000 * counts.last_seconds,
        last_steps=dataflow.history.steps,
        stages=dataflow.history.stages,
        arrangements=dataflow.arranged(),
        lags=dataflow.lags,
    )


def _size(handle: WriteHandle) -> tuple[int, int]:
    """Rows and bytes of a collection."""
    batches = handle.state.batches
    rows = sum(part.sums.diffs for batch in batches for part in batch.parts)
    return rows, sum(batch.size for batch in batches)
