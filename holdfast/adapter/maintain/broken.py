"""A view that this version cannot plan or load: it is there, in error, and all that it held is kept.

Nothing of it is read, written or forgotten, and what it reads is held where it would go on, as for a view that errs:
a version that can plan it goes on as if nothing had happened. So its inputs remember all that happens meanwhile, until
it is dropped or replaced.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.builtin.mz_maintained import read_by
from holdfast.adapter.catalog.errors import BrokenView
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.refresh import next_refresh
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.tables import Tables
from holdfast.compute.maintain import Erring, Holders, ReadCapability, StoredView
from holdfast.persist import Append
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId

log = logging.getLogger(__name__)


class Broken:
    """The progress of such a view: it gets no further, and errs at all times."""

    def __init__(
        self,
        item: Item,
        error: BrokenView,
        stored: StoredView,
        tables: Tables,
        on_end: Callable[[GlobalId], object],
    ) -> None:
        self.item, self.error = item, error
        self._stored, self._tables, self._on_end = stored, tables, on_end
        self._held: list[ReadCapability] = []

    def begin(self, outputs: Iterable[GlobalId], catalog: CatalogState) -> None:
        """There is a table of it from now on, for some items of the catalog, and what it reads is held, if it still is
        where it would be needed.
        """
        output, holders = self._stored.output, Holders(self._end)
        first = Frontier(Timestamp(0) if output.since.time is None else output.since.time)
        claims = {id: ReadCapability(id, first, holders) for id in outputs}
        self._tables.begin(self.item, output, claims, self)
        needed = self._needed()
        if needed is not None:
            self._hold(read_by(catalog, self.item), needed)

    def _hold(self, inputs: Iterable[GlobalId], needed: Timestamp) -> None:
        self._held = self._tables.acquire(inputs)
        forgotten = [capability for capability in self._held if not capability.frontier.less_equal(needed)]
        for capability in self._held:
            if forgotten:
                capability.drop()
            else:
                capability.downgrade(Frontier(needed))
        if forgotten:
            reason = f"{forgotten[0].id} cannot be read at {needed} any more"
            log.error("broken view cannot go on", extra={"view": str(self.item.id), "reason": reason})

    def _needed(self) -> Timestamp | None:
        """Where it would go on. None: it reads nothing that was before."""
        done = self._stored.done
        if done and self.item.refresh and next_refresh(self.item.refresh, done + 1) is None:
            return None
        return done or self._stored.errs_until

    @property
    def complete(self) -> Timestamp:
        return self._stored.done or Timestamp(0)

    async def reached(self, _: Timestamp, /) -> None:
        raise self.error

    def erring(self, *times: Timestamp) -> Erring | None:
        return Erring(times[0], None, self.error)

    def tick(self, *_: object) -> Sequence[Append]:
        return ()

    def ticked(self) -> None:
        pass

    def _end(self) -> None:
        for capability in self._held:
            capability.drop()
        for handle in self._stored.collections.values():
            self._tables.ending.end(handle)
        self._tables.ended(self.item.id)
        self._on_end(self.item.id)

    def entry(self, item: Item, read_ts: Timestamp) -> DataflowEntry:
        """What relations of the system say of it, or of an index of it."""
        done = self._stored.done
        lag = None if done is None else read_ts - done
        return DataflowEntry(item.id, item.name, "stalled", read_ts=done, lag_ms=lag, error=str(self.error))
