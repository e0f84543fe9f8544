"""The fields of one line, without what was added so that they could stand there: escapes and quotes.

A field is None where it is the mark of a null as it stands in the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from holdfast.adapter.copy.layout import Layout
from holdfast.adapter.errors import BadCopyFormat

Fields: TypeAlias = Sequence[bytes | None]

_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_NAMED = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def fields_of(line: bytes, layout: Layout) -> Fields:
    return _csv_fields(line, layout) if layout.csv else _text_fields(line, layout)


def without_escapes(field: bytes) -> bytes:
    """A field of the text format, with what its backslashes stand for."""
    return _ESCAPE.sub(_meant, field)


def _meant(found: re.Match[bytes]) -> bytes:
    octal, hexadecimal, other = found.groups()
    if octal is not None:
        return bytes((int(octal, 8) & 0xFF,))
    if hexadecimal is not None:
        return bytes((int(hexadecimal, 16),))
    return _NAMED.get(other, other)


def _text_fields(line: bytes, layout: Layout) -> Fields:
    null = layout.null
    if b"\\" not in line:
        return [None if field == null else field for field in line.split(layout.delimiter)]
    return [None if field == null else without_escapes(field) for field in _split(line, layout)]


def _split(line: bytes, layout: Layout) -> list[bytes]:
    found: list[bytes] = []
    at = 0
    while True:
        match = layout.field.match(line, at)
        assert match is not None
        found.append(match.group())
        at = match.end()
        # A backslash before nothing is nothing.
        if at == len(line) or (not layout.csv and line[at:] == b"\\"):
            return found
        if line[at : at + 1] != layout.delimiter:
            raise BadCopyFormat("unterminated CSV quoted field")
        at += 1


def _csv_fields(line: bytes, layout: Layout) -> Fields:
    null, quote = layout.null, layout.quote
    if quote not in line:
        return [None if field == null else field for field in line.split(layout.delimiter)]
    return [
        _unquoted(field, layout) if quote in field else None if field == null else field
        for field in _split(line, layout)
    ]


def _unquoted(field: bytes, layout: Layout) -> bytes:
    return layout.part.sub(lambda part: layout.escaped.sub(rb"\1", part.group(1)), field)
