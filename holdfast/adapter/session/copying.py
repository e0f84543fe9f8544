"""COPY: rows as bytes, between tables and the client, and to files."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence

import pyarrow as pa

from holdfast.adapter.catalog.objects import RELATIONS, Item
from holdfast.adapter.catalog.privileges import require_insert, require_superuser
from holdfast.adapter.copy import copy_options, decoded, encoded
from holdfast.adapter.errors import InvalidOption
from holdfast.adapter.plan_cache import Compiled
from holdfast.adapter.results import CopyIn, CopyOut, Done, Piece, Rows
from holdfast.adapter.session.changes import check_not_null
from holdfast.adapter.session.options import option, text_of
from holdfast.adapter.session.state import SessionState
from holdfast.adapter.tables import TableChange
from holdfast.compute.evaluate import evaluate
from holdfast.persist.blob import BlobLocation
from holdfast.plan.types import arrow_type
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.change import plan_columns
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.expression import Column, Star, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import Query, Select, Table, Target
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe

_FILE_BYTES = 256 * 2**20
"""Of one file of COPY TO, unless MAX FILE SIZE says otherwise."""

_SCHEMES = ("file://", "s3://")


def copy_from(state: SessionState, syntax: CopyFrom) -> CopyIn:
    """Rows from the client into a table, written when the transaction commits."""
    if syntax.source is not None:
        raise NotSupported("COPY FROM is only supported from STDIN", syntax.location)
    transaction = state.transaction
    assert transaction is not None
    transaction.check_write()
    item = state.names.item(syntax.table, *RELATIONS)
    require_insert(state.catalog, state.role, [item.id])
    table = state.names.relation(syntax.table.parts)
    assert table is not None
    planned = plan_columns(table, syntax.columns, state.names)
    options = copy_options(syntax.options, "from")
    columns = [(table.columns[index].name, table.columns[index].type) for index in planned.given]
    defaults = {index: Compiled(default) for index, default in planned.defaults.items()}

    async def take(chunks: AsyncIterator[bytes]) -> Done:
        count = 0
        async for rows in decoded(options, columns, table.name, chunks):
            count += rows.num_rows
            _add(state, item, table, planned.given, defaults, rows)
        return Done(f"COPY {count}")

    return CopyIn(options.format, len(columns), take)


def _add(
    state: SessionState,
    item: Item,
    table: CatalogRelation,
    given: Sequence[int],
    defaults: Mapping[int, Compiled],
    rows: pa.Table,
) -> None:
    """Rows with the columns given, the others filled in."""
    columns: list[pa.Array | pa.ChunkedArray] = []
    for index, column in enumerate(table.columns):
        if index in given:
            columns.append(rows.column(list(given).index(index)))
        elif index in defaults:
            value = evaluate(defaults[index].prepared(state.knowing()).plan, {}).column(0).combine_chunks()
            columns.append(value.take(pa.nulls(rows.num_rows, pa.int64()).fill_null(0)))
        else:
            columns.append(pa.nulls(rows.num_rows, arrow_type(column.type)))
    schema = pa.schema([(column.name, arrow_type(column.type)) for column in table.columns])
    added = pa.Table.from_arrays(columns, schema=schema)
    check_not_null(table, added)
    assert state.transaction is not None
    state.transaction.write(item.id, TableChange(added, schema.empty_table()))


def copied(syntax: CopyTo) -> SelectStatement | Subscribe:
    """The statement whose rows are copied out."""
    if isinstance(syntax.relation, ObjectName):
        targets = tuple(Target(Column((column,))) for column in syntax.columns) or (Target(Star()),)
        return SelectStatement(Query(Select(targets, (Table(syntax.relation),))))
    return syntax.relation


def copy_to_client(syntax: CopyTo, rows: Rows) -> CopyOut:
    options = copy_options(syntax.options, "to")
    counted = _Counted(rows.pieces)

    messages = encoded(options, rows.columns, counted.pieces())
    return CopyOut(options.format, len(rows.columns), messages, counted.count)


async def copy_to_files(state: SessionState, syntax: CopyTo, rows: Rows) -> Done:
    """Rows into files of a folder or a bucket, each of bounded size. Their names begin alike."""
    require_superuser(state.role, "COPY to files of the server")
    if not isinstance(syntax.target, StringLiteral) or not syntax.target.value.startswith(_SCHEMES):
        raise InvalidOption("COPY TO takes the URL of a folder: file:///... or s3://...", syntax.location)
    limit = _file_bytes(syntax)
    kept = tuple(each for each in syntax.options if each.name != "MAX FILE SIZE")
    options = copy_options(kept, "to")
    if options.format not in ("csv", "parquet"):
        raise NotSupported("files are written as csv or parquet", syntax.location)
    blob = await asyncio.to_thread(BlobLocation(syntax.target.value.removeprefix("file://")).open)
    head, count, number = uuid.uuid4().hex, 0, 0
    held: list[Piece] = []

    async def flush() -> None:
        nonlocal number
        data = b"".join([m async for messages in encoded(options, rows.columns, _each(held)) for m in messages])
        await asyncio.to_thread(blob.put, f"{head}-{number}.{options.format}", data)
        number += 1

    size = 0
    async for piece in rows.pieces:
        held.append(piece)
        count += len(piece)
        size += piece.table([column.name for column in rows.columns]).nbytes
        if size >= limit:
            await flush()
            held, size = [], 0
    if held or not number:
        await flush()
    return Done(f"COPY {count}")


def _file_bytes(syntax: CopyTo) -> int:
    found = option(syntax.options, "MAX FILE SIZE")
    if found is None:
        return _FILE_BYTES
    text = text_of(found.value) or ""
    if not text.isdigit() or not int(text):
        raise InvalidOption("MAX FILE SIZE is a number of bytes", found.location)
    return int(text)


async def _each(pieces: Sequence[Piece]) -> AsyncIterator[Piece]:
    for piece in pieces:
        yield piece


class _Counted:
    """Pieces on their way, and how many rows went by."""

    def __init__(self, pieces: AsyncIterator[Piece]) -> None:
        self._pieces, self._rows = pieces, 0

    def count(self) -> int:
        return self._rows

    async def pieces(self) -> AsyncIterator[Piece]:
        async for piece in self._pieces:
            self._rows += len(piece)
            yield piece
