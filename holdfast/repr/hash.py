"""The hash that clusters rows: Spark SQL's `xxhash64`, bit for bit, over Arrow columns.

Whoever writes a part places its rows by this hash, be it the driver with
numpy (`hash_rows`) or an executor with SQL (`spark_hash`), so both must give
the same number for the same row. It is XXH64 with seed 42, chained: the hash
of one column is the seed of the next, and the same inside lists and structs.
A null leaves the hash as it was, which makes `(1, null)` and `(null, 1)` equal.

Spark refuses to hash a map. Ours is the hash of its list of (key, value)
structs, in the order stored: two maps with the same entries in another order
hash differently. Types that Spark does not take from Arrow are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.errors import UsageError

SEED = 42

type_is = pa.types

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rows = slice | Positions
"""Which values of a column: all of them, or those at some positions."""

# The primes of XXH64.
P1 = np.uint64(0x9E3779B185EBCA87)
P2 = np.uint64(0xC2B2AE3D27D4EB4F)
P3 = np.uint64(0x165667B19E3779F9)
P4 = np.uint64(0x85EBCA77C2B2AE63)
P5 = np.uint64(0x27D4EB2F165667C5)

# Rows hashed at a time: the dozen passes of a hash then stay in the processor's cache.
# 2 M rows of int64 took 10 ns each with this, 17 with 4 k and 19 with 256 k.
BLOCK = 16384

# With no more strings than this left in a step, each is finished alone: one step of arrays takes as long as 10 of one.
FEW = 8

# Spark hashes a decimal of more digits than a long holds as bytes.
MAX_LONG_DIGITS = 18

ALL = slice(None)
"""Every value of a column, without a copy."""


def hash_rows(
    columns: Sequence[pa.ChunkedArray | pa.Array], rows: int, before: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.int64]:
    """The hash of each row. Every column holds `rows` values; without columns each hash is the seed.

    `before` are the hashes of columns that come before these.
    """
    hashes = np.full(rows, SEED, dtype=np.uint64) if before is None else before.view(np.uint64).copy()
    for column in columns:
        if len(column) != rows:
            raise UsageError(f"column of {len(column)} values in a hash of {rows} rows")
        _refuse_unhashable(column.type)
    if rows <= BLOCK:  # the common case of an append, where every step counts
        for column in columns:
            hashes = _foldable(_array(column)).fold(ALL, hashes)
    else:
        _hash_blocks(columns, hashes)
    return hashes.view(np.int64)


def _hash_blocks(columns: Sequence[pa.ChunkedArray | pa.Array], hashes: Words) -> None:
    """Hash many rows, a block at a time, in place."""
    table = pa.table(list(columns), names=[str(index) for index in range(len(columns))])
    start = 0
    for batch in table.to_batches(max_chunksize=BLOCK):
        end = start + batch.num_rows
        block = hashes[start:end]
        for column in batch.columns:
            block = _foldable(column).fold(ALL, block)
        hashes[start:end] = block
        start = end


def _array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def spark_hash(columns: Sequence[str], schema: pa.Schema) -> str:
    """The Spark SQL expression whose value in each row is that of `hash_rows` over the same columns."""
    if not columns:
        return f"{SEED}L"
    arguments = []
    for name in columns:
        data_type = schema.field(name).type
        _refuse_unhashable(data_type)
        arguments.append(_without_maps(_quoted(name), data_type, depth=0))
    return f"xxhash64({', '.join(arguments)})"


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _without_maps(value: str, data_type: pa.DataType, depth: int) -> str:
    """The SQL text `value` with every map in it turned to a list of entries."""
    if not _holds_map(data_type):
        return value
    if type_is.is_struct(data_type):
        fields = (_without_maps(f"{value}.{_quoted(field.name)}", field.type, depth) for field in data_type)
        return f"if({value} is null, null, struct({', '.join(fields)}))"
    entry = f"x{depth}"
    if not type_is.is_map(data_type):
        return f"transform({value}, {entry} -> {_without_maps(entry, data_type.value_type, depth + 1)})"
    # A key cannot hold a map: Spark refuses such a type.
    entries = f"map_entries({value})"
    if not _holds_map(data_type.item_type):
        return entries
    item = _without_maps(f"{entry}.value", data_type.item_type, depth + 1)
    return f"transform({entries}, {entry} -> struct({entry}.key, {item}))"


def _holds_map(data_type: pa.DataType) -> bool:
    return type_is.is_map(data_type) or any(_holds_map(child) for child in _children(data_type))


def _is_list(data_type: pa.DataType) -> bool:
    return bool(type_is.is_list(data_type) or type_is.is_large_list(data_type))


def _children(data_type: pa.DataType) -> list[pa.DataType]:
    if type_is.is_struct(data_type):
        return [field.type for field in data_type]
    if type_is.is_map(data_type):
        return [data_type.key_type, data_type.item_type]
    if _is_list(data_type) or type_is.is_dictionary(data_type):
        return [data_type.value_type]
    return []


@lru_cache(maxsize=1024)
def _refuse_unhashable(data_type: pa.DataType) -> None:
    children = _children(data_type)
    for child in children:
        _refuse_unhashable(child)
    if not children and not type_is.is_struct(data_type) and _leaf_kind(data_type) is None:
        raise UsageError(f"type {data_type} cannot be hashed as Spark would")


class _Foldable(Protocol):
    """A column made ready for hashing."""

    def fold(self, rows: Rows, seeds: Words) -> Words:
        """The hashes of the values at `rows`, each on top of its seed. Leaves `seeds` as they are."""
        ...


def _foldable(array: pa.Array) -> _Foldable:
    data_type = array.type
    if type_is.is_dictionary(data_type):
        return _foldable(array.dictionary_decode())
    valid = array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else None
    if type_is.is_struct(data_type):
        return _Struct(tuple(_foldable(array.field(index)) for index in range(data_type.num_fields)), valid)
    if type_is.is_map(data_type):
        return _chained(array, lambda first, size: _entries(array, first, size), valid)
    if _is_list(data_type):
        return _chained(array, lambda first, size: _foldable(array.values.slice(first, size)), valid)
    kind = _leaf_kind(data_type)
    if kind is None:
        raise UsageError(f"type {data_type} cannot be hashed as Spark would")
    return kind(array, valid)


def _entries(array: pa.MapArray, first: int, size: int) -> _Struct:
    return _Struct((_foldable(array.keys.slice(first, size)), _foldable(array.items.slice(first, size))), None)


def _chained(array: pa.Array, elements: Callable[[int, int], _Foldable], valid: Mask | None) -> _List:
    """The lists of `array`, given how to make its elements ready from one position on, so many of them."""
    offsets = _offsets(array)
    first = int(offsets[0])
    starts, lengths = _extents(offsets - first, valid)
    return _List(starts, lengths, elements(first, int(offsets[-1]) - first))


_LeafKind = Callable[[pa.Array, "Mask | None"], _Foldable]


def _leaf_kind(data_type: pa.DataType) -> _LeafKind | None:
    """How values that hold no other values are made ready, or None for a type that Spark does not take."""
    if data_type in _LEAVES:
        return _LEAVES[data_type]
    if type_is.is_fixed_size_binary(data_type):
        return _fixed_bytes
    if type_is.is_decimal128(data_type) and 0 <= data_type.scale <= data_type.precision:
        return _short_decimal if data_type.precision <= MAX_LONG_DIGITS else _long_decimal
    if type_is.is_timestamp(data_type) and data_type.unit == "us":
        return _long
    return None


@dataclass(frozen=True, slots=True)
class _Null:
    """Values that are all null."""

    def fold(self, rows: Rows, seeds: Words) -> Words:  # noqa: ARG002 - the same for any rows
        return seeds


@dataclass(frozen=True, slots=True)
class _Int:
    """Values that Spark hashes as a 32-bit integer, already mixed."""

    mixed: Words
    valid: Mask | None

    def fold(self, rows: Rows, seeds: Words) -> Words:
        hashes = seeds + (P5 + np.uint64(4))
        hashes ^= self.mixed[rows]
        hashes = _rotated(hashes, 23)
        hashes *= P2
        hashes += P3
        return _kept_where_null(_avalanched(hashes), self.valid, rows, seeds)


@dataclass(frozen=True, slots=True)
class _Long:
    """Values that Spark hashes as a 64-bit integer, already mixed."""

    mixed: Words
    valid: Mask | None

    def fold(self, rows: Rows, seeds: Words) -> Words:
        hashes = seeds + (P5 + np.uint64(8))
        hashes ^= self.mixed[rows]
        hashes = _rotated(hashes, 27)
        hashes *= P1
        hashes += P4
        return _kept_where_null(_avalanched(hashes), self.valid, rows, seeds)


@dataclass(frozen=True, slots=True)
class _Bytes:
    """Strings of bytes: each the `lengths` bytes of `data` from `starts` on."""

    data: Bytes
    starts: Positions
    lengths: Positions
    valid: Mask | None

    def fold(self, rows: Rows, seeds: Words) -> Words:
        starts, lengths = self.starts[rows], self.lengths[rows]
        hashes = seeds + P5
        long = np.flatnonzero(lengths >= 32)
        if long.size:
            hashes[long] = self._stripes(starts[long], lengths[long], seeds[long])
        hashes += lengths.view(np.uint64)
        ends = starts + lengths
        at = starts + (lengths & ~31)
        # What the stripes leave: up to 3 words of 8 bytes, then one of 4, then up to 3 bytes.
        for _ in range(3):
            some = np.flatnonzero(ends - at >= 8)
            if not some.size:
                break
            mixed = _mixed_long(_words(self.data, at[some], np.uint64))
            step = _rotated(hashes[some] ^ mixed, 27)
            step *= P1
            step += P4
            hashes[some] = step
            at[some] += 8
        some = np.flatnonzero(ends - at >= 4)
        if some.size:
            mixed = _words(self.data, at[some], np.uint32).astype(np.uint64) * P1
            step = _rotated(hashes[some] ^ mixed, 23)
            step *= P2
            step += P3
            hashes[some] = step
            at[some] += 4
        for _ in range(3):
            some = np.flatnonzero(ends > at)
            if not some.size:
                break
            mixed = self.data[at[some]].astype(np.uint64) * P5
            step = _rotated(hashes[some] ^ mixed, 11)
            step *= P1
            hashes[some] = step
            at[some] += 1
        return _kept_where_null(_avalanched(hashes), self.valid, rows, seeds)

    def _stripes(self, starts: Positions, lengths: Positions, seeds: Words) -> Words:
        """Hash the whole stripes of 32 bytes, of strings that all have one.

        The longest come first, so that those with a stripe left are always a
        prefix: the cost follows the bytes, not the longest times the rows.
        """
        order = np.argsort(-lengths, kind="stable")
        at = starts[order] + np.arange(0, 32, 8)[:, np.newaxis]
        stripes = lengths[order] >> 5
        seeded = seeds[order]
        lanes = np.stack([seeded + P1 + P2, seeded + P2, seeded, seeded - P1])
        counts = _counts_above(stripes)
        together = counts[counts > FEW]
        for count in together:
            step = _words(self.data, at[:, :count], np.uint64)
            step *= P2
            step += lanes[:, :count]
            step = _rotated(step, 31)
            step *= P1
            lanes[:, :count] = step
            at[:, :count] += 32
        for row in range(int(np.count_nonzero(stripes > len(together)))):
            words = self.data[at[0, row] :][: 32 * (int(stripes[row]) - len(together))].view("<u8").reshape(-1, 4)
            for lane in range(4):
                lanes[lane, row] = _lane(words[:, lane], int(lanes[lane, row]))
        merged = _rotated(lanes[0], 1) + _rotated(lanes[1], 7) + _rotated(lanes[2], 12) + _rotated(lanes[3], 18)
        for lane in lanes:
            merged ^= _mixed_long(lane)
            merged *= P1
            merged += P4
        hashes = np.empty_like(merged)
        hashes[order] = merged
        return hashes


@dataclass(frozen=True, slots=True)
class _Struct:
    """Values whose fields are hashed one after another."""

    fields: tuple[_Foldable, ...]
    valid: Mask | None

    def fold(self, rows: Rows, seeds: Words) -> Words:
        hashes = seeds
        for field in self.fields:
            hashes = field.fold(rows, hashes)
        return _kept_where_null(hashes, self.valid, rows, seeds)


@dataclass(frozen=True, slots=True)
class _List:
    """Values whose elements, `lengths` of `elements` from `starts` on, are hashed one after another."""

    starts: Positions
    lengths: Positions
    elements: _Foldable

    def fold(self, rows: Rows, seeds: Words) -> Words:
        starts, lengths = self.starts[rows], self.lengths[rows]
        # The longest first, as for the stripes of strings.
        order = np.argsort(-lengths, kind="stable")
        at, hashes = starts[order], seeds[order]
        for count in _counts_above(lengths):
            hashes[:count] = self.elements.fold(at[:count], hashes[:count])
            at[:count] += 1
        result = np.empty_like(hashes)
        result[order] = hashes
        # A null has length 0, so its seed came through unchanged.
        return result


def _counts_above(counts: Positions) -> Positions:
    """For each step from 0 to the greatest of `counts`, how many of them are above it."""
    return (len(counts) - np.cumsum(np.bincount(counts)))[:-1] if counts.size else np.empty(0, dtype=np.int64)


def _lane(words: Words, value: int) -> int:
    """Hash one lane of the stripes of one string: with so few values, Python's integers are faster than arrays."""
    p1, mask = int(P1), 2**64 - 1
    for start in range(0, len(words), BLOCK):
        for word in (words[start : start + BLOCK] * P2).tolist():
            value = value + word & mask
            value = (value << 31 & mask | value >> 33) * p1 & mask
    return value


