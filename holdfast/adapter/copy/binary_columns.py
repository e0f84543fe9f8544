"""Fields in the binary format to columns, many at once.

What numbers are laid out as, Arrow and numpy take as it is; all else is received value by value. Neither way gives
another answer than `receive_of`: what may be wrong with a value is found there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan.binary import receive_of
from holdfast.plan.calendar import FIRST_DATE, FIRST_TIMESTAMP, LAST_DATE, LAST_TIMESTAMP, MICROS_PER_DAY
from holdfast.plan.types import Modified, Type, arrow_type

_Numbers: TypeAlias = Any  # an array of numpy's
_Column: TypeAlias = Any  # an array of Arrow's

_LENGTH = Struct(">i")
_EPOCH_DAYS = 10_957
"""2000-01-01, from which PostgreSQL counts, in days since 1970."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Whole rows: where the fields of each begin and how long they are, -1 for nulls; and where the last row ends."""

    data: bytes
    starts: _Numbers
    lengths: _Numbers
    end: int

    @property
    def rows(self) -> int:
        return len(self.starts)


def whole_rows(data: bytes, at: int, width: int) -> Fields:
    """The rows from there on that are whole, up to anything that is none. They have at least one field."""
    starts: list[int] = []
    lengths: list[int] = []
    rows = 0
    if width:
        at, rows = _walked(data, at, width, starts, lengths)
    # Of a row that was not whole, some fields may have been seen.
    count, shape = rows * width, (rows, width)
    return Fields(
        data,
        np.array(starts[:count], np.int64).reshape(shape),
        np.array(lengths[:count], np.int64).reshape(shape),
        at,
    )


def _walked(data: bytes, at: int, width: int, starts: list[int], lengths: list[int]) -> tuple[int, int]:
    """Notes where fields are. Returns where the last whole row ends, and how many there are."""
    head, unpack = Struct(">h").pack(width), _LENGTH.unpack_from
    size, rows = len(data), 0
    columns = range(width)
    while data[at : at + 2] == head:
        place = at + 2
        for _ in columns:
            if place + 4 > size:
                return at, rows
            (length,) = unpack(data, place)
            place += 4
            starts.append(place)
            lengths.append(length)
            if length > 0:
                place += length
            elif length < -1:
                return at, rows
        if place > size:
            return at, rows
        at = place
        rows += 1
    return at, rows


@dataclass(frozen=True, slots=True)
class _Cells:
    """The fields of one column."""

    data: bytes
    starts: _Numbers
    lengths: _Numbers

    def cut(self) -> list[bytes | None]:
        data, places = self.data, zip(self.starts.tolist(), self.lengths.tolist(), strict=True)
        return [None if length < 0 else data[start : start + length] for start, length in places]


def received(fields: Fields, index: int, type_: Type) -> _Column:
    """A column. Raises the `DataError` of a field that is no value."""
    cells = _Cells(fields.data, fields.starts[:, index], fields.lengths[:, index])
    fast = _fast_of(type_)
    found = None if fast is None else fast(cells)
    if found is not None:
        return found
    receive = receive_of(type_)
    return to_arrow([None if field is None else receive(field) for field in cells.cut()], type_)


_Fast: TypeAlias = Callable[[_Cells], _Column | None]
"""An array, or None where not every field is certain to be a value."""

_LAYOUTS: Mapping[str, tuple[str, Any]] = {
    "int2": (">i2", pa.int16()),
    "int4": (">i4", pa.int32()),
    "int8": (">i8", pa.int64()),
    "float4": (">f4", pa.float32()),
    "float8": (">f8", pa.float64()),
}


@lru_cache(maxsize=1024)
def _fast_of(type_: Type) -> _Fast | None:
    target = arrow_type(type_)
    if type_.base in _LAYOUTS:
        layout, arrow = _LAYOUTS[type_.base]
        return lambda cells: _numbers(cells, layout, arrow)
    if isinstance(type_, Modified) and type_.modifier is not None:
        return None
    match type_.base:
        case "bool":
            return _truths
        case "date":
            first, last = FIRST_DATE - _EPOCH_DAYS, LAST_DATE - _EPOCH_DAYS
            return lambda cells: _shifted(_numbers(cells, ">i4", pa.int32()), first, last, _EPOCH_DAYS, target)
        case "time":
            return lambda cells: _shifted(_numbers(cells, ">i8", pa.int64()), 0, MICROS_PER_DAY, 0, target)
        case "timestamp" | "timestamptz":
            shift = _EPOCH_DAYS * MICROS_PER_DAY
            first, last = FIRST_TIMESTAMP - shift, LAST_TIMESTAMP - shift
            return lambda cells: _shifted(_numbers(cells, ">i8", pa.int64()), first, last, shift, target)
        case "text" | "varchar":
            return _texts
        case "bytea":
            return lambda cells: pa.array(cells.cut(), pa.binary())
    return None


def _numbers(cells: _Cells, layout: str, arrow: Any) -> _Column | None:
    kind = np.dtype(layout)
    nulls = cells.lengths < 0
    if not (nulls | (cells.lengths == kind.itemsize)).all():
        return None
    content = np.frombuffer(cells.data, np.uint8)
    # A null has no bytes of its own; those that stand there instead are not looked at.
    places = np.where(nulls, 0, cells.starts)
    taken = content[places[:, None] + np.arange(kind.itemsize)]
    values = np.ascontiguousarray(taken).view(kind).reshape(-1).astype(kind.newbyteorder("="))
    return pa.array(values, arrow, mask=nulls if nulls.any() else None)


def _truths(cells: _Cells) -> _Column | None:
    found = _numbers(cells, "u1", pa.uint8())
    return None if found is None else pc.not_equal(found, 0)


def _shifted(column: _Column | None, first: int, last: int, shift: int, target: Any) -> _Column | None:
    """Counted from elsewhere. Infinities are beyond the ends, and stay what they are, so they are not for here."""
    if column is None:
        return None
    ends = pc.min_max(column)
    if ends["min"].as_py() is not None and not (first <= ends["min"].as_py() and ends["max"].as_py() <= last):
        return None
    return (pc.add(column, pa.scalar(shift, column.type)) if shift else column).view(target)


def _texts(cells: _Cells) -> _Column | None:
    found = pa.array(cells.cut(), pa.binary())
    if pc.any(pc.match_substring(found, b"\0")).as_py():
        return None
    try:
        return found.cast(pa.string())
    except pa.ArrowInvalid:
        return None
