"""Answers that are found at once, sent in a row at the end of the loop's turn.

To wake a client takes longer than to find what it asked for. One that has many connections is woken by the first answer
and takes the others as they come; sent one by one, between what is found for the next, each would wake it.
"""

from __future__ import annotations

import asyncio


class Outbox:
    """Of all channels. What is put in goes out before any task runs that is woken later."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._held: list[tuple[asyncio.WriteTransport, bytes]] = []

    def put(self, transport: asyncio.WriteTransport, data: bytes) -> None:
        if not self._held:
            self._loop.call_soon(self.send)
        self._held.append((transport, data))

    def send(self) -> None:
        """Sends all of it now. Nobody is left who would take what was for a connection that has ended since."""
        held, self._held = self._held, []
        for transport, data in held:
            if not transport.is_closing():
                transport.write(data)
