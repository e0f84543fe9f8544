"""A collection at a time, and its changes between two frontiers, as DataFrames.

Where Spark can reach the parts as files, its own Parquet reader reads them, with column and filter pushdown;
elsewhere the executors fetch and decode them as we do. Either way pages are verified, and parts whose
statistics exclude the filter are not read at all. The few updates that are kept in the metadata are read here, and
go with the plan.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
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
from holdfast.persist.prune import NO_RANGES, Comparison, Range, Ranges, filter_table, prune, range_of, within
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
from holdfast.spark.frame import frame_of

_BROADCAST = 5_000_000
"""Updates among which those that take rows away are few enough to be known to all tasks."""


class Snapshot:
    """Some columns of a collection at a time, or of its changes between two frontiers, pinned.

    Frames are made of it in threads, as each takes many calls of a Java that may be busy. Those that `frames` has are
    made once. Ranges are of columns that are read.
    """

    def __init__(
        self,
        spark: SparkSession,
        handle: ReadHandle,
        pinned: Pinned,
        columns: Sequence[str],
        frames: Frames | None = None,
    ) -> None:
        self._spark, self._handle, self._pinned, self._frames = spark, handle, pinned, frames or Frames(0)
        self.columns = tuple(columns)

    def pieces(self, ranges: Ranges = NO_RANGES) -> list[Slice]:
        """What may hold rows with values in the ranges."""
        return within(self._pinned.slices, self._narrow(ranges))

    def range_of(self, column: str) -> Range | None:
        """All values of a column are in it, but for nulls. None: that is not known."""
        is_whole = pa.types.is_integer(self._pinned.state.row_type.schema.field(column).type)
        return range_of(self._pinned.slices, column) if is_whole else None

    def rows(self, ranges: Ranges = NO_RANGES, where: Sequence[Comparison] = ()) -> DataFrame:
        """Each row as often as it is there; those without a value in each of the ranges may be missing.

        If nothing in it was ever taken back, this is a plain scan; else rows that were are summed.
        """
        state, ranges = self._pinned.state, self._narrow(ranges)
        pieces = prune(within(self._pinned.slices, ranges), state.row_type, where)
        if all(piece.part.inserts_only for piece in pieces):
            ranges = NO_RANGES

        def scanned(pieces: Sequence[Slice]) -> DataFrame:
            # A row that is left out with its part must be left out also where it is taken away.
            found = self.scan(pieces, where)
            for name, each in ranges.items():
                found = found.where(_between(quoted(name), each))
            return found

        def frame() -> DataFrame:
            plain = [piece for piece in pieces if piece.part.inserts_only]
            others = [piece for piece in pieces if not piece.part.inserts_only]
            if not others:
                return scanned(pieces).select(*map(quoted, self.columns))
            if plain and _can_be_hashed(state.row_type, self.columns) and _rows(others) <= _BROADCAST:
                both = (scanned(each) for each in (plain, others))
                return _left(*both, wanted=self.columns, row_type=state.row_type, name=self._handle.name)
            return _summed(scanned(pieces), self.columns, self._handle.name)

        return frame() if where or ranges else self.known("rows", pieces, frame)

    def known(self, what: str, pieces: Sequence[Slice], made: Callable[[], DataFrame]) -> DataFrame:
        """The frame that was made of these pieces before, or is now: `what` says how."""
        read = tuple((piece.part.key, None if piece.whole else (piece.lower, piece.upper)) for piece in pieces)
        key = (what, self._pinned.state.id, self.columns, read)
        found = self._frames.get(self._spark, key)
        if found is None:
            return self._frames.put(self._spark, key, made())
        self._check_lengths(pieces)
        return found

    def scan(self, pieces: Sequence[Slice], where: Sequence[Comparison] = ()) -> DataFrame:
        """The updates of `pieces`: the columns, `_time` and `_diff`."""
        parts = self._handle.parts
        with spark_errors():
            return scan(self._spark, parts.location, parts.blob, self._pinned.state, pieces, self.columns, where)

    def _narrow(self, ranges: Ranges) -> Ranges:
        """Those of whole numbers: statistics of others may be numbers that mean something else."""
        schema = self._pinned.state.row_type.schema
        return {name: each for name, each in ranges.items() if pa.types.is_integer(schema.field(name).type)}

    def _check_lengths(self, pieces: Sequence[Slice]) -> None:
        blob = self._handle.parts.blob
        for piece in pieces:
            if piece.part.inline is None and blob.local_path(piece.part.key) is not None:
                _check_length(blob, self._pinned.state, piece.part)


class SparkReader:
    """Reads what `handle` may read, on `spark`. Frames of snapshots that `frames` has are made once."""

    def __init__(self, spark: SparkSession, handle: ReadHandle, frames: Frames | None = None) -> None:
        self._spark, self._handle, self._frames = spark, handle, frames

    @asynccontextmanager
    async def snapshot(
        self, as_of: Timestamp, columns: Sequence[str] | None = None, timeout: float | None = None
    ) -> AsyncIterator[Snapshot]:
        """The collection at `as_of`, to be read in the block."""
        with await self._handle.pin_snapshot(as_of, timeout) as pinned, part_errors(pinned):
            yield Snapshot(self._spark, self._handle, pinned, _wanted(pinned, columns), self._frames)

    @asynccontextmanager
    async def rows(
        self,
        as_of: Timestamp,
        columns: Sequence[str] | None = None,
        where: Sequence[Comparison] = (),
        timeout: float | None = None,
    ) -> AsyncIterator[DataFrame]:
        """The collection at `as_of`: each row as often as it is there."""
        async with self.snapshot(as_of, columns, timeout) as snapshot:
            yield await asyncio.to_thread(snapshot.rows, where=where)

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
            yield (await self._scanned(pinned, columns, where)).drop(TIME)

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
            yield await self._scanned(pinned, columns, where)

    async def _scanned(self, pinned: Pinned, columns: Sequence[str] | None, where: Sequence[Comparison]) -> DataFrame:
        pieces = prune(pinned.slices, pinned.state.row_type, where)
        snapshot = Snapshot(self._spark, self._handle, pinned, _wanted(pinned, columns), self._frames)
        return await asyncio.to_thread(snapshot.scan, pieces, where)


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
    return frame_of(spark, pa.concat_tables(tables), updates_ddl(state.row_type, needed))


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
    bounds = f"{TIME} >= {_number(lower)}"
    return bounds if upper.time is None else f"{bounds} AND {TIME} < {_number(upper.time)}"


def _between(column: str, asked: Range) -> str:
    return f"{column} >= {_number(asked.lower)} AND {column} <= {_number(asked.upper)}"


def _number(value: int) -> str:
    """Numbers are part of the code that Spark compiles, once for each; those in an array, of which it does not know
    which is meant, are not.
    """
    return f"array(CAST('{value}' AS BIGINT))[CAST({DIFF} & 0L AS INT)]"


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
