"""Parquet files, both ways. A file says at its end what is in it, so it is kept until it has come as a whole."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from pyarrow import types as kind

from holdfast.adapter.copy.place import located
from holdfast.adapter.copy.typed import column_of
from holdfast.adapter.errors import BadCopyFormat
from holdfast.adapter.results import Piece
from holdfast.compute.evaluate.values import from_arrow
from holdfast.errors import HoldfastError
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Type, arrow_type
from holdfast.sql.errors import DatatypeMismatch, UndefinedColumn

_IN_MEMORY = 16 << 20
"""Bytes of a file above which it goes to disk."""
_ROWS = 65_536
"""Rows of a table that is handed on."""
_AS_THEY_ARE = frozenset(
    (
        *("bool", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "bytea"),
        *("date", "time", "timestamp", "timestamptz", "interval"),
    )
)
"""Types of which every value of Arrow's type is one."""

_WHOLE = pa.decimal128(20, 0)
_CASTS: tuple[tuple[Callable[[Any], bool], Callable[[Any], bool]], ...] = (
    (kind.is_integer, lambda to: kind.is_integer(to) or kind.is_floating(to) or kind.is_decimal(to)),
    (kind.is_floating, kind.is_floating),
    (kind.is_decimal, kind.is_decimal),
    (kind.is_date, lambda to: kind.is_date(to) or (kind.is_timestamp(to) and to.tz is None)),
    (kind.is_time, kind.is_time),
    (lambda of: kind.is_timestamp(of) and of.tz is None, lambda to: kind.is_timestamp(to) and to.tz is None),
    (lambda of: kind.is_timestamp(of) and of.tz is not None, lambda to: kind.is_timestamp(to) and to.tz is not None),
    (lambda of: kind.is_large_binary(of) or kind.is_fixed_size_binary(of), kind.is_binary),
)
"""Kinds of values that stand for values of another kind, unless some of them do not fit."""


class ParquetDecoder:
    """Columns are found by their names. Values have the type of the column, or one that means the same, or are text."""

    def __init__(self, columns: Sequence[tuple[str, Type]], relation: str) -> None:
        self._columns, self._relation = columns, relation
        self._schema = pa.schema([(name, arrow_type(type_)) for name, type_ in columns])
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, prefix="holdfast-copy-")  # noqa: SIM115  # until `finish`

    def feed(self, data: bytes) -> list[pa.Table]:
        self._file.write(data)
        return []

    def finish(self) -> Iterator[pa.Table]:
        with self._file:
            self._file.seek(0)
            try:
                file = pyarrow.parquet.ParquetFile(self._file)
                self._check_names(file.schema_arrow.names)
                for batch in file.iter_batches(_ROWS, columns=[name for name, _ in self._columns]):
                    yield self._table(pa.Table.from_batches([batch]))
            except (pa.ArrowInvalid, OSError) as error:
                raise BadCopyFormat(f"invalid parquet file: {error}") from None

    def _check_names(self, found: Sequence[str]) -> None:
        for name, _ in self._columns:
            if found.count(name) != 1:
                raise UndefinedColumn(f'column "{name}" is not in the parquet file once')

    def _table(self, batch: pa.Table) -> pa.Table:
        columns = [self._column(batch.column(name), name, type_) for name, type_ in self._columns]
        return pa.Table.from_arrays(columns, schema=self._schema) if columns else batch.select([])

    def _column(self, found: Any, name: str, type_: Type) -> Any:  # pyarrow has no types
        whole = found.combine_chunks()
        try:
            return _values(whole, type_)
        except pa.ArrowInvalid:
            mismatch = f'values of column "{name}" of the parquet file do not fit into type {type_}'
            raise DatatypeMismatch(mismatch) from None
        except HoldfastError as error:
            raise located(error, f"COPY {self._relation}, column {name}") from None


def _values(column: Any, type_: Type) -> Any:  # pyarrow has no types
    target = arrow_type(type_)
    if kind.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.type == target:
        return column if type_.base in _AS_THEY_ARE else _read_again(column, type_)
    if kind.is_string(column.type) or kind.is_large_string(column.type) or kind.is_string_view(column.type):
        return column_of(column.cast(pa.string()), type_)
    if any(of(column.type) and to(target) for of, to in _CASTS) and type_.base in _AS_THEY_ARE:
        # Arrow takes an integer for a decimal only where the greatest of its type would fit.
        exact = column.cast(_WHOLE) if kind.is_integer(column.type) and kind.is_decimal(target) else column
        return exact.cast(target)
    raise DatatypeMismatch(f"the parquet file has values of type {column.type}, but the column is of type {type_}")


def _read_again(column: Any, type_: Type) -> Any:  # pyarrow has no types
    """Values that may be none of the type though Arrow has them: each is read from its text."""
    if kind.is_string(column.type):
        return column_of(column, type_)
    write = write_of(type_)
    texts = [None if value is None else write(value) for value in from_arrow(column, type_)]
    return column_of(pa.array(texts, pa.string()), type_)


class ParquetEncoder:
    """A file as it grows: what each table adds to it, and what is said at its end."""

    def __init__(self, names: Sequence[str], types: Sequence[Type]) -> None:
        self._names = names
        self._sink = _Sink()
        schema = pa.schema([pa.field(name, arrow_type(type_)) for name, type_ in zip(names, types, strict=True)])
        self._writer = pyarrow.parquet.ParquetWriter(self._sink, schema, compression="zstd")

    def encode(self, piece: Piece) -> list[bytes]:
        self._writer.write_table(piece.table(self._names).cast(self._writer.schema), row_group_size=_ROWS)
        return self._written()

    def finish(self) -> list[bytes]:
        self._writer.close()
        return self._written()

    def _written(self) -> list[bytes]:
        return [found] if (found := self._sink.take()) else []


class _Sink(io.RawIOBase):
    """Hands on what is written, and remembers only how much it was."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self._count = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # anything with bytes, as pyarrow hands it over
        part = bytes(data)
        self._parts.append(part)
        self._count += len(part)
        return len(part)

    def tell(self) -> int:
        return self._count

    def take(self) -> bytes:
        found, self._parts = b"".join(self._parts), []
        return found
