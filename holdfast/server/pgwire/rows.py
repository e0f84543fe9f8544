"""The rows of a result on their way to a client: as many as it asks for, and from there on when it asks again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from holdfast.adapter.results import Piece, Rows
from holdfast.server.pgwire.cells import encoder_of
from holdfast.server.pgwire.channel import Channel
from holdfast.server.pgwire.columns import table_encoder_of

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_INLINE = 2_000
"""So many values are encoded in less than a millisecond or two. More go to another thread, as do long ones."""

_PER_SLICE = 20_000
"""So many values are encoded at once, and so many bytes of them at most: what waits for a slow client."""
_SLICE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Sent:
    """How many rows were sent, and whether there are no more."""

    count: int
    over: bool


class RowStream:
    """Rows that are sent as they come. It is read to its end or closed."""

    def __init__(self, result: Rows, formats: tuple[int, ...]) -> None:
        self.result = result
        types = tuple(column.type for column in result.columns)
        self._width = max(1, len(types))
        self._formats = formats
        self._encode = encoder_of(types, formats)
        self._piece: Piece | None = None
        self._at = 0
        self._over = False

    async def send(self, channel: Channel, limit: int) -> Sent:
        """Sends at most `limit` rows, or all of them if it is 0. One that is over sends none."""
        count = 0
        while not self._over:
            piece = self._piece
            if piece is None:
                if count:
                    channel.flush_soon()
                try:
                    self._piece = await anext(self.result.pieces)
                except StopAsyncIteration:
                    self._over = True
                self._at = 0
                continue
            size = len(piece) - self._at
            if limit:
                size = min(size, limit - count)
            await self._send(channel, piece, size)
            count += size
            if self._at == len(piece):
                self._piece = None
            if limit and count >= limit:
                return Sent(count, over=False)
        return Sent(count, over=True)

    async def _send(self, channel: Channel, piece: Piece, size: int) -> None:
        """Sends the next rows of a piece."""
        end = self._at + size
        if size * self._width <= _INLINE and _bytes_of_row(piece) * size <= _SLICE_BYTES:
            channel.write(self._encode(_part(piece, self._at, end).rows()))
            self._at = end
            if channel.is_full:
                await channel.drain()
            return
        while self._at < end:
            rows = max(1, min(_PER_SLICE // self._width, _SLICE_BYTES // _bytes_of_row(piece)))
            stop = min(end, self._at + rows)
            channel.write(await asyncio.to_thread(self._encoded, _part(piece, self._at, stop)))
            self._at = stop
            await channel.drain()

    def _encoded(self, piece: Piece) -> bytes:
        """The same bytes by whichever way is shorter."""
        if isinstance(piece.held, pa.Table):
            return table_encoder_of(piece.types, self._formats)(piece.held)
        return self._encode(piece.rows())

    async def close(self) -> None:
        """Gives up the rest."""
        self._over, self._piece = True, None
        try:
            await close_iterator(self.result.pieces)
        except Exception:
            # Nobody asked for more, so there is nobody to tell.
            log.exception("result failed while it was given up")


def _part(piece: Piece, start: int, end: int) -> Piece:
    if start == 0 and end == len(piece):
        return piece
    held = piece.held
    part = held.slice(start, end - start) if isinstance(held, pa.Table) else held[start:end]
    return Piece(piece.types, part)


def _bytes_of_row(piece: Piece) -> int:
    """On average, where that is known."""
    held = piece.held
    return 1 + held.nbytes // held.num_rows if isinstance(held, pa.Table) and held.num_rows else 1


async def close_iterator(iterator: AsyncIterator[_T]) -> None:
    """Ends an iterator that may be in the middle. Those that are no generators have nothing to end."""
    close = getattr(iterator, "aclose", None)
    if close is not None:
        await close()
