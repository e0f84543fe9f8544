"""Columns of Arrow to arrays of bytes: the text or the binary format of each value.

They are exactly what `write_of` and `send_of` make of the same values, one by one. Columns whose text Arrow writes as
PostgreSQL does stay in Arrow; of all others the values are written one by one, and only put together here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate.values import from_arrow
from holdfast.plan.binary import send_of
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Type

Column: TypeAlias = Callable[[Any], Any]  # an array of the type's, to an array of bytes; pyarrow has no types

_DAYS = range(-719_162, 2_932_897)
"""The years from 1 to 9999, which Arrow writes as PostgreSQL does, in days since 1970."""
_MICROS_PER_DAY = 86_400_000_000
_LEAST_PLAIN = 1e-4
_POSTGRES_EPOCH_DAYS = 10_957
"""2000-01-01, from which PostgreSQL counts."""


def _binary(column: Any) -> Any:  # pyarrow has no types
    return column.cast(pa.binary())


def _one_by_one(type_: Type, write: Callable[[Any], bytes]) -> Column:
    def made(column: Any) -> Any:  # pyarrow has no types
        values = from_arrow(column, type_)
        return pa.array([None if value is None else write(value) for value in values], pa.binary())

    return made


def _within(column: Any, least: int, greatest: int) -> bool:
    """Whether all integers of a column are."""
    ends = pc.min_max(column)
    first, last = ends["min"].as_py(), ends["max"].as_py()
    return first is None or (least <= first and last <= greatest)


def _if_within(bounds: range, integers: Any, plain: Column, other: Column) -> Column:
    """`plain` for columns whose `integers` are all within `bounds`, else `other`."""

    def made(column: Any) -> Any:  # pyarrow has no types
        return plain(column) if _within(column.view(integers), bounds[0], bounds[-1]) else other(column)

    return made


def _boolean_text(column: Any) -> Any:  # pyarrow has no types
    return _binary(pc.if_else(column, "t", "f"))


def _cast_text(column: Any) -> Any:  # pyarrow has no types
    return _binary(column.cast(pa.string()))


def _without_zeros(text: Any) -> Any:  # pyarrow has no types
    """Numbers with a point, without the zeros at their end."""
    return pc.utf8_rtrim(pc.utf8_rtrim(text, "0"), ".")


def _micros_text(column: Any) -> Any:  # pyarrow has no types
    return _binary(_without_zeros(column.cast(pa.string())))


def _zoned_text(column: Any) -> Any:  # pyarrow has no types
    text = _without_zeros(column.view(pa.timestamp("us")).cast(pa.string()))
    return _binary(pc.binary_join_element_wise(text, "+00", ""))


def _moments(zoned: bool, other: Column) -> Column:
    bounds = range(_DAYS[0] * _MICROS_PER_DAY, (_DAYS[-1] + 1) * _MICROS_PER_DAY)
    return _if_within(bounds, pa.int64(), _zoned_text if zoned else _micros_text, other)


def _float_text(below: float, other: Column) -> Column:
    """Arrow writes floats as PostgreSQL does where neither has an exponent."""

    def made(column: Any) -> Any:  # pyarrow has no types
        size = pc.abs(column)
        plain = pc.and_(pc.greater_equal(size, _LEAST_PLAIN), pc.less(size, below))
        return _cast_text(column) if pc.all(pc.or_(plain, pc.equal(size, 0.0))).as_py() else other(column)

    return made


def _decimal_text(other: Column) -> Column:
    def made(column: Any) -> Any:  # pyarrow has no types
        text = column.cast(pa.string())
        if pc.any(pc.match_substring(text, "E")).as_py():
            return other(column)
        return _binary(_without_zeros(text) if column.type.scale > 0 else text)

    return made


@lru_cache(maxsize=1024)
def text_column(type_: Type) -> Column:
    """How columns of the type become their texts, as UTF-8."""
    write = write_of(type_)
    other = _one_by_one(type_, lambda value: write(value).encode())
    match type_.base:
        case "int2" | "int4" | "int8" | "uint2" | "uint4" | "oid" | "mz_timestamp":
            return _cast_text
        case "text" | "varchar" | "name" | "jsonb" | "uuid":
            return _binary
        case "bool":
            return _boolean_text
        case "date":
            return _if_within(_DAYS, pa.int32(), _cast_text, other)
        case "time":
            return _if_within(range(_MICROS_PER_DAY), pa.int64(), _micros_text, other)
        case "timestamp" | "timestamptz":
            return _moments(type_.base == "timestamptz", other)
        case "float8":
            return _float_text(1e10, other)
        case "float4":
            return _float_text(1e6, other)
        case "numeric":
            return _decimal_text(other)
    return other


_BIG_ENDIAN: Mapping[str, tuple[Any, str]] = {
    "int2": (pa.int16(), ">i2"),
    "int4": (pa.int32(), ">i4"),
    "int8": (pa.int64(), ">i8"),
    "mz_timestamp": (pa.int64(), ">i8"),
    "float4": (pa.float32(), ">f4"),
    "float8": (pa.float64(), ">f8"),
}


def fixed(values: Any, mask: Any) -> Any:  # numpy's and pyarrow's arrays
    """Numbers as bytes, null where the mask is null."""
    width = values.dtype.itemsize
    data = pa.Array.from_buffers(pa.binary(width), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])
    found = data.cast(pa.binary())
    return pc.if_else(mask, found, pa.scalar(None, pa.binary())) if mask is not None else found


def _big_endian(arrow: Any, layout: str, shift: int = 0) -> Column:
    def made(column: Any) -> Any:  # pyarrow has no types
        mask = column.is_valid() if column.null_count else None
        numbers = column.view(arrow).fill_null(0).to_numpy(zero_copy_only=False)
        return fixed((numbers - shift if shift else numbers).astype(layout), mask)

    return made


@lru_cache(maxsize=1024)
def binary_column(type_: Type) -> Column:
    """How columns of the type become their binary formats."""
    other = _one_by_one(type_, send_of(type_))
    if type_.base in _BIG_ENDIAN:
        return _big_endian(*_BIG_ENDIAN[type_.base])
    match type_.base:
        case "text" | "varchar" | "name" | "bytea":
            return _binary
        case "date":
            return _if_within(_DAYS, pa.int32(), _big_endian(pa.int32(), ">i4", _POSTGRES_EPOCH_DAYS), other)
        case "time":
            return _big_endian(pa.int64(), ">i8")
        case "timestamp" | "timestamptz":
            bounds = range(_DAYS[0] * _MICROS_PER_DAY, (_DAYS[-1] + 1) * _MICROS_PER_DAY)
            shifted = _big_endian(pa.int64(), ">i8", _POSTGRES_EPOCH_DAYS * _MICROS_PER_DAY)
            return _if_within(bounds, pa.int64(), shifted, other)
    return other


def whole(column: Any) -> Any:  # pyarrow has no types
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def content(array: Any) -> bytes:  # pyarrow has no types
    """The values of an array of bytes, one after another."""
    if not len(array):
        return b""
    offsets = np.frombuffer(array.buffers()[1], "i4", len(array) + 1, array.offset * 4)
    return memoryview(array.buffers()[2])[int(offsets[0]) : int(offsets[-1])].tobytes()
