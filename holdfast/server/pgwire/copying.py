"""COPY over the wire: bytes from a client as it sends them, bytes to it as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from holdfast.adapter.client_errors import ClientGone, CopyFailed, MessageMalformed
from holdfast.adapter.results import CopyIn, CopyOut, Done
from holdfast.server.pgwire import backend
from holdfast.server.pgwire.channel import Channel
from holdfast.server.pgwire.codec import Body
from holdfast.server.pgwire.frontend import COPY_DATA, COPY_DONE, COPY_FAIL, FLUSH, SYNC, TERMINATE, read_query
from holdfast.server.pgwire.rows import close_iterator

_AT_ONCE = 2_000
"""So many messages are framed in about a millisecond."""


async def copy_out(channel: Channel, result: CopyOut) -> str:
    """Sends all of it. Returns the tag."""
    channel.write(backend.copy_out_response(result.format, result.columns))
    try:
        async for messages in result.messages:
            for start in range(0, len(messages), _AT_ONCE):
                channel.write(backend.copy_data(messages[start : start + _AT_ONCE]))
                if channel.is_full:
                    await channel.drain()
                    await asyncio.sleep(0)
            channel.flush_soon()
    finally:
        await close_iterator(result.messages)
    channel.write(backend.COPY_DONE)
    return f"COPY {result.count()}"


async def copy_in(channel: Channel, result: CopyIn) -> str:
    """Takes all that the client sends. Returns the tag.

    After an error the client may still be sending: what it copies in then is nobody's, and is passed over.
    """
    channel.write(backend.copy_in_response(result.format, result.columns))
    incoming = _Incoming(channel)
    done: Done = await result.take(incoming)
    async for _ in incoming:
        pass  # what comes after the end that the format knows
    return done.tag


class _Incoming:
    """The bytes that a client copies in, up to where it says that it is done."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._over = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while not self._over:
            message = self._channel.next()
            if message is None:
                await self._channel.more()
                continue
            kind, body = message
            if kind == COPY_DATA:
                return bytes(body)
            self._handle(kind, body)
        raise StopAsyncIteration

    def _handle(self, kind: int, body: Body) -> None:
        if kind == COPY_DONE:
            self._over = True
        elif kind == COPY_FAIL:
            self._over = True
            raise CopyFailed(read_query(body))
        elif kind == TERMINATE:
            self._over = True
            raise ClientGone
        elif kind not in (FLUSH, SYNC):
            # Clients that did not know that a copy would begin have sent Sync already; all else is a mistake.
            self._over = True
            raise MessageMalformed(f"unexpected message type 0x{kind:02X} during COPY from stdin")
