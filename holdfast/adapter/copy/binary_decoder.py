"""Bytes in PostgreSQL's binary format to tables: a signature, rows of fields after their lengths, a trailer."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

import pyarrow as pa

from holdfast.adapter.copy.binary_columns import Fields, received, whole_rows
from holdfast.adapter.copy.place import check_length, located
from holdfast.adapter.errors import BadCopyFormat
from holdfast.compute.evaluate.values import to_arrow
from holdfast.errors import HoldfastError
from holdfast.plan.binary import receive_of
from holdfast.plan.errors import DataError, ProgramLimitExceeded
from holdfast.plan.types import Type, arrow_type

SIGNATURE = b"PGCOPY\n\xff\r\n\0"
BLOCK = 4 << 20
"""Bytes that are read at once."""

_INT16, _INT32, _UINT32 = Struct(">h"), Struct(">i"), Struct(">I")
_CRITICAL, _WITH_OIDS = 0xFFFF0000, 0x00010000
_TRAILER = -1
_NULL = -1
_ALLOCATED = 2**30 - 1
"""Bytes that PostgreSQL has no room for in one piece, of a field too."""


class BinaryDecoder:
    """Holds what came since the last whole row."""

    def __init__(self, columns: Sequence[tuple[str, Type]], relation: str, block: int = BLOCK) -> None:
        self._relation = relation
        self._names = [name for name, _ in columns]
        self._types = [type_ for _, type_ in columns]
        self._schema = pa.schema([(name, arrow_type(type_)) for name, type_ in columns])
        self._receive = [receive_of(type_) for type_ in self._types]
        self._data = bytearray()
        self._block = self._enough = block
        self._begun = self._over = False
        self._number = 0

    def feed(self, data: bytes) -> list[pa.Table]:
        self._data += data
        return self._read(last=False) if len(self._data) >= self._enough else []

    def finish(self) -> list[pa.Table]:
        return self._read(last=True)

    def _read(self, *, last: bool) -> list[pa.Table]:
        data = bytes(self._data)
        at = 0
        if not self._begun:
            at = self._head(data, last=last)
        tables: list[pa.Table] = []
        if self._begun and not self._over:
            found = whole_rows(data, at, len(self._types))
            if found.rows:
                tables.append(self._table(found))
            read = self._number
            at = self._pass(data, found.end, last=last)
            if self._number > read:
                tables.append(pa.table({"": pa.nulls(self._number - read)}).select([]))
        if self._over and at < len(data):
            raise self._located(BadCopyFormat("received copy data after EOF marker"))
        del self._data[:at]
        check_length(len(self._data))
        self._enough = max(self._block, 2 * len(self._data))
        return tables

    def _table(self, fields: Fields) -> pa.Table:
        try:
            columns = [received(fields, index, type_) for index, type_ in enumerate(self._types)]
        except DataError:
            # Which field is the first that is wrong, and in which row, is found one by one.
            for row in range(fields.rows):
                for index, (start, length) in enumerate(zip(fields.starts[row], fields.lengths[row], strict=True)):
                    self._check(index, None if length < 0 else fields.data[start : start + length])
                self._number += 1
            raise
        self._number += fields.rows
        return pa.Table.from_arrays(columns, schema=self._schema)

    def _head(self, data: bytes, *, last: bool) -> int:
        """Where the rows begin, or 0 if that has not come yet."""
        end = len(SIGNATURE)
        if len(data) < end and not last:
            return 0
        if data[:end] != SIGNATURE:
            raise BadCopyFormat("COPY file signature not recognized")
        if len(data) < end + 8:
            if not last:
                return 0
            missing = "flags" if len(data) < end + 4 else "length"
            raise BadCopyFormat(f"invalid COPY file header (missing {missing})")
        (flags,) = _UINT32.unpack_from(data, end)
        if flags & _WITH_OIDS:
            raise BadCopyFormat("invalid COPY file header (WITH OIDS)")
        if flags & _CRITICAL:
            raise BadCopyFormat("unrecognized critical flags in COPY file header")
        length: int = _INT32.unpack_from(data, end + 4)[0]
        if length < 0:
            raise BadCopyFormat("invalid COPY file header (missing length)")
        if len(data) < end + 8 + length:
            if not last:
                return 0
            raise BadCopyFormat("invalid COPY file header (wrong length)")
        self._begun = True
        return end + 8 + length

    def _pass(self, data: bytes, at: int, *, last: bool) -> int:
        """Where what follows the last whole row ends: a trailer, rows without fields, or a row that has only begun."""
        while len(data) >= at + 2:
            (count,) = _INT16.unpack_from(data, at)
            if count == _TRAILER:
                self._over = True
                return at + 2
            if count != len(self._types):
                mismatch = f"row field count is {count}, expected {len(self._types)}"
                raise self._located(BadCopyFormat(mismatch))
            if count:
                self._check_begun(data, at + 2, last=last)
                return at
            at += 2
            self._number += 1
        # Without a trailer, the data may end after any row. PostgreSQL does not mind half a count either.
        return at

    def _check_begun(self, data: bytes, at: int, *, last: bool) -> None:
        """What is wrong with a row that is not whole, if more cannot come or would not help."""
        for index in range(len(self._types)):
            field, at = self._field(data, at, index)
            if at > len(data):
                if last:
                    raise self._located(BadCopyFormat("unexpected EOF in COPY data"), index)
                return
            self._check(index, field)

    def _field(self, data: bytes, at: int, index: int) -> tuple[bytes | None, int]:
        """What stands after its length, None for a null, and where it ends: beyond the data if it has not come."""
        if len(data) < at + 4:
            return None, at + 4
        (length,) = _INT32.unpack_from(data, at)
        if length < _NULL:
            raise self._located(BadCopyFormat("invalid field size"), index)
        if length >= _ALLOCATED:
            error = ProgramLimitExceeded(f"string buffer exceeds maximum allowed length ({_ALLOCATED} bytes)")
            error.detail = f"Cannot enlarge string buffer containing 0 bytes by {length} more bytes."
            raise self._located(error, index)
        end = at + 4 + max(length, 0)
        return (None if length == _NULL else data[at + 4 : end]), end

    def _check(self, index: int, field: bytes | None) -> None:
        try:
            to_arrow([None if field is None else self._receive[index](field)], self._types[index])
        except HoldfastError as error:
            raise self._located(error, index) from None

    def _located(self, error: HoldfastError, index: int | None = None) -> HoldfastError:
        column = "" if index is None else f", column {self._names[index]}"
        return located(error, f"COPY {self._relation}, line {self._number + 1}{column}")
