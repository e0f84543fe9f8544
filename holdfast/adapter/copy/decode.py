"""Bytes of a client to tables, in any of the formats of COPY."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Protocol

import pyarrow as pa

from holdfast.adapter.copy.binary_decoder import BinaryDecoder
from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.copy.parquet import ParquetDecoder
from holdfast.adapter.copy.text_decoder import TextDecoder
from holdfast.plan.types import Type

_ENOUGH = 1 << 20
"""Bytes that are handed to a thread at once: it costs more than a few of them do."""


class Decoder(Protocol):
    """Takes bytes as they come, split anywhere, and gives tables with the columns asked for, in their order.

    An error of the data has the place where it is. What was given before it is not to be written either.
    """

    def feed(self, data: bytes) -> list[pa.Table]: ...

    def finish(self) -> Iterable[pa.Table]: ...


def decoder(options: CopyOptions, columns: Sequence[tuple[str, Type]], relation: str) -> Decoder:
    """`relation` is the name that errors have for the table."""
    match options.format:
        case "text" | "csv":
            return TextDecoder(options, columns, relation)
        case "binary":
            return BinaryDecoder(columns, relation)
        case "parquet":
            return ParquetDecoder(columns, relation)


async def decoded(
    options: CopyOptions, columns: Sequence[tuple[str, Type]], relation: str, chunks: AsyncIterator[bytes]
) -> AsyncIterator[pa.Table]:
    """The tables that chunks of bytes come to, read in threads."""
    found = decoder(options, columns, relation)
    held: list[bytes] = []
    size = 0
    async for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= _ENOUGH:
            for table in await asyncio.to_thread(found.feed, b"".join(held)):
                yield table
            held, size = [], 0
    for table in await asyncio.to_thread(found.feed, b"".join(held)):
        yield table
    rest = iter(found.finish())
    while (table := await asyncio.to_thread(next, rest, None)) is not None:
        yield table
