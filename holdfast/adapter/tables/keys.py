"""Keys: the numbers by which an index finds the rows where some columns have some values.

Values that are equal in SQL have one key: NaN equals NaN, 0.0 equals -0.0. Null equals nothing, so a row with a null
has no key. Where a column holds numbers of at most 64 bits, the key says which; else it is a hash, and who finds a row
by it has to compare.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.compute.evaluate.keys import equality
from holdfast.compute.evaluate.scalars import Row
from holdfast.compute.evaluate.values import from_arrow
from holdfast.plan.types import Type, arrow_type

Int64s: TypeAlias = npt.NDArray[np.int64]

_LEAST, _GREATEST = -(2**63), 2**63 - 1

_INDEXED = frozenset(
    (
        "bool",
        "int2",
        "int4",
        "int8",
        "oid",
        "text",
        "varchar",
        "uuid",
        "date",
        "timestamp",
        "timestamptz",
        "mz_timestamp",
    )
)
"""Base types whose equality is that of Python's values."""

_NOT_NUMBERS = ("interval", "numeric", "uint8")
"""Bases of values that Arrow has as numbers, or that are more than one."""


def can_look_up(type_: Type) -> bool:
    """Whether rows are found by equality with values of the type."""
    return type_.base in _INDEXED


class Keys:
    """The keys of columns of `types`. `are_exact` says that equal keys mean equal values."""

    def __init__(self, types: Sequence[Type]) -> None:
        self._types = tuple(types)
        self._equality = equality(self._types)
        self._of_one = _exact(types[0]) if len(types) == 1 else None
        self.are_exact = self._of_one is not None

    def of(self, values: Sequence[object]) -> int | None:
        """The key of some values; None if no row can have them."""
        if self._of_one is not None:
            return self._of_one(values[0])
        return None if None in values else hash(self._equality(tuple(values)))

    def equal(self, some: Sequence[object], others: Sequence[object]) -> bool:
        return bool(self._equality(tuple(some)) == self._equality(tuple(others)))

    def of_columns(self, columns: Sequence[pa.Array]) -> tuple[Int64s, Int64s]:
        """The keys of the rows that have one, and the positions of those rows."""
        if self._of_one is not None:
            return _numbers(columns[0])
        rows = list(zip(*(from_arrow(c, type_) for c, type_ in zip(columns, self._types, strict=True)), strict=True))
        return self.of_rows(rows)

    def of_rows(self, rows: Sequence[Row]) -> tuple[Int64s, Int64s]:
        found = [self.of(row) for row in rows]
        positions = [position for position, key in enumerate(found) if key is not None]
        return np.array([found[position] for position in positions], np.int64), np.array(positions, np.int64)


def _exact(type_: Type) -> Callable[[object], int | None] | None:
    """How a value becomes a key that says which it is, where values are numbers."""
    if type_.base in _NOT_NUMBERS:
        return None
    data_type = arrow_type(type_)
    if pa.types.is_floating(data_type):
        return _of_float
    if pa.types.is_boolean(data_type) or pa.types.is_integer(data_type) or pa.types.is_temporal(data_type):
        return _of_int
    return None


def _of_int(value: object) -> int | None:
    if type(value) is int and _LEAST <= value <= _GREATEST:
        return value
    return int(value) if isinstance(value, bool) else None


def _of_float(value: object) -> int | None:
    if not isinstance(value, float):
        return None
    if math.isnan(value):
        return _NAN
    return _bits(value + 0.0)


def _bits(value: float) -> int:
    found: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return found


_NAN = _bits(float("nan"))


def _numbers(column: pa.Array) -> tuple[Int64s, Int64s]:
    positions = np.arange(len(column))
    if column.null_count:
        positions = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        column = column.drop_null()
    if pa.types.is_floating(column.type):
        floats = column.cast(pa.float64()).to_numpy() + 0.0
        floats[np.isnan(floats)] = np.nan
        return floats.view(np.int64), positions
    if pa.types.is_temporal(column.type):
        column = column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
    return np.ascontiguousarray(column.to_numpy(zero_copy_only=False), np.int64), positions