def _kept_where_null(hashes: Words, valid: Mask | None, rows: Rows, seeds: Words) -> Words:
    return hashes if valid is None else np.where(valid[rows], hashes, seeds)


def _rotated(words: Words, by: int) -> Words:
    rotated = words << np.uint64(by)
    rotated |= words >> np.uint64(64 - by)
    return rotated


def _avalanched(hashes: Words) -> Words:
    """The last step of every hash, in place."""
    hashes ^= hashes >> np.uint64(33)
    hashes *= P2
    hashes ^= hashes >> np.uint64(29)
    hashes *= P3
    hashes ^= hashes >> np.uint64(32)
    return hashes


def _mixed_long(words: Words) -> Words:
    mixed = _rotated(words * P2, 31)
    mixed *= P1
    return mixed


def _words(data: Bytes, at: Positions, width: type[np.unsignedinteger[Any]]) -> Words:
    """The little-endian words of `data` that begin at the bytes `at`."""
    size = np.dtype(width).itemsize
    # One word for every byte, each overlapping the next: a gather of unaligned words without a copy of `data`.
    every = np.ndarray((len(data) - size + 1,), np.dtype(width).newbyteorder("<"), data, strides=(1,))
    return every[at].astype(np.uint64, copy=False)


def _offsets(array: pa.Array) -> Positions:
    """Where each value begins among the bytes or elements, and where the last one ends."""
    if len(array) == 0:
        return np.zeros(1, dtype=np.int64)
    data_type = array.type
    large = any(test(data_type) for test in (type_is.is_large_string, type_is.is_large_binary, type_is.is_large_list))
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64 if large else np.int32)
    return offsets[array.offset : array.offset + len(array) + 1].astype(np.int64)


