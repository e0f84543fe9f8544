"""Queries, changes and expressions by PostgreSQL's grammar, with our overlays, from a range of tokens."""

from __future__ import annotations

from typing import get_args

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.convert_changes import ChangeConverter
from holdfast.sql.parser.overlay import find_overlay
from holdfast.sql.parser.piece import Piece
from holdfast.sql.parser.postgres import Proto
from holdfast.sql.parser.source import Source
from holdfast.sql.parser.tokens import CLOSING, OPENING, Kind
from holdfast.sql.syntax.expression import CurrentKind, Default, Expression, Order
from holdfast.sql.syntax.query import AsOf, Query
from holdfast.sql.syntax.statement.dml import Delete, Insert, SelectStatement, Update

_TYPE_OR_FUNCTION, _RESERVED = 3, 4
_BEGINS_VALUE = frozenset({"CASE", "CAST", "NULL", "TRUE", "FALSE", "NOT", "ARRAY", *get_args(CurrentKind)})
"""Keywords that an expression can begin with although they name nothing."""
_NOT_VALUE = frozenset({",", ")", "]", ";", "."})


def convert_statement(
    node: Proto, converter: ChangeConverter, location: int
) -> SelectStatement | Insert | Update | Delete:
    """A statement of PostgreSQL's that is one of ours too; `location` is where it begins."""
    match node.WhichOneof("node"):
        case "select_stmt":
            query = converter.query(node.select_stmt)
            return SelectStatement(query, location=query.location)
        case "insert_stmt":
            return converter.insert(node.insert_stmt)
        case "update_stmt":
            return converter.update(node.update_stmt)
        case "delete_stmt":
            return converter.delete(node.delete_stmt)
        case kind:
            raise NotSupported(
                f"{str(kind).removesuffix('_stmt').replace('_', ' ').upper()} is not supported", location
            )


def statement_between(source: Source, start: int, end: int) -> SelectStatement | Insert | Update | Delete:
    """A query, perhaps with AS OF, or a change of data: tokens `start` to `end`, all of them."""
    if start >= end:
        raise source.syntax_error(start)
    cut = find_as_of(source, start, end)
    tree, converter = _parse(source, start, cut)
    found = convert_statement(tree.stmts[0].stmt, converter, source.position(source.tokens.starts[start]))
    if cut == end:
        return found
    if not isinstance(found, SelectStatement):
        raise source.syntax_error(cut)
    return SelectStatement(found.query, as_of_between(source, cut, end), location=found.location)


def query_between(source: Source, start: int, end: int) -> Query:
    """A query without AS OF."""
    if start >= end:
        raise source.syntax_error(start)
    tree, converter = _parse(source, start, end)
    node = tree.stmts[0].stmt
    if node.WhichOneof("node") != "select_stmt":
        raise source.syntax_error(start)
    return converter.query(node.select_stmt)


def as_of_between(source: Source, start: int, end: int) -> AsOf:
    """`AS OF [AT LEAST] time`, all of tokens `start` to `end`."""
    tokens = source.tokens
    at_least = tokens.word(start + 2) == "AT" and tokens.word(start + 3) == "LEAST"
    time = expression_between(source, start + (4 if at_least else 2), end)
    return AsOf(time, at_least, location=source.position(tokens.starts[start]))


def expression_between(source: Source, start: int, end: int) -> Expression:
    """One expression: tokens `start` to `end`, all of them."""
    found, converter = _values(source, start, end)
    if len(found) != 1:
        raise source.syntax_error(_comma(source, start, end))
    expression = converter.expression(found[0])
    if isinstance(expression, Default):
        raise source.syntax_error(start)
    return expression


def expressions_between(source: Source, start: int, end: int) -> tuple[Expression, ...]:
    """One expression or more, with commas between them."""
    found, converter = _values(source, start, end)
    return converter.expressions(found)


def order_between(source: Source, start: int, end: int) -> tuple[Order, ...]:
    """What stands after ORDER BY."""
    tree, converter = _parse(source, start, end, b"SELECT ORDER BY ")
    select = tree.stmts[0].stmt.select_stmt
    if select.HasField("limit_count") or select.HasField("limit_offset") or select.locking_clause:
        raise source.syntax_error(end)
    return converter.order_by(select.sort_clause)


def find_as_of(source: Source, start: int, end: int) -> int:
    """The AS of an `AS OF` outside brackets that a time follows, or `end`. `AS of` may also name a column."""
    if not source.may_be_ours:
        return end
    tokens, depth = source.tokens, 0
    kind_as = Kind.AS
    for index in range(start, end - 2):
        kind = tokens.kinds[index]
        if kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            depth -= 1
        elif depth == 0 and kind == kind_as and tokens.word(index + 1) == "OF" and _begins_value(source, index + 2):
            return index
    return end


def _begins_value(source: Source, index: int) -> bool:
    tokens = source.tokens
    word, keyword = tokens.word(index), tokens.classes[index]
    if keyword == _TYPE_OR_FUNCTION and word not in _BEGINS_VALUE:
        # `left(a, 1)` is a value, `LEFT JOIN` is none.
        return tokens.word(index + 1) == "("
    return word not in _NOT_VALUE and (keyword < _RESERVED or word in _BEGINS_VALUE)


def _values(source: Source, start: int, end: int) -> tuple[Proto, ChangeConverter]:
    if start >= end:
        raise source.syntax_error(start)
    # In the row of a VALUES, nothing but expressions and commas can stand.
    tree, converter = _parse(source, start, end, b"VALUES (", b")")
    return tree.stmts[0].stmt.select_stmt.values_lists[0].list.items, converter


def _parse(
    source: Source, start: int, end: int, prefix: bytes = b"", suffix: bytes = b""
) -> tuple[Proto, ChangeConverter]:
    tokens = source.tokens
    overlay = find_overlay(source, start, end)
    edits = overlay.edits if overlay is not None else ()
    piece = Piece(source, tokens.starts[start], tokens.ends[end - 1], edits, prefix, suffix)
    return piece.tree(), ChangeConverter(piece.at(), overlay)


def _comma(source: Source, start: int, end: int) -> int:
    """The first comma outside brackets."""
    depth, comma = 0, Kind.ASCII_44
    for index in range(start, end):
        kind = source.tokens.kinds[index]
        if kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            depth -= 1
        elif kind == comma and depth == 0:
            return index
    return end
