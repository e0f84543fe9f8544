"""A cursor over the tokens of one statement: what a recursive-descent parser is written with.

Every method that finds what it looks for moves past it; `accept_*` answers
whether it did, the others raise PostgreSQL's syntax error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdfast.sql.errors import SyntaxFailure
from holdfast.sql.parser.grammar import (
    as_of_between,
    expression_between,
    expressions_between,
    order_between,
    query_between,
    statement_between,
)
from holdfast.sql.parser.source import Source
from holdfast.sql.parser.tokens import CLOSING, NUMBERS, OPENING, STRINGS, Kind
from holdfast.sql.parser.typenames import read_type
from holdfast.sql.syntax.expression import Expression, IntegerLiteral, Order, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import AsOf, ColumnType, Query
from holdfast.sql.syntax.statement import Statement
from holdfast.sql.syntax.statement.dml import Delete, Insert, SelectStatement, Update
from holdfast.sql.syntax.types import TypeName

_RESERVED, _TYPE_OR_FUNCTION = 4, 3
_IDENT, _UIDENT = Kind.IDENT, Kind.UIDENT

T = TypeVar("T")


class Cursor:
    """`index` is the next token, `end` the one after the last. `statement` parses what is left as a statement."""

    def __init__(self, source: Source, index: int, end: int, parse: Callable[[Cursor], Statement]) -> None:
        self.source, self.tokens, self.index, self.end = source, source.tokens, index, end
        self._parse = parse

    @property
    def location(self) -> int:
        """The position of the next token."""
        tokens = self.tokens
        return self.source.position(tokens.starts[self.index]) if self.index < self.end else 0

    @property
    def done(self) -> bool:
        return self.index >= self.end

    def failure(self) -> SyntaxFailure:
        """The next token cannot stand where it stands."""
        return self.source.syntax_error(self.index)

    def peek(self, ahead: int = 0) -> str:
        """A token ahead: an unquoted word in upper case, any other as it was written, empty at the end."""
        at = self.index + ahead
        return self.tokens.word(at) if at < self.end else ""

    def at_words(self, *words: str) -> bool:
        return all(self.peek(ahead) == word for ahead, word in enumerate(words))

    def accept(self, *words: str) -> bool:
        """Words, or symbols, one after the other."""
        if not self.at_words(*words):
            return False
        self.index += len(words)
        return True

    def accept_phrase(self, phrase: str) -> bool:
        """Words with spaces between them."""
        return self.accept(*phrase.split())

    def accept_any(self, *phrases: str) -> str | None:
        """The first of several phrases that stands here. Longer ones are given first where one begins another."""
        return next((phrase for phrase in phrases if self.accept_phrase(phrase)), None)

    def expect(self, *words: str) -> None:
        for word in words:
            if self.peek() != word:
                raise self.failure()
            self.index += 1

    def expect_any(self, *phrases: str) -> str:
        found = self.accept_any(*phrases)
        if found is None:
            raise self.failure()
        return found

    def at_identifier(self, ahead: int = 0) -> bool:
        """Whether a name that PostgreSQL takes without quotes stands here, or a quoted one."""
        at = self.index + ahead
        if at >= self.end:
            return False
        return self.tokens.kinds[at] in (_IDENT, _UIDENT) or 0 < self.tokens.classes[at] < _TYPE_OR_FUNCTION

    def identifier(self) -> str:
        if not self.at_identifier():
            raise self.failure()
        self.index += 1
        return self.source.identifier(self.index - 1)

    def label(self) -> str:
        """A name after a dot or AS, where keywords need no quotes."""
        if self.done or not (self.tokens.is_word(self.index) or self.tokens.kinds[self.index] == _UIDENT):
            raise self.failure()
        self.index += 1
        return self.source.identifier(self.index - 1)

    def name(self) -> ObjectName:
        location = self.location
        parts = [self.identifier()]
        while self.accept("."):
            parts.append(self.label())
        return ObjectName(tuple(parts), location=location)

    def role(self) -> str:
        """The name of a role."""
        return self.identifier()

    def roles(self) -> tuple[str, ...]:
        return self.separated(self.role)

    def separated(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Items with commas between them, one or more."""
        found = [item()]
        while self.accept(","):
            found.append(item())
        return tuple(found)

    def parenthesized(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Items in parentheses, one or more."""
        self.expect("(")
        found = self.separated(item)
        self.expect(")")
        return found

    def columns(self) -> tuple[str, ...]:
        """`(name, ...)` if it stands here."""
        return self.parenthesized(self.identifier) if self.at_words("(") else ()

    def at_string(self) -> bool:
        return not self.done and self.tokens.kinds[self.index] in STRINGS

    def string(self) -> str:
        if not self.at_string():
            raise self.failure()
        text = self.tokens.text(self.index)
        end = self.index + 3 if self.peek(1) == "UESCAPE" else self.index + 1
        inner = text[1:-1].replace("''", "")
        if text[0] == "'" and "'" not in inner and end == self.index + 1:
            self.index = end
            return text[1:-1].replace("''", "'")
        literal = expression_between(self.source, self.index, min(end, self.end))
        if not isinstance(literal, StringLiteral):
            raise self.failure()
        self.index = end
        return literal.value

    def at_number(self) -> bool:
        signs = 1 if self.peek() in ("-", "+") else 0
        at = self.index + signs
        return at < self.end and self.tokens.kinds[at] in NUMBERS

    def integer(self) -> int:
        literal = self.number()
        if not isinstance(literal, IntegerLiteral):
            self.index -= 1
            raise self.failure()
        return literal.value

    def number(self) -> Expression:
        if not self.at_number():
            raise self.failure()
        start = self.index
        self.index += 2 if self.peek() in ("-", "+") else 1
        return expression_between(self.source, start, self.index)

    def expression(self, *stops: str) -> Expression:
        """An expression up to a comma, a closing bracket, or one of `stops` outside brackets, which are phrases."""
        start = self.index
        self.index = self.end_of_expression(*stops)
        return expression_between(self.source, start, self.index)

    def end_of_expression(self, *stops: str) -> int:
        index = self.index
        phrases = [phrase.split() for phrase in stops]
        while index < self.end:
            kind = self.tokens.kinds[index]
            if kind in OPENING:
                index = self.tokens.closing(index, self.end) + 1
                continue
            if kind in CLOSING or self.tokens.text(index) == ",":
                break
            if any(
                all(self.tokens.word(index + ahead) == word for ahead, word in enumerate(phrase)) for phrase in phrases
            ):
                break
            index += 1
        return min(index, self.end)

    def bracketed_expressions(self) -> tuple[Expression, ...]:
        """`(expression, ...)`, one or more."""
        start, closing = self.inside()
        return expressions_between(self.source, start, closing)

    def inside(self) -> tuple[int, int]:
        """The tokens between a parenthesis that stands here and the one that closes it."""
        if self.peek() != "(":
            raise self.failure()
        closing = self.tokens.closing(self.index, self.end)
        if closing >= self.end:
            self.index = self.end
            raise self.failure()
        start, self.index = self.index + 1, closing + 1
        return start, closing

    def order_by(self, *stops: str) -> tuple[Order, ...]:
        """The keys after ORDER BY, up to one of `stops` outside brackets."""
        start = self.index
        while (end := self.end_of_expression(*stops)) < self.end and self.tokens.text(end) == ",":
            self.index = end + 1
        self.index = end
        if start == end:
            raise self.failure()
        return order_between(self.source, start, end)

    def query(self) -> Query:
        """All that is left, as a query."""
        start, self.index = self.index, self.end
        return query_between(self.source, start, self.end)

    def bracketed_query(self) -> Query:
        start, closing = self.inside()
        return query_between(self.source, start, closing)

    def statement_by_grammar(self) -> SelectStatement | Insert | Update | Delete:
        """All that is left, as a statement of PostgreSQL's grammar."""
        start, self.index = self.index, self.end
        return statement_between(self.source, start, self.end)

    def statement(self) -> Statement:
        """All that is left, as a statement of any kind."""
        return self._parse(self)

    def bracketed_statement(self) -> Statement:
        """What stands in parentheses, as a statement."""
        start, closing = self.inside()
        inner = Cursor(self.source, start, closing, self._parse)
        found = inner.statement()
        if not inner.done:
            raise inner.failure()
        return found

    def as_of(self, *stops: str) -> AsOf | None:
        """`AS OF [AT LEAST] time`, up to the end or one of `stops`, if it stands here."""
        if not self.at_words("AS", "OF"):
            return None
        start = self.index
        self.index += 2
        self.index = self.end_of_expression(*stops)
        return as_of_between(self.source, start, self.index)

    def type_name(self) -> TypeName:
        found, self.index = read_type(self.source, self.index, self.end)
        return found

    def column_type(self) -> ColumnType:
        location = self.location
        return ColumnType(self.identifier(), self.type_name(), location=location)

    def if_exists(self) -> bool:
        return self.accept("IF", "EXISTS")

    def if_not_exists(self) -> bool:
        return self.accept("IF", "NOT", "EXISTS")
