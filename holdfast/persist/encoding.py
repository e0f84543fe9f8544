"""Parts as bytes: how updates become files that any Parquet reader opens, and back.

The updates of a part are sorted by the hash of their key, so that parts can be merged as streams and looked
up by key. A small one is written as it came: it is read whole, and hashing and sorting it would take longer
than encoding it does. Every page carries a checksum. A part that needs no file is one message of Arrow's IPC,
a record batch without its schema, which the collection knows: that takes a fortieth of the time of Parquet.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from holdfast.persist.batch import Slice
from holdfast.persist.blob import Blob
from holdfast.persist.errors import CorruptPart
from holdfast.persist.part import ColumnStats, Part, Sums
from holdfast.persist.shard import ShardState
from holdfast.persist.stats import bounded_columns, column_stats
from holdfast.repr.frontier import Timestamp
from holdfast.repr.hash import hash_rows
from holdfast.repr.ids import ShardId
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

Hashes = npt.NDArray[np.int64]

PART_BYTES = 64 * 2**20
"""Arrow bytes after which a new part is begun: about a third to a half of it in Parquet."""

ROW_GROUP_ROWS = 2**17

_DICTIONARY_BYTES = 64 * 2**10
"""Where a column has more different values than this holds, a dictionary costs time and room (`bench/stage.py`)."""

SMALL_ROWS = 256
"""A part of fewer rows is read as fast as its bounds are looked at, so it has none, nor dictionaries, nor an order."""

HASHES = (-(2**63), 2**63 - 1)
"""The bounds of every hash."""


@dataclass(frozen=True, slots=True)
class PartFormat:
    """What a writer must know of a shard. Small and picklable: executors write too."""

    shard: ShardId
    row_type: RowType
    schema_id: int
    key: tuple[str, ...]

    @classmethod
    def of(cls, state: ShardState) -> PartFormat:
        return cls(state.id, state.row_type, len(state.schemas) - 1, state.key)

    def key_hashes(self, table: pa.Table) -> Hashes:
        return hash_rows([table[name] for name in self.key], table.num_rows)

    def content_hashes(self, table: pa.Table, key_hashes: Hashes | None = None) -> Hashes:
        """The hashes of whole rows. Where the key is their first columns, `key_hashes` are half the way."""
        names = self.row_type.names
        if key_hashes is None or names[: len(self.key)] != self.key:
            return hash_rows([table[name] for name in names], table.num_rows)
        return hash_rows([table[name] for name in names[len(self.key) :]], table.num_rows, key_hashes)

    def __reduce__(self) -> tuple[object, ...]:
        return _format_from_bytes, (self.shard, self.row_type.to_bytes(), self.schema_id, self.key)


def _format_from_bytes(shard: ShardId, row_type: bytes, schema_id: int, key: tuple[str, ...]) -> PartFormat:
    return PartFormat(shard, RowType.from_bytes(row_type), schema_id, key)


@dataclass(frozen=True, slots=True)
class Encoded:
    part: Part
    data: pa.Buffer


@dataclass(frozen=True, slots=True)
class Stage:
    """Names for the parts of one write that is not committed yet.

    A part whose write never was committed can be told by its key: its epoch is over, or its stage is not
    one that the writer of this epoch has in hand.
    """

    shard: ShardId
    epoch: int
    id: str

    def key(self, name: str) -> str:
        return f"s{self.shard}/e{self.epoch}-{self.id}-{name}.parquet"

    @property
    def inline_key(self) -> str:
        """The name of the one part of a write that needs no blob."""
        return f"s{self.shard}/e{self.epoch}-{self.id}.inline"

    @classmethod
    def of_key(cls, key: str) -> Stage | None:
        """The stage that `key` was made in, if it is a part's."""
        match = _PART_KEY.match(key)
        return Stage(ShardId(int(match[1])), int(match[2]), match[3]) if match else None


_PART_KEY = re.compile(r"s(\d+)/e(\d+)-([0-9a-f]+)-[0-9a-z]+\.parquet")


