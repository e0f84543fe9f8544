"""FORMAT, ENVELOPE and INCLUDE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from holdfast.sql.render.option import options
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted, identifier, names, string
from holdfast.sql.syntax.statement.format import (
    AvroSchema,
    CsvFormat,
    Envelope,
    Format,
    Formats,
    Include,
    IncludeHeader,
    IncludeMetadata,
    PlainFormat,
    ProtobufMessage,
    RegexFormat,
    RegistryFormat,
    SchemaStrategy,
)


def formats(given: Formats | None) -> list[str]:
    """The clause, if there is one."""
    if given is None:
        return []
    if given.key is None:
        return [f"FORMAT {format_of(given.value)}"]
    return [f"KEY FORMAT {format_of(given.key)} VALUE FORMAT {format_of(given.value)}"]


def format_of(given: Format) -> str:
    match given:
        case RegistryFormat():
            return _registry(given)
        case AvroSchema(schema=schema):
            return f"AVRO USING SCHEMA {string(schema)}"
        case ProtobufMessage(message=message, schema=schema):
            return f"PROTOBUF MESSAGE {string(message)} USING SCHEMA {string(schema)}"
        case CsvFormat(columns=columns, header=header, delimiter=delimiter):
            text = f"CSV WITH {columns} COLUMNS" if columns is not None else "CSV WITH HEADER"
            text += f" ({names(header)})" if header else ""
            return text if delimiter is None else f"{text} DELIMITED BY {string(delimiter)}"
        case RegexFormat(pattern=pattern):
            return f"REGEX {string(pattern)}"
        case PlainFormat(kind=kind):
            return kind
        case _:
            assert_never(given)


def _registry(given: RegistryFormat) -> str:
    text = f"{given.encoding} USING {given.registry} SCHEMA REGISTRY CONNECTION {dotted(given.connection.parts)}"
    text += f" ({options(given.options, SQL)})" if given.options else ""
    return text + "".join(map(_strategy, given.strategies))


def _strategy(given: SchemaStrategy) -> str:
    match given.argument:
        case None:
            argument = ""
        case str() as schema:
            argument = f" {string(schema)}"
        case number:
            argument = f" {number}"
    return f" {given.part} STRATEGY {given.kind}{argument}"


def envelope(given: Envelope | None) -> list[str]:
    """The clause, if there is one."""
    if given is None:
        return []
    listed = f" ({options(given.options, SQL)})" if given.options else ""
    return [f"ENVELOPE {given.kind}{listed}"]


def includes(given: Iterable[Include]) -> list[str]:
    """The clause, if there is one."""
    listed = ", ".join(map(_include, given))
    return [f"INCLUDE {listed}"] if listed else []


def _include(given: Include) -> str:
    match given:
        case IncludeHeader(header=header, alias=name, bytes=as_bytes):
            return f"HEADER {string(header)} AS {identifier(name)}{' BYTES' if as_bytes else ''}"
        case IncludeMetadata(kind=kind, alias=alias, filters=filters):
            listed = ", ".join(("NOT " if item.negated else "") + string(item.header) for item in filters)
            text = f"{kind} ({listed})" if listed else kind
            return text if alias is None else f"{text} AS {identifier(alias)}"
        case _:
            assert_never(given)
