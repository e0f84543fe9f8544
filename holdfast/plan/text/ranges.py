"""Text of ranges: `[1,5)`, `(,"2020-01-01 00:00:00"]`, `empty`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.errors import UsageError
from holdfast.plan.errors import DataError, InvalidTextRepresentation
from holdfast.plan.range_value import EMPTY, range_of
from holdfast.plan.text.contract import Read, TextCodec, Write
from holdfast.plan.types import Range, RangeValue, Type

_SPACE = " \t\n\r\v\f"
_BOUND = re.compile(r'(?:[^)\],"\\]|\\.|"(?:[^"\\]|\\.|"")*")*', re.DOTALL)
_PIECE = re.compile(r'\\(.)|"((?:[^"\\]|\\.|"")*)"', re.DOTALL)
_INNER = re.compile(r'\\(.)|"(")', re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[()\[\],"\\\s]', re.ASCII)


def _malformed(text: str, detail: str) -> DataError:
    error = InvalidTextRepresentation(f'malformed range literal: "{text}"')
    error.detail = detail
    return error


def _read(text: str, base: str, bound: Read) -> RangeValue:
    body = text.lstrip(_SPACE)
    if body[:5].lower() == "empty":
        if body[5:].strip(_SPACE):
            raise _malformed(text, 'Junk after "empty" key word.')
        return EMPTY
    if body[:1] not in ("[", "("):
        raise _malformed(text, "Missing left parenthesis or bracket.")
    lower, position = _bound(text, body, 1)
    if body[position] != ",":
        raise _malformed(text, "Missing comma after lower bound.")
    upper, position = _bound(text, body, position + 1)
    if body[position] == ",":
        raise _malformed(text, "Too many commas.")
    if body[position + 1 :].strip(_SPACE):
        raise _malformed(text, "Junk after right parenthesis or bracket.")
    low = None if lower is None else bound(lower)
    high = None if upper is None else bound(upper)
    return range_of(base, low, high, body[0] == "[", body[position] == "]")


def _bound(text: str, body: str, start: int) -> tuple[str | None, int]:
    """The text of a bound, None where there is none, and where it ends."""
    found = _BOUND.match(body, start)
    assert found is not None
    if found.end() == len(body) or body[found.end()] in '"\\':
        raise _malformed(text, "Unexpected end of input.")
    raw = found.group()
    return (_PIECE.sub(_unescaped, raw) if raw else None), found.end()


def _unescaped(found: re.Match[str]) -> str:
    escaped: str | None = found.group(1)
    return escaped if escaped is not None else _INNER.sub(lambda inner: inner.group(1) or '"', found.group(2))


def _quoted(text: str) -> str:
    if text and not _NEEDS_QUOTES.search(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '""')
    return f'"{escaped}"'


def _write(value: RangeValue, bound: Write) -> str:
    if value.empty:
        return "empty"
    lower = "" if value.lower is None else _quoted(bound(value.lower))
    upper = "" if value.upper is None else _quoted(bound(value.upper))
    return f"{'[' if value.lower_inclusive else '('}{lower},{upper}{']' if value.upper_inclusive else ')'}"


def _range(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    if not isinstance(type_, Range):
        raise UsageError(f"{type_} is no range")
    base, bound = type_.base, find(type_.subtype)
    return TextCodec(lambda text: _read(text, base, bound.read), lambda value: _write(value, bound.write))


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = dict.fromkeys(
    ("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"), _range
)
