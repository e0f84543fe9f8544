"""The rows of a result on their way to a client: as many as it asks for, and from there on when it asks again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TypeVar

import pyarrow as pa

from holdfast.adapter.results import Piece, Rows
from holdfast.server.pgwire import backend
from holdfast.server.pgwire.cells import encoder_of
from holdfast.server.pgwire.channel import Channel
from holdfast.server.pgwire.columns import table_encoder_of
from holdfast.sql import OutputColumn

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_SHAPES = 256

_INLINE = 2_000
"""So many values are encoded in less than a millisecond or two. More go to another thread, as do long ones."""

_PER_SLICE = 20_000
"""So many values are encoded at once, and so many bytes of them at most: what waits for a slow client."""
_SLICE_BYTES = 1 << 20


class Shape:
    """What is the same for all results with these columns in these formats."""

    def __init__(self, columns: tuple[OutputColumn, ...], formats: tuple[int, ...]) -> None:
        types = tuple(column.type for column in columns)
        self.columns, self.formats, self.width = columns, formats, max(1, len(columns))
        self.encode = encoder_of(types, formats)
        self.description = backend.row_description(columns, formats)


class Shapes:
    """The shapes that were asked for lately, by the very columns: a prepared statement has the same ones each time."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, tuple[int, ...]], Shape] = {}

    def of(self, columns: tuple[OutputColumn, ...], formats: tuple[int, ...]) -> Shape:
        """`formats` has one for each column."""
        key = (id(columns), formats)
        found = self._held.get(key)
        if found is None or found.columns is not columns:
            if len(self._held) >= _SHAPES:
                self._held.clear()
            found = self._held[key] = Shape(columns, formats)
        return found


class RowStream:
    """Rows that are sent as they come. It is read to its end, which makes it `over`, or closed."""

    def __init__(self, result: Rows, shape: Shape) -> None:
        self.result, self._shape = result, shape
        self._piece: Piece | None = None
        self._at = 0
        self.over = False

    async def send(self, channel: Channel, limit: int) -> int:
        """Sends at most `limit` rows, or all of them if it is 0. Returns how many: none when it is over."""
        count = 0
        while not self.over:
            piece = self._piece
            if piece is None:
                if count:
                    channel.flush_soon()
                try:
                    self._piece = await anext(self.result.pieces)
                except StopAsyncIteration:
                    self.over = True
                self._at = 0
                continue
            held, start = len(piece.held), self._at
            end = min(held, start + limit - count) if limit else held
            if (end - start) * self._shape.width <= _INLINE and not _is_long(piece):
                channel.write(self._shape.encode(_part(piece, start, end).rows()))
                if channel.is_full:
                    await channel.drain()
            else:
                await self._send_sliced(channel, piece, end)
            self._at = end
            count += end - start
            if end == held:
                self._piece = None
            if limit and count >= limit:
                break
        return count

    async def _send_sliced(self, channel: Channel, piece: Piece, end: int) -> None:
        """Sends the rows of a piece up to `end`, some at a time."""
        rows = max(1, min(_PER_SLICE // self._shape.width, _SLICE_BYTES // _bytes_of_row(piece)))
        while self._at < end:
            stop = min(end, self._at + rows)
            channel.write(await asyncio.to_thread(self._encoded, _part(piece, self._at, stop)))
            self._at = stop
            await channel.drain()

    def _encoded(self, piece: Piece) -> bytes:
        """The same bytes by whichever way is shorter."""
        if isinstance(piece.held, pa.Table):
            return table_encoder_of(piece.types, self._shape.formats)(piece.held)
        return self._shape.encode(piece.rows())

    async def close(self) -> None:
        """Gives up the rest."""
        self.over, self._piece = True, None
        try:
            await close_iterator(self.result.pieces)
        except Exception:
            # Nobody asked for more, so there is nobody to tell.
            log.exception("result failed while it was given up")


def _part(piece: Piece, start: int, end: int) -> Piece:
    if start == 0 and end == len(piece.held):
        return piece
    held = piece.held
    part = held.slice(start, end - start) if isinstance(held, pa.Table) else held[start:end]
    return Piece(piece.types, part)


def _is_long(piece: Piece) -> bool:
    # `nbytes` would be exact for a slice of a table, and fifty times as slow.
    return isinstance(piece.held, pa.Table) and piece.held.get_total_buffer_size() > _SLICE_BYTES


def _bytes_of_row(piece: Piece) -> int:
    """On average, where that is known."""
    held = piece.held
    return 1 + held.nbytes // held.num_rows if isinstance(held, pa.Table) and held.num_rows else 1


async def close_iterator(iterator: AsyncIterator[_T]) -> None:
    """Ends an iterator that may be in the middle. Those that are no generators have nothing to end."""
    close = getattr(iterator, "aclose", None)
    if close is not None:
        await close()
