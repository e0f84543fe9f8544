"""Rows in PostgreSQL's binary format."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.column_bytes import binary_column, fixed, whole
from holdfast.adapter.copy.binary_decoder import SIGNATURE
from holdfast.adapter.results import Piece
from holdfast.plan.binary import send_of
from holdfast.plan.types import Type

_HEAD = SIGNATURE + bytes(8)
"""No flags, and nothing between here and the rows."""
_TRAILER = b"\xff\xff"
_LENGTH = Struct(">i")
_NULL = _LENGTH.pack(-1)
_FEW = 64
"""Rows up to which Arrow is not worth its start."""


class BinaryEncoder:
    def __init__(self, types: Sequence[Type]) -> None:
        self._types = types
        self._send = [send_of(type_) for type_ in types]
        self._count = Struct(">h").pack(len(types))
        self._head = _HEAD

    def encode(self, piece: Piece) -> list[bytes]:
        if isinstance(piece.held, pa.Table) and len(piece) > _FEW and self._types:
            rows = self._rows(piece.held)
        else:
            rows = [self._row(row) for row in piece.rows()]
        if rows:
            rows[0] = self._begun(rows[0])
        return rows

    def _rows(self, table: pa.Table) -> list[bytes]:
        """Column by column, as the rows of a query are."""
        parts: list[Any] = []
        for index, type_ in enumerate(self._types):
            values = binary_column(type_)(whole(table.column(index)))
            sizes = pc.binary_length(values).fill_null(-1).to_numpy(zero_copy_only=False)
            parts += (fixed(sizes.astype(">i4"), None), values.fill_null(b"") if values.null_count else values)
        rows: list[bytes] = pc.binary_join_element_wise(self._count, *parts, b"").to_pylist()
        return rows

    def finish(self) -> list[bytes]:
        return [self._begun(_TRAILER)]

    def _begun(self, message: bytes) -> bytes:
        """Clients expect the head in one message with what comes first."""
        head, self._head = self._head, b""
        return head + message

    def _row(self, row: Sequence[object]) -> bytes:
        parts = [self._count]
        for value, send in zip(row, self._send, strict=True):
            if value is None:
                parts.append(_NULL)
            else:
                data = send(value)
                parts += (_LENGTH.pack(len(data)), data)
        return b"".join(parts)
