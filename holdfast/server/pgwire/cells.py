"""Values to the bytes of DataRow messages: one writer for each column, made once for a result.

A cell is a value's length and its bytes. Nulls are a length of -1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, TypeAlias

from holdfast.adapter.results import Row
from holdfast.plan.binary import send_of
from holdfast.plan.text.codec import write_of
from holdfast.plan.text.numbers import write_float8
from holdfast.plan.types import Type

Cell: TypeAlias = Callable[[Any], bytes]  # of a value of the column's type
Encode: TypeAlias = Callable[[Sequence[Row]], bytes]

_LENGTH = Struct(">i").pack
_HEAD = Struct(">cIH").pack
_LENGTHS = tuple(_LENGTH(length) for length in range(256))
_NULL = _LENGTH(-1)
_TRUE, _FALSE = _LENGTH(1) + b"t", _LENGTH(1) + b"f"

_DECIMAL_INTEGERS = frozenset({"int2", "int4", "int8", "uint2", "uint4", "uint8", "oid", "mz_timestamp"})
_TEXTS = frozenset({"text", "varchar", "name", "jsonb", "uuid"})
"""Those whose values are their text."""


def _integer_cell(value: int) -> bytes:
    data = b"%d" % value
    return _LENGTHS[len(data)] + data


def _text_cell(value: str) -> bytes:
    data = value.encode()
    length = len(data)
    return (_LENGTHS[length] if length < 256 else _LENGTH(length)) + data


def _float_cell(value: float) -> bytes:
    # Python writes floats as PostgreSQL does where neither has an exponent, but for a fraction of zero.
    if 1e-4 <= value < 1e15 or -1e15 < value <= -1e-4:
        data = repr(value).removesuffix(".0").encode()
    else:
        data = write_float8(value).encode()
    return _LENGTHS[len(data)] + data


def _boolean_cell(value: bool) -> bytes:
    return _TRUE if value else _FALSE


def _written_cell(type_: Type) -> Cell:
    write = write_of(type_)

    def cell(value: Any) -> bytes:  # of the type
        data = write(value).encode()
        return _LENGTH(len(data)) + data

    return cell


def _sent_cell(type_: Type) -> Cell:
    send = send_of(type_)

    def cell(value: Any) -> bytes:  # of the type
        data = send(value)
        return _LENGTH(len(data)) + data

    return cell


def _cell_of(type_: Type, format_: int) -> Cell:
    if format_:
        return _sent_cell(type_)
    if type_.base in _DECIMAL_INTEGERS:
        return _integer_cell
    if type_.base in _TEXTS:
        return _text_cell
    if type_.base == "float8":
        return _float_cell
    return _boolean_cell if type_.base == "bool" else _written_cell(type_)


@lru_cache(maxsize=4096)
def encoder_of(types: tuple[Type, ...], formats: tuple[int, ...]) -> Encode:
    """How rows of these types become DataRow messages."""
    cells = tuple(_cell_of(type_, format_) for type_, format_ in zip(types, formats, strict=True))
    count = len(cells)
    if count == 1:
        return _encoder_of_one(*cells)

    def encode(rows: Sequence[Row]) -> bytes:
        parts: list[bytes] = []
        for row in rows:
            values = [
                _NULL if value is None else cell(value)
                for cell, value in zip(cells, row)  # noqa: B905  # the hot loop
            ]
            body = b"".join(values)
            parts.append(_HEAD(b"D", 6 + len(body), count))
            parts.append(body)
        return b"".join(parts)

    return encode


def _encoder_of_one(cell: Cell) -> Encode:
    """The same for a single column, with less ado."""

    def encode(rows: Sequence[Row]) -> bytes:
        parts: list[bytes] = []
        for (value,) in rows:
            body = _NULL if value is None else cell(value)
            parts.append(_HEAD(b"D", 6 + len(body), 1))
            parts.append(body)
        return b"".join(parts)

    return encode
