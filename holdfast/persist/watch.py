"""Waiting for shards to change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from holdfast.repr.ids import ShardId


class Watch:
    """Events by shard. Take the event, look at the state, then wait: no change in between is missed."""

    def __init__(self) -> None:
        self._events: dict[ShardId, asyncio.Event] = {}
        self._closed = False

    def event(self, shard: ShardId) -> asyncio.Event:
        """Set when `shard` has changed after this call."""
        event = self._events.setdefault(shard, asyncio.Event())
        if self._closed:
            event.set()
        return event

    def changed(self, shards: Iterable[ShardId]) -> None:
        for shard in shards:
            if event := self._events.pop(shard, None):
                event.set()

    def watched(self) -> list[ShardId]:
        return list(self._events)

    def close(self) -> None:
        """Wake all who wait, now and later: nothing will change any more."""
        self._closed = True
        self.changed(self.watched())