def sort_by_hash(form: PartFormat, table: pa.Table) -> tuple[pa.Table, Hashes]:
    """`table` in the order of its key hashes, with the hashes."""
    hashes = form.key_hashes(table)
    order = np.argsort(hashes)  # in any order where they are equal: a stable sort takes four times as long
    return table.take(pa.array(order)), hashes[order]


def encode_sorted(form: PartFormat, key: str, table: pa.Table, hashes: Hashes, contents: Hashes | None) -> Encoded:
    """One part of the updates in `table`, not empty and sorted by `hashes`; `contents` are the hashes of its rows."""
    if contents is None:
        contents = form.content_hashes(table, hashes)
    bounds = int(hashes[0]), int(hashes[-1])
    return _encode(form, key, table, sums(table[DIFF].to_numpy(), contents), bounds)


def _encode(form: PartFormat, key: str, table: pa.Table, total: Sums, hashes: tuple[int, int]) -> Encoded:
    sink = pa.BufferOutputStream()
    written: list[pq.FileMetaData] = []
    large = table.num_rows >= SMALL_ROWS
    bounded = bounded_columns(table) if large else []
    pq.write_table(
        table,
        sink,
        metadata_collector=written,
        row_group_size=ROW_GROUP_ROWS,
        compression="snappy",
        # As bytes, Spark takes half as long again to read them, and Arrow to write them.
        store_decimal_as_integer=True,
        use_dictionary=large,
        dictionary_pagesize_limit=_DICTIONARY_BYTES,
        write_statistics=bounded,
        write_page_index=large,
        write_page_checksum=True,
    )
    data = sink.getvalue()
    stats = column_stats(form.row_type, table, bounded, written[0])
    return Encoded(_described(form, key, table, data, total, hashes, stats), data)


def _described(
    form: PartFormat,
    key: str,
    table: pa.Table,
    data: pa.Buffer,
    total: Sums,
    hashes: tuple[int, int],
    stats: tuple[tuple[str, ColumnStats], ...],
) -> Part:
    times, diffs = table[TIME].to_numpy(), table[DIFF].to_numpy()
    return Part(
        key=key,
        schema_id=form.schema_id,
        rows=table.num_rows,
        size=data.size,
        sha256=hashlib.sha256(data).hexdigest(),
        min_time=Timestamp(int(times.min())),
        max_time=Timestamp(int(times.max())),
        min_diff=int(diffs.min()),
        max_diff=int(diffs.max()),
        sums=total,
        min_hash=hashes[0],
        max_hash=hashes[1],
        stats=stats,
    )


def sums(diffs: npt.NDArray[np.int64], contents: Hashes) -> Sums:
    """The fingerprint of updates with these diffs and row hashes."""
    products = diffs.astype(np.uint64) * contents.view(np.uint64)
    return Sums(_sum(diffs), int(products.sum(dtype=np.uint64)))


def _sum(diffs: npt.NDArray[np.int64]) -> int:
    # In halves: sums of whole diffs could leave 64 bits.
    return (int((diffs >> 32).sum()) << 32) + int((diffs & 0xFFFF_FFFF).sum())


