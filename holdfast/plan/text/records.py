"""Text of records: `(1,"a b",)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from holdfast.errors import UsageError
from holdfast.plan.errors import DataError, InvalidTextRepresentation
from holdfast.plan.text.contract import TextCodec, Write
from holdfast.plan.types import Record, Type

_SPACE = " \t\n\r\v\f"
_FIELD = re.compile(r'(?:[^),"\\]|\\.|"(?:[^"\\]|\\.|"")*")*', re.DOTALL)
_PIECE = re.compile(r'\\(.)|"((?:[^"\\]|\\.|"")*)"', re.DOTALL)
_INNER = re.compile(r'\\(.)|"(")', re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[(),"\\\s]', re.ASCII)


def _malformed(text: str, detail: str) -> DataError:
    error = InvalidTextRepresentation(f'malformed record literal: "{text}"')
    error.detail = detail
    return error


def _fields(text: str) -> list[str | None]:
    body = text.strip(_SPACE)
    if not body.startswith("("):
        raise _malformed(text, "Missing left parenthesis.")
    found: list[str | None] = []
    position = 1
    while True:
        field = _FIELD.match(body, position)
        assert field is not None
        position = field.end()
        if position >= len(body) or body[position] in '"\\':
            raise _malformed(text, "Unexpected end of input.")
        found.append(_PIECE.sub(_unescaped, field.group()) if field.group() else None)
        position += 1
        if body[position - 1] == ")":
            break
    if position < len(body):
        raise _malformed(text, "Junk after right parenthesis.")
    return found


def _unescaped(found: re.Match[str]) -> str:
    escaped: str | None = found.group(1)
    return escaped if escaped is not None else _INNER.sub(lambda inner: inner.group(1) or '"', found.group(2))


def _read(text: str, codecs: Sequence[TextCodec]) -> tuple[object, ...]:
    fields = _fields(text)
    if not codecs and fields == [None]:
        return ()
    if len(fields) < len(codecs):
        raise _malformed(text, "Too few columns.")
    if len(fields) > len(codecs):
        raise _malformed(text, "Too many columns.")
    return tuple(None if field is None else codec.read(field) for field, codec in zip(fields, codecs, strict=True))


def _quoted(text: str) -> str:
    if text and not _NEEDS_QUOTES.search(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '""')
    return f'"{escaped}"'


def _write(value: Sequence[object], fields: Sequence[Write]) -> str:
    shown = ("" if item is None else _quoted(write(item)) for item, write in zip(value, fields, strict=True))
    return f"({','.join(shown)})"


def _record(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    if not isinstance(type_, Record):
        raise UsageError(f"{type_} is no record")
    codecs = [find(field) for field in type_.types]
    writes = [codec.write for codec in codecs]
    return TextCodec(lambda text: _read(text, codecs), lambda value: _write(value, writes))


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {"record": _record}
