"""Type names on tokens: where one ends, and what it says when it has LIST or MAP in it."""

from __future__ import annotations

from holdfast.sql.errors import StatementTooComplex
from holdfast.sql.parser.convert_types import convert_type
from holdfast.sql.parser.piece import Piece
from holdfast.sql.parser.source import Source
from holdfast.sql.parser.tokens import Kind
from holdfast.sql.syntax.types import ArrayType, ListType, MapType, TypeName

MAX_SUFFIXES = 100
"""How many times LIST or brackets may follow one type: each is a level of the tree that no bracket around it shows."""

_FIELDS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_DOT, _PERCENT, _ARROW, _ICONST, _OPEN = Kind.ASCII_46, Kind.ASCII_37, Kind.EQUALS_GREATER, Kind.ICONST, Kind.ASCII_40


def read_type(source: Source, index: int, end: int) -> tuple[TypeName, int]:
    """The type that begins at token `index`, and the token after it."""
    tokens = source.tokens
    location = source.position(tokens.starts[index]) if index < end else 0
    found: TypeName
    if tokens.word(index) == "MAP" and tokens.word(index + 1) == "[":
        key, after = read_type(source, index + 2, end)
        if after >= end or tokens.kinds[after] != _ARROW:
            raise source.syntax_error(after)
        value, after = read_type(source, after + 1, end)
        if after >= end or tokens.word(after) != "]":
            raise source.syntax_error(after)
        found, after = MapType(key, value, location=location), after + 1
    else:
        after = _base_end(source, index, end)
        found = _by_grammar(source, index, after)
    nested = 0
    while after < end:
        bounds, ended = _bounds(source, after, end)
        if bounds:
            inner = found.bounds if isinstance(found, ArrayType) else ()
            element = found.element if isinstance(found, ArrayType) else found
            found, after = ArrayType(element, inner + bounds, location=location), ended
        elif tokens.word(after) == "LIST":
            found, after = ListType(found, location=location), after + 1
        else:
            break
        nested += 1
        if nested > MAX_SUFFIXES:
            raise StatementTooComplex(MAX_SUFFIXES, location)
    return found, after


def _by_grammar(source: Source, start: int, end: int) -> TypeName:
    tokens = source.tokens
    piece = Piece(source, tokens.starts[start], tokens.ends[end - 1], prefix=b"SELECT NULL::", suffix=b" ")
    target = piece.tree().stmts[0].stmt.select_stmt.target_list[0].res_target
    return convert_type(target.val.type_cast.type_name, piece.at())


def _bounds(source: Source, index: int, end: int) -> tuple[tuple[int | None, ...], int]:
    """The bounds of `[3]`, `[]`, `ARRAY` or `ARRAY[3]` at `index`, if it is one, and the token after."""
    tokens = source.tokens
    by_word = tokens.word(index) == "ARRAY"
    at = index + 1 if by_word else index
    if at >= end or tokens.word(at) != "[":
        return ((None,), at) if by_word else ((), index)
    if tokens.word(at + 1) == "]":
        return (None,), at + 2
    if at + 2 < end and tokens.kinds[at + 1] == _ICONST and tokens.word(at + 2) == "]":
        return (int(tokens.text(at + 1)),), at + 3
    return (), index


def _base_end(source: Source, index: int, end: int) -> int:
    """The token after a type of PostgreSQL's, without its brackets."""
    tokens = source.tokens
    if index >= end or not (tokens.is_word(index) or tokens.kinds[index] == Kind.UIDENT):
        raise source.syntax_error(index)
    word = tokens.word(index)
    after = index + 1
    if word == "SETOF":
        return _base_end(source, after, end)
    if (word == "DOUBLE" and tokens.word(after) == "PRECISION") or word == "NATIONAL":
        after += 1
    if word in ("CHARACTER", "CHAR", "NCHAR", "NATIONAL", "BIT") and tokens.word(after) == "VARYING":
        after += 1
    while after + 1 < end and tokens.kinds[after] == _DOT:
        after += 2
    if after < end and tokens.kinds[after] == _OPEN and word != "INTERVAL":
        after = min(tokens.closing(after, end) + 1, end)
    if word in ("TIME", "TIMESTAMP") and tokens.word(after) in ("WITH", "WITHOUT") and tokens.word(after + 1) == "TIME":
        after = min(after + 3, end)
    if word == "INTERVAL":
        after = _interval_end(source, after, end)
    if after + 1 < end and tokens.kinds[after] == _PERCENT and tokens.word(after + 1) == "TYPE":
        after += 2
    return after


def _interval_end(source: Source, after: int, end: int) -> int:
    tokens = source.tokens
    if after < end and tokens.word(after) in _FIELDS:
        after += 1
        if after + 1 < end and tokens.word(after) == "TO" and tokens.word(after + 1) in _FIELDS:
            after += 2
    if after < end and tokens.kinds[after] == _OPEN:
        after = min(tokens.closing(after, end) + 1, end)
    return after
