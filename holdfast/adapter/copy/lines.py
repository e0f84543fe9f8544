"""The lines of a text format, one by one: where each ends, and where the data end before the bytes do.

Lines must all end as the first does. In CSV a line goes on while a quote is open, and nothing ends the data.
"""

from __future__ import annotations

from holdfast.adapter.copy.layout import END_MARK, Ending, Layout, stray_newline, stray_return
from holdfast.adapter.errors import BadCopyFormat

_NOT_ALONE = "end-of-copy marker is not alone on its line"
_UNLIKE = "end-of-copy marker does not match previous newline style"


class Lines:
    """Reads bytes that come in pieces.

    - `number` is that of the line that was read last, or in which reading failed.
    - `ending` is how lines end, once one did.
    - `over` says that an end mark was read: what follows is nobody's.
    - `data[at:]` has not been read.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.data, self.at = b"", 0
        self.number = 0
        self.ending: Ending | None = None
        self.over = False

    def next(self, *, last: bool) -> bytes | None:
        """The next line, or None if it has not come as a whole. `last` says that no more bytes will come."""
        if self.over or self.at == len(self.data):
            return None
        start, before, counted = self.at, self.number, self.counted
        self.number += 1
        found = self._layout.line.match(self.data, start)
        assert found is not None
        end = found.end()
        quoted = self._layout.csv and self._layout.quote in self.data[start : end + 1]
        if quoted:
            self.number += self.data.count(counted, start, end)
        following = self.data[end] if end < len(self.data) else None
        match following:
            case None:
                line = self._rest(start) if last else None
            case 10:  # a newline
                line = self._ended(start, end, self._newline())
            case 13:
                length = self._return(end, last)
                line = None if length is None else self._ended(start, end, length)
            case 92 if self.data.startswith(END_MARK, end):
                line = None
                self._mark(start, end, last)
            case _:  # a backslash before nothing, or a quote that is still open
                line = self._rest(start) if last else None
        if line is None:
            self.number = before
        elif quoted:
            # A quote that is never closed has all the rest in it.
            self.number += line.count(counted, end - start)
        return line

    @property
    def counted(self) -> bytes:
        """Of lines between quotes, what is counted. PostgreSQL does not know better before it saw a line end."""
        return b"\n" if self.ending == b"\n" else b"\r"

    def first_ending(self) -> Ending | None:
        """How lines end, though none may have been read yet. None if that cannot be told."""
        if self.ending is not None:
            return self.ending
        found = self._layout.line.match(self.data, self.at)
        assert found is not None
        following = self.data[found.end() : found.end() + 2]
        if following == b"\r\n":
            return b"\r\n"
        if following[:1] == b"\n":
            return b"\n"
        return b"\r" if following[:1] == b"\r" and len(following) == 2 else None

    def _rest(self, start: int) -> bytes:
        self.at = len(self.data)
        return self.data[start:]

    def _ended(self, start: int, end: int, length: int) -> bytes:
        self.at = end + length
        return self.data[start:end]

    def _newline(self) -> int:
        if self.ending in (b"\r", b"\r\n"):
            raise stray_newline(self._layout.csv)
        self.ending = b"\n"
        return 1

    def _return(self, end: int, last: bool) -> int | None:
        """How many bytes end the line, or None if that cannot be told yet."""
        if self.ending == b"\n":
            raise stray_return(self._layout.csv)
        if self.ending == b"\r":
            return 1
        if end + 1 == len(self.data) and not last:
            return None
        if self.data[end + 1 : end + 2] == b"\n":
            self.ending = b"\r\n"
            return 2
        if self.ending == b"\r\n":
            raise stray_return(self._layout.csv)
        self.ending = b"\r"
        return 1

    def _mark(self, start: int, end: int, last: bool) -> None:
        """Take note of an end mark."""
        after = self.data[end + len(END_MARK) : end + len(END_MARK) + 2]
        if len(after) < (2 if self.ending == b"\r\n" else 1) and not last:
            return
        if self.ending == b"\r\n":
            if after[:1] == b"\n":
                raise BadCopyFormat(_UNLIKE)
            if after[:1] != b"\r":
                raise BadCopyFormat(_NOT_ALONE)
            after = after[1:]
        if after[:1] not in (b"\r", b"\n"):
            raise BadCopyFormat(_NOT_ALONE)
        if self.ending is not None and not self.ending.endswith(after[:1]):
            raise BadCopyFormat(_UNLIKE)
        if start < end:
            raise BadCopyFormat(_NOT_ALONE)
        self.over = True
        self.at = len(self.data)
