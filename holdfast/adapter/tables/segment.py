"""A segment: neighbouring rows of a table in memory, in columns, each with the times between which it is there.

A row is born at a time and may die at a later one; it is there from the one until just before the other. Rows are
never moved within a segment, so a position in it is a name for a row as long as the segment is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from struct import Struct
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.compute.evaluate.scalars import Row
from holdfast.compute.evaluate.values import from_arrow
from holdfast.plan.types import MAX_PRECISION, Type
from holdfast.repr.frontier import Timestamp

Read: TypeAlias = Callable[[int], Any]  # a value as `plan/types.py` lists them, by its position

_PLAIN = ("bool", "text", "varchar", "bpchar", "name", "char", "bytea", "jsonb", "uuid", "unknown")
"""Bases whose values are what Arrow makes of them."""


class Segment:
    """Rows from the slot `start` on.

    `born` is when they all were, or an array of when each was; `youngest` is the last of those times. `dead` are the
    times at which some have died, by their positions. `copied` are the bytes of columns without these.
    """

    __slots__ = ("_alive", "_reads", "_types", "born", "columns", "copied", "count", "dead", "start", "youngest")

    def __init__(
        self,
        start: int,
        columns: Sequence[pa.Array],
        count: int,
        types: Sequence[Type],
        born: Timestamp | npt.NDArray[np.int64],
    ) -> None:
        self.start, self.count, self.columns = start, count, list(columns)
        self.born, self.dead = born, dict[int, Timestamp]()
        self.youngest = born if isinstance(born, int) else int(born.max(initial=0))
        self._types = types
        self._reads: list[Read] | None = None
        self._alive: tuple[int, list[pa.Array], int] = (0, self.columns, count)
        self.copied = 0

    @classmethod
    def joined(cls, segments: Sequence[Segment]) -> Segment:
        """One segment in place of neighbours."""
        first = segments[0]
        columns = [pa.concat_arrays([s.columns[index] for s in segments]) for index in range(len(first.columns))]
        born = np.concatenate([s.births for s in segments])
        found = cls(first.start, columns, sum(s.count for s in segments), first._types, born)
        for segment in segments:
            shift = segment.start - first.start
            found.dead |= {position + shift: died for position, died in segment.dead.items()}
        return found

    @property
    def births(self) -> npt.NDArray[np.int64]:
        return np.full(self.count, self.born, np.int64) if isinstance(self.born, int) else self.born

    @property
    def nbytes(self) -> int:
        return sum(int(column.nbytes) for column in self.columns)

    def born_at(self, position: int) -> int:
        return self.born if isinstance(self.born, int) else int(self.born[position])

    def row(self, position: int, outputs: Sequence[int] | None = None) -> Row:
        """A row, or some columns of it."""
        reads = self._reads
        if reads is None:
            reads = [_reader(column, type_) for column, type_ in zip(self.columns, self._types, strict=True)]
            self._reads = reads
        if outputs is None:
            return tuple([read(position) for read in reads])
        return tuple([reads[output](position) for output in outputs])

    def alive(self) -> tuple[list[pa.Array], int]:
        """The columns of the rows that have not died, and how many these are."""
        deaths, columns, count = self._alive
        if deaths != len(self.dead):
            keep = np.ones(self.count, np.bool_)
            keep[np.fromiter(self.dead, np.int64, len(self.dead))] = False
            columns, count = self._filtered(keep), int(np.count_nonzero(keep))
            self._alive = len(self.dead), columns, count
            self.copied = sum(int(column.nbytes) for column in columns)
        return columns, count

    def there_at(self, time: Timestamp) -> tuple[list[pa.Array], int]:
        """The columns of the rows that are there at `time`, and how many these are."""
        keep = self.births <= time
        for position, died in self.dead.items():
            if died <= time:
                keep[position] = False
        if keep.all():
            return self.columns, self.count
        return self._filtered(keep), int(np.count_nonzero(keep))

    def _filtered(self, keep: npt.NDArray[np.bool_]) -> list[pa.Array]:
        mask = pa.array(keep)
        return [column.filter(mask) for column in self.columns]


def _reader(column: pa.Array, type_: Type) -> Read:
    """How a value of a column is read alone. Slicing Arrow arrays takes much longer than this."""
    if type_.base == "uint8":
        return lambda position: from_arrow(column.slice(position, 1), type_)[0]
    found = _value_reader(column)
    if found is not None:
        return found if column.null_count == 0 else _or_null(column, found)
    if type_.base in _PLAIN:
        return lambda position: column[position].as_py()
    return lambda position: from_arrow(column.slice(position, 1), type_)[0]


def _value_reader(column: pa.Array) -> Read | None:
    """How values that are not null are read from the memory that they are in. None: not so."""
    data_type = column.type
    if pa.types.is_temporal(data_type):
        data_type = pa.int32() if data_type.bit_width == 32 else pa.int64()
    if pa.types.is_integer(data_type) or pa.types.is_floating(data_type):
        values = np.frombuffer(column.buffers()[1], data_type.to_pandas_dtype(), len(column) + column.offset)
        # Bound here, since numpy makes a Python number of an item without one of its own in between.
        item: Read = values[column.offset :].item
        return item
    if pa.types.is_decimal128(data_type):
        return _decimal_reader(column)
    return _text_reader(column) if pa.types.is_string(data_type) else None


def _or_null(column: pa.Array, read: Read) -> Read:
    """The same of a column of which some values are null: a bit says of each that it is there."""
    bits, offset = memoryview(column.buffers()[0]), column.offset
    return lambda position: read(position) if bits[position + offset >> 3] >> (position + offset & 7) & 1 else None


def _decimal_reader(column: pa.Array) -> Read:
    """Of decimals: integers of 16 bytes, and where the point is in all of them."""
    held, exponent, offset = memoryview(column.buffers()[1]), -column.type.scale, 16 * column.offset
    halves, place = Struct("<Qq").unpack_from, Context(prec=MAX_PRECISION).scaleb

    def read_whole(position: int) -> Decimal:
        low, high = halves(held, 16 * position + offset)
        return Decimal(high << 64 | low if high else low)

    return read_whole if exponent == 0 else lambda position: place(read_whole(position), exponent)


def _text_reader(column: pa.Array) -> Read:
    """Of texts: an array of where each of them begins, and all of them one after the other."""
    _, offsets, texts = column.buffers()
    if texts is None:
        return lambda _: ""
    begins, held = memoryview(offsets).cast("i")[column.offset :], memoryview(texts)
    return lambda position: str(held[begins[position] : begins[position + 1]], "utf-8")
