"""How the bytes of messages become rows and rows become bytes: formats, envelopes and metadata columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option


@dataclass(frozen=True, slots=True)
class SchemaStrategy(Node):
    """KEY | VALUE STRATEGY: LATEST, ID n or INLINE 'schema'."""

    part: Literal["KEY", "VALUE"]
    kind: Literal["LATEST", "ID", "INLINE"]
    argument: int | str | None = None


@dataclass(frozen=True, slots=True)
class RegistryFormat(Node):
    """A format whose schema a registry keeps."""

    encoding: Literal["AVRO", "PROTOBUF", "JSON"]
    registry: Literal["CONFLUENT", "AWS GLUE"]
    connection: ObjectName
    options: tuple[Option, ...] = ()
    strategies: tuple[SchemaStrategy, ...] = ()


@dataclass(frozen=True, slots=True)
class AvroSchema(Node):
    schema: str


@dataclass(frozen=True, slots=True)
class ProtobufMessage(Node):
    message: str
    schema: str


@dataclass(frozen=True, slots=True)
class CsvFormat(Node):
    """With a number of columns, or with a header, whose names may be given."""

    columns: int | None = None
    header: tuple[str, ...] = ()
    delimiter: str | None = None


@dataclass(frozen=True, slots=True)
class RegexFormat(Node):
    pattern: str


@dataclass(frozen=True, slots=True)
class PlainFormat(Node):
    kind: Literal["JSON", "JSON ARRAY", "TEXT", "BYTES"]


Format = RegistryFormat | AvroSchema | ProtobufMessage | CsvFormat | RegexFormat | PlainFormat


@dataclass(frozen=True, slots=True)
class Formats(Node):
    """FORMAT value, or KEY FORMAT key VALUE FORMAT value."""

    value: Format
    key: Format | None = None


@dataclass(frozen=True, slots=True)
class Envelope(Node):
    kind: Literal["NONE", "UPSERT", "DEBEZIUM", "MATERIALIZE"]
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class IncludeMetadata(Node):
    """INCLUDE KEY and its like. Only HEADERS of a webhook `excludes` some, or includes some."""

    kind: Literal["KEY", "PARTITION", "OFFSET", "TIMESTAMP", "HEADERS"]
    alias: str | None = None
    filters: tuple[HeaderFilter, ...] = ()


@dataclass(frozen=True, slots=True)
class HeaderFilter(Node):
    header: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IncludeHeader(Node):
    """INCLUDE HEADER 'key' AS alias [BYTES]"""

    header: str
    alias: str
    bytes: bool = False


Include = IncludeMetadata | IncludeHeader
