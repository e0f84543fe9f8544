"""All dataflows: begun when their views are made or the database is opened, ended with them."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Sequence
from itertools import count

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.refresh import next_refresh
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.maintain.arrangements import Arrangements
from holdfast.adapter.maintain.dataflow import Dataflow
from holdfast.adapter.maintain.entry import entry_of
from holdfast.adapter.maintain.erring import Errors
from holdfast.adapter.maintain.names import errors_of, is_ours, output_of, states_of
from holdfast.adapter.maintain.on_spark import OnSpark
from holdfast.adapter.maintain.progress import Version, ViewProgress
from holdfast.adapter.maintain.stores import Stores
from holdfast.adapter.maintain.surroundings import Surroundings
from holdfast.adapter.maintain.view import View, viewed
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.subscribe.maintained import Maintained
from holdfast.adapter.tables import Tables
from holdfast.adapter.timeline import Timeline
from holdfast.compute.delta import Program
from holdfast.persist import Persist
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


class Maintainer:
    """Without a `runtime` views are made in this process, however large they are."""

    def __init__(self, persist: Persist, tables: Tables, timeline: Timeline, runtime: SparkRuntime | None) -> None:
        self._persist, self._tables, self._timeline = persist, tables, timeline
        self._arrangements = Arrangements(tables)
        spark = None if runtime is None else OnSpark(runtime, persist, tables)
        self._around = Surroundings(
            tables, timeline, self._arrangements, asyncio.Lock(), Version(), spark, self._on_due, self._on_end
        )
        self._due: list[tuple[Timestamp, int, ViewProgress]] = []
        self._order = count()
        self._made: dict[GlobalId, tuple[View, Stores]] = {}
        self._dataflows: dict[GlobalId, Dataflow] = {}
        self._indexes: dict[GlobalId, Item] = {}

    async def open(self, catalog: CatalogState) -> None:
        """Go on with the views that there are, and end what is left of others."""
        indexes = [item for item in catalog.items.values() if item.kind == "index"]
        indexed = {_indexed(item, catalog).id for item in indexes if _indexed(item, catalog).kind == "view"}
        items = [each for each in catalog.items.values() if each.kind == "materialized-view" or each.id in indexed]
        views = await asyncio.to_thread(lambda: [viewed(item, catalog) for item in items])
        names = [name for view in views for name in (output_of(view), errors_of(view), *states_of(view).values())]
        found = await self._persist.writers(names)
        for view in _in_order(views):
            stores = await Stores.load(self._persist, view, found)
            start = _first(view, self._timeline.read_ts)
            self._begin(Dataflow(view, stores, await stores.load_errors(), start, self._around))
        # All must hold what they need before the first of them reads anything: what nobody holds may be forgotten then.
        for dataflow in self._dataflows.values():
            dataflow.start()
        await self._tables.ending.end_strays(is_ours, names)
        for item in indexes:
            self._begin_index(item)

    async def create(self, item: Item, catalog: CatalogState) -> None:
        """Make the collections of a view that is to be in the catalog with the next commit, or to have an index then.

        An index of what is kept anyway needs none.
        """
        target = _indexed(item, catalog) if item.kind == "index" else item
        if target.kind == "table" or target.id in self._made or target.id in self._dataflows:
            return
        view = await asyncio.to_thread(viewed, target, catalog)
        self._made[target.id] = (view, await Stores.create(self._persist, view))

    def forget(self, item: Item) -> None:
        """What was made for an item is not needed: it is not in the catalog after all."""
        made = self._made.pop(item.on or item.id, None)
        if made is not None:
            for handle in made[1].handles:
                self._tables.ending.end(handle)

    def begin(self, items: Sequence[Item], time: Timestamp) -> None:
        """Items for which something was made are in the catalog since `time`, which the timeline has just passed."""
        for item in items:
            made = self._made.pop(item.on or item.id, None)
            if made is not None:
                view, stores = made
                self._begin(Dataflow(view, stores, Errors(), _first(view, time), self._around)).start()
            if item.kind == "index":
                self._begin_index(item)

    def _begin_index(self, item: Item) -> None:
        assert item.on is not None  # an index is of something
        self._indexes[item.id] = item
        self._tables.keep(item.on, item.id, _columns(item))

    def end_index(self, item: Item) -> None:
        """An index is in no catalog any more. What only it was for ends with it."""
        assert item.on is not None  # an index is of something
        self._indexes.pop(item.id, None)
        self._tables.release(item.on, item.id)
        dataflow = self._dataflows.get(item.on)
        if dataflow is None or dataflow.view.item.kind != "view":
            return
        if not any(each.on == item.on for each in self._indexes.values()):
            self._tables.drop(item.on)

    def _begin(self, dataflow: Dataflow) -> Dataflow:
        self._dataflows[dataflow.view.id] = dataflow
        dataflow.begin()
        return dataflow

    def time_passed(self) -> None:
        """The timeline has moved on: some views may change by themselves."""
        while self._due and self._due[0][0] <= self._timeline.read_ts:
            time, _, dataflow = heapq.heappop(self._due)
            if dataflow.due == time:
                dataflow.input_changed(time)

    def _on_due(self, time: Timestamp, dataflow: ViewProgress) -> None:
        heapq.heappush(self._due, (time, next(self._order), dataflow))
        if time <= self._timeline.read_ts:
            asyncio.get_running_loop().call_soon(self.time_passed)

    def _on_end(self, id: GlobalId) -> None:
        self._dataflows.pop(id, None)

    def followed(self, program: Program) -> Maintained:
        """A query that is followed by its program, for as long as someone does."""
        return Maintained(program, self._tables, self._arrangements, self._around.turn)

    @property
    def dataflows(self) -> Sequence[Dataflow]:
        """Those that run."""
        return tuple(self._dataflows.values())

    def refreshed_at(self, id: GlobalId) -> Timestamp | None:
        """When a view that is refreshed at times of its own was brought up to date last, if it ever was."""
        dataflow = self._dataflows.get(id)
        return None if dataflow is None else dataflow.basis

    def arranged(self) -> tuple[int, int]:
        """How many updates of inputs and states are in memory, and in how many bytes."""
        sizes = [(rows, nbytes) for _, rows, nbytes in self._arrangements.sizes()]
        sizes += [dataflow.state_size() for dataflow in self._dataflows.values()]
        return sum(rows for rows, _ in sizes), sum(nbytes for _, nbytes in sizes)

    def entries(self, catalog: CatalogState) -> Sequence[DataflowEntry]:
        """What relations of the system say of what keeps materialized views and indexes."""
        read_ts = self._timeline.read_ts
        kept = [(id, id) for id, dataflow in self._dataflows.items() if dataflow.view.item.kind != "view"]
        kept += [(item.id, item.on) for item in self._indexes.values() if item.on is not None]
        found = [(catalog.items.get(id), self._dataflows.get(on)) for id, on in kept]
        return tuple(entry_of(item, dataflow, read_ts) for item, dataflow in found if item is not None)

    async def stop(self) -> None:
        await asyncio.gather(*(dataflow.stop() for dataflow in self._dataflows.values()))


def _indexed(item: Item, catalog: CatalogState) -> Item:
    """What an index is of."""
    assert item.on is not None  # an index is of something
    return catalog.items[item.on]


def _columns(index: Item) -> tuple[int, ...] | None:
    """The columns that an index finds rows by, in order. None: it does so by something else."""
    found = sorted(part.position for part in index.key if part.position is not None)
    return tuple(found) if found and len(found) == len(index.key) and len(set(found)) == len(found) else None


def _first(view: View, time: Timestamp) -> Timestamp:
    """The first time that a view has rows for which is made at `time`."""
    strategies = view.item.refresh
    if not strategies or any(each.kind == "at-creation" for each in strategies):
        return time
    found = next_refresh(strategies, time)
    return time if found is None else Timestamp(found)


def _in_order(views: Sequence[View]) -> list[View]:
    """Each after those that it reads."""
    waiting, found = {view.id: view for view in views}, list[View]()
    while waiting:
        ready = [view for view in waiting.values() if waiting.keys().isdisjoint(view.inputs)]
        found += ready
        for view in ready:
            del waiting[view.id]
    return found
