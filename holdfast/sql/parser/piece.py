"""A piece of a text as it is given to PostgreSQL's grammar, and the way back to places in the text.

What the grammar does not have is replaced by what it has (an *edit*); a
position inside a replacement is that of the first character it replaces.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.errors import HoldfastError
from holdfast.sql.errors import SyntaxFailure
from holdfast.sql.parser import postgres
from holdfast.sql.parser.source import Source


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes `start` to `end` of the whole text read as `replacement`."""

    start: int
    end: int
    replacement: bytes


class Piece:
    """Bytes `start` to `end` of the source, edited, between a prefix and a suffix of ours.

    The edits are in order and do not overlap.
    """

    def __init__(
        self, source: Source, start: int, end: int, edits: Sequence[Edit] = (), prefix: bytes = b"", suffix: bytes = b""
    ) -> None:
        self.source, self.start, self.end = source, start, end
        parts, marks = [prefix], [(0, start, True)]
        length, done = len(prefix), start
        marks.append((length, start, False))
        for edit in edits:
            parts += [source.data[done : edit.start], edit.replacement]
            length += edit.start - done
            marks.append((length, edit.start, True))
            length += len(edit.replacement)
            marks.append((length, edit.end, False))
            done = edit.end
        parts += [source.data[done:end], suffix]
        marks.append((length + end - done, end, True))
        self._marks = marks
        self._data = b"".join(parts)
        self.shift = start - len(prefix) + 1 if source.plain and not edits else None

    def offset(self, given: int) -> int:
        """The byte of the source that byte `given` of the piece came from."""
        begin, origin, replaced = self._marks[bisect_right(self._marks, given, key=lambda mark: mark[0]) - 1]
        return origin if replaced else origin + given - begin

    def at(self) -> Callable[[int], int]:
        """From byte offsets in the piece to positions; -1 has none."""
        if self.shift is not None:
            shift = self.shift
            return lambda given: given + shift if given >= 0 else 0
        return lambda given: self.source.position(self.offset(given)) if given >= 0 else 0

    def tree(self) -> postgres.Proto:
        """PostgreSQL's parse tree of the piece; its errors are those of the source."""
        try:
            return postgres.parse_tree(self._data.decode())
        except postgres.Refused as refused:
            raise self._failure(refused) from None

    def _failure(self, refused: postgres.Refused) -> HoldfastError:
        given = len(self._data.decode()[: max(refused.position - 1, 0)].encode())
        offset = self.offset(given)
        if refused.message.startswith("syntax error at"):
            return self.source.syntax_error_at(offset)
        return SyntaxFailure(refused.message, self.source.position(offset))
