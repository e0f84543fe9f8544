"""A view that this version cannot plan or load: it is there, in error, and all that it held is kept.

Nothing of it is read, written or forgotten, and what it reads is held where it would go on, as for a view that errs:
a version that can plan it goes on as if nothing had happened. So its inputs remember all that happens meanwhile, until
it is dropped or replaced.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.builtin.mz_maintained import read_by
from holdfast.adapter.catalog.errors import BrokenView
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.refresh import next_refresh
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.maintain.names import errors_of, output_of, owner_of
from holdfast.adapter.tables import Hold, Tables
from holdfast.adapter.tables.progress import Erring
from holdfast.errors import DataCorruption
from holdfast.persist import Append, WriteHandle
from holdfast.persist.errors import AsOfBeforeSince
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId

log = logging.getLogger(__name__)


class Broken:
    """The progress of such a view: it gets no further, and errs at all times."""

    def __init__(
        self,
        item: Item,
        error: BrokenView,
        stored: Mapping[str, WriteHandle],
        tables: Tables,
        on_end: Callable[[GlobalId], object],
    ) -> None:
        output = stored.get(output_of(item))
        if output is None:
            raise DataCorruption(f"view {item.id} is in the catalog, but nothing is stored of it")
        self.item, self.error = item, error
        self._output, self._errors = output, stored.get(errors_of(item))
        self._others = [
            handle for name, handle in stored.items() if owner_of(name) == str(item.id) and handle is not output
        ]
        self._tables, self._on_end = tables, on_end
        self._hold: Hold | None = None

    def begin(self, catalog: CatalogState) -> None:
        """There is a table of it from now on, and what it reads is held, if it still is where it would be needed."""
        since = self._output.since.time
        self._tables.begin(self.item, self._output, Timestamp(0) if since is None else since, self)
        needed = self._needed()
        if needed is not None:
            try:
                self._hold = self._tables.hold_again(read_by(catalog, self.item), needed)
            except AsOfBeforeSince as error:
                log.error("broken view cannot go on", extra={"view": str(self.item.id), "reason": str(error)})

    def _needed(self) -> Timestamp | None:
        """Where it would go on. None: it reads nothing that was before."""
        done = self._done
        if done and self.item.refresh and next_refresh(self.item.refresh, done + 1) is None:
            return None
        return done or (None if self._errors is None else _last(self._errors))

    @property
    def _done(self) -> Timestamp | None:
        return _last(self._output)

    @property
    def complete(self) -> Timestamp:
        return self._done or Timestamp(0)

    async def reached(self, _: Timestamp, /) -> None:
        raise self.error

    def erring(self, *times: Timestamp) -> Erring | None:
        return Erring(times[0], None, self.error)

    def tick(self, *_: object) -> Sequence[Append]:
        return ()

    def ticked(self) -> None:
        pass

    def end(self) -> None:
        if self._hold is not None:
            self._hold.release()
        for handle in self._others:
            self._tables.ending.end(handle)
        self._on_end(self.item.id)

    def entry(self, item: Item, read_ts: Timestamp) -> DataflowEntry:
        """What relations of the system say of it, or of an index of it."""
        done = self._done
        lag = None if done is None else read_ts - done
        return DataflowEntry(item.id, item.name, "stalled", read_ts=done, lag_ms=lag, error=str(self.error))


def _last(handle: WriteHandle) -> Timestamp | None:
    """The last time up to which something was written. None: nothing was."""
    return Timestamp(handle.upper.time - 1) if handle.upper.time else None
