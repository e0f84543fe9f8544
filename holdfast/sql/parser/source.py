"""A text of SQL, and the places in it that errors and nodes point to."""

from __future__ import annotations

import re
from itertools import accumulate

from holdfast.cached import cached_property
from holdfast.sql.errors import InvalidText, SyntaxFailure
from holdfast.sql.parser import postgres
from holdfast.sql.parser.tokens import Kind, Tokens

_INVALID = re.compile("[\0\ud800-\udfff]")
_STARTS_CHARACTER = tuple(int(byte & 0xC0 != 0x80) for byte in range(256))

_OURS = re.compile(r"\b(?:of|list|map|mutually|options|ignore|respect)\b", re.IGNORECASE)
_LONG = re.compile(r'[^\s(),;."]{16}|"[^"]{16}')

NAME_BYTES = 63
"""PostgreSQL cuts longer identifiers at this many bytes."""


class Source:
    """One text. `data` is its UTF-8; it is `plain` when every character is one byte."""

    def __init__(self, text: str) -> None:
        if not (text.isascii() and "\0" not in text) and (invalid := _INVALID.search(text)):
            # A lone surrogate may stand for a byte that was no UTF-8, as the handler `surrogateescape` has it.
            escaped = "\udc80" <= invalid[0] <= "\udcff"
            bad = invalid[0].encode("utf-8", "surrogateescape" if escaped else "surrogatepass")
            raise InvalidText(" ".join(f"0x{byte:02x}" for byte in bad), invalid.start() + 1)
        self.text = text
        self.data = text.encode()
        self.plain = len(self.data) == len(text)

    @cached_property
    def tokens(self) -> Tokens:
        try:
            return Tokens(self.data, postgres.scan(self.text))
        except postgres.Refused as refused:
            raise SyntaxFailure(refused.message, refused.position) from None

    @cached_property
    def may_be_ours(self) -> bool:
        """Whether a word that our additions to queries begin with is anywhere in the text, if only in a string."""
        return _OURS.search(self.text) is not None

    @cached_property
    def _may_be_cut(self) -> bool:
        return _LONG.search(self.text) is not None

    @cached_property
    def _characters(self) -> list[int]:
        return [0, *accumulate(map(_STARTS_CHARACTER.__getitem__, self.data))]

    def position(self, offset: int) -> int:
        """The character at a byte offset, counted from 1."""
        return offset + 1 if self.plain else self._characters[offset] + 1

    def syntax_error(self, index: int) -> SyntaxFailure:
        """What PostgreSQL says when token `index` cannot stand where it stands, or when there is no token left."""
        if index < len(self.tokens):
            shown = self.tokens.text(index)
            return SyntaxFailure(f'syntax error at or near "{shown}"', self.position(self.tokens.starts[index]))
        return SyntaxFailure("syntax error at end of input", len(self.text) + 1)

    def syntax_error_at(self, offset: int) -> SyntaxFailure:
        """The same for the first token that ends after a byte offset."""
        ends = self.tokens.ends
        return self.syntax_error(next((index for index in range(len(ends)) if ends[index] > offset), len(ends)))

    def identifier(self, index: int) -> str:
        """The name that a token spells: folded unless quoted, and cut to the length of a name."""
        text = self.tokens.text(index)
        if self.tokens.kinds[index] == Kind.UIDENT:
            reference = postgres.parse_tree(f"SELECT {text}").stmts[0].stmt.select_stmt.target_list[0].res_target
            return str(reference.val.column_ref.fields[0].string.sval)
        return cut(text[1:-1].replace('""', '"') if text[0] == '"' else fold(text))

    def truncations(self, start: int, end: int) -> tuple[str, ...]:
        """What PostgreSQL would notice about names too long among the tokens from `start` to `end`."""
        tokens = self.tokens
        found: list[str] = []
        if not self._may_be_cut:
            return ()
        for index in range(start, end):
            if tokens.ends[index] - tokens.starts[index] > NAME_BYTES and tokens.kinds[index] == Kind.IDENT:
                text = tokens.text(index)
                whole = text[1:-1].replace('""', '"') if text[0] == '"' else fold(text)
                if (kept := cut(whole)) != whole:
                    found.append(f'identifier "{whole}" will be truncated to "{kept}"')
        return tuple(found)


def fold(text: str) -> str:
    """Lower case as PostgreSQL folds identifiers: ASCII letters only."""
    return text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)


def cut(name: str) -> str:
    """`name` up to the last whole character within the length of a name."""
    if len(name) <= NAME_BYTES // 4:
        return name
    data = name.encode()
    return name if len(data) <= NAME_BYTES else data[:NAME_BYTES].decode(errors="ignore")
