"""Bytes to messages: where each message of a client begins and ends, and how long it may be.

No message is held in memory that is longer than its kind may be: its head says how long it is, and a longer one is
skipped as it comes in. What is copied in has no bound, since its messages are handed on in whatever fragments arrive.
"""

from __future__ import annotations

from struct import Struct
from typing import TypeAlias

from holdfast.adapter.client_errors import MessageTooLong, ProtocolViolation

Body: TypeAlias = bytes | bytearray
Message: TypeAlias = tuple[int, Body]
"""The kind, which is the byte that a message begins with, and what comes after its length."""

STARTUP_LIMIT = 10_000
"""Of everything that a client says before it is known who it is."""

_HEAD = Struct(">BI")
_LENGTH = Struct(">I")
_unpack_head = _HEAD.unpack_from
_GREATEST = 0x3FFFFFFF
"""A length beyond this is no length: PostgreSQL's own bound."""

_LONG_BODY = 1 << 20
_SHORT_LIMIT = 10_000
_SHORT = frozenset(b"XSHDECcf")
_LONG = frozenset(b"QPBF")
_COPY_DATA = ord("d")


class MessageReader:
    """The messages in a stream of bytes.

    Until `authenticated` is called, the first packets are those without a kind, and then come only passwords.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer: bytes | bytearray = b""
        self._at = 0
        self._skip = 0
        self._copied = 0  # bytes still to come of a message that is copied in
        self._authenticated = False
        self._plain: frozenset[int] = frozenset()  # kinds that are fine as long as they are short

    def authenticated(self) -> None:
        self._authenticated = True
        self._plain = _SHORT | _LONG

    def feed(self, data: bytes) -> None:
        buffer, at = self._buffer, self._at
        if at == len(buffer):
            self._buffer = data
        elif isinstance(buffer, bytearray):
            del buffer[:at]
            buffer += data
        else:
            self._buffer = bytearray(memoryview(buffer)[at:])
            self._buffer += data
        self._at = 0

    @property
    def held(self) -> int:
        """How many bytes wait to be read."""
        return len(self._buffer) - self._at

    @property
    def wanted(self) -> int:
        """How many bytes must be held before the next message can be read, as far as is known."""
        if self._skip or self._copied:
            return 1
        if self.held < _HEAD.size:
            return _HEAD.size
        kind, length = _HEAD.unpack_from(self._buffer, self._at)
        return 1 if kind == _COPY_DATA or length > self._limit else 1 + int(length)

    def startup(self) -> bytes | None:
        """The next packet without a kind, or None until all of it is there."""
        if self.held < _LENGTH.size:
            return None
        length = int.from_bytes(self._buffer[self._at : self._at + 4], "big")
        if not 8 <= length <= STARTUP_LIMIT:
            raise ProtocolViolation("invalid length of startup packet")
        if self.held < length:
            return None
        packet = bytes(self._buffer[self._at + 4 : self._at + length])
        self._advance(self._at + length)
        return packet

    def next(self) -> Message | None:
        """The next message, or None until all of it is there.

        What consecutive messages copy in comes as one, and perhaps not to the end of the last. A message that is too
        long is skipped after the error that says so.
        """
        # This is called five times for each execution of a prepared statement.
        buffer, at = self._buffer, self._at
        if len(buffer) - at < 5 or self._skip or self._copied:
            if self._skip and not self._skipped():
                return None
            if self._copied:
                return self._copy_data() if self.held else None
            if self.held < 5:
                self._advance(self._at)
                return None
            buffer, at = self._buffer, self._at
        kind, length = _unpack_head(buffer, at)
        if length > _SHORT_LIMIT or length < 4 or kind not in self._plain:
            if kind == _COPY_DATA and self._authenticated and 4 <= length <= _GREATEST:
                return self._copy_data()
            self._check(kind, length)
        end = at + 1 + length
        if end > len(buffer):
            return None
        self._at = end
        if type(buffer) is bytes:
            return kind, buffer[at + 5 : end]
        if length < _LONG_BODY:
            return kind, bytes(memoryview(buffer)[at + 5 : end])
        return kind, self._handed_over(at + 5, end)

    def ahead(self) -> tuple[bytes, int] | None:
        """What is held, and where in it the next message begins, unless that is for `next` alone to say."""
        buffer = self._buffer
        if type(buffer) is not bytes or self._at == len(buffer) or self._skip or self._copied:
            return None
        return buffer, self._at

    def skip(self, end: int) -> None:
        """Goes on at a place in what is held `ahead`, where a message ends."""
        self._at = end

    def _handed_over(self, start: int, end: int) -> bytearray:
        """A long part of the buffer, which becomes the message instead of being copied."""
        body = self._buffer
        assert isinstance(body, bytearray)
        self._buffer, self._at = bytes(memoryview(body)[end:]), 0
        del body[end:]
        del body[:start]
        return body

    def _advance(self, end: int) -> None:
        self._at = end
        if end == len(self._buffer):
            self._buffer, self._at = b"", 0

    def _check(self, kind: int, length: int) -> None:
        if not self._authenticated:
            if kind != ord("p"):
                raise ProtocolViolation(f"expected password response, got message type {kind}")
            if not 4 <= length <= STARTUP_LIMIT:
                raise ProtocolViolation("invalid message length")
            return
        if kind not in _SHORT and kind not in _LONG and kind != _COPY_DATA:
            raise ProtocolViolation(f"invalid frontend message type {kind}")
        if kind not in _LONG or not 4 <= length <= _GREATEST:
            raise ProtocolViolation("invalid message length")
        if length > self._limit:
            self._skip = 1 + length
            raise MessageTooLong(kind, length, self._limit)

    def _skipped(self) -> bool:
        """Whether all was skipped that is to be."""
        some = min(self._skip, self.held)
        self._skip -= some
        self._advance(self._at + some)
        return not self._skip

    def _copy_data(self) -> Message | None:
        """All that is copied in by the messages at hand, or None if there are but heads of messages."""
        buffer, at, end = self._buffer, self._at, len(self._buffer)
        view = memoryview(buffer)
        parts: list[memoryview] = []
        left = self._copied
        while True:
            if left:
                stop = min(at + left, end)
                parts.append(view[at:stop])
                left -= stop - at
                at = stop
            if left or end - at < 5 or buffer[at] != _COPY_DATA:
                break
            length = _LENGTH.unpack_from(buffer, at + 1)[0]
            if not 4 <= length <= _GREATEST:
                break  # the next message is refused when its turn comes
            left = length - 4
            at += 5
        data = b"".join(parts)
        parts.clear()
        view.release()
        self._copied = left
        self._advance(at)
        return (_COPY_DATA, data) if data else self.next()
