"""What a codec of bytes is, and how bytes are taken apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any, TypeAlias

from holdfast.plan.errors import BytesLeftOver, BytesMissing

Send: TypeAlias = Callable[[Any], bytes]  # of a value of the type that the codec is for
Receive: TypeAlias = Callable[[bytes], Any]  # as above


@dataclass(frozen=True, slots=True)
class BinaryCodec:
    send: Send
    receive: Receive


Find: TypeAlias = Callable[[Any], BinaryCodec]  # of a `Type`; an argument, so that containers need not know all

INT32 = Struct(">i")
UINT32 = Struct(">I")
NULL = INT32.pack(-1)
"""What stands in place of the length of a value inside of a container."""


_FIRST_OF_OTHERS = 10_000
"""Below it oids are of types that PostgreSQL has everywhere; those from here on may be others in another database."""


def differ(oid: int, expected: int) -> bool:
    """Whether a value is known to be of another type than was expected."""
    return oid != expected and max(oid, expected) < _FIRST_OF_OTHERS


def check_length(data: bytes, length: int) -> None:
    if len(data) < length:
        raise BytesMissing
    if len(data) > length:
        raise BytesLeftOver


def fixed(layout: str) -> BinaryCodec:
    """A value that is one number of this layout."""
    struct = Struct(layout)
    size, unpack = struct.size, struct.unpack

    def receive(data: bytes) -> Any:  # the number
        if len(data) != size:
            check_length(data, size)
        return unpack(data)[0]

    return BinaryCodec(struct.pack, receive)


def sized(data: bytes) -> bytes:
    """A value inside of a container, after its length."""
    return INT32.pack(len(data)) + data


class Reader:
    """Takes bytes from the front."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        end = self.at + count
        if count < 0 or end > len(self.data):
            raise BytesMissing
        found = self.data[self.at : end]
        self.at = end
        return found

    def int32(self) -> int:
        found: int = INT32.unpack(self.take(4))[0]
        return found

    def uint32(self) -> int:
        found: int = UINT32.unpack(self.take(4))[0]
        return found

    def item(self) -> bytes | None:
        """What stands after its length, or None for a null."""
        length = self.int32()
        return None if length == -1 else self.take(length)

    def end(self) -> None:
        if self.at != len(self.data):
            raise BytesLeftOver
