"""FROM WEBHOOK, of sources and of tables."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.grammar import expression_between
from holdfast.sql.parser.statements.formats import format_of, includes
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.create import CheckInput, CreateWebhook, WebhookCheck


def create_webhook(
    cursor: Cursor, name: ObjectName, location: int, *, as_table: bool, cluster: str | None, skip: bool
) -> CreateWebhook:
    """After FROM WEBHOOK."""
    cursor.expect("BODY", "FORMAT")
    body = format_of(cursor)
    include = includes(cursor)
    check = _check(cursor) if cursor.accept("CHECK") else None
    return CreateWebhook(name, body, as_table, cluster, include, check, skip, location=location)


def _check(cursor: Cursor) -> WebhookCheck:
    """(WITH (input, ...) condition)"""
    location = cursor.location
    start, closing = cursor.inside()
    after, cursor.index = cursor.index, start
    inputs: tuple[CheckInput, ...] = ()
    if cursor.accept("WITH"):
        inputs = cursor.parenthesized(lambda: _input(cursor))
    condition = expression_between(cursor.source, cursor.index, closing)
    cursor.index = after
    return WebhookCheck(condition, inputs, location=location)


def _input(cursor: Cursor) -> CheckInput:
    location = cursor.location
    secret = None
    match cursor.expect_any("BODY", "HEADERS", "SECRET"):
        case "SECRET":
            secret = cursor.name()
            alias, as_bytes = _named(cursor)
            return CheckInput("SECRET", secret, alias, as_bytes, location=location)
        case "BODY":
            alias, as_bytes = _named(cursor)
            return CheckInput("BODY", None, alias, as_bytes, location=location)
        case _:
            alias, as_bytes = _named(cursor)
            return CheckInput("HEADERS", None, alias, as_bytes, location=location)


def _named(cursor: Cursor) -> tuple[str | None, bool]:
    """[AS name] [BYTES]"""
    alias = cursor.identifier() if cursor.accept("AS") else None
    return alias, cursor.accept("BYTES")
