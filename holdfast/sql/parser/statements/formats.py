"""FORMAT, ENVELOPE and INCLUDE, which sources, sinks and tables share."""

from __future__ import annotations

from typing import Literal

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import option_list
from holdfast.sql.syntax.statement.format import (
    AvroSchema,
    CsvFormat,
    Envelope,
    Format,
    Formats,
    HeaderFilter,
    Include,
    IncludeHeader,
    IncludeMetadata,
    PlainFormat,
    ProtobufMessage,
    RegexFormat,
    RegistryFormat,
    SchemaStrategy,
)


def formats(cursor: Cursor) -> Formats | None:
    """FORMAT ..., or KEY FORMAT ... VALUE FORMAT ..., if it stands here."""
    location = cursor.location
    if cursor.accept("FORMAT"):
        return Formats(format_of(cursor), location=location)
    if not cursor.accept("KEY", "FORMAT"):
        return None
    key = format_of(cursor)
    cursor.expect("VALUE", "FORMAT")
    return Formats(format_of(cursor), key, location=location)


def format_of(cursor: Cursor) -> Format:
    """After FORMAT."""
    location = cursor.location
    match cursor.expect_any("AVRO", "PROTOBUF", "JSON ARRAY", "JSON", "TEXT", "BYTES", "CSV", "REGEX"):
        case "AVRO":
            cursor.expect("USING")
            if cursor.accept("SCHEMA"):
                return AvroSchema(cursor.string(), location=location)
            return _registry(cursor, "AVRO", location)
        case "PROTOBUF":
            if cursor.accept("MESSAGE"):
                message = cursor.string()
                cursor.expect("USING", "SCHEMA")
                return ProtobufMessage(message, cursor.string(), location=location)
            cursor.expect("USING")
            return _registry(cursor, "PROTOBUF", location)
        case "JSON ARRAY":
            return PlainFormat("JSON ARRAY", location=location)
        case "JSON":
            if cursor.accept("USING"):
                return _registry(cursor, "JSON", location)
            return PlainFormat("JSON", location=location)
        case "TEXT":
            return PlainFormat("TEXT", location=location)
        case "BYTES":
            return PlainFormat("BYTES", location=location)
        case "CSV":
            return _csv(cursor, location)
        case _:
            return RegexFormat(cursor.string(), location=location)


def _registry(cursor: Cursor, encoding: Literal["AVRO", "PROTOBUF", "JSON"], location: int) -> RegistryFormat:
    registry: Literal["CONFLUENT", "AWS GLUE"] = "CONFLUENT" if cursor.accept("CONFLUENT") else "AWS GLUE"
    if registry == "AWS GLUE":
        cursor.expect("AWS", "GLUE")
    cursor.expect("SCHEMA", "REGISTRY", "CONNECTION")
    connection = cursor.name()
    options = option_list(cursor) if cursor.at_words("(") else ()
    strategies: list[SchemaStrategy] = []
    while cursor.at_words("KEY", "STRATEGY") or cursor.at_words("VALUE", "STRATEGY"):
        strategies.append(_strategy(cursor))
    return RegistryFormat(encoding, registry, connection, options, tuple(strategies), location=location)


def _strategy(cursor: Cursor) -> SchemaStrategy:
    location = cursor.location
    part: Literal["KEY", "VALUE"] = "KEY" if cursor.accept("KEY") else "VALUE"
    cursor.accept("VALUE")
    cursor.expect("STRATEGY")
    match cursor.expect_any("LATEST", "ID", "INLINE"):
        case "LATEST":
            return SchemaStrategy(part, "LATEST", location=location)
        case "ID":
            return SchemaStrategy(part, "ID", cursor.integer(), location=location)
        case _:
            return SchemaStrategy(part, "INLINE", cursor.string(), location=location)


def _csv(cursor: Cursor, location: int) -> CsvFormat:
    cursor.expect("WITH")
    columns: int | None = None
    header: tuple[str, ...] = ()
    if cursor.accept("HEADER"):
        header = cursor.columns()
    else:
        columns = cursor.integer()
        cursor.expect("COLUMNS")
    delimiter = cursor.string() if cursor.accept("DELIMITED", "BY") else None
    return CsvFormat(columns, header, delimiter, location=location)


def envelope(cursor: Cursor) -> Envelope | None:
    """ENVELOPE ... if it stands here."""
    location = cursor.location
    if not cursor.accept("ENVELOPE"):
        return None
    match cursor.expect_any("NONE", "UPSERT", "DEBEZIUM", "MATERIALIZE"):
        case "UPSERT":
            options = option_list(cursor) if cursor.at_words("(") else ()
            return Envelope("UPSERT", options, location=location)
        case "DEBEZIUM":
            return Envelope("DEBEZIUM", location=location)
        case "MATERIALIZE":
            return Envelope("MATERIALIZE", location=location)
        case _:
            return Envelope("NONE", location=location)


def includes(cursor: Cursor) -> tuple[Include, ...]:
    """INCLUDE ..., with commas or with INCLUDE again between the items."""
    found: list[Include] = []
    while cursor.accept("INCLUDE"):
        found += cursor.separated(lambda: _include(cursor))
    return tuple(found)


def _include(cursor: Cursor) -> Include:
    location = cursor.location
    if cursor.accept("HEADER"):
        header = cursor.string()
        cursor.expect("AS")
        named = cursor.identifier()
        return IncludeHeader(header, named, cursor.accept("BYTES"), location=location)
    kind: Literal["KEY", "PARTITION", "OFFSET", "TIMESTAMP", "HEADERS"]
    match cursor.expect_any("KEY", "PARTITION", "OFFSET", "TIMESTAMP", "HEADERS"):
        case "KEY" | "PARTITION" | "OFFSET" | "TIMESTAMP" as word:
            kind = word
        case _:
            kind = "HEADERS"
    filters: tuple[HeaderFilter, ...] = ()
    if kind == "HEADERS" and cursor.at_words("("):
        filters = cursor.parenthesized(lambda: _header_filter(cursor))
    alias = cursor.identifier() if cursor.accept("AS") else None
    return IncludeMetadata(kind, alias, filters, location=location)


def _header_filter(cursor: Cursor) -> HeaderFilter:
    location = cursor.location
    negated = cursor.accept("NOT")
    return HeaderFilter(cursor.string(), negated, location=location)
