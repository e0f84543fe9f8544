"""Codecs: collections of things other than typed columns.

By default a collection's rows are typed columns, and any Parquet reader can
open its parts. A codec puts values of the caller's own making into columns
and takes them out again. Its name is kept with the collection, and whoever
opens that must bring a codec of the same name. Backward compatibility is the
codec's duty: it must decode what earlier versions of it encoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import pyarrow as pa

from holdfast.persist.instance import Persist
from holdfast.persist.read import ReadHandle
from holdfast.persist.shard import UpperMismatch
from holdfast.persist.write import WriteHandle
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

Value = TypeVar("Value")
Key = TypeVar("Key")
Datum = TypeVar("Datum")


class Codec(Protocol[Value]):
    """`decode(encode(values)) == values`; equal values are encoded equally."""

    @property
    def name(self) -> str: ...

    @property
    def row_type(self) -> RowType: ...

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that the collection is clustered by."""

    def encode(self, values: Sequence[Value]) -> Sequence[pa.Array]:
        """The columns of `row_type` for these values."""

    def decode(self, columns: Sequence[pa.ChunkedArray]) -> list[Value]: ...


@dataclass(frozen=True, slots=True)
class PairCodec(Generic[Key, Datum]):
    """Keys and values as bytes, by functions of the caller's."""

    name: str
    encode_key: Callable[[Key], bytes]
    decode_key: Callable[[bytes], Key]
    encode_value: Callable[[Datum], bytes]
    decode_value: Callable[[bytes], Datum]

    @property
    def row_type(self) -> RowType:
        return RowType.of(("key", pa.binary()), ("value", pa.binary()))

    @property
    def key(self) -> tuple[str, ...]:
        return ("key",)

    def encode(self, values: Sequence[tuple[Key, Datum]]) -> Sequence[pa.Array]:
        keys = [self.encode_key(key) for key, _ in values]
        return [pa.array(keys, pa.binary()), pa.array([self.encode_value(value) for _, value in values], pa.binary())]

    def decode(self, columns: Sequence[pa.ChunkedArray]) -> list[tuple[Key, Datum]]:
        keys, values = (column.to_pylist() for column in columns)
        return [(self.decode_key(k), self.decode_value(v)) for k, v in zip(keys, values, strict=True)]


@dataclass(frozen=True, slots=True)
class CodecCollection(Generic[Value]):
    """A collection written and read through a codec."""

    codec: Codec[Value]
    writer: WriteHandle
    reader: ReadHandle

    @classmethod
    async def open(cls, persist: Persist, name: str, codec: Codec[Value]) -> CodecCollection[Value]:
        """The collection called `name`, made if there is none; it must be one of this codec."""
        writer = await persist.create_or_load(name, codec.row_type, key=codec.key, codec=codec.name)
        return cls(codec, writer, await persist.reader(name))

    async def compare_and_append(
        self, updates: Iterable[tuple[Value, int, int]], expected: Frontier, upper: Frontier
    ) -> UpperMismatch | None:
        """Append `(value, time, diff)` updates, as `WriteHandle.compare_and_append` does."""
        return await self.writer.compare_and_append(self.batch(updates), expected, upper)

    async def values(self, as_of: Timestamp) -> list[tuple[Value, int]]:
        """The collection at `as_of`: each value with how often it is there."""
        table = (await self.reader.rows(as_of)).table
        values = self.codec.decode([table[name] for name in self.codec.row_type.names])
        return list(zip(values, table[DIFF].to_pylist(), strict=True))

    def batch(self, updates: Iterable[tuple[Value, int, int]]) -> UpdateBatch:
        items = list(updates)
        columns = self.codec.encode([value for value, _, _ in items])
        times = pa.array([time for _, time, _ in items], pa.int64())
        diffs = pa.array([diff for _, _, diff in items], pa.int64())
        names = [*self.codec.row_type.names, TIME, DIFF]
        return UpdateBatch(self.codec.row_type, pa.table([*columns, times, diffs], names=names))
