"""The tokens of a text, by PostgreSQL's scanner, without its comments.

They are kept as arrays, since a text of megabytes has millions of them; a
token is its index.
"""

from __future__ import annotations

from array import array

from holdfast.cached import cached_property
from holdfast.sql.parser.postgres import Proto, enums

Kind = enums.Token

OPENING = frozenset({Kind.ASCII_40, Kind.ASCII_91})
CLOSING = frozenset({Kind.ASCII_41, Kind.ASCII_93})
SEMICOLON = Kind.ASCII_59
STRINGS = frozenset({Kind.SCONST, Kind.USCONST})
NUMBERS = frozenset({Kind.ICONST, Kind.FCONST})
_IDENT = Kind.IDENT
_COMMENTS = frozenset({Kind.SQL_COMMENT, Kind.C_COMMENT})


class Tokens:
    """`kinds`, `starts`, `ends` (byte offsets) and `classes` (of keywords) run in parallel."""

    def __init__(self, data: bytes, scanned: Proto) -> None:
        self.data = data
        self.kinds, self.starts, self.ends, self.classes = array("i"), array("i"), array("i"), array("b")
        # One at a time: holding the messages of a long text would cost far more than the text.
        for token in scanned.tokens:
            kind = token.token
            if kind not in _COMMENTS:
                self.kinds.append(kind)
                self.starts.append(token.start)
                self.ends.append(token.end)
                self.classes.append(token.keyword_kind)

    def __len__(self) -> int:
        return len(self.kinds)

    def text(self, index: int) -> str:
        """The token as it was written."""
        return self.data[self.starts[index] : self.ends[index]].decode()

    def word(self, index: int) -> str:
        """An unquoted word in upper case, any other token as it was written; empty past the end."""
        if index >= len(self.kinds):
            return ""
        found = self.data[self.starts[index] : self.ends[index]].decode()
        return found.upper() if found[0].isalpha() or found[0] == "_" else found

    def is_word(self, index: int) -> bool:
        """Whether the token is a keyword or an identifier, quoted or not."""
        return index < len(self.kinds) and (self.kinds[index] == _IDENT or self.classes[index] > 0)

    def closing(self, index: int, end: int) -> int:
        """The token that closes the parenthesis or bracket at `index`, or `end` where none does before it."""
        return min(self._matches.get(index, end), end)

    def opening(self, index: int) -> int:
        """The token that opens what the one at `index` closes, or -1 where none does."""
        return self._matches.get(index, -1)

    @cached_property
    def _matches(self) -> dict[int, int]:
        """Each bracket's other one. Whether a bracket fits a parenthesis is for the grammar to say."""
        found: dict[int, int] = {}
        open_at: list[int] = []
        for index, kind in enumerate(self.kinds):
            if kind in OPENING:
                open_at.append(index)
            elif kind in CLOSING and open_at:
                found[index] = open_at.pop()
                found[found[index]] = index
        return found
