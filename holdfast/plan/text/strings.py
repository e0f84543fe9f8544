"""Text of strings, of bytes and of UUIDs.

A value of `"char"` is one byte. It is kept as PostgreSQL shows it: empty for zero, one character, or a backslash and
three octal digits for a byte that is not ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.plan.errors import InvalidParameterValue, InvalidTextRepresentation, StringDataRightTruncation
from holdfast.plan.text.contract import TextCodec
from holdfast.plan.types import Modified, Type

NAME_BYTES = 63
"""A name is cut after the last character that ends within so many bytes."""

_UUID = re.compile(r"(\{)?(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}(?(1)\})")
_NOT_HEX = re.compile(r"[^0-9a-fA-F]")
_OCTAL = re.compile(r"\\([0-3][0-7]{2})")
_ESCAPED_BYTES = re.compile(rb"\\(?:(\\)|([0-3][0-7]{2}))|([^\\]+)")


def name_of(text: str) -> str:
    data = text.encode()
    return text if len(data) <= NAME_BYTES else data[:NAME_BYTES].decode(errors="ignore")


def char_of(text: str) -> str:
    """The `"char"` that a text begins with."""
    octal = _OCTAL.fullmatch(text)
    return char_of_byte(int(octal[1], 8) if octal else text.encode()[0] if text else 0)


def char_of_byte(byte: int) -> str:
    if byte == 0:
        return ""
    return chr(byte) if byte < 128 else f"\\{byte:03o}"


def byte_of_char(value: str) -> int:
    octal = _OCTAL.fullmatch(value)
    return int(octal[1], 8) if octal else ord(value) if value else 0


def bytes_of_hex(digits: str) -> bytes:
    """As `decode` and the text of bytea have it: spaces may stand between bytes, not inside one."""
    try:
        return bytes.fromhex(digits)
    except ValueError:
        pass
    pending = False
    for character in digits:
        if character in " \n\t\r" and not pending:
            continue
        if _NOT_HEX.match(character):
            raise InvalidParameterValue(f'invalid hexadecimal digit: "{character}"') from None
        pending = not pending
    raise InvalidParameterValue("invalid hexadecimal data: odd number of digits")


def bytes_of_escapes(text: str) -> bytes | None:
    """A backslash stands before three octal digits or another backslash. None if it does not."""
    data, found, at = text.encode(), bytearray(), 0
    while at < len(data):
        match = _ESCAPED_BYTES.match(data, at)
        if match is None:
            return None
        backslash, octal, plain = match.groups()
        found += b"\\" if backslash else bytes((int(octal, 8),)) if octal else plain
        at = match.end()
    return bytes(found)


def bytea_of(text: str) -> bytes:
    if text.startswith("\\x"):
        return bytes_of_hex(text[2:])
    found = bytes_of_escapes(text)
    if found is None:
        raise InvalidTextRepresentation("invalid input syntax for type bytea")
    return found


def text_of_bytea(value: bytes) -> str:
    return f"\\x{value.hex()}"


def uuid_of(text: str) -> str:
    if _UUID.fullmatch(text) is None:
        raise InvalidTextRepresentation(f'invalid input syntax for type uuid: "{text}"')
    return uuid_of_hex(_NOT_HEX.sub("", text).lower())


def uuid_of_hex(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def length_of(type_: Type) -> int | None:
    """How many characters a varchar or bpchar may have."""
    return type_.modifier if isinstance(type_, Modified) else None


def padded(value: str, type_: Type) -> str:
    """A bpchar as it is shown, and as functions see it that count its blanks."""
    return value.ljust(length_of(type_) or 0)


def _same(text: str) -> str:
    return text


def _fits(text: str, type_: Type) -> str:
    """Text that is too long is an error, unless only spaces are cut off."""
    length = length_of(type_)
    if length is None or len(text) <= length:
        return text
    if text[length:].strip(" "):
        raise StringDataRightTruncation(f"value too long for type {type_}")
    return text[:length]


def _constant(codec: TextCodec) -> Callable[[Type, Callable[[Type], TextCodec]], TextCodec]:
    return lambda *_: codec


def _varchar(type_: Type, _: Callable[[Type], TextCodec]) -> TextCodec:
    return TextCodec(lambda text: _fits(text, type_), _same)


def _bpchar(type_: Type, _: Callable[[Type], TextCodec]) -> TextCodec:
    return TextCodec(lambda text: _fits(text, type_).rstrip(" "), lambda value: padded(value, type_))


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {
    "text": _constant(TextCodec(_same, _same)),
    "unknown": _constant(TextCodec(_same, _same)),
    "void": _constant(TextCodec(lambda _: None, lambda _: "")),
    "varchar": _varchar,
    "bpchar": _bpchar,
    "name": _constant(TextCodec(name_of, _same)),
    "char": _constant(TextCodec(char_of, _same)),
    "bytea": _constant(TextCodec(bytea_of, text_of_bytea)),
    "uuid": _constant(TextCodec(uuid_of, _same)),
}
