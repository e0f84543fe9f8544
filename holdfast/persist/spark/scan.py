"""A collection at a time, and its changes between two frontiers, as DataFrames.

Where Spark can reach the parts as files, its own Parquet reader reads them, with column and filter pushdown;
elsewhere the executors fetch and decode them as we do. Either way pages are verified, and parts whose
statistics exclude the filter are not read at all. The few updates that are kept in the metadata are read here, and
go with the plan.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast, expr

from holdfast.persist.batch import Slice
from holdfast.persist.blob import Blob, BlobLocation
from holdfast.persist.encoding import decode, fetch
from holdfast.persist.errors import CorruptPart
from holdfast.persist.part import Part
from holdfast.persist.prune import Comparison, filter_table, prune
from holdfast.persist.read import Pinned, ReadHandle
from holdfast.persist.shard import ShardState
from holdfast.persist.spark.frames import Frames
from holdfast.persist.spark.schema import quoted, spark_type, updates_ddl
from holdfast.persist.spark.stage import unused_name
from holdfast.persist.write import Staged, WriteHandle
from holdfast.repr.frontier import EMPTY, MIN_TIME, Frontier, Timestamp
from holdfast.repr.hash import spark_hash
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.spark.errors import SparkReadFailed, spark_errors

_BROADCAST = 5_000_000
"""Updates among which those that take rows away are few enough to be known to all tasks."""


class SparkReader:
    """Reads what `handle` may read, on `spark`.

    Frames are made in threads: each takes many calls of a Java that may be busy. Those that `frames` has are made once.
    """

    def __init__(self, spark: SparkSession, handle: ReadHandle, frames: Frames | None = None) -> None:
        self._spark, self._handle, self._frames = spark, handle, frames or Frames(0)

    @asynccontextmanager
    async def rows(
        self,
        as_of: Timestamp,
        columns: Sequence[str] | None = None,
        where: Sequence[Comparison] = (),
        timeout: float | None = None,
    ) -> AsyncIterator[DataFrame]:
        """The collection at `as_of`: each row as often as it is there.

        If nothing in it was ever taken back, this is a plain scan; else rows that were are summed.
        """
        with await self._handle.pin_snapshot(as_of, timeout) as pinned, part_errors(pinned):
            wanted = _wanted(pinned, columns)
            pieces = prune(pinned.slices, pinned.state.row_type, where)

            def frame() -> DataFrame:
                plain = [piece for piece in pieces if piece.part.inserts_only]
                others = [piece for piece in pieces if not piece.part.inserts_only]
                if not others:
                    return self._scan(pinned.state, pieces, wanted, where).select(*map(quoted, wanted))
                if plain and _can_be_hashed(pinned.state.row_type, wanted) and _rows(others) <= _BROADCAST:
                    both = (self._scan(pinned.state, each, wanted, where) for each in (plain, others))
                    return _left(*both, wanted=wanted, row_type=pinned.state.row_type, name=self._handle.name)
                return _summed(self._scan(pinned.state, pieces, wanted, where), wanted, self._handle.name)

            if where:
                yield await asyncio.to_thread(frame)
                return
            read = tuple((piece.part.key, None if piece.whole else (piece.lower, piece.upper)) for piece in pieces)
            key = (pinned.state.id, tuple(wanted), read)
            known = self._frames.get(self._spark, key)
            if known is None:
                known = self._frames.put(self._spark, key, await asyncio.to_thread(frame))
            else:
                await asyncio.to_thread(self._check_lengths, pinned.state, pieces)
            yield known

    @asynccontextmanager
    async def updates(
        self,
        as_of: Timestamp,
        columns: Sequence[str] | None = None,
        where: Sequence[Comparison] = (),
        timeout: float | None = None,
    ) -> AsyncIterator[DataFrame]:
        """The collection at `as_of` as updates, not consolidated: the columns and `_diff`.

        Enough for whatever is linear, such as sums weighted by `_diff`, and never dearer than a scan.
        """
        with await self._handle.pin_snapshot(as_of, timeout) as pinned, part_errors(pinned):
            wanted = _wanted(pinned, columns)
            pieces = prune(pinned.slices, pinned.state.row_type, where)

            def frame() -> DataFrame:
                return self._scan(pinned.state, pieces, wanted, where).select(*map(quoted, (*wanted, DIFF)))

            yield await asyncio.to_thread(frame)

    @asynccontextmanager
    async def changes(
        self,
        lower: Timestamp,
        upper: Frontier,
        columns: Sequence[str] | None = None,
        where: Sequence[Comparison] = (),
        timeout: float | None = None,
    ) -> AsyncIterator[DataFrame]:
        """The updates from `lower` to `upper` at their own times, not consolidated: the columns, `_time`, `_diff`."""
        with await self._handle.pin_changes(lower, upper, timeout) as pinned, part_errors(pinned):
            pieces = prune(pinned.slices, pinned.state.row_type, where)
            yield await asyncio.to_thread(self._scan, pinned.state, pieces, _wanted(pinned, columns), where)

    def _check_lengths(self, state: ShardState, pieces: Sequence[Slice]) -> None:
        blob = self._handle.parts.blob
        for piece in pieces:
            if piece.part.inline is None and blob.local_path(piece.part.key) is not None:
                _check_length(blob, state, piece.part)

    def _scan(
        self, state: ShardState, pieces: Sequence[Slice], wanted: Sequence[str], where: Sequence[Comparison]
    ) -> DataFrame:
        parts = self._handle.parts
        with spark_errors():
            return scan(self._spark, parts.location, parts.blob, state, pieces, wanted, where)


def staged_rows(spark: SparkSession, writer: WriteHandle, staged: Staged) -> DataFrame:
    """The rows of parts that are not committed yet, and of which each update inserts one row."""
    state, pieces = writer.state, [Slice(part, MIN_TIME, EMPTY) for part in staged.parts]
    with spark_errors():
        found = scan(spark, writer.parts.location, writer.parts.blob, state, pieces, state.row_type.names)
        return found.drop(TIME, DIFF)


def scan(
    spark: SparkSession,
    location: BlobLocation,
    blob: Blob,
    state: ShardState,
    pieces: Sequence[Slice],
    wanted: Sequence[str],
    where: Sequence[Comparison] = (),
) -> DataFrame:
    """The updates of `pieces` with the columns `wanted`, `_time` and `_diff`, filtered by `where`."""
    if not pieces:
        return spark.createDataFrame([], updates_ddl(state.row_type, wanted))
    needed = [*wanted, *(c.column for c in where if c.column not in wanted)]
    inline = [piece for piece in pieces if piece.part.inline is not None]
    stored = [piece for piece in pieces if piece.part.inline is None]
    frames = []
    if stored and blob.local_path(stored[0].part.key) is not None:
        frames.append(_native(spark, blob, state, stored, needed, where))
    elif stored:
        frames.append(_fetched(spark, location, state, stored, needed, where))
    if inline:
        frames.append(_inline(spark, blob, state, inline, needed, where))
    return reduce(DataFrame.unionAll, frames).select(*map(quoted, (*wanted, TIME, DIFF)))


def _inline(
    spark: SparkSession,
    blob: Blob,
    state: ShardState,
    pieces: Sequence[Slice],
    needed: Sequence[str],
    where: Sequence[Comparison],
) -> DataFrame:
    """The updates that the state itself holds."""
    tables = [
        filter_table(table, where)
        for piece in pieces
        for table in decode(state.id, piece, fetch(state.id, piece.part, blob), state.schemas, needed)
    ]
    return spark.createDataFrame(pa.concat_tables(tables), updates_ddl(state.row_type, needed))


def _native(
    spark: SparkSession,
    blob: Blob,
    state: ShardState,
    pieces: Sequence[Slice],
    needed: Sequence[str],
    where: Sequence[Comparison],
) -> DataFrame:
    """Spark's own reader, once for each set of bounds.

    Its checksums are those of pages. A file cut to nothing has no pages, and Spark takes it for one without rows, so
    lengths are compared here.
    """
    row_type = state.row_type
    groups: dict[tuple[Timestamp, Frontier] | None, list[str]] = defaultdict(list)
    for piece in pieces:
        _check_length(blob, state, piece.part)
        url = blob.spark_url(piece.part.key)
        assert url is not None  # the file store knows all its parts
        groups[None if piece.whole else (piece.lower, piece.upper)].append(url)
    frames = []
    for bounds, urls in groups.items():
        frame = spark.read.schema(updates_ddl(row_type, needed)).parquet(*urls)
        if bounds is not None:
            frame = frame.where(_within(*bounds))
        frames.append(frame)
    united = reduce(DataFrame.unionAll, frames)
    for comparison in where:
        united = united.where(_sql(comparison, row_type))
    return united


def _check_length(blob: Blob, state: ShardState, part: Part) -> None:
    path = blob.local_path(part.key)
    assert path is not None  # this store has paths
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise CorruptPart(state.id, part.key, "it is missing") from None
    if size != part.size:
        raise CorruptPart(state.id, part.key, f"it has {size} bytes, not {part.size}")


def _fetched(
    spark: SparkSession,
    location: BlobLocation,
    state: ShardState,
    pieces: Sequence[Slice],
    needed: Sequence[str],
    where: Sequence[Comparison],
) -> DataFrame:
    """Our own reader, a task for each part."""
    shard, schemas = state.id, [row_type.to_bytes() for row_type in state.schemas]
    tasks, columns, filters = list(pieces), list(needed), list(where)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        blob = location.open()
        row_types = [RowType.from_bytes(schema) for schema in schemas]
        for batch in batches:
            for number in batch.column(0).to_pylist():
                piece = tasks[number]
                for table in decode(shard, piece, fetch(shard, piece.part, blob), row_types, columns):
                    yield from filter_table(table, filters).to_batches()

    numbers = spark.range(0, len(tasks), 1, len(tasks))
    return numbers.mapInArrow(read, updates_ddl(state.row_type, needed))


def _left(plain: DataFrame, others: DataFrame, *, wanted: Sequence[str], row_type: RowType, name: str) -> DataFrame:
    """The rows of updates of which the `plain` only insert, each one row, and the others may take rows away.

    Only rows that are taken away somewhere are summed, and those with the same hash: to sum all, every row would be
    sent to another task.
    """
    row = unused_name("_row", row_type)
    hashed = f"{spark_hash(wanted, row_type.schema)} AS {quoted(row)}"
    plain, others = plain.selectExpr("*", hashed), others.selectExpr("*", hashed)
    gone = broadcast(others.where(f"{DIFF} < 0").select(quoted(row)))
    columns = [quoted(column) for column in wanted]
    kept = plain.join(gone, row, "left_anti").select(*columns)
    counted = [*columns, DIFF]
    touched = plain.join(gone, row, "left_semi").select(*counted).unionAll(others.select(*counted))
    return kept.unionAll(_summed(touched, wanted, name))


def _can_be_hashed(row_type: RowType, wanted: Sequence[str]) -> bool:
    return bool(wanted) and not row_type.holds_map


def _rows(pieces: Sequence[Slice]) -> int:
    return sum(piece.part.rows for piece in pieces)


def _summed(updates: DataFrame, wanted: Sequence[str], name: str) -> DataFrame:
    """The rows that updates add up to."""
    columns = [quoted(column) for column in wanted]
    message = _string(f'collection "{name}" has a row with a negative count')
    copies = f"explode(sequence(1L, if({DIFF} < 0, raise_error({message}), {DIFF}))) AS {DIFF}"
    counted = updates.groupBy(*columns).agg(expr(f"coalesce(sum({DIFF}), 0L) AS {DIFF}"))
    return counted.where(f"{DIFF} <> 0").selectExpr(*columns, copies).select(*columns)


def _within(lower: Timestamp, upper: Frontier) -> str:
    """Numbers are part of the code that Spark compiles, once for each; those in an array, of which it does not know
    which is meant, are not.
    """
    first = f"CAST({DIFF} & 0L AS INT)"
    bounds = f"{TIME} >= array({lower}L)[{first}]"
    return bounds if upper.time is None else f"{bounds} AND {TIME} < array({upper.time}L)[{first}]"


def _sql(comparison: Comparison, row_type: RowType) -> str:
    column = quoted(comparison.column)
    if comparison.operator in ("is null", "is not null"):
        return f"{column} {comparison.operator}"
    data_type = row_type.schema.field(comparison.column).type
    return f"{column} {comparison.operator} {_literal(comparison.scalar(row_type), data_type)}"


def _literal(value: pa.Scalar, data_type: pa.DataType) -> str:
    """A value as SQL text, exact."""
    kind = spark_type(data_type)
    plain = value.as_py()
    if plain is None:
        return f"CAST(NULL AS {kind})"
    if isinstance(plain, bytes):
        return f"X'{plain.hex()}'"
    if isinstance(plain, str):
        return _string(plain)
    if isinstance(plain, bool):
        return str(plain).upper()
    if pa.types.is_timestamp(data_type):
        plain = plain.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
    return f"CAST('{plain}' AS {kind})"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _wanted(pinned: Pinned, columns: Sequence[str] | None) -> tuple[str, ...]:
    return pinned.state.row_type.names if columns is None else tuple(columns)


@contextmanager
def part_errors(pinned: Pinned) -> Iterator[None]:
    """Around jobs that read parts: a file that could not be read is a damaged part."""
    try:
        with spark_errors():
            yield
    except SparkReadFailed as error:
        key = _part_of(pinned.slices, error.path)
        raise CorruptPart(pinned.state.id, key, str(error)) from error


def _part_of(slices: Sequence[Slice], path: str | None) -> str:
    return next((s.part.key for s in slices if path and path.endswith(s.part.key)), path or "of unknown name")
