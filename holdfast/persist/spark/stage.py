"""Staging: a DataFrame of updates becomes parts, written and made durable by the executors.

Rows are spread over the tasks by ranges of their key hash and sorted by it, then streamed into parts as Arrow
batches. A task that runs twice leaves parts that nobody names; a commit of the staged parts is one metadata
transaction.
"""

from __future__ import annotations

import asyncio
import pickle
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from holdfast.persist.blob import Blob, BlobLocation
from holdfast.persist.encoding import PART_BYTES, Encoded, PartFormat, Stage, encode_sorted, sort_by_hash
from holdfast.persist.errors import SchemaMismatch
from holdfast.persist.part import Part
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.persist.write import Staged, WriteHandle
from holdfast.repr.frontier import Timestamp
from holdfast.repr.hash import spark_hash
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch
from holdfast.spark.errors import spark_errors

RESULT = "part BINARY"
"""What a task returns: a pickled `Part` for each part it wrote."""

_GATHERED = "part BINARY, rows BINARY"
"""What it returns where rows may be few: such, or rows as a stream of Arrow's."""


@asynccontextmanager
async def stage(frame: DataFrame, writer: WriteHandle, time: Timestamp | None = None) -> AsyncIterator[Staged]:
    """The rows of `frame` as parts of the collection of `writer`, to be appended inside the block.

    `frame` has the collection's columns, `_time` and `_diff`; or, given a `time`, no `_time`: all is at that time, and
    each row inserted once if there is no `_diff` either. What is given so is not part of the code that Spark compiles.
    """
    with writer.parts.stage(writer.shard) as stage:
        yield await asyncio.to_thread(staged, frame, writer, stage, time)


def staged(frame: DataFrame, writer: WriteHandle, stage: Stage, time: Timestamp | None = None) -> Staged:
    """The same in this thread, for one who has a stage of the collection, and appends the parts while it has it."""
    form = PartFormat.of(writer.state)
    with spark_errors():
        updates = _updates(frame, form.row_type, writer.name, time)
        job = _write_job(updates, form, writer.parts.location, stage, time)
        return Staged(writer.shard, tuple(parts_of(job)))


def gathered(frame: DataFrame, writer: WriteHandle, stage: Stage, time: Timestamp, few: int) -> UpdateBatch | Staged:
    """The rows of `frame` if they are no more than about `few`; else they are staged, as they come.

    That is, each task writes parts of the rows that it has, each part in the order of its hashes: nothing is computed
    to know how many there are, and nothing sent to other tasks to have all in one order. Merges give them that.
    """
    form = PartFormat.of(writer.state)
    with spark_errors():
        updates = _updates(frame, form.row_type, writer.name, time)
        each = max(1, few // _partitions(frame))
        job = _gather_job(updates, form, writer.parts.location, stage, time, each)
        found = job.toArrow()
    parts = [pickle.loads(part) for part in found["part"].drop_null().to_pylist()]
    tables = [pa.ipc.open_stream(rows).read_all() for rows in found["rows"].drop_null().to_pylist()]
    rest = UpdateBatch.concat(form.row_type, [_timed(form.row_type, table, time) for table in tables])
    return with_updates(Staged(writer.shard, tuple(parts)), rest, writer, stage) if parts else rest


def with_updates(staged: Staged, updates: UpdateBatch, writer: WriteHandle, stage: Stage) -> Staged:
    """Some more, which are here, staged with the others."""
    put = partial(_write_unsorted, writer.parts.blob, PartFormat.of(writer.state), stage, None)
    return replace(staged, parts=(*staged.parts, *_each_written(iter(updates.table.to_batches()), put)))


def parts_of(job: DataFrame) -> list[Part]:
    """Run a job that writes parts."""
    return [pickle.loads(part) for part in job.toArrow()["part"].to_pylist()]


def _updates(frame: DataFrame, row_type: RowType, name: str, time: Timestamp | None) -> DataFrame:
    """`frame` with exactly the columns of the updates schema, but for times, and diffs, that are all one; checked."""
    types = {field.name: field.dataType.simpleString() for field in frame.schema}
    expected = list(row_type.updates_schema if time is None else row_type.schema)
    if time is not None and DIFF in types:
        expected.append(row_type.updates_schema.field(DIFF))
    for field in expected:
        wanted = spark_type(field.type)
        found = types.pop(field.name, "missing")
        if _plain(found) != _plain(wanted):
            raise SchemaMismatch(name, f'column "{field.name}" is {found}, not {wanted.lower()}')
    if types:
        raise SchemaMismatch(name, f"it has no columns {sorted(types)}")
    return frame.selectExpr(*(quoted(field.name) for field in expected))


def _plain(type_name: str) -> str:
    return type_name.replace(" ", "").replace("`", "").lower()


def clustered(updates: DataFrame, form: PartFormat, extra: Sequence[tuple[str, str]] = ()) -> tuple[DataFrame, str]:
    """`updates` spread by ranges of their key hash and sorted by it, with the hash in a column of the given name.

    `extra` are further columns: names and SQL expressions.
    """
    hashed = unused_name("_hash", form.row_type)
    columns = [f"{expression} AS {quoted(name)}" for name, expression in extra]
    updates = updates.selectExpr("*", f"{spark_hash(form.key, form.row_type.schema)} AS {quoted(hashed)}", *columns)
    partitions = _partitions(updates)
    # The high half of the hash, from zero on, times the number of ranges: its high half is the range.
    range_of = f"CAST(shiftright((shiftright({quoted(hashed)}, 32) + 2147483648L) * {partitions}L, 32) AS INT)"
    return updates.repartitionById(partitions, expr(range_of)).sortWithinPartitions(quoted(hashed)), hashed


def _partitions(frame: DataFrame) -> int:
    """Over how many tasks rows are spread."""
    return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 2)


