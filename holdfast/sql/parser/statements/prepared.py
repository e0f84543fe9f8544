"""PREPARE, EXECUTE and DEALLOCATE."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.grammar import query_between
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.statement.inspect import Mock, UnitTest
from holdfast.sql.syntax.statement.prepared import Deallocate, Execute, Prepare
from holdfast.sql.syntax.types import TypeName


def prepare(cursor: Cursor) -> Prepare:
    """After PREPARE."""
    location = cursor.location
    name = cursor.identifier()
    types: tuple[TypeName, ...] = cursor.parenthesized(cursor.type_name) if cursor.at_words("(") else ()
    cursor.expect("AS")
    return Prepare(name, cursor.statement(), types, location=location)


def execute(cursor: Cursor) -> Execute | UnitTest:
    """After EXECUTE."""
    location = cursor.location
    if cursor.accept("UNIT", "TEST"):
        return _unit_test(cursor, location)
    name = cursor.identifier()
    arguments: tuple[Expression, ...] = cursor.bracketed_expressions() if cursor.at_words("(") else ()
    return Execute(name, arguments, location=location)


def deallocate(cursor: Cursor) -> Deallocate:
    """After DEALLOCATE."""
    location = cursor.location
    cursor.accept("PREPARE")
    return Deallocate(None if cursor.accept("ALL") else cursor.identifier(), location=location)


def _unit_test(cursor: Cursor, location: int) -> UnitTest:
    name = cursor.identifier()
    cursor.expect("FOR")
    view = cursor.name()
    at_time = cursor.expression("MOCK", "EXPECTED") if cursor.accept("AT", "TIME") else None
    mocks: tuple[Mock, ...] = ()
    if cursor.accept("MOCK"):
        found = [_mock(cursor)]
        while cursor.accept(","):
            cursor.accept("MOCK")
            found.append(_mock(cursor))
        mocks = tuple(found)
    cursor.expect("EXPECTED")
    columns = cursor.columns()
    cursor.expect("AS")
    start, closing = cursor.inside()
    expected = query_between(cursor.source, start, closing)
    return UnitTest(name, view, columns, expected, mocks, at_time, location=location)


def _mock(cursor: Cursor) -> Mock:
    location = cursor.location
    name, columns = cursor.name(), cursor.columns()
    cursor.expect("AS")
    return Mock(name, columns, cursor.bracketed_query(), location=location)
