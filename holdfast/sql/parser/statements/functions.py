"""CREATE FUNCTION ... LANGUAGE, whose clauses may come in any order."""

from __future__ import annotations

from typing import Literal

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import with_options
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.query import ColumnType
from holdfast.sql.syntax.statement.create import Create, CreateFunction, FunctionArgument
from holdfast.sql.syntax.statement.drop import Signature
from holdfast.sql.syntax.types import TypeName


def create_function(cursor: Cursor, location: int, replace: bool) -> Create:
    """After CREATE FUNCTION."""
    skip = cursor.if_not_exists()
    name = cursor.name()
    arguments: tuple[FunctionArgument, ...] = ()
    if not cursor.accept("(", ")"):
        arguments = cursor.parenthesized(lambda: _argument(cursor))
    returns: TypeName | None = None
    columns: tuple[ColumnType, ...] = ()
    cursor.expect("RETURNS")
    if cursor.accept("TABLE"):
        columns = cursor.parenthesized(cursor.column_type)
    else:
        returns = cursor.type_name()
    language: str | None = None
    body: str | None = None
    volatility: Literal["IMMUTABLE", "STABLE", "VOLATILE"] | None = None
    strict = False
    options: tuple[Option, ...] = ()
    while not cursor.done:
        match cursor.expect_any(
            "LANGUAGE",
            "AS",
            "IMMUTABLE",
            "STABLE",
            "VOLATILE",
            "STRICT",
            "RETURNS NULL ON NULL INPUT",
            "CALLED ON NULL INPUT",
            "WITH",
        ):
            case "LANGUAGE" if language is None:
                language = cursor.string().lower() if cursor.at_string() else cursor.identifier()
            case "AS" if body is None:
                body = cursor.string()
            case "IMMUTABLE" | "STABLE" | "VOLATILE" as word if volatility is None:
                volatility = word
            case "STRICT" | "RETURNS NULL ON NULL INPUT":
                strict = True
            case "CALLED ON NULL INPUT":
                strict = False
            case "WITH" if not options:
                cursor.index -= 1
                options = with_options(cursor)
            case _:
                cursor.index -= 1
                raise cursor.failure()
    if language is None or body is None:
        raise cursor.failure()
    return CreateFunction(
        name, arguments, language, body, returns, columns, volatility, strict, options, replace, skip, location=location
    )


def signature(cursor: Cursor) -> Signature:
    """name [(types)], as statements about a function name it. Names of arguments may stand there and say nothing."""
    location = cursor.location
    name = cursor.name()
    if cursor.accept("(", ")"):
        return Signature(name, (), location=location)
    if cursor.peek() != "(":
        return Signature(name, location=location)
    types = tuple(argument.type for argument in cursor.parenthesized(lambda: _argument(cursor)))
    return Signature(name, types, location=location)


def _argument(cursor: Cursor) -> FunctionArgument:
    """[name] type: a name is there when a type begins after it."""
    location = cursor.location
    begin = cursor.index
    alone = cursor.type_name()
    if cursor.peek() in (",", ")"):
        return FunctionArgument(alone, location=location)
    cursor.index = begin
    name = cursor.identifier()
    return FunctionArgument(cursor.type_name(), name, location=location)
