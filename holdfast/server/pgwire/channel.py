"""A channel: messages in and bytes out over one connection, with bounds on what waits in either direction.

The transport's callbacks fill it, and one task reads and writes it. What is written is gathered until the task has
nothing more to do, and goes out in one piece.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import cast

from holdfast.adapter.client_errors import ClientGone
from holdfast.errors import HoldfastError
from holdfast.server.pgwire.codec import Message, MessageReader
from holdfast.server.pgwire.metrics import BYTES_RECEIVED, BYTES_SENT, PgwireMetrics
from holdfast.server.pgwire.outbox import Outbox

_READ_AHEAD = 1 << 20
"""How many bytes beyond the message at hand are read from a client that does not wait for answers."""

_GATHERED = 64 << 10
"""So many bytes are sent without waiting for more."""

_CLOSING = 5.0
"""For so many seconds a client can take the last of what it was sent."""

_UNSENT = 256 << 10
"""With so many bytes that the client has not taken, whoever writes waits."""


class Channel(asyncio.Protocol):
    """- At most one task waits, in `more`, `drain` or `gone`.
    - `cancel` is called when the connection is gone, whoever ended it: the task may wait for something else.
    """

    def __init__(
        self, message_limit: int, metrics: PgwireMetrics, outbox: Outbox, on_made: Callable[[Channel], None]
    ) -> None:
        self._loop, self._outbox = asyncio.get_running_loop(), outbox
        self._reader = MessageReader(message_limit)
        self.next: Callable[[], Message | None] = self._reader.next
        """The next message, if it is there."""
        self.ahead: Callable[[], tuple[bytes, int] | None] = self._reader.ahead
        self.skip: Callable[[int], None] = self._reader.skip
        """What is there of the next messages and where they begin in it, and to pass over them."""
        self.at_once: Callable[[bytes], tuple[bytes, int] | None] | None = None
        """What is answered without the task, while it waits for a client that has nothing to wait for: the answer, and
        how much of what came it is to."""
        self._metrics = metrics
        self._on_made = on_made
        self._transport: asyncio.Transport | None = None
        self._out: list[bytes] = []
        self._out_size = 0
        self._flush_planned = False
        self._reading = True
        self._writing = True
        self._waiter: asyncio.Future[None] | None = None
        self._waits_to_write = False
        self._deadline: asyncio.TimerHandle | None = None
        self._is_idle = False
        self._last_word: HoldfastError | None = None
        self.cancel: Callable[[], None] | None = None
        self.lost = False

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # asyncio's own types say no more
        self._transport.set_write_buffer_limits(high=_UNSENT)
        self._on_made(self)

    def data_received(self, data: bytes) -> None:
        reader, counts = self._reader, self._metrics.counts
        counts[BYTES_RECEIVED] += len(data)
        if self._is_idle and self._waiter is not None and self._writing and not reader.held and self.at_once:
            found = self.at_once(data)
            if found is not None:
                answer, end = found
                self._outbox.put(self.transport, answer)
                counts[BYTES_SENT] += len(answer)
                if end == len(data):
                    return
                data = data[end:]
        reader.feed(data)
        if self._waiter is not None and not self._waits_to_write:
            self._wake()
        elif reader.held > _READ_AHEAD and reader.held >= reader.wanted:
            self._pause()

    def eof_received(self) -> bool:
        # A client that says no more is taken for gone: there is no telling the two apart. What was found gets out.
        self._outbox.send()
        self._abort_late()
        return False

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002  # why does not matter
        self.lost = True
        if self._deadline is not None:
            self._deadline.cancel()
        self._out.clear()
        self._wake()
        if self.cancel is not None:
            self.cancel()

    def pause_writing(self) -> None:
        self._writing = False

    def resume_writing(self) -> None:
        self._writing = True
        if self._waits_to_write:
            self._wake()

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _pause(self) -> None:
        if self._reading and self._transport is not None and not self.lost:
            self._reading = False
            self._transport.pause_reading()

    # What the task calls.

    @property
    def transport(self) -> asyncio.Transport:
        if self._transport is None:
            raise ClientGone
        return self._transport

    def startup(self) -> bytes | None:
        """The next packet without a kind, if it is there."""
        return self._reader.startup()

    @property
    def held(self) -> int:
        """How many bytes the client has sent that are not read yet."""
        return self._reader.held

    def authenticated(self) -> None:
        """From here on, messages are those of a session."""
        self._reader.authenticated()

    async def more(self, *, idle: bool = False) -> None:
        """Sends what was written, and waits until the client has taken enough of it and, likely, sent more.

        `idle` says that nothing was begun, so that `end_when_idle` may end it here.
        """
        if idle and self._last_word is not None:
            raise self._last_word
        self.flush()
        if not self._writing:
            # Nobody is told of what comes in meanwhile.
            await self.drain()
            return
        if self.lost:
            raise ClientGone
        if not self._reading:
            self._reading = True
            self.transport.resume_reading()
        self._waiter, self._waits_to_write, self._is_idle = self._loop.create_future(), False, idle
        try:
            await self._waiter
        finally:
            self._is_idle, self._waiter = False, None
        if self.lost:
            raise ClientGone

    def end_when_idle(self, error: HoldfastError) -> None:
        """The task gets this error as soon as it has done all that the client asked for."""
        self._last_word = error
        if self._is_idle:
            self.interrupt(error)

    def interrupt(self, error: HoldfastError) -> None:
        """The task gets this error now, if it waits for the client."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_exception(error)

    def write(self, data: bytes) -> None:
        """To be sent at the next `flush`, or when there is much of it."""
        self._out.append(data)
        self._out_size += len(data)

    @property
    def is_full(self) -> bool:
        """Whether so much was written that it is time for `drain`."""
        return self._out_size >= _GATHERED

    def flush(self) -> None:
        if not self._out or self.lost:
            return
        out = self._out
        self.transport.write(out[0] if len(out) == 1 else b"".join(out))
        self._metrics.counts[BYTES_SENT] += self._out_size
        out.clear()
        self._out_size = 0

    def flush_soon(self) -> None:
        """Sends what was written as soon as the task waits for anything."""
        if not self._flush_planned:
            self._flush_planned = True
            self._loop.call_soon(self._planned_flush)

    def _planned_flush(self) -> None:
        self._flush_planned = False
        self.flush()

    async def drain(self) -> None:
        """Sends what was written, and waits until the client has taken enough of it."""
        self.flush()
        while not self._writing and not self.lost:
            self._waiter, self._waits_to_write = self._loop.create_future(), True
            try:
                await self._waiter
            finally:
                self._waiter, self._waits_to_write = None, False
        if self.lost:
            raise ClientGone

    async def start_tls(self, context: ssl.SSLContext) -> None:
        """Goes on under TLS. Nothing that came before may wait to be read."""
        self.flush()
        transport = await self._loop.start_tls(self.transport, self, context, server_side=True)
        if transport is None or self.lost:
            raise ClientGone
        self._transport = transport
        self._transport.set_write_buffer_limits(high=_UNSENT)

    def close(self) -> None:
        """Sends what was written and ends the connection."""
        self.flush()
        if self._transport is not None and not self.lost:
            self._abort_late()
            self._transport.close()

    async def gone(self) -> None:
        """Returns when a connection that was closed is gone: the client has taken the last of it, or had its time."""
        while not self.lost:
            self._waiter, self._waits_to_write = self._loop.create_future(), False
            await self._waiter

    def _abort_late(self) -> None:
        if self._deadline is None:
            self._deadline = self._loop.call_later(_CLOSING, self.abort)

    def abort(self) -> None:
        """Ends the connection at once."""
        if self._transport is not None:
            self._transport.abort()
