"""What a client says: the messages of PostgreSQL's frontend, read from their bytes.

Each reader takes what comes after a message's length and either understands all of it or raises `MessageMalformed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from struct import error as StructError  # noqa: N812  # the library's name says nothing here
from typing import Literal, NamedTuple, TypeAlias

from holdfast.adapter.client_errors import MessageMalformed, ProtocolViolation
from holdfast.plan.errors import CharacterNotInRepertoire
from holdfast.server.pgwire.codec import Body

QUERY, PARSE, BIND, DESCRIBE, EXECUTE, CLOSE = (ord(kind) for kind in "QPBDEC")
FLUSH, SYNC, TERMINATE, FUNCTION_CALL, PASSWORD = (ord(kind) for kind in "HSXFp")
COPY_DATA, COPY_DONE, COPY_FAIL = (ord(kind) for kind in "dcf")

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80877103, 80877104, 80877102
"""What stands in the place of a version in the packets that ask for something else than a session."""

_INT16, _UINT16, _INT32, _UINT32 = Struct(">h"), Struct(">H"), Struct(">i"), Struct(">I")
_CANCEL = Struct(">II")

Target: TypeAlias = Literal["statement", "portal"]


class Startup(NamedTuple):
    major: int
    minor: int
    parameters: dict[str, str]


class Cancel(NamedTuple):
    connection: int
    secret: int


class Parse(NamedTuple):
    """`types` are oids, 0 for those that are left open."""

    statement: str
    text: str
    types: tuple[int, ...]


class Bind(NamedTuple):
    """`formats` and `result_formats` are 0 for text and 1 for binary: none, one for all, or one for each."""

    portal: str
    statement: str
    formats: tuple[int, ...]
    values: list[bytes | None]
    result_formats: tuple[int, ...]


class Named(NamedTuple):
    target: Target
    name: str


class Execute(NamedTuple):
    """At most `limit` rows, or all of them if it is 0."""

    portal: str
    limit: int


def version_of(packet: bytes) -> int:
    """Which version, or which request, a packet without a kind is of."""
    return int(_UINT32.unpack_from(packet)[0])


def read_startup(packet: bytes) -> Startup:
    version = version_of(packet)
    if len(packet) < 5 or packet[-1] != 0:
        raise ProtocolViolation("invalid startup packet layout: expected terminator as last byte")
    words = [utf8(word) for word in packet[4:-1].split(b"\0")]
    if len(words) % 2 != 1 or words.pop():
        raise ProtocolViolation("invalid startup packet layout: expected terminator as last byte")
    return Startup(version >> 16, version & 0xFFFF, dict(zip(words[::2], words[1::2], strict=True)))


def read_cancel(packet: bytes) -> Cancel:
    if len(packet) != 4 + _CANCEL.size:
        raise ProtocolViolation("invalid length of cancel request packet")
    return Cancel(*_CANCEL.unpack_from(packet, 4))


def utf8(data: Body) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        shown = " ".join(f"0x{byte:02x}" for byte in data[error.start : max(error.end, error.start + 1)])
        raise CharacterNotInRepertoire(f'invalid byte sequence for encoding "UTF8": {shown}') from None


def _text(body: Body, at: int) -> tuple[str, int]:
    """The text that ends with the next zero, and where that is over."""
    end = body.find(b"\0", at)
    if end < 0:
        raise MessageMalformed("invalid string in message")
    return utf8(body[at:end]), end + 1


def _count(body: Body, at: int) -> int:
    # Unsigned: there can be more than 32,767 parameters.
    found: int = _UINT16.unpack_from(body, at)[0]
    return found


def _int16s(body: Body, at: int, count: int) -> tuple[int, ...]:
    if count < 2:
        return _INT16.unpack_from(body, at) if count else ()
    return Struct(f">{count}h").unpack_from(body, at)


def _finished(body: Body, at: int) -> None:
    if at != len(body):
        raise MessageMalformed("invalid message format")


def read_query(body: Body) -> str:
    text, end = _text(body, 0)
    _finished(body, end)
    return text


def read_parse(body: Body) -> Parse:
    name, at = _text(body, 0)
    text, at = _text(body, at)
    try:
        count = _count(body, at)
        types = Struct(f">{count}I").unpack_from(body, at + 2)
    except StructError:
        raise MessageMalformed("insufficient data left in message") from None
    _finished(body, at + 2 + 4 * count)
    return Parse(name, text, types)


def read_bind(body: Body) -> Bind:
    # One of the two messages of every prepared execution: it is read with as few calls as can be.
    try:
        portal, statement, rest = body.split(b"\0", 2)
    except ValueError:
        raise MessageMalformed("invalid string in message") from None
    values: list[bytes | None] = []
    try:
        count = _count(rest, 0)
        formats, at = _int16s(rest, 2, count), 2 + 2 * count
        count = _count(rest, at)
        at += 2
        for _ in range(count):
            length = _INT32.unpack_from(rest, at)[0]
            at += 4
            if length < 0:
                values.append(None)
                continue
            value = rest[at : at + length]
            if len(value) != length:
                raise MessageMalformed("insufficient data left in message")
            values.append(value if type(value) is bytes else bytes(value))
            at += length
        count = _count(rest, at)
        result_formats = _int16s(rest, at + 2, count)
    except StructError:
        raise MessageMalformed("insufficient data left in message") from None
    _finished(rest, at + 2 + 2 * count)
    return Bind(utf8(portal), utf8(statement), formats, values, result_formats)


_TARGETS: dict[int, Target] = {ord("S"): "statement", ord("P"): "portal"}


def _named(body: Body, message: str) -> Named:
    target = _TARGETS.get(body[0]) if body else None
    if target is None:
        raise MessageMalformed(f"invalid {message} message subtype {body[0] if body else 0}")
    name, end = _text(body, 1)
    _finished(body, end)
    return Named(target, name)


def read_describe(body: Body) -> Named:
    return _named(body, "DESCRIBE")


def read_close(body: Body) -> Named:
    return _named(body, "CLOSE")


def read_execute(body: Body) -> Execute:
    portal, at = _text(body, 0)
    if len(body) != at + 4:
        raise MessageMalformed("invalid message format")
    # A limit below zero is none.
    return Execute(portal, max(0, _INT32.unpack_from(body, at)[0]))


def read_nothing(body: Body) -> None:
    _finished(body, 0)


def formats_for(formats: Sequence[int], count: int, complaint: Callable[[int, int], str]) -> tuple[int, ...]:
    """One format for each of `count` values. `complaint` says what is wrong with as many as there are."""
    for each in formats:
        if each not in (0, 1):
            raise MessageMalformed(f"unsupported format code: {each}")
    if len(formats) <= 1:
        return (tuple(formats) or (0,)) * count
    if len(formats) != count:
        raise MessageMalformed(complaint(len(formats), count))
    return tuple(formats)
