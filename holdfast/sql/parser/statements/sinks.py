"""CREATE SINK."""

from __future__ import annotations

from typing import Literal

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.clusters import in_cluster
from holdfast.sql.parser.statements.formats import envelope, formats
from holdfast.sql.parser.statements.options import option_list, with_options
from holdfast.sql.syntax.statement.create import Create, CreateSink, SinkKey, Upstream


def create_sink(cursor: Cursor, location: int) -> Create:
    """After CREATE SINK."""
    skip = cursor.if_not_exists()
    name = cursor.name() if cursor.at_identifier() and cursor.peek() != "IN" else None
    cluster = in_cluster(cursor)
    cursor.expect("FROM")
    relation = cursor.name()
    cursor.expect("INTO")
    at = cursor.location
    kind = cursor.expect_any("KAFKA", "ICEBERG CATALOG")
    cursor.expect("CONNECTION")
    connection = cursor.name()
    into = Upstream(kind, connection, option_list(cursor) if cursor.at_words("(") else (), location=at)
    key = _key(cursor) if cursor.at_words("KEY", "(") else None
    headers = cursor.identifier() if cursor.accept("HEADERS") else None
    format_of, enveloped, mode = formats(cursor), envelope(cursor), _mode(cursor)
    return CreateSink(
        relation,
        into,
        name,
        cluster,
        key,
        headers,
        format_of,
        enveloped,
        mode,
        with_options(cursor),
        skip,
        location=location,
    )


def _key(cursor: Cursor) -> SinkKey:
    location = cursor.location
    cursor.expect("KEY")
    columns = cursor.parenthesized(cursor.identifier)
    return SinkKey(columns, not cursor.accept("NOT", "ENFORCED"), location=location)


def _mode(cursor: Cursor) -> Literal["UPSERT", "APPEND"] | None:
    if not cursor.accept("MODE"):
        return None
    return "UPSERT" if cursor.expect_any("UPSERT", "APPEND") == "UPSERT" else "APPEND"
