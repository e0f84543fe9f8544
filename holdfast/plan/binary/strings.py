"""Bytes of strings, of UUIDs, of jsonb, and of bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from holdfast.plan.binary.contract import BinaryCodec, Find, check_length
from holdfast.plan.errors import BytesMissing, InvalidBinaryRepresentation, NameTooLong
from holdfast.plan.text import read_of, write_of
from holdfast.plan.text.json import canonical
from holdfast.plan.text.strings import NAME_BYTES, byte_of_char, char_of_byte, uuid_of_hex
from holdfast.plan.types import Type
from holdfast.plan.utf8 import text_of_utf8

_JSONB_VERSION = b"\1"
_UUID_BYTES = 16


def _of_text(type_: Type, _: Find) -> BinaryCodec:
    """The text itself, which modifiers cut and pad."""
    read, write = read_of(type_), write_of(type_)
    return BinaryCodec(lambda value: write(value).encode(), lambda data: read(text_of_utf8(data)))


def _receive_name(data: bytes) -> str:
    text = text_of_utf8(data)
    if len(data) > NAME_BYTES:
        error = NameTooLong("identifier too long")
        error.detail = f"Identifier must be less than {NAME_BYTES + 1} characters."
        raise error
    return text


def _receive_char(data: bytes) -> str:
    check_length(data, 1)
    return char_of_byte(data[0])


def _receive_uuid(data: bytes) -> str:
    check_length(data, _UUID_BYTES)
    return uuid_of_hex(data.hex())


def _receive_jsonb(data: bytes) -> str:
    if not data:
        raise BytesMissing("no data left in message")
    if data[:1] != _JSONB_VERSION:
        raise InvalidBinaryRepresentation(f"unsupported jsonb version number {data[0]}")
    return canonical(text_of_utf8(data[1:]))


def _plain(send: Callable[..., bytes], receive: Callable[[bytes], object]) -> Callable[[Type, Find], BinaryCodec]:
    codec = BinaryCodec(send, receive)
    return lambda *_: codec


CODECS: Mapping[str, Callable[[Type, Find], BinaryCodec]] = {
    "text": _plain(str.encode, text_of_utf8),
    "unknown": _plain(str.encode, text_of_utf8),
    "varchar": _of_text,
    "bpchar": _of_text,
    "name": _plain(str.encode, _receive_name),
    "char": _plain(lambda value: bytes((byte_of_char(value),)), _receive_char),
    "bytea": _plain(bytes, bytes),
    "uuid": _plain(lambda value: bytes.fromhex(value.replace("-", "")), _receive_uuid),
    "jsonb": _plain(lambda value: _JSONB_VERSION + value.encode(), _receive_jsonb),
    "void": _plain(lambda _: b"", lambda data: check_length(data, 0)),
}
