"""All dataflows: begun when their views are made or the database is opened, ended with them."""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.errors import BrokenView
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.refresh import next_refresh
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.maintain.arrangements import Arrangements
from holdfast.adapter.maintain.broken import Broken
from holdfast.adapter.maintain.dataflow import Dataflow
from holdfast.adapter.maintain.entry import entry_of
from holdfast.adapter.maintain.erring import Errors
from holdfast.adapter.maintain.lags import MINUTE
from holdfast.adapter.maintain.names import errors_of, is_ours, output_of, owner_of, states_of
from holdfast.adapter.maintain.on_spark import OnSpark
from holdfast.adapter.maintain.progress import Version, ViewProgress
from holdfast.adapter.maintain.stores import Stores
from holdfast.adapter.maintain.surroundings import Surroundings
from holdfast.adapter.maintain.turn import Turn
from holdfast.adapter.maintain.view import View, viewed
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.subscribe.maintained import Maintained
from holdfast.adapter.tables import Tables
from holdfast.adapter.timeline import Timeline
from holdfast.compute.delta import Program
from holdfast.errors import HoldfastError, UnavailableError
from holdfast.persist import Persist, WriteHandle
from holdfast.persist.errors import Fenced, Stopped
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId

log = logging.getLogger(__name__)


class Maintainer:
    """Without a `runtime` views are made in this process, however large they are.

    `code_limit` says how many seconds a call of a user's function may take; None: any number.
    """

    def __init__(
        self,
        persist: Persist,
        tables: Tables,
        timeline: Timeline,
        runtime: SparkRuntime | None,
        code_limit: Callable[[], float | None],
    ) -> None:
        self._persist, self._tables, self._timeline = persist, tables, timeline
        self._arrangements = Arrangements(tables)
        spark = None if runtime is None else OnSpark(runtime, persist, tables)
        self._around = Surroundings(
            tables, timeline, self._arrangements, Turn(code_limit), Version(), spark, self._on_due, self._on_end
        )
        self._due: list[tuple[Timestamp, int, ViewProgress]] = []
        self._order = count()
        self._made: dict[GlobalId, tuple[View, Stores]] = {}
        self._dataflows: dict[GlobalId, Dataflow] = {}
        self._broken: dict[GlobalId, Broken] = {}
        self._indexes: dict[GlobalId, Item] = {}
        self._noted_minute = -1

    async def open(self, catalog: CatalogState) -> None:
        """Go on with the views that there are, and end what is left of others."""
        indexes = [item for item in catalog.items.values() if item.kind == "index"]
        indexed = {_indexed(item, catalog).id for item in indexes if _indexed(item, catalog).kind == "view"}
        items = [each for each in catalog.items.values() if each.kind == "materialized-view" or each.id in indexed]
        planned = await asyncio.to_thread(lambda: {item.id: _planned(item, catalog) for item in items})
        views = [view for view in planned.values() if isinstance(view, View)]
        names = [name for view in views for name in (output_of(view), errors_of(view), *states_of(view).values())]
        broken = {str(id) for id, view in planned.items() if not isinstance(view, View)}
        if broken:
            names += [name for name in await self._persist.names() if owner_of(name) in broken]
        found = await self._persist.writers(names)
        for item in items:
            view = planned[item.id]
            if not isinstance(view, View):
                self._break(item, view, catalog, found)
        for view in _in_order(views):
            await self._go_on(view, catalog, found)
        # All must hold what they need before the first of them reads anything: what nobody holds may be forgotten then.
        for dataflow in self._dataflows.values():
            dataflow.start()
        await self._tables.ending.end_strays(is_ours, names)
        for item in indexes:
            self._begin_index(item)

    async def _go_on(self, view: View, catalog: CatalogState, found: Mapping[str, WriteHandle]) -> None:
        """Begin the dataflow of a view that there is. One that cannot be begun is broken, and so are those above it."""
        start = _first(view, self._timeline.read_ts)
        try:
            self._check(view.inputs)
            stores = await Stores.load(self._persist, view, found)
            self._begin(Dataflow(view, stores, await stores.load_errors(), start, self._around))
        except (UnavailableError, Fenced, Stopped):
            raise
        except HoldfastError as error:
            self._break(view.item, str(error), catalog, found)

    def _break(self, item: Item, reason: str, catalog: CatalogState, found: Mapping[str, WriteHandle]) -> None:
        """A view cannot be maintained, for a reason."""
        log.error("view cannot be maintained", extra={"view": str(item.id), "reason": reason})
        error = BrokenView.of(item.noun, catalog.path_of(item), reason)
        made = Broken(item, error, found, self._tables, self._broken.pop)
        made.begin(catalog)
        self._broken[item.id] = made

    def _check(self, ids: Iterable[GlobalId]) -> None:
        """Refuse to read what is broken."""
        for id in ids:
            if id in self._broken:
                raise self._broken[id].error

    async def create(self, item: Item, catalog: CatalogState) -> None:
        """Make the collections of a view that is to be in the catalog with the next commit, or to have an index then.

        An index of what is kept anyway needs none.
        """
        target = _indexed(item, catalog) if item.kind == "index" else item
        if target.kind == "table" or target.id in self._made or target.id in self._dataflows:
            return
        self._check([target.id])
        view = await asyncio.to_thread(viewed, target, catalog)
        self._check(view.inputs)
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
        if item.on not in self._broken:
            self._tables.keep(item.on, item.id, _columns(item))

    def end_index(self, item: Item) -> None:
        """An index is in no catalog any more. What only it was for ends with it."""
        assert item.on is not None  # an index is of something
        self._indexes.pop(item.id, None)
        self._tables.release(item.on, item.id)
        dataflow, broken = self._dataflows.get(item.on), self._broken.get(item.on)
        target = dataflow.view.item if dataflow is not None else None if broken is None else broken.item
        if target is None or target.kind != "view":
            return
        if not any(each.on == item.on for each in self._indexes.values()):
            self._tables.drop(item.on)

    def _begin(self, dataflow: Dataflow) -> Dataflow:
        dataflow.begin()
        self._dataflows[dataflow.view.id] = dataflow
        return dataflow

    def time_passed(self) -> None:
        """The timeline has moved on: some views may change by themselves."""
        while self._due and self._due[0][0] <= self._timeline.read_ts:
            time, _, dataflow = heapq.heappop(self._due)
            if dataflow.due == time:
                dataflow.input_changed(time)
        self._note_lags()

    def _note_lags(self) -> None:
        """Once in a minute, remember how far behind dataflows are."""
        read_ts = self._timeline.read_ts
        if read_ts // MINUTE > self._noted_minute:
            self._noted_minute = read_ts // MINUTE
            for dataflow in self._dataflows.values():
                dataflow.lags.add(read_ts, dataflow.lag_ms(read_ts))

    def _on_due(self, time: Timestamp, dataflow: ViewProgress) -> None:
        heapq.heappush(self._due, (time, next(self._order), dataflow))
        if time <= self._timeline.read_ts:
            asyncio.get_running_loop().call_soon(self.time_passed)

    def _on_end(self, id: GlobalId) -> None:
        self._dataflows.pop(id, None)

    def followed(self, program: Program, *, runs_code: bool) -> Maintained:
        """A query that is followed by its program, for as long as someone does."""
        return Maintained(program, self._tables, self._arrangements, self._around.turn, runs_code)

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
        kept += [(id, id) for id, broken in self._broken.items() if broken.item.kind != "view"]
        kept += [(item.id, item.on) for item in self._indexes.values() if item.on is not None]
        found = [(item, on) for id, on in kept if (item := catalog.items.get(id)) is not None]
        return tuple(
            self._broken[on].entry(item, read_ts)
            if on in self._broken
            else entry_of(item, self._dataflows.get(on), read_ts)
            for item, on in found
        )

    async def stop(self) -> None:
        await asyncio.gather(*(dataflow.stop() for dataflow in self._dataflows.values()))


def _planned(item: Item, catalog: CatalogState) -> View | str:
    """A view of the catalog, or why it cannot be maintained: whatever it is, it keeps no other view from its work."""
    if item.broken is not None:
        return item.broken
    try:
        return viewed(item, catalog)
    except HoldfastError as error:
        return str(error)
    except Exception as error:
        log.error("view cannot be planned", extra={"view": str(item.id)}, exc_info=error)
        return f"{type(error).__name__}: {error}"


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
