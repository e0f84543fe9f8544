"""From a text to its statements.

An INSERT of literals needs no grammar. A short query in PostgreSQL's own goes to
it at once. Anything else is scanned first: to split it, to bound how deep it
nests, and to find what is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

from holdfast.errors import QueryError
from holdfast.sql.errors import NotSupported, StatementTooComplex, SyntaxFailure
from holdfast.sql.parser import postgres
from holdfast.sql.parser.convert_changes import ChangeConverter
from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.grammar import convert_statement, expression_between, query_between
from holdfast.sql.parser.literals import literals
from holdfast.sql.parser.nesting import MAX_DEPTH, check_nesting
from holdfast.sql.parser.source import NAME_BYTES, Source
from holdfast.sql.parser.statements.dispatch import statement
from holdfast.sql.parser.tokens import CLOSING, OPENING, SEMICOLON
from holdfast.sql.parser.typenames import read_type
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.literal_rows import LiteralRows
from holdfast.sql.syntax.query import Query, Values
from holdfast.sql.syntax.statement import Statement
from holdfast.sql.syntax.statement.dml import Insert
from holdfast.sql.syntax.types import TypeName

_BY_GRAMMAR = re.compile(r"\s*(?:select|values|table|with|insert|update|delete)\b", re.IGNORECASE)
_NEAR = re.compile(r'syntax error at or near "(\w+)"')
_OURS = re.compile(r';|\b(?:of|list|map|mutually|options|ignore|respect)\b|"[^"]{63}', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """One statement: `text[start:end]` of the text it came from. `notices` are PostgreSQL's, about names cut short."""

    statement: Statement
    start: int
    end: int
    notices: tuple[str, ...] = ()


def parse(text: str) -> list[Parsed]:
    """All statements of `text`, in order. Empty ones are left out."""
    source = Source(text)
    found = _parse_literals(source)
    return _parse_all(source) if found is None else [found]


def parse_literals(text: str) -> Parsed | None:
    """`text` as an INSERT of literals, in a small part of the time that `parse` may take; None if it is none."""
    return _parse_literals(Source(text))


def parse_one(text: str) -> Parsed:
    """The one statement of `text`."""
    source = Source(text)
    if _is_plain(text):
        return _parse_plain(source)
    ranges = list(_split(source))
    if not ranges:
        raise source.syntax_error(len(source.tokens))
    if len(ranges) > 1:
        raise source.syntax_error(ranges[1][0])
    with _bounded():
        return _parse_between(source, *ranges[0])


def parse_query(text: str) -> Query:
    """`text` as a query, without AS OF."""
    source, end = _whole(text)
    with _bounded():
        return query_between(source, 0, end)


def parse_expression(text: str) -> Expression:
    """`text` as one expression."""
    source, end = _whole(text)
    with _bounded():
        return expression_between(source, 0, end)


def parse_type_name(text: str) -> TypeName:
    """`text` as the name of a type."""
    source, end = _whole(text)
    with _bounded():
        found, after = read_type(source, 0, end)
    if after < end:
        raise source.syntax_error(after)
    return found


def _whole(text: str) -> tuple[Source, int]:
    source = Source(text)
    end = len(source.tokens)
    check_nesting(source, 0, end)
    return source, end


def _parse_all(source: Source) -> list[Parsed]:
    if _is_plain(source.text):
        return [_parse_plain(source)]
    with _bounded():
        return [_parse_between(source, start, end) for start, end in _split(source)]


def _parse_literals(source: Source) -> Parsed | None:
    text = source.text
    found = literals(text)
    head = None if found is None else _head(found.head)
    if found is None or head is None:
        return None

    def by_grammar() -> Sequence[tuple[Expression, ...]]:
        (parsed,) = _parse_all(source)
        return _values(parsed.statement).rows

    values = Values(LiteralRows(found.head, found.columns, by_grammar), location=found.place + 1)
    assert isinstance(head.statement, Insert)  # as its text begins
    insert = replace(head.statement, source=Query(values, location=values.location))
    return Parsed(insert, head.start, len(text.rstrip().removesuffix(";").rstrip()), head.notices)


def _values(statement: Statement) -> Values:
    assert isinstance(statement, Insert)
    assert statement.source is not None
    assert isinstance(statement.source.body, Values)
    return statement.source.body


@lru_cache(maxsize=1024)
def _head(text: str) -> Parsed | None:
    """The INSERT that begins so, with some row; None if there is none."""
    try:
        return parse_one(f"{text}(NULL)")
    except QueryError:
        return None


def _is_plain(text: str) -> bool:
    """Whether it is one short statement in ASCII with nothing of ours in it."""
    if len(text) > MAX_DEPTH or not _BY_GRAMMAR.match(text):
        return False
    end = len(text.rstrip())
    if text[end - 1] == ";":
        end -= 1
    return text.isascii() and not _OURS.search(text, 0, end) and max(map(len, text.split())) <= NAME_BYTES


def _parse_plain(source: Source) -> Parsed:
    text = source.text
    try:
        tree = postgres.parse_tree(text)
    except postgres.Refused as refused:
        raise SyntaxFailure(refused.message, refused.position) from None
    with _bounded():
        start = len(text) - len(text.lstrip())
        found = convert_statement(tree.stmts[0].stmt, ChangeConverter(_next), start + 1)
    return Parsed(found, start, len(text.rstrip().removesuffix(";").rstrip()))


def _next(offset: int) -> int:
    """Positions count from 1; offset -1 has none."""
    return offset + 1


def _split(source: Source) -> Iterator[tuple[int, int]]:
    """The tokens of each statement: semicolons outside brackets separate them."""
    kinds, depth, start = source.tokens.kinds, 0, 0
    for index, kind in enumerate(kinds):
        if kind == SEMICOLON and depth == 0:
            if start < index:
                yield start, index
            start = index + 1
        elif kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            depth = max(depth - 1, 0)
    if start < len(kinds):
        yield start, len(kinds)


def _parse_between(source: Source, start: int, end: int) -> Parsed:
    check_nesting(source, start, end)
    cursor = Cursor(source, start, end, statement)
    try:
        found = cursor.statement()
        if not cursor.done:
            raise cursor.failure()
    except SyntaxFailure as failure:
        raise _unless_postgres_has_it(failure, source, start, end) from None
    tokens = source.tokens
    first, last = source.position(tokens.starts[start]) - 1, source.position(tokens.ends[end - 1]) - 1
    return Parsed(found, first, last, source.truncations(start, end))


def _unless_postgres_has_it(failure: SyntaxFailure, source: Source, start: int, end: int) -> QueryError:
    """A word that our parsers refuse is wrong only if PostgreSQL's grammar refuses it too."""
    near, tokens = _NEAR.fullmatch(str(failure)), source.tokens
    if near is None:
        return failure
    try:
        postgres.parse_tree(source.data[tokens.starts[start] : tokens.ends[end - 1]].decode())
    except (postgres.Refused, StatementTooComplex):
        return failure
    return NotSupported(f"{near[1].upper()} is not supported", failure.position)


@contextmanager
def _bounded() -> Iterator[None]:
    """What `check_nesting` lets through can still be too deep for the stack that is left to Python."""
    try:
        yield
    except RecursionError:
        raise StatementTooComplex(MAX_DEPTH) from None
