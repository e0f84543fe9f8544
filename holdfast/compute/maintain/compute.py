"""All dataflows: each is begun with the rights that it needs, and ended when nobody has the right to read it."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count

from holdfast.compute.delta import Program
from holdfast.compute.maintain.arrangements import Arrangements
from holdfast.compute.maintain.collection import Collections, Progress
from holdfast.compute.maintain.dataflow import Dataflow
from holdfast.compute.maintain.erring import Errors
from holdfast.compute.maintain.followed import Followed
from holdfast.compute.maintain.lags import MINUTE
from holdfast.compute.maintain.names import owner_of
from holdfast.compute.maintain.on_spark import OnSpark
from holdfast.compute.maintain.outside import ErrorCodes, Runtime, Timeline
from holdfast.compute.maintain.progress import Version, ViewProgress
from holdfast.compute.maintain.read_capability import ReadCapability
from holdfast.compute.maintain.status import DataflowStatus, status_of
from holdfast.compute.maintain.stored import StoredView, find
from holdfast.compute.maintain.stores import Stores
from holdfast.compute.maintain.surroundings import Surroundings
from holdfast.compute.maintain.turn import Turn
from holdfast.compute.maintain.view import ViewDescription
from holdfast.compute.maintain.write_capability import WriteCapability
from holdfast.errors import UsageError
from holdfast.persist import Persist
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


class Compute:
    """Without a `runtime` views are made in this process, however large they are.

    `code_limit` says how many seconds a call of a user's function may take; None: any number.
    """

    def __init__(
        self,
        persist: Persist,
        collections: Collections,
        timeline: Timeline,
        runtime: Runtime | None,
        codes: ErrorCodes,
        code_limit: Callable[[], float | None],
    ) -> None:
        self._persist, self._collections, self._timeline, self._codes = persist, collections, timeline, codes
        self._arrangements = Arrangements(collections)
        self._around = Surroundings(
            collections,
            timeline,
            self._arrangements,
            Turn(code_limit),
            Version(),
            None if runtime is None else OnSpark(runtime, persist, collections, code_limit),
            codes,
            self._on_due,
            self._on_end,
        )
        self._due: list[tuple[Timestamp, int, ViewProgress]] = []
        self._order = count()
        self._dataflows: dict[GlobalId, Dataflow] = {}
        self._is_started = False
        self._noted_minute = -1

    # The right to write views

    async def create(self, view: ViewDescription) -> WriteCapability:
        """Make what a new view is stored in. What it was stored in before, if it was, is ended first."""
        await self._collections.ending.finish(lambda name: owner_of(name) == str(view.id))
        stores = await Stores.create(self._persist, self._codes, view)
        return WriteCapability(view.id, stores, Errors(), self._collections.ending)

    async def find(
        self, views: Iterable[ViewDescription], others: Collection[GlobalId]
    ) -> Mapping[GlobalId, StoredView]:
        """What is stored of views, and of `others` that nothing else is known of. What is stored of none is ended."""
        return await find(self._persist, self._collections.ending, views, others)

    async def load(self, view: ViewDescription, stored: StoredView) -> WriteCapability:
        """Go on with what a view is stored in."""
        stores = await Stores.load(self._persist, self._codes, view, stored)
        return WriteCapability(view.id, stores, await stores.load_errors(), self._collections.ending)

    # Dataflows

    def maintain_view(
        self, inputs: Sequence[ReadCapability], view: ViewDescription, outputs: Sequence[WriteCapability]
    ) -> Sequence[ReadCapability]:
        """Maintain a view from now on, until the last of its read capabilities is dropped.

        - `inputs` are one for each collection that it reads; `outputs` are the one for its rows. They belong to the
          dataflow then: it downgrades them as far as they are not needed, and drops them at its end. If inputs cannot
          be read any more where the view has to go on, they are dropped, and nothing has begun.
        - What is returned is one for each of the view's outputs. More can be made of them, for their `holders`.
        - The upper of the view never passes that of an input, but between refreshes, when it does not depend on them.
        - The right to read an input does not move past that to read the view, nor past where the view would go on after
          a crash. A view that will not be refreshed any more needs no input.
        """
        if sorted(map(str, view.inputs)) != sorted(str(capability.id) for capability in inputs):
            raise UsageError(f"view {view.id} needs one read capability of each of its inputs")
        if [capability.id for capability in outputs] != [view.id]:
            raise UsageError(f"view {view.id} needs the write capability of its rows")
        if not view.outputs or view.id in self._dataflows:
            raise UsageError(f"view {view.id} is for nobody, or is maintained already")
        try:
            dataflow = Dataflow(inputs, view, outputs[0], self._around)
            found = dataflow.begin()
        except BaseException:
            for capability in inputs:
                capability.drop()
            raise
        self._dataflows[view.id] = dataflow
        if self._is_started:
            dataflow.start()
        return found

    def start(self) -> None:
        """Let dataflows work, from now on.

        When a database is opened, all must hold what they need before the first of them reads anything: what nobody
        holds may be forgotten then.
        """
        self._is_started = True
        for dataflow in self._dataflows.values():
            dataflow.start()

    def maintains(self, id: GlobalId) -> bool:
        """Whether there is a dataflow of a view."""
        return id in self._dataflows

    def progress(self, id: GlobalId) -> Progress:
        """How far a view is that is maintained."""
        return self._dataflows[id]

    def followed(self, program: Program, *, runs_code: bool) -> Followed:
        """A query that is followed by its program, for as long as someone does."""
        return Followed(program, self._collections, self._arrangements, self._around.turn, runs_code)

    async def stop(self) -> None:
        await asyncio.gather(*(dataflow.stop() for dataflow in self._dataflows.values()))

    def _on_end(self, id: GlobalId) -> None:
        self._dataflows.pop(id, None)

    # As time passes

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

    # What can be seen of them

    def status(self, id: GlobalId) -> DataflowStatus | None:
        """That of a view, if it is maintained."""
        dataflow = self._dataflows.get(id)
        return None if dataflow is None else status_of(dataflow, self._timeline.read_ts)

    def statuses(self) -> Sequence[DataflowStatus]:
        """Those of all views that are maintained."""
        return tuple(status_of(dataflow, self._timeline.read_ts) for dataflow in self._dataflows.values())

    def arranged(self) -> tuple[int, int]:
        """How many updates of inputs and states are in memory, and in how many bytes."""
        sizes = [(rows, nbytes) for _, rows, nbytes in self._arrangements.sizes()]
        sizes += [dataflow.state_size() for dataflow in self._dataflows.values()]
        return sum(rows for rows, _ in sizes), sum(nbytes for _, nbytes in sizes)