def _extents(offsets: Positions, valid: Mask | None) -> tuple[Positions, Positions]:
    """The starts and lengths of values. A null may cover bytes or elements; it has length 0 here."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    return starts, lengths if valid is None else np.where(valid, lengths, 0)


def _fixed(array: pa.Array, width: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values of a type of fixed width; those of nulls are arbitrary."""
    if len(array) == 0:
        return np.empty(0, dtype=width)
    values: npt.NDArray[Any] = np.frombuffer(array.buffers()[1], dtype=width)
    return values[array.offset : array.offset + len(array)]


def _mixed_int(values: npt.NDArray[np.int32]) -> Words:
    return values.view(np.uint32).astype(np.uint64) * P1


def _null(array: pa.Array, valid: Mask | None) -> _Foldable:  # noqa: ARG001 - one shape for all leaves
    return _Null()


def _bool(array: pa.Array, valid: Mask | None) -> _Foldable:
    values = array.fill_null(False).to_numpy(zero_copy_only=False)
    return _Int(_mixed_int(values.astype(np.int32)), valid)


def _int_of(width: npt.DTypeLike) -> _LeafKind:
    return lambda array, valid: _Int(_mixed_int(_fixed(array, width).astype(np.int32)), valid)


def _long(array: pa.Array, valid: Mask | None) -> _Foldable:
    return _Long(_mixed_long(_fixed(array, np.uint64)), valid)


