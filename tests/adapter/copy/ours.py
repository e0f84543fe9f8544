"""What we make of the data of a COPY."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from holdfast.adapter.copy.binary_decoder import BinaryDecoder
from holdfast.adapter.copy.decode import Decoder, decoder
from holdfast.adapter.copy.encode import encoder
from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.copy.text_decoder import TextDecoder
from holdfast.adapter.results import Piece
from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.errors import HoldfastError
from holdfast.plan.text import write_of
from holdfast.plan.types import Type, arrow_type
from tests.adapter.copy.theirs import Failure, Texts


def tables_of(
    columns: Sequence[tuple[str, Type]], options: CopyOptions, chunks: Sequence[bytes], block: int | None = None
) -> list[pa.Table]:
    found: Decoder
    match options.format:
        case "text" | "csv" if block is not None:
            found = TextDecoder(options, columns, "t", block)
        case "binary" if block is not None:
            found = BinaryDecoder(columns, "t", block)
        case _:
            found = decoder(options, columns, "t")
    tables = [table for chunk in chunks for table in found.feed(chunk)]
    tables += found.finish()
    return tables


def copied_in(
    columns: Sequence[tuple[str, Type]], options: CopyOptions, chunks: Sequence[bytes], block: int | None = None
) -> Texts | Failure:
    """The rows, each value as its text."""
    try:
        tables = tables_of(columns, options, chunks, block)
    except HoldfastError as error:
        return Failure(sqlstate(error), str(error), error.where)
    schema = pa.schema([(name, arrow_type(type_)) for name, type_ in columns])
    assert all(table.schema == schema for table in tables)
    types = [type_ for _, type_ in columns]
    writes = [write_of(type_) for type_ in types]
    return [
        tuple(None if value is None else write(value) for value, write in zip(row, writes, strict=True))
        for table in tables
        for row in rows_of(table, types)
    ]


def copied_out(
    columns: Sequence[tuple[str, Type]], rows: Sequence[tuple[object, ...]], options: CopyOptions, *, arrow: bool
) -> list[bytes]:
    names, types = [name for name, _ in columns], tuple(type_ for _, type_ in columns)
    found = encoder(options, names, types)
    held = table_of(rows, types, names) if arrow else rows
    return [*found.encode(Piece(types, held)), *found.finish()]


def split(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    """The data in pieces, cut at these places."""
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]