def _write_job(
    updates: DataFrame, form: PartFormat, location: BlobLocation, stage: Stage, time: Timestamp | None
) -> DataFrame:
    """Half of the time goes into handing values to Python, so what it can as well make itself is left out.

    That is a time and diff that are the same in all rows, and the hashes of keys. Those of whole rows come along:
    Spark is faster at hashing text.
    """
    content = unused_name("_content", form.row_type)
    row_hash = spark_hash(form.row_type.names, form.row_type.schema)
    extra = [] if form.row_type.holds_map else [(content, row_hash)]
    spread, hashed = clustered(updates, form, extra)

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        blob = location.open()
        yield from map(described, _each_written(batches, partial(_write_sorted, blob, form, stage, content, time)))

    return spread.drop(hashed).mapInArrow(write, RESULT)


def _gather_job(
    updates: DataFrame, form: PartFormat, location: BlobLocation, stage: Stage, time: Timestamp, few: int
) -> DataFrame:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held, rows = list[pa.RecordBatch](), 0
        for batch in batches:
            held.append(batch)
            rows += batch.num_rows
            if rows > few:
                break
        else:
            yield from [_answer(rows=_stream(held))] if rows else []
            return
        blob = location.open()
        for part in _each_written(chain(held, batches), partial(_write_unsorted, blob, form, stage, time)):
            yield _answer(part=pickle.dumps(part))

    return updates.mapInArrow(write, _GATHERED)


def _answer(part: bytes | None = None, rows: bytes | None = None) -> pa.RecordBatch:
    return pa.record_batch([pa.array([part], pa.binary()), pa.array([rows], pa.binary())], names=["part", "rows"])


def _stream(batches: Sequence[pa.RecordBatch]) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return bytes(sink.getvalue())


def _each_written(batches: Iterator[pa.RecordBatch], write: Callable[[pa.Table], Part]) -> Iterator[Part]:
    """Parts of the rows. One is encoded and synced while the rows of the next come in."""
    with ThreadPoolExecutor(1) as writer:
        written: Future[Part] | None = None
        for table in full_tables(batches):
            if written is not None:
                yield written.result()
            written = writer.submit(write, table)
        if written is not None:
            yield written.result()


def full_tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The batches gathered to about the size of a part."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            size += batch.nbytes
        if size >= PART_BYTES:
            yield pa.Table.from_batches(held)
            held, size = [], 0
    if held:
        yield pa.Table.from_batches(held)


def _write_sorted(
    blob: Blob, form: PartFormat, stage: Stage, content: str, time: Timestamp | None, table: pa.Table
) -> Part:
    """One durable part of updates sorted by key hash; `content` holds the hashes of rows, if it is there."""
    contents = table[content].to_numpy() if content in table.column_names else None
    updates = _timed(form.row_type, table, time).table
    return _put(blob, encode_sorted(form, _new_key(stage), updates, form.key_hashes(updates), contents))


def _write_unsorted(blob: Blob, form: PartFormat, stage: Stage, time: Timestamp | None, table: pa.Table) -> Part:
    """One durable part of updates in any order."""
    updates, hashes = sort_by_hash(form, _timed(form.row_type, table, time).table)
    return _put(blob, encode_sorted(form, _new_key(stage), updates, hashes, None))


def _new_key(stage: Stage) -> str:
    return stage.key(uuid.uuid4().hex)


def _put(blob: Blob, encoded: Encoded) -> Part:
    blob.put(encoded.part.key, encoded.data)
    return encoded.part


def _timed(row_type: RowType, table: pa.Table, time: Timestamp | None) -> UpdateBatch:
    """The updates of a table that Spark made, with a time and a diff that are the same in all rows if it has none."""
    if time is not None:
        table = table.append_column(TIME, _constant(time, table.num_rows))
        if DIFF not in table.column_names:
            table = table.append_column(DIFF, _constant(1, table.num_rows))
    return from_spark(row_type, table)


def from_spark(row_type: RowType, table: pa.Table) -> UpdateBatch:
    """The updates among the columns of `table`, whose types are as Spark says them in Arrow: times in nanoseconds."""
    schema = row_type.updates_schema
    return UpdateBatch(row_type, table.select(schema.names).cast(schema))


def _constant(value: int, rows: int) -> pa.Array:
    return pa.array(np.full(rows, value, np.int64))


def described(part: Part) -> pa.RecordBatch:
    return pa.record_batch([pa.array([pickle.dumps(part)], pa.binary())], names=["part"])


def unused_name(name: str, row_type: RowType) -> str:
    """`name`, or one like it that no column has."""
    while name in row_type.names:
        name += "_"
    return name
