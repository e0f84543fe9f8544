"""Overlays: what may stand inside a query and is not in PostgreSQL's grammar.

Each is found on the tokens, replaced by something the grammar has, and kept
under the position where it stood; the converter finds it again there:

- `LIST[...]` and `MAP[...]` become `ROW(...)`, `LIST(query)` becomes `ARRAY(query)`;
- types with LIST or MAP in them become one name;
- `WITH MUTUALLY RECURSIVE (options) c (a int)` becomes `WITH RECURSIVE c (a)`;
- `OPTIONS (...)` of a SELECT and IGNORE NULLS of a call disappear.

These words are ours, then, where PostgreSQL would take them for names: a
column called `list` or `map` is quoted before a bracket, and so is an alias
`list` directly after a cast.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from holdfast.sql.parser.piece import Edit
from holdfast.sql.parser.source import Source
from holdfast.sql.parser.tokens import CLOSING, OPENING, Kind
from holdfast.sql.parser.typenames import read_type
from holdfast.sql.syntax.expression import CurrentKind, IntegerLiteral
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.types import ArrayType, ListType, MapType, TypeName

_COMMA, _ARROW, _TYPECAST = Kind.ASCII_44, Kind.EQUALS_GREATER, Kind.TYPECAST
_BEGINS_QUERY = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "("})
_BEGINS_STATEMENT = _BEGINS_QUERY | {"INSERT", "UPDATE", "DELETE", "MERGE"}
_ENDS_FUNCTION = frozenset({")", "ORDINALITY", *get_args(CurrentKind)})
"""What can stand before the definitions of the columns of a function in FROM."""
_OURS = frozenset({"LIST", "MAP", "MUTUALLY", "OPTIONS", "IGNORE", "RESPECT"})


@dataclass(slots=True)
class Overlay:
    """What was replaced in one piece, by position."""

    edits: list[Edit] = field(default_factory=list)
    collections: dict[int, Literal["LIST", "MAP"]] = field(default_factory=dict)
    """Of rows and array queries that stand for lists and maps."""
    types: dict[int, TypeName] = field(default_factory=dict)
    recursive: dict[int, tuple[Option, ...]] = field(default_factory=dict)
    """Options of WITH MUTUALLY RECURSIVE, at the WITH."""
    columns: dict[int, tuple[TypeName, ...]] = field(default_factory=dict)
    """Types of the columns of a common table, at its name."""
    hints: dict[int, tuple[Option, ...]] = field(default_factory=dict)
    """At the first target of their SELECT."""
    nulls: dict[int, Literal["IGNORE", "RESPECT"]] = field(default_factory=dict)
    """At the name of the function."""


def find_overlay(source: Source, start: int, end: int) -> Overlay | None:
    """What tokens `start` to `end` have that is ours, or None."""
    tokens = source.tokens
    if not source.may_be_ours or not any(
        tokens.word(index) in _OURS for index in range(start, end) if tokens.is_word(index)
    ):
        return None
    finder = _Finder(source, end)
    finder.walk(start, end)
    overlay = finder.overlay
    overlay.edits.sort(key=lambda edit: edit.start)
    return overlay


class _Finder:
    """Walks the tokens once, bracket by bracket."""

    def __init__(self, source: Source, end: int) -> None:
        self.source, self.tokens, self.end = source, source.tokens, end
        self.overlay = Overlay()

    def replace(self, first: int, last: int, replacement: bytes) -> None:
        """Tokens `first` to `last`, both included, read as `replacement`, which nothing around it joins."""
        start, end = self.tokens.starts[first], self.tokens.ends[last]
        self.overlay.edits.append(Edit(start, end, b" " + replacement + b" " if replacement else b" "))

    def at(self, index: int) -> int:
        return self.source.position(self.tokens.starts[index])

    def walk(self, index: int, end: int) -> None:
        """Tokens `index` to `end`, which are balanced. `select` is the last SELECT seen among them."""
        tokens = self.tokens
        select: int | None = None
        while index < end:
            kind = tokens.kinds[index]
            if kind in OPENING:
                closing = tokens.closing(index, end)
                self.walk(index + 1, closing)
                index = closing + 1
                continue
            if kind == _TYPECAST:
                index = self.type_at(index + 1, end)
                continue
            if not tokens.is_word(index):
                index += 1
                continue
            after = tokens.word(index + 1) if index + 1 < end else ""
            match tokens.word(index):
                case "SELECT":
                    select = index
                case "WITH" if after == "MUTUALLY":
                    index = self.recursive(index, end)
                    continue
                case "OPTIONS" if after == "(" and select is not None:
                    index = self.hints(index, select, end)
                    continue
                case "LIST" | "MAP" as word if after == "[":
                    index = self.literal(index, index + 1, word, end)
                    continue
                case "LIST" | "MAP" as word if after == "(" and tokens.word(index + 2) in _BEGINS_QUERY:
                    self.overlay.collections[self.at(index)] = "LIST" if word == "LIST" else "MAP"
                    self.replace(index, index, b"ARRAY")
                case "CAST" if after == "(":
                    index = self.cast(index + 1, end)
                    continue
                case "IGNORE" | "RESPECT" as word if after == "NULLS" and tokens.word(index - 1) == ")":
                    self.nulls(index, "IGNORE" if word == "IGNORE" else "RESPECT")
                    index += 2
                    continue
                case "AS" if (opened := self.definitions(index, end)) is not None:
                    self.column_types(opened, end, keep=True)
                    index = tokens.closing(opened, end) + 1
                    continue
            index += 1

    def closed(self, opening: int, end: int) -> int:
        """The token that closes the parenthesis at `opening`, which must be there."""
        closing = self.tokens.closing(opening, end)
        if closing >= end:
            raise self.source.syntax_error(end)
        return closing

    def type_at(self, index: int, end: int) -> int:
        """Replace the type at `index` if PostgreSQL has no such type; the token after it."""
        if index >= end or not self.tokens.is_word(index):
            return index
        found, after = read_type(self.source, index, end)
        if not _is_ours(found):
            return index + 1
        self.overlay.types[self.at(index)] = found
        self.replace(index, after - 1, b"t")
        return after

    def cast(self, opening: int, end: int) -> int:
        """`CAST (operand AS type)`, from its parenthesis; the token after it."""
        closing = self.tokens.closing(opening, end)
        index = opening + 1
        while index < closing:
            if self.tokens.kinds[index] in OPENING:
                index = self.tokens.closing(index, closing) + 1
                continue
            if self.tokens.word(index) == "AS":
                self.type_at(index + 1, closing)
                break
            index += 1
        self.walk(opening + 1, min(index, closing))
        return closing + 1

    def literal(self, first: int, bracket: int, kind: str, end: int) -> int:
        """A list or a map whose word, if it has one, is `first`; the token after it."""
        closing = self.closed(bracket, end)
        self.overlay.collections[self.at(first)] = "LIST" if kind == "LIST" else "MAP"
        self.replace(first, bracket, b"ROW(")
        self.replace(closing, closing, b")")
        begin = bracket + 1
        while begin < closing:
            stop = self.separator(begin, closing, _COMMA)
            if kind == "MAP":
                arrow = self.separator(begin, stop, _ARROW)
                if arrow >= stop:
                    raise self.source.syntax_error(stop)
                self.replace(arrow, arrow, b",")
                self.walk(begin, arrow)
                begin = arrow + 1
            self.item(begin, stop, kind)
            begin = stop + 1
            if begin == closing:
                raise self.source.syntax_error(closing)
        return closing + 1

    def item(self, begin: int, stop: int, kind: str) -> None:
        """One item of a list or one value of a map; in brackets, it is of the same kind."""
        if begin < stop and self.tokens.word(begin) == "[":
            after = self.literal(begin, begin, kind, stop)
            self.walk(after, stop)
        else:
            self.walk(begin, stop)

    def separator(self, begin: int, end: int, kind: int) -> int:
        """The first token of `kind` outside brackets, or `end`."""
        depth = 0
        for index in range(begin, end):
            found = self.tokens.kinds[index]
            if found in OPENING:
                depth += 1
            elif found in CLOSING:
                depth -= 1
            elif found == kind and depth == 0:
                return index
        return end

    def recursive(self, index: int, end: int) -> int:
        """`WITH MUTUALLY RECURSIVE (options) name (column type, ...) AS (query), ...`; the token after it."""
        tokens = self.tokens
        if tokens.word(index + 2) != "RECURSIVE":
            raise self.source.syntax_error(min(index + 2, end))
        self.replace(index + 1, index + 1, b"")
        at, options = index + 3, ()
        if at < end and tokens.word(at) == "(":
            closing = self.closed(at, end)
            self.overlay.recursive[self.at(index)] = self.numbers(at + 1, closing)
            self.replace(at, closing, b"")
            at = closing + 1
        else:
            self.overlay.recursive[self.at(index)] = options
        while at < end and tokens.is_word(at):
            name = at
            if tokens.word(at + 1) != "(":
                raise self.source.syntax_error(min(at + 1, end))
            self.overlay.columns[self.at(name)] = self.column_types(at + 1, end, keep=False)
            at = tokens.closing(at + 1, end) + 1
            if at >= end or tokens.word(at) != "AS":
                raise self.source.syntax_error(min(at, end))
            at += 1
            if at < end and tokens.word(at) == "(":
                closing = tokens.closing(at, end)
                self.walk(at + 1, closing)
                at = closing + 1
            if at < end and tokens.kinds[at] == _COMMA:
                at += 1
            else:
                break
        return at

    def column_types(self, opening: int, end: int, *, keep: bool) -> tuple[TypeName, ...]:
        """The types in `(name type, ...)`. They disappear from the text unless `keep`, when only ours are replaced."""
        closing = self.tokens.closing(opening, end)
        found: list[TypeName] = []
        index = opening + 1
        while index < closing:
            type_name, after = read_type(self.source, index + 1, closing)
            found.append(type_name)
            if not keep:
                self.replace(index + 1, after - 1, b"")
            elif _is_ours(type_name):
                self.overlay.types[self.at(index + 1)] = type_name
                self.replace(index + 1, after - 1, b"t")
            if after < closing and self.tokens.kinds[after] != _COMMA:
                raise self.source.syntax_error(after)
            index = after + 1
        return tuple(found)

    def definitions(self, index: int, end: int) -> int | None:
        """The parenthesis of `AS (name type, ...)` or `AS alias (name type, ...)`, if AS at `index` begins one."""
        tokens = self.tokens
        opening = next((at for at in (index + 1, index + 2) if at < end and tokens.word(at) == "("), None)
        if opening is None or opening + 2 >= end or not tokens.is_word(opening + 1) or not tokens.is_word(opening + 2):
            return None
        follows_call = tokens.word(index - 1) in _ENDS_FUNCTION
        return opening if follows_call and tokens.word(opening + 1) not in _BEGINS_STATEMENT else None

    def hints(self, index: int, select: int, end: int) -> int:
        """`OPTIONS (...)`, kept under the first target of the SELECT it belongs to; the token after it."""
        closing = self.closed(index + 1, end)
        target = select + 1
        if self.tokens.word(target) == "DISTINCT":
            target += 1
            if self.tokens.word(target) == "ON":
                if self.tokens.word(target + 1) != "(":
                    raise self.source.syntax_error(target + 1)
                target = self.closed(target + 1, end) + 1
        elif self.tokens.word(target) == "ALL":
            target += 1
        self.overlay.hints[self.at(target)] = self.numbers(index + 2, closing)
        self.replace(index, closing, b"")
        return closing + 1

    def nulls(self, index: int, treatment: Literal["IGNORE", "RESPECT"]) -> None:
        """IGNORE NULLS after the parenthesis of a call, kept under the first part of the function's name."""
        name = self.called(index - 1)
        # FILTER (...) or WITHIN GROUP (...) may stand between the call and this.
        while (clause := self.tokens.word(name)) in ("FILTER", "GROUP"):
            name = self.called(name - (1 if clause == "FILTER" else 2))
        while name >= 2 and self.tokens.word(name - 1) == ".":
            name -= 2
        self.overlay.nulls[self.at(name)] = treatment
        self.replace(index, index + 1, b"")

    def called(self, closing: int) -> int:
        """The token before the parenthesis that the one at `closing` closes: always one further back."""
        opening = self.tokens.opening(closing) if closing >= 0 else -1
        if not 0 < opening < closing:
            raise self.source.syntax_error(max(closing, 0))
        return opening - 1

    def numbers(self, index: int, closing: int) -> tuple[Option, ...]:
        """Options whose values are whole numbers: `WORDS [=] number, ...`, one or more."""
        tokens, found = self.tokens, list[Option]()
        while True:
            begin, words = index, list[str]()
            while index < closing and tokens.is_word(index):
                words.append(tokens.word(index))
                index += 1
            if index < closing and tokens.word(index) == "=":
                index += 1
            if not words or index >= closing or tokens.kinds[index] != Kind.ICONST:
                raise self.source.syntax_error(index)
            value = IntegerLiteral(int(tokens.text(index)), location=self.at(index))
            found.append(Option(" ".join(words), value, location=self.at(begin)))
            index += 1
            if index == closing:
                return tuple(found)
            if tokens.kinds[index] != _COMMA:
                raise self.source.syntax_error(index)
            index += 1


def _is_ours(found: TypeName) -> bool:
    return isinstance(found, ListType | MapType) or (isinstance(found, ArrayType) and _is_ours(found.element))
