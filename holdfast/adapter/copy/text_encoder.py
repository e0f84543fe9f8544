"""Rows in one of the text formats: the text of each value, with what it needs to stand between delimiters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.column_bytes import text_column, whole
from holdfast.adapter.copy.layout import END_MARK, layout_of
from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.results import Piece
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Type

_Guard: TypeAlias = Callable[[bytes], bytes]
_Column: TypeAlias = Any  # an array of Arrow's bytes; pyarrow has no types

_FEW = 64
"""Rows up to which Arrow is not worth its start."""

_ESCAPES = {
    b"\\": b"\\\\",
    b"\b": b"\\b",
    b"\f": b"\\f",
    b"\n": b"\\n",
    b"\r": b"\\r",
    b"\t": b"\\t",
    b"\v": b"\\v",
}


class TextEncoder:
    def __init__(self, options: CopyOptions, names: Sequence[str], types: Sequence[Type]) -> None:
        self._types = types
        self._layout = layout = layout_of(options)
        marks = (layout.quote, b"\n", b"\r") if layout.csv else tuple(_ESCAPES)
        guard = self._quoted if layout.csv else self._escaped
        self._special = re.compile(b"[" + b"".join(map(re.escape, (layout.delimiter, *marks))) + b"]")
        self._is_special = np.zeros(256, bool)
        self._is_special[[*layout.delimiter, *b"".join(marks)]] = True
        self._doubled = re.compile(b"[" + re.escape(layout.quote) + re.escape(layout.escape) + b"]")
        # A field that could be taken for something else has quotes as well.
        self._mistakable = [layout.null, END_MARK] if len(types) == 1 else [layout.null]
        self._forced = options.forced("force_quote", names)
        self._guards = [self._always_quoted if forced else guard for forced in self._forced]
        self._writes = [write_of(type_) for type_ in types]
        head = layout.delimiter.join(guard(name.encode()) for name in names) + b"\n"
        self._head = [head] if options.header else []

    def encode(self, piece: Piece) -> list[bytes]:
        head, self._head = self._head, []
        return head + self._rows(piece)

    def finish(self) -> list[bytes]:
        return self._head

    def _rows(self, piece: Piece) -> list[bytes]:
        if isinstance(piece.held, pa.Table) and len(piece) > _FEW and self._types:
            return self._lines(piece.held)
        return [self._line(row) for row in piece.rows()]

    def _line(self, row: Sequence[object]) -> bytes:
        null = self._layout.null
        fields = (
            null if value is None else guard(write(value).encode())
            for value, write, guard in zip(row, self._writes, self._guards, strict=True)
        )
        return self._layout.delimiter.join(fields) + b"\n"

    def _lines(self, table: pa.Table) -> list[bytes]:
        *fields, last = [self._fields(table.column(index), index) for index in range(len(self._types))]
        ended = pc.binary_join_element_wise(last, b"\n", b"")
        lines = pc.binary_join_element_wise(*fields, ended, self._layout.delimiter) if fields else ended
        found: list[bytes] = lines.to_pylist()
        return found

    def _fields(self, column: _Column, index: int) -> _Column:
        texts = text_column(self._types[index])(whole(column))
        guard = self._guards[index]
        if self._forced[index]:
            texts = pa.array([None if text is None else guard(text) for text in texts.to_pylist()], pa.binary())
        elif (marked := self._marked(texts)) is not None:
            changed = [guard(text) for text in texts.filter(marked).to_pylist()]
            texts = pc.replace_with_mask(texts, marked, pa.array(changed, pa.binary()))
        return texts.fill_null(self._layout.null) if texts.null_count else texts

    def _marked(self, texts: _Column) -> _Column | None:
        """Which texts are not to stand as they are, if any."""
        marked: list[_Column] = []
        content = texts.buffers()[2]
        if content is not None and self._is_special[np.frombuffer(content, np.uint8)].any():
            marked.append(pc.match_substring_regex(texts, self._special.pattern.decode()))
        if self._layout.csv:
            marked.append(pc.is_in(texts, pa.array(self._mistakable, pa.binary())))
        found = reduce(pc.or_, marked) if marked else None
        return found.fill_null(False) if found is not None and pc.any(found).as_py() else None

    def _escaped(self, text: bytes) -> bytes:
        return self._special.sub(self._escape, text) if self._special.search(text) else text

    def _escape(self, found: re.Match[bytes]) -> bytes:
        return _ESCAPES.get(found.group(), b"\\" + found.group())

    def _quoted(self, text: bytes) -> bytes:
        return self._always_quoted(text) if text in self._mistakable or self._special.search(text) else text

    def _always_quoted(self, text: bytes) -> bytes:
        quote, escape = self._layout.quote, self._layout.escape
        return quote + self._doubled.sub(lambda found: escape + found.group(), text) + quote
