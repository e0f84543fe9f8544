"""Bytes as text and text as bytes: `encode`, `decode`, and the conversions between encodings."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from string import ascii_letters, digits

from holdfast.plan.errors import (
    InvalidParameterValue,
    InvalidTextRepresentation,
    UntranslatableCharacter,
)
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.functions.spark_text import unquoted
from holdfast.plan.text.strings import bytes_of_escapes, bytes_of_hex
from holdfast.plan.types import BYTEA, INT4, NAME, TEXT, Type
from holdfast.plan.utf8 import invalid_bytes, shown_bytes, text_of_utf8

_LINE = 76
"""Characters of base64 in a line."""


def _to_base64(data: bytes) -> str:
    text = b64encode(data).decode()
    return "\n".join(text[at : at + _LINE] for at in range(0, len(text), _LINE))


_BASE64 = {character: value for value, character in enumerate(f"{ascii_letters[26:]}{ascii_letters[:26]}{digits}+/")}


def _from_base64(text: str) -> bytes:
    """After the first padding, every group has as many bytes as that one."""
    found = bytearray()
    group, count, kept = 0, 0, 3
    for character in text:
        if character in " \t\n\r":
            continue
        if character == "=":
            if kept == 3:
                if count not in (2, 3):
                    raise InvalidParameterValue('unexpected "=" while decoding base64 sequence')
                kept = count - 1
            value = 0
        elif character in _BASE64:
            value = _BASE64[character]
        else:
            raise InvalidParameterValue(f'invalid symbol "{character}" found while decoding base64 sequence')
        group, count = group << 6 | value, count + 1
        if count == 4:
            found += group.to_bytes(3, "big")[:kept]
            group, count = 0, 0
    if count:
        error = InvalidParameterValue("invalid base64 end sequence")
        error.hint = "Input data is missing padding, is truncated, or is otherwise corrupted."
        raise error
    return bytes(found)


def _to_escapes(data: bytes) -> str:
    return "".join(
        "\\\\" if byte == 0x5C else f"\\{byte:03o}" if byte == 0 or byte > 127 else chr(byte) for byte in data
    )


def _from_escapes(text: str) -> bytes:
    found = bytes_of_escapes(text)
    if found is None:
        raise InvalidTextRepresentation("invalid input syntax for type bytea")
    return found


_ENCODERS: Mapping[str, Callable[[bytes], str]] = {"hex": bytes.hex, "base64": _to_base64, "escape": _to_escapes}
_DECODERS: Mapping[str, Callable[[str], bytes]] = {"hex": bytes_of_hex, "base64": _from_base64, "escape": _from_escapes}


def _unrecognized(name: str) -> InvalidParameterValue:
    return InvalidParameterValue(f'unrecognized encoding: "{name}"')


def _encode(data: bytes, name: str) -> str:
    encoder = _ENCODERS.get(name.lower())
    if encoder is None:
        raise _unrecognized(name)
    return encoder(data)


def _decode(text: str, name: str) -> bytes:
    decoder = _DECODERS.get(name.lower())
    if decoder is None:
        raise _unrecognized(name)
    return decoder(text)


def _spark_encode(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    name = unquoted(arguments[1])
    return f"lower(hex({arguments[0]}))" if name is not None and name.lower() == "hex" else None


# PostgreSQL's names, and Python's.
_CHARACTER_SETS: Mapping[str, str] = {
    "UTF8": "utf-8",
    "SQL_ASCII": "ascii",
    **{f"LATIN{n}": f"iso8859-{n}" for n in range(1, 5)},
    **{f"LATIN{n}": f"iso8859-{part}" for n, part in ((5, 9), (6, 10), (7, 13), (8, 14), (9, 15), (10, 16))},
    **{f"ISO_8859_{n}": f"iso8859-{n}" for n in range(5, 9)},
    **{f"WIN{n}": f"cp{n}" for n in (866, 874, *range(1250, 1259))},
    "KOI8R": "koi8-r",
    "KOI8U": "koi8-u",
    "EUC_JP": "euc_jp",
    "EUC_KR": "euc_kr",
    "EUC_CN": "gb2312",
    "SJIS": "cp932",
    "BIG5": "cp950",
    "GBK": "gbk",
    "GB18030": "gb18030",
    "UHC": "cp949",
    "JOHAB": "johab",
}
_ALIASES: Mapping[str, str] = {
    "unicode": "UTF8",
    "windows949": "UHC",
    "shiftjis": "SJIS",
    "mskanji": "SJIS",
    "koi8": "KOI8R",
    "alt": "WIN866",
    "win": "WIN1251",
    **dict.fromkeys(("abc", "tcvn", "tcvn5712", "vscii"), "WIN1258"),
    **{f"iso8859{part}": f"LATIN{n}" for n, part in enumerate((1, 2, 3, 4, 9, 10, 13, 14, 15, 16), start=1)},
    **{f"windows{n}": f"WIN{n}" for n in (866, 874, *range(1250, 1259))},
}
_NOT_ALPHANUMERIC = re.compile(r"[\W_]")
_BY_PLAIN_NAME = {_NOT_ALPHANUMERIC.sub("", name).lower(): name for name in _CHARACTER_SETS}


def _character_set(name: str, role: str) -> str:
    plain = _NOT_ALPHANUMERIC.sub("", name).lower()
    found = _BY_PLAIN_NAME.get(plain) or _ALIASES.get(plain)
    if found is None:
        raise InvalidParameterValue(f'invalid {role} name "{name}"')
    return found


def _read(data: bytes, character_set: str) -> str:
    """Zero bytes are in no text."""
    if character_set == "UTF8":
        return text_of_utf8(data)
    zero = data.find(0)
    try:
        text = data.decode(_CHARACTER_SETS[character_set])
    except UnicodeDecodeError as error:
        if 0 <= zero <= error.start:
            raise invalid_bytes(b"\0", character_set) from None
        raise _no_equivalent(data[error.start : error.end], character_set, "UTF8") from None
    if zero >= 0:
        raise invalid_bytes(b"\0", character_set)
    return text


def _written(text: str, character_set: str) -> bytes:
    try:
        return text.encode(_CHARACTER_SETS[character_set])
    except UnicodeEncodeError as error:
        raise _no_equivalent(text[error.start].encode(), "UTF8", character_set) from None


def _no_equivalent(data: bytes, source: str, target: str) -> UntranslatableCharacter:
    character = f'character with byte sequence {shown_bytes(data)} in encoding "{source}"'
    return UntranslatableCharacter(f'{character} has no equivalent in encoding "{target}"')


def _convert_from(data: bytes, source: str) -> str:
    return _read(data, _character_set(source, "source encoding"))


def _convert_to(text: str, target: str) -> bytes:
    return _written(text, _character_set(target, "destination encoding"))


def _convert(data: bytes, source: str, target: str) -> bytes:
    from_, to = _character_set(source, "source encoding"), _character_set(target, "destination encoding")
    return _written(_read(data, from_), to)


def _length(data: bytes, source: str) -> int:
    return len(_read(data, _character_set(source, "encoding")))


FAMILY = Family(
    "Encodings",
    functions=(
        Function(
            "encode",
            (BYTEA, TEXT),
            TEXT,
            _encode,
            _spark_encode,
            fails=True,
            doc="Bytes as text: `hex`, `base64` or `escape`.",
        ),
        Function(
            "decode", (TEXT, TEXT), BYTEA, _decode, fails=True, doc="Bytes from text: `hex`, `base64` or `escape`."
        ),
        Function(
            "convert_from",
            (BYTEA, NAME),
            TEXT,
            _convert_from,
            fails=True,
            doc="The text that bytes are in an encoding.",
        ),
        Function("convert_to", (TEXT, NAME), BYTEA, _convert_to, fails=True, doc="The bytes of a text in an encoding."),
        Function(
            "convert",
            (BYTEA, NAME, NAME),
            BYTEA,
            _convert,
            fails=True,
            doc="Bytes of one encoding as those of another.",
        ),
        Function(
            "length", (BYTEA, NAME), INT4, _length, fails=True, doc="How many characters the bytes are in an encoding."
        ),
    ),
)
