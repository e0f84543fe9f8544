"""SET and RESET of variables, SET TRANSACTION, DISCARD and UNLISTEN."""

from __future__ import annotations

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.transactions import transaction_modes
from holdfast.sql.syntax.expression import IntegerLiteral, Literals, NumericLiteral, StringLiteral
from holdfast.sql.syntax.statement.session import Discard, ResetVariable, SetTransaction, SetVariable, Unlisten


def set_statement(cursor: Cursor) -> SetVariable | SetTransaction:
    """After SET."""
    location = cursor.location
    if cursor.accept("TRANSACTION"):
        return SetTransaction(transaction_modes(cursor), location=location)
    if cursor.accept("SESSION", "CHARACTERISTICS", "AS", "TRANSACTION"):
        return SetTransaction(transaction_modes(cursor), session=True, location=location)
    if cursor.at_words("ROLE") or cursor.at_words("SESSION", "AUTHORIZATION"):
        raise NotSupported("SET ROLE is not supported", location)
    local = cursor.peek(1) not in ("=", "TO", ".") and cursor.accept("LOCAL")
    if not local and cursor.peek(1) not in ("=", "TO", "."):
        cursor.accept("SESSION")
    return set_variable(cursor, local=local)


def set_variable(cursor: Cursor, *, local: bool = False) -> SetVariable:
    """name TO | = value, ..., or one of the names that the standard has words for."""
    location = cursor.location
    if cursor.accept("TIME", "ZONE"):
        values = () if cursor.accept("LOCAL") or cursor.accept("DEFAULT") else (_value(cursor),)
        return SetVariable("timezone", values, local, location=location)
    if cursor.at_words("NAMES") and cursor.peek(1) not in ("=", "TO"):
        cursor.accept("NAMES")
        values = () if cursor.done or cursor.accept("DEFAULT") else (_value(cursor),)
        return SetVariable("client_encoding", values, local, location=location)
    if cursor.at_words("SCHEMA") and cursor.peek(1) not in ("=", "TO"):
        cursor.accept("SCHEMA")
        return SetVariable("search_path", (_value(cursor),), local, location=location)
    name = variable_name(cursor)
    cursor.expect_any("TO", "=")
    if cursor.accept("DEFAULT"):
        return SetVariable(name, (), local, location=location)
    return SetVariable(name, cursor.separated(lambda: _value(cursor)), local, location=location)


def reset_variable(cursor: Cursor) -> ResetVariable:
    """After RESET."""
    location = cursor.location
    if cursor.accept("ALL"):
        return ResetVariable(None, location=location)
    if cursor.accept("TIME", "ZONE"):
        return ResetVariable("timezone", location=location)
    return ResetVariable(variable_name(cursor), location=location)


def variable_name(cursor: Cursor) -> str:
    """A name whose parts are joined, as those of extensions have two. It is folded even where it was quoted."""
    return ".".join(cursor.name().parts).lower()


def _value(cursor: Cursor) -> Literals:
    location = cursor.location
    if cursor.at_string():
        return StringLiteral(cursor.string(), location=location)
    if cursor.at_number():
        number = cursor.number()
        if not isinstance(number, IntegerLiteral | NumericLiteral):
            raise cursor.failure()
        return number
    if cursor.peek() in ("TRUE", "FALSE", "ON"):
        return StringLiteral(cursor.label(), location=location)
    return StringLiteral(cursor.identifier(), location=location)


def discard(cursor: Cursor) -> Discard:
    """After DISCARD."""
    location = cursor.location
    match cursor.expect_any("ALL", "PLANS", "SEQUENCES", "TEMPORARY", "TEMP"):
        case "ALL" | "PLANS" | "SEQUENCES" as what:
            return Discard(what, location=location)
        case _:
            return Discard("TEMP", location=location)


def unlisten(cursor: Cursor) -> Unlisten:
    """After UNLISTEN."""
    location = cursor.location
    return Unlisten(None if cursor.accept("*") else cursor.identifier(), location=location)
