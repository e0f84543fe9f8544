"""Staging: a DataFrame of updates becomes parts, written and made durable by the executors.

Rows are spread over the tasks by ranges of their key hash and sorted by it, then streamed into parts as Arrow
batches. A task that runs twice leaves parts that nobody names; a commit of the staged parts is one metadata
transaction.
"""

from __future__ import annotations

import asyncio
import pickle
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from holdfast.persist.blob import Blob, BlobLocation
from holdfast.persist.encoding import PART_BYTES, PartFormat, Stage, encode_sorted
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
    partitions = int(updates.sparkSession.conf.get("spark.sql.shuffle.partitions") or 2)
    # The high half of the hash, from zero on, times the number of ranges: its high half is the range.
    range_of = f"CAST(shiftright((shiftright({quoted(hashed)}, 32) + 2147483648L) * {partitions}L, 32) AS INT)"
    return updates.repartitionById(partitions, expr(range_of)).sortWithinPartitions(quoted(hashed)), hashed


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
        # One part is encoded and synced while the rows of the next come in.
        with ThreadPoolExecutor(1) as writer:
            written: Future[Part] | None = None
            for table in full_tables(batches):
                if written is not None:
                    yield described(written.result())
                written = writer.submit(_write_sorted, blob, form, stage, table, content, time)
            if written is not None:
                yield described(written.result())

    return spread.drop(hashed).mapInArrow(write, RESULT)


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
    blob: Blob, form: PartFormat, stage: Stage, table: pa.Table, content: str, time: Timestamp | None
) -> Part:
    """One durable part of updates sorted by key hash; `content` holds the hashes of rows, if it is there."""
    contents = table[content].to_numpy() if content in table.column_names else None
    if time is not None:
        table = table.append_column(TIME, _constant(time, table.num_rows))
        if DIFF not in table.column_names:
            table = table.append_column(DIFF, _constant(1, table.num_rows))
    updates = from_spark(form.row_type, table).table
    encoded = encode_sorted(form, stage.key(uuid.uuid4().hex), updates, form.key_hashes(updates), contents)
    blob.put(encoded.part.key, encoded.data)
    return encoded.part


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