def _time(array: pa.Array, valid: Mask | None) -> _Foldable:
    # Spark keeps a time of day in nanoseconds.
    return _Long(_mixed_long(_fixed(array, np.uint64) * np.uint64(1000)), valid)


def _float(array: pa.Array, valid: Mask | None) -> _Foldable:
    return _Int(_mixed_int(_normal(_fixed(array, np.float32)).view(np.int32)), valid)


def _double(array: pa.Array, valid: Mask | None) -> _Foldable:
    return _Long(_mixed_long(_normal(_fixed(array, np.float64)).view(np.uint64)), valid)


def _normal(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`values` with one zero and one NaN, as Spark hashes them."""
    return np.where(np.isnan(values), values.dtype.type(np.nan), np.where(values == 0, values.dtype.type(0), values))


def _varying_bytes(array: pa.Array, valid: Mask | None) -> _Foldable:
    starts, lengths = _extents(_offsets(array), valid)
    buffer = array.buffers()[2]
    data = np.empty(0, dtype=np.uint8) if buffer is None else np.frombuffer(buffer, dtype=np.uint8)
    return _Bytes(data, starts, lengths, valid)


def _fixed_bytes(array: pa.Array, valid: Mask | None) -> _Foldable:
    width, rows = array.type.byte_width, len(array)
    data = np.frombuffer(array.buffers()[1], dtype=np.uint8) if rows and width else np.empty(0, dtype=np.uint8)
    starts = np.arange(array.offset, array.offset + rows, dtype=np.int64) * width
    return _Bytes(data, starts, np.full(rows, width, dtype=np.int64), valid)


def _short_decimal(array: pa.Array, valid: Mask | None) -> _Foldable:
    low = _fixed(array, np.dtype((np.uint64, 2)))[:, 0]
    return _Long(_mixed_long(low), valid)


def _long_decimal(array: pa.Array, valid: Mask | None) -> _Foldable:
    """The unscaled values as Java's `BigInteger.toByteArray` has them: big-endian, no longer than need be."""
    data = np.ascontiguousarray(_fixed(array, np.dtype((np.uint8, 16)))[:, ::-1])
    negative = data[:, :1] >> 7
    magnitude = data ^ (negative * np.uint8(0xFF))
    first = np.argmax(magnitude != 0, axis=1)
    leading = magnitude[np.arange(len(data)), first]
    # The first bit is the sign's: a leading byte that fills its 8 bits needs one more byte before it.
    lengths = np.where(leading == 0, 1, 16 - first + (leading >> 7))
    starts = np.arange(1, len(data) + 1, dtype=np.int64) * 16 - lengths
    return _Bytes(data.reshape(-1), starts, lengths.astype(np.int64), valid)


_LEAVES: dict[pa.DataType, _LeafKind] = {
    pa.null(): _null,
    pa.bool_(): _bool,
    pa.int8(): _int_of(np.int8),
    pa.int16(): _int_of(np.int16),
    pa.int32(): _int_of(np.int32),
    pa.date32(): _int_of(np.int32),
    pa.int64(): _long,
    pa.duration("us"): _long,
    pa.time64("us"): _time,
    pa.float32(): _float,
    pa.float64(): _double,
    pa.string(): _varying_bytes,
    pa.large_string(): _varying_bytes,
    pa.binary(): _varying_bytes,
    pa.large_binary(): _varying_bytes,
}
