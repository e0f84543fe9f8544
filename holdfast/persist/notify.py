"""Telling other processes which shards have changed.

A writer serves a stream of lines, one for each commit: the ids of the shards it changed. Readers in other
processes use it to look sooner than they would by themselves. Nothing depends on a line's arrival.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Iterable

from holdfast.repr.ids import ShardId

log = logging.getLogger(__name__)

_MOST_UNSENT = 2**20
"""Bytes that may wait for a slow reader before it is cut off; it then looks by itself."""


class Notifier:
    """The writer's end, on a loopback port of the system's choice."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> str:
        """Serve; returns the address."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"{host}:{port}"

    def tell(self, shards: Iterable[ShardId]) -> None:
        line = json.dumps(sorted(shards)).encode() + b"\n"
        for writer in list(self._writers):
            if writer.transport.get_write_buffer_size() > _MOST_UNSENT:
                self._drop(writer)
            else:
                writer.write(line)

    async def stop(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for writer in list(self._writers):
            self._drop(writer)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        writer.write(b"[]\n")  # the other end looks now: of what came before, it was not told
        with contextlib.suppress(ConnectionError):
            await reader.read()  # nothing is ever said to us: this waits for the other end to go away
        self._drop(writer)

    def _drop(self, writer: asyncio.StreamWriter) -> None:
        self._writers.discard(writer)
        writer.transport.abort()  # closing would wait for a reader that may never read


async def changes_told(address: str) -> AsyncIterator[list[ShardId]]:
    """What the writer at `address` tells, until it goes away. A `ConnectionError` if it is not there."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        while line := await reader.readline():
            yield [ShardId(shard) for shard in json.loads(line)]
    finally:
        writer.close()
