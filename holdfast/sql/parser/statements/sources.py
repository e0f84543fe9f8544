"""CREATE SOURCE of every kind."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.clusters import in_cluster
from holdfast.sql.parser.statements.formats import envelope, formats, includes
from holdfast.sql.parser.statements.options import option_list, with_options
from holdfast.sql.parser.statements.webhooks import create_webhook
from holdfast.sql.syntax.statement.create import (
    AllTables,
    Create,
    CreateSource,
    OfSchemas,
    OfTables,
    Upstream,
    UpstreamTable,
)

_KINDS = ("KAFKA", "POSTGRES", "MYSQL", "SQL SERVER")
_GENERATORS = ("AUCTION", "MARKETING", "TPCH", "KEY VALUE", "COUNTER", "CLOCK", "DATUMS")


def create_source(cursor: Cursor, location: int) -> Create:
    """After CREATE SOURCE."""
    skip = cursor.if_not_exists()
    name = cursor.name()
    cluster = in_cluster(cursor)
    cursor.expect("FROM")
    if cursor.accept("WEBHOOK"):
        return create_webhook(cursor, name, location, as_table=False, cluster=cluster, skip=skip)
    upstream = _upstream(cursor)
    format_of, include, enveloped = formats(cursor), includes(cursor), envelope(cursor)
    references = _references(cursor)
    progress = cursor.name() if cursor.accept("EXPOSE", "PROGRESS", "AS") else None
    return CreateSource(
        name,
        upstream,
        cluster,
        format_of,
        include,
        enveloped,
        references,
        progress,
        with_options(cursor),
        skip,
        location=location,
    )


def _upstream(cursor: Cursor) -> Upstream:
    location = cursor.location
    if cursor.accept("LOAD", "GENERATOR"):
        kind, connection = f"LOAD GENERATOR {cursor.expect_any(*_GENERATORS)}", None
    else:
        kind = cursor.expect_any(*_KINDS)
        cursor.expect("CONNECTION")
        connection = cursor.name()
    options = option_list(cursor) if cursor.at_words("(") else ()
    return Upstream(kind, connection, options, location=location)


def _references(cursor: Cursor) -> AllTables | OfSchemas | OfTables | None:
    location = cursor.location
    if not cursor.accept("FOR"):
        return None
    match cursor.expect_any("ALL TABLES", "SCHEMAS", "TABLES"):
        case "ALL TABLES":
            return AllTables(location=location)
        case "SCHEMAS":
            return OfSchemas(cursor.parenthesized(cursor.identifier), location=location)
        case _:
            return OfTables(cursor.parenthesized(lambda: upstream_table(cursor)), location=location)


def upstream_table(cursor: Cursor) -> UpstreamTable:
    """name [AS name]"""
    name = cursor.name()
    alias = cursor.name() if cursor.accept("AS") else None
    return UpstreamTable(name, alias, location=name.location)
