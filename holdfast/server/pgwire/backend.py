"""What the server says: the messages of PostgreSQL's backend, as bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Literal, TypeAlias

from holdfast.adapter.catalog.builtin.type_facts import length_of, modifier_of
from holdfast.adapter.results import CopyFormat, Notice
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.plan.types import Type
from holdfast.sql import OutputColumn

Severity: TypeAlias = Literal["ERROR", "FATAL"]

_HEAD = Struct(">cI")
_INT16, _UINT32 = Struct(">H"), Struct(">I")
_FIELD = Struct(">IhIhih")


def message(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return _HEAD.pack(kind, len(body) + 4) + body


def text(value: str) -> bytes:
    """As C has it. Zeros cannot be said, and end nothing early."""
    return value.replace("\0", "").encode(errors="replace") + b"\0"


def int32(value: int) -> bytes:
    return _UINT32.pack(value)


SSL_ACCEPTED, ENCRYPTION_REFUSED = b"S", b"N"
AUTHENTICATION_OK = message(b"R", int32(0))
PARSE_COMPLETE, BIND_COMPLETE, CLOSE_COMPLETE = message(b"1"), message(b"2"), message(b"3")
NO_DATA, EMPTY_QUERY, PORTAL_SUSPENDED = message(b"n"), message(b"I"), message(b"s")
COPY_DONE = message(b"c")
READY: Mapping[str, bytes] = {
    "I": message(b"Z", b"I"),
    "T": message(b"Z", b"T"),
    "E": message(b"Z", b"E"),
}


def sasl(mechanisms: Iterable[str]) -> bytes:
    return message(b"R", int32(10), *(text(each) for each in mechanisms), b"\0")


def sasl_continue(data: bytes) -> bytes:
    return message(b"R", int32(11), data)


def sasl_final(data: bytes) -> bytes:
    return message(b"R", int32(12), data)


def negotiate_version(version: int, unknown: Sequence[str]) -> bytes:
    """The newest version that we speak, and what the client asked for that we have not heard of."""
    return message(b"v", int32(version), int32(len(unknown)), *(text(each) for each in unknown))


def parameter_status(name: str, value: str) -> bytes:
    return message(b"S", text(name), text(value))


def backend_key(connection: int, secret: int) -> bytes:
    return message(b"K", int32(connection), int32(secret))


def parameter_description(types: Sequence[Type]) -> bytes:
    return message(b"t", _INT16.pack(len(types)), *(int32(each.oid) for each in types))


def row_description(columns: Sequence[OutputColumn], formats: Sequence[int]) -> bytes:
    parts = [_INT16.pack(len(columns))]
    for column, format_ in zip(columns, formats, strict=True):
        type_ = column.type
        parts.append(text(column.name))
        parts.append(_FIELD.pack(0, 0, type_.oid, length_of(type_), modifier_of(type_), format_))
    return message(b"T", *parts)


@lru_cache(maxsize=1024)
def command_complete(tag: str) -> bytes:
    return message(b"C", text(tag))


def _copy_response(kind: bytes, format_: CopyFormat, columns: int) -> bytes:
    # A parquet file has no columns as far as the protocol goes, and is no text.
    binary = format_ in ("binary", "parquet")
    return message(kind, bytes((binary,)), _INT16.pack(columns), _INT16.pack(binary) * columns)


def copy_in_response(format_: CopyFormat, columns: int) -> bytes:
    return _copy_response(b"G", format_, columns)


def copy_out_response(format_: CopyFormat, columns: int) -> bytes:
    return _copy_response(b"H", format_, columns)


def copy_data(messages: Sequence[bytes]) -> bytes:
    return b"".join([part for data in messages for part in (_HEAD.pack(b"d", len(data) + 4), data)])


def _fields(pairs: Iterable[tuple[bytes, str | None]]) -> bytes:
    return b"".join(code + text(value) for code, value in pairs if value is not None) + b"\0"


def error_response(error: HoldfastError, severity: Severity = "ERROR") -> bytes:
    position = getattr(error, "position", 0)
    fields = (
        (b"S", severity),
        (b"V", severity),
        (b"C", sqlstate(error)),
        (b"M", str(error)),
        (b"D", error.detail),
        (b"H", error.hint),
        (b"P", str(position) if position else None),
        (b"W", error.where),
        (b"R", getattr(error, "routine", None)),
    )
    return message(b"E", _fields(fields))


def notice_response(notice: Notice) -> bytes:
    fields = (
        (b"S", notice.severity),
        (b"V", notice.severity),
        (b"C", notice.code),
        (b"M", notice.message),
        (b"D", notice.detail),
        (b"H", notice.hint),
    )
    return message(b"N", _fields(fields))
