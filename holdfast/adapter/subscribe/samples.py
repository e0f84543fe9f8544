"""Relations of the system as a subscription sees them: samples, each true from its time to that of the next.

What they show is no collection with a history: it is what the server knows at the moment at which it is asked. So it is
asked time and again, and taken to have changed when another answer came. What follows from the catalog alone is asked
for when the catalog has changed, all else whenever enough time has passed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass, field

import pyarrow as pa

from holdfast.adapter.catalog.builtin import BUILTINS, Builtin, Contents, Introspection
from holdfast.adapter.timeline import Timeline
from holdfast.repr.frontier import Frontier, Timestamp

_EVERY = 500
"""Milliseconds between samples, of what may change at any time, and between news that nothing has changed: half of the
time between two ticks, so that each tick has a sample and a storm of commits has few.
"""


@dataclass(slots=True)
class _Sample:
    time: Timestamp
    introspection: Introspection
    tables: dict[str, pa.Table] = field(default_factory=dict)


class Samples:
    """Samples in order of time, of which those are kept that are still asked for.

    `look` says what there is to be seen now, and `version` of which version of the catalog that would be.
    """

    def __init__(
        self,
        relations: Iterable[str],
        look: Callable[[], Introspection],
        version: Callable[[], int],
        contents: Contents,
        timeline: Timeline,
    ) -> None:
        self._look, self._version, self._contents, self._timeline = look, version, contents, timeline
        self._samples: list[_Sample] = []
        self._of_catalog = all(_follows_from_catalog(name) for name in relations)

    def begin(self, time: Timestamp) -> None:
        """What is there now is what is there at `time`, the first that is asked for."""
        self._samples = [_Sample(time, self._look())]

    def due(self) -> Timestamp | None:
        """Look again, if that is due: the time of the new sample, which is `read_ts`. Else None."""
        now, last = self._timeline.read_ts, self._samples[-1]
        is_new = self._version() != last.introspection.state.version
        if now <= last.time or not (is_new or (not self._of_catalog and now - last.time >= _EVERY)):
            return None
        self._samples.append(_Sample(now, self._look()))
        return now

    async def table(self, name: str, time: Timestamp) -> pa.Table:
        """A relation at a time that is not before any that was asked for already."""
        while len(self._samples) > 1 and self._samples[1].time <= time:
            del self._samples[0]
        sample = self._samples[0]
        if name not in sample.tables:
            sample.tables[name] = await asyncio.to_thread(self._contents.table, name, sample.introspection)
        return sample.tables[name]

    async def passing(self, start: Timestamp) -> AsyncGenerator[Frontier, None]:
        """Frontiers as time passes after `start`: at once when the catalog has changed, else now and then."""
        told = seen = start
        version = self._samples[-1].introspection.state.version
        while True:
            await self._timeline.reached(Timestamp(seen + 1))
            seen, known = self._timeline.read_ts, self._version()
            if known != version or seen - told >= _EVERY:
                told, version = seen, known
                yield Frontier(Timestamp(seen + 1))


def _follows_from_catalog(name: str) -> bool:
    found = BUILTINS[name]
    return isinstance(found, Builtin) and found.follows != "session"
