"""Rows to the bytes of a format: a message for each row, as clients expect of COPY, where the format has rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Protocol

from holdfast.adapter.copy.binary_encoder import BinaryEncoder
from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.copy.parquet import ParquetEncoder
from holdfast.adapter.copy.text_encoder import TextEncoder
from holdfast.adapter.results import Piece
from holdfast.plan.types import Type
from holdfast.sql import OutputColumn

_FEW = 256
"""Rows that are encoded at once on the spot: a thread would cost more."""
_MANY = 16_384
"""Rows of one step in a thread."""


class Encoder(Protocol):
    def encode(self, piece: Piece) -> list[bytes]: ...

    def finish(self) -> list[bytes]: ...


def encoder(options: CopyOptions, names: Sequence[str], types: Sequence[Type]) -> Encoder:
    match options.format:
        case "text" | "csv":
            return TextEncoder(options, names, types)
        case "binary":
            return BinaryEncoder(types)
        case "parquet":
            return ParquetEncoder(names, types)


async def encoded(
    options: CopyOptions, columns: Sequence[OutputColumn], pieces: AsyncIterator[Piece]
) -> AsyncIterator[list[bytes]]:
    """Messages, some at a time."""
    found = encoder(options, [column.name for column in columns], [column.type for column in columns])
    async for piece in pieces:
        for part in _parts(piece):
            if len(part) <= _FEW:
                messages = found.encode(part)
            else:
                messages = await asyncio.to_thread(found.encode, part)
            if messages:
                yield messages
    if tail := found.finish():
        yield tail


def _parts(piece: Piece) -> Iterator[Piece]:
    if len(piece) <= _MANY:
        yield piece
        return
    for at in range(0, len(piece), _MANY):
        yield Piece(piece.types, piece.held[at : at + _MANY])
