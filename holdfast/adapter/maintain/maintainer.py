"""The views of the catalog that are maintained: begun when they are made or the database is opened, ended with them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.errors import BrokenView
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.found_by import found_by
from holdfast.adapter.maintain.broken import Broken
from holdfast.adapter.maintain.codes import SqlStates
from holdfast.adapter.maintain.entry import entry_of
from holdfast.adapter.maintain.view import viewed
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.tables import Tables
from holdfast.adapter.timeline import Timeline
from holdfast.compute.maintain import Compute, StoredView, ViewDescription, WriteCapability
from holdfast.errors import HoldfastError, UnavailableError
from holdfast.persist import Persist
from holdfast.persist.errors import Fenced, Stopped
from holdfast.repr.ids import GlobalId

log = logging.getLogger(__name__)


class Maintainer:
    """A view is maintained for the items that claim its table: itself if it is materialized, else its indexes. What
    does so is `compute`, which is asked for nothing else: a view ends with the last capability to read it.
    """

    def __init__(
        self,
        persist: Persist,
        tables: Tables,
        timeline: Timeline,
        runtime: SparkRuntime | None,
        code_limit: Callable[[], float | None],
    ) -> None:
        self._tables, self._timeline = tables, timeline
        self.compute = Compute(persist, tables, timeline, runtime, SqlStates(), code_limit)
        self._made: dict[GlobalId, tuple[Item, ViewDescription, WriteCapability]] = {}
        self._broken: dict[GlobalId, Broken] = {}
        self._indexes: dict[GlobalId, Item] = {}

    async def open(self, catalog: CatalogState) -> None:
        """Go on with the views that there are, and end what is left of others."""
        indexes = [item for item in catalog.items.values() if item.kind == "index"]
        claims = _claims(catalog, indexes)
        planned = await asyncio.to_thread(
            lambda: {id: _planned(catalog.items[id], outputs, catalog) for id, outputs in claims.items()}
        )
        views = [view for view in planned.values() if isinstance(view, ViewDescription)]
        unplanned = {id: reason for id, reason in planned.items() if isinstance(reason, str)}
        found = await self.compute.find(views, unplanned.keys())
        for id, reason in unplanned.items():
            self._break(catalog.items[id], claims[id], reason, catalog, found[id])
        for view in _in_order(views):
            await self._go_on(catalog.items[view.id], view, catalog, found[view.id])
        self.compute.start()
        for item in indexes:
            self._begin_index(item)

    async def _go_on(self, item: Item, view: ViewDescription, catalog: CatalogState, stored: StoredView) -> None:
        """Maintain a view that there is. One that cannot be is broken, and so are those above it."""
        try:
            self._check(view.inputs)
            self._begin(item, view, await self.compute.load(view, stored))
        except (UnavailableError, Fenced, Stopped):
            raise
        except HoldfastError as error:
            self._break(item, view.outputs, str(error), catalog, stored)

    def _break(
        self, item: Item, outputs: Sequence[GlobalId], reason: str, catalog: CatalogState, stored: StoredView
    ) -> None:
        """A view cannot be maintained, for a reason."""
        log.error("view cannot be maintained", extra={"view": str(item.id), "reason": reason})
        error = BrokenView.of(item.noun, catalog.path_of(item), reason)
        made = Broken(item, error, stored, self._tables, self._broken.pop)
        made.begin(outputs, catalog)
        self._broken[item.id] = made

    def _check(self, ids: Iterable[GlobalId]) -> None:
        """Refuse to read what is broken."""
        for id in ids:
            if id in self._broken:
                raise self._broken[id].error

    async def create(self, item: Item, catalog: CatalogState) -> None:
        """Make what a view is stored in that is to be in the catalog with the next commit, or to have an index then.

        An index of what is kept anyway needs nothing.
        """
        target = _indexed(item, catalog) if item.kind == "index" else item
        if target.kind == "table" or target.id in self._made or self.compute.maintains(target.id):
            return
        self._check([target.id])
        view = await asyncio.to_thread(viewed, target, (item.id,), catalog)
        self._check(view.inputs)
        self._made[target.id] = (target, view, await self.compute.create(view))

    def forget(self, item: Item) -> None:
        """What was made for an item is not needed: it is not in the catalog after all."""
        made = self._made.pop(item.on or item.id, None)
        if made is not None:
            _, _, output = made
            output.drop()

    def begin(self, items: Sequence[Item]) -> None:
        """Items for which something was made are in the catalog since the time that the timeline has just passed."""
        for item in items:
            made = self._made.pop(item.on or item.id, None)
            if made is not None:
                self._begin(*made)
            if item.kind == "index":
                self._begin_index(item)

    def _begin(self, item: Item, view: ViewDescription, output: WriteCapability) -> None:
        claims = self.compute.maintain_view(self._tables.acquire(view.inputs), view, [output])
        by_item = {claim.id: claim for claim in claims}
        self._tables.begin(item, output.handle, by_item, self.compute.progress(view.id))

    def _begin_index(self, item: Item) -> None:
        assert item.on is not None  # an index is of something
        self._indexes[item.id] = item
        if item.on not in self._broken:
            self._tables.keep(item.on, item.id, found_by(item))

    def end_index(self, item: Item) -> None:
        """An index is in no catalog any more. What only it was for ends with it."""
        assert item.on is not None  # an index is of something
        self._indexes.pop(item.id, None)
        self._tables.release(item.on, item.id)

    def entries(self, catalog: CatalogState) -> Sequence[DataflowEntry]:
        """What relations of the system say of what keeps materialized views and indexes."""
        read_ts, statuses = self._timeline.read_ts, {status.id: status for status in self.compute.statuses()}
        kept = [(item, item.id) for id in (*statuses, *self._broken) if (item := catalog.items.get(id)) is not None]
        kept = [(item, id) for item, id in kept if item.kind != "view"]
        indexes = [catalog.items.get(id) for id in self._indexes]
        kept += [(item, item.on) for item in indexes if item is not None and item.on is not None]
        return tuple(
            self._broken[on].entry(item, read_ts) if on in self._broken else entry_of(item, statuses.get(on), read_ts)
            for item, on in kept
        )


def _claims(catalog: CatalogState, indexes: Sequence[Item]) -> Mapping[GlobalId, tuple[GlobalId, ...]]:
    """The views that are maintained, each with the items for which it is."""
    found = {item.id: (item.id,) for item in catalog.items.values() if item.kind == "materialized-view"}
    for index in indexes:
        target = _indexed(index, catalog)
        if target.kind == "view":
            found[target.id] = (*found.get(target.id, ()), index.id)
    return found


def _planned(item: Item, outputs: tuple[GlobalId, ...], catalog: CatalogState) -> ViewDescription | str:
    """A view of the catalog, or why it cannot be maintained: whatever it is, it keeps no other view from its work."""
    if item.broken is not None:
        return item.broken
    try:
        return viewed(item, outputs, catalog)
    except HoldfastError as error:
        return str(error)
    except Exception as error:
        log.error("view cannot be planned", extra={"view": str(item.id)}, exc_info=error)
        return f"{type(error).__name__}: {error}"


def _indexed(item: Item, catalog: CatalogState) -> Item:
    """What an index is of."""
    assert item.on is not None  # an index is of something
    return catalog.items[item.on]


def _in_order(views: Sequence[ViewDescription]) -> list[ViewDescription]:
    """Each after those that it reads."""
    waiting, found = {view.id: view for view in views}, list[ViewDescription]()
    while waiting:
        ready = [view for view in waiting.values() if waiting.keys().isdisjoint(view.inputs)]
        found += ready
        for view in ready:
            del waiting[view.id]
    return found