def encode(form: PartFormat, updates: UpdateBatch, stage: Stage) -> list[Encoded]:
    """Parts of bounded size with the updates, sorted unless they are few. No updates make no parts."""
    if not updates.rows:
        return []
    if updates.rows < SMALL_ROWS and updates.table.get_total_buffer_size() <= PART_BYTES:
        return [_encode(form, stage.key("0"), updates.table, _known_sums(updates), HASHES)]
    table, hashes = sort_by_hash(form, updates.table)
    step = rows_per_part(table)
    return [
        encode_sorted(form, stage.key(str(start // step)), table.slice(start, step), hashes[start : start + step], None)
        for start in range(0, table.num_rows, step)
    ]


def encode_inline(form: PartFormat, updates: UpdateBatch, stage: Stage, most: int) -> Part | None:
    """The one part of a few updates that take at most `most` bytes, with those bytes; None for others."""
    if not 0 < updates.rows < SMALL_ROWS:
        return None
    # The sizes of buffers are known at once. They may be those of a larger table, of which this is a slice.
    if updates.table.get_total_buffer_size() > most and updates.table.nbytes > most:
        return None
    (batch,) = updates.table.combine_chunks().to_batches()
    data = batch.serialize()
    if data.size > most:
        return None
    stats = tuple(
        (name, ColumnStats(None, None, batch.column(place).null_count))
        for place, name in enumerate(form.row_type.names)
    )
    part = _described(form, stage.inline_key, updates.table, data, _known_sums(updates), HASHES, stats)
    return replace(part, inline=data.to_pybytes())


def _known_sums(updates: UpdateBatch) -> Sums:
    """What is known of updates that nobody has hashed."""
    return Sums(_sum(updates.table[DIFF].to_numpy()), None)


def rows_per_part(table: pa.Table) -> int:
    """How many rows like those of `table`, which is not empty, make a full part."""
    return max(1, PART_BYTES * int(table.num_rows) // max(1, int(table.nbytes)))


def fetch(shard: ShardId, part: Part, blob: Blob) -> pa.Buffer:
    """The bytes of a part, verified."""
    return verify(shard, part, blob.get(part.key) if part.inline is None else pa.py_buffer(part.inline))


def verify(shard: ShardId, part: Part, data: pa.Buffer | None) -> pa.Buffer:
    """`data`, if it is what was committed as `part`."""
    if data is None:
        raise CorruptPart(shard, part.key, "it is missing")
    if data.size != part.size:
        raise CorruptPart(shard, part.key, f"it has {data.size} bytes, not {part.size}")
    if hashlib.sha256(data).hexdigest() != part.sha256:
        raise CorruptPart(shard, part.key, "its checksum is wrong")
    return data


def decode(
    shard: ShardId, piece: Slice, data: pa.Buffer, schemas: Sequence[RowType], columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The updates of a slice as tables of the newest of `schemas`, a row group at a time, in the order of the part.

    `columns` picks columns of the newest schema; `_time` and `_diff` always come along.
    """
    own, newest = schemas[piece.part.schema_id], schemas[-1]
    wanted = newest.names if columns is None else tuple(columns)
    stored = [name for name in wanted if name in own.names]
    read = _read_parquet if piece.part.inline is None else _read_inline
    try:
        for table in read(data, own, [*stored, TIME, DIFF]):
            yield _clip(piece, _arranged(table, wanted, newest))
    except (pa.ArrowException, OSError) as error:
        raise CorruptPart(shard, piece.part.key, str(error)) from error


def _read_parquet(data: pa.Buffer, _: RowType, columns: Sequence[str]) -> Iterator[pa.Table]:
    file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
    for group in range(file.num_row_groups):
        yield file.read_row_group(group, columns=columns, use_threads=False)


def _read_inline(data: pa.Buffer, row_type: RowType, columns: Sequence[str]) -> Iterator[pa.Table]:
    batch = pa.ipc.read_record_batch(data, row_type.updates_schema)
    yield pa.Table.from_batches([batch.select(columns)])


def _arranged(table: pa.Table, wanted: Sequence[str], newest: RowType) -> pa.Table:
    """`table` with the columns of `wanted` in order; those it lacks are null."""
    fields = [newest.schema.field(name) for name in wanted]
    fields += [newest.updates_schema.field(name) for name in (TIME, DIFF)]
    columns = [
        table[field.name] if field.name in table.column_names else pa.nulls(table.num_rows, field.type)
        for field in fields
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _clip(piece: Slice, table: pa.Table) -> pa.Table:
    if piece.whole:
        return table
    keep = pc.greater_equal(table[TIME], piece.lower)
    if piece.upper.time is not None:
        keep = pc.and_(keep, pc.less(table[TIME], piece.upper.time))
    return table.filter(keep)
