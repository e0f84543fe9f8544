"""How far tables are complete that are written: up to the timeline's `read_ts`."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.adapter.timeline import Timeline
from holdfast.compute.maintain import Erring
from holdfast.persist import Append, WriteHandle
from holdfast.repr.frontier import Frontier, Timestamp, after


class Timely:
    """The progress of such tables: that of the timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    @property
    def complete(self) -> Timestamp:
        return self._timeline.read_ts

    async def reached(self, time: Timestamp) -> None:
        await self._timeline.reached(time)

    def erring(self, *_: Timestamp) -> Erring | None:
        return None

    def tick(self, handle: WriteHandle, time: Timestamp, since: Frontier | None, /) -> Sequence[Append]:
        return [Append(handle, None, handle.upper, after(time), since=since)]

    def ticked(self) -> None:
        pass
