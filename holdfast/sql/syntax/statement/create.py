"""CREATE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.query import AsOf, ColumnType, Query
from holdfast.sql.syntax.statement.format import Envelope, Format, Formats, Include
from holdfast.sql.syntax.statement.role import RoleAttribute
from holdfast.sql.syntax.types import TypeName


@dataclass(frozen=True, slots=True)
class CreateDatabase(Node):
    name: str
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateSchema(Node):
    name: ObjectName
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ColumnDefinition(Node):
    name: str
    type: TypeName
    nullable: bool = True
    default: Expression | None = None


@dataclass(frozen=True, slots=True)
class TableConstraint(Node):
    """PRIMARY KEY or UNIQUE, kept so that it can be refused."""

    kind: Literal["PRIMARY KEY", "UNIQUE"]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CreateTable(Node):
    name: ObjectName
    columns: tuple[ColumnDefinition, ...]
    constraints: tuple[TableConstraint, ...] = ()
    temporary: bool = False
    if_not_exists: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateTableFromSource(Node):
    """A table that a source fills. `columns` may name the columns."""

    name: ObjectName
    source: ObjectName
    reference: ObjectName | None = None
    columns: tuple[str, ...] = ()
    formats: Formats | None = None
    include: tuple[Include, ...] = ()
    envelope: Envelope | None = None
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateView(Node):
    name: ObjectName
    query: Query
    columns: tuple[str, ...] = ()
    temporary: bool = False
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateMaterializedView(Node):
    """`replaces` is the view that a REPLACEMENT is made for."""

    name: ObjectName
    query: Query
    columns: tuple[str, ...] = ()
    replaces: ObjectName | None = None
    cluster: str | None = None
    options: tuple[Option, ...] = ()
    as_of: AsOf | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateIndex(Node):
    """`key` is None for a DEFAULT INDEX."""

    on: ObjectName
    key: tuple[Expression, ...] | None
    name: str | None = None
    cluster: str | None = None
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class RecordDefinition(Node):
    fields: tuple[ColumnType, ...]


@dataclass(frozen=True, slots=True)
class ListDefinition(Node):
    element: TypeName


@dataclass(frozen=True, slots=True)
class MapDefinition(Node):
    key: TypeName
    value: TypeName


@dataclass(frozen=True, slots=True)
class CreateType(Node):
    name: ObjectName
    definition: RecordDefinition | ListDefinition | MapDefinition


@dataclass(frozen=True, slots=True)
class CreateSecret(Node):
    """The value is never shown by `repr`."""

    name: ObjectName
    value: Expression = field(repr=False)
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateCluster(Node):
    name: str
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateClusterReplica(Node):
    cluster: str
    name: str
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateRole(Node):
    name: str
    attributes: tuple[RoleAttribute, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateNetworkPolicy(Node):
    name: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateConnection(Node):
    """`kind` is the words after TO: KAFKA, POSTGRES, AWS PRIVATELINK, ..."""

    name: ObjectName
    kind: str
    options: tuple[Option, ...] = ()
    with_options: tuple[Option, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class Upstream(Node):
    """What a source reads: a kind, the connection to it (a load generator has none), and options."""

    kind: str
    connection: ObjectName | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class UpstreamTable(Node):
    name: ObjectName
    alias: ObjectName | None = None


@dataclass(frozen=True, slots=True)
class AllTables(Node):
    """FOR ALL TABLES"""


@dataclass(frozen=True, slots=True)
class OfSchemas(Node):
    schemas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfTables(Node):
    tables: tuple[UpstreamTable, ...]


@dataclass(frozen=True, slots=True)
class CreateSource(Node):
    name: ObjectName
    upstream: Upstream
    cluster: str | None = None
    formats: Formats | None = None
    include: tuple[Include, ...] = ()
    envelope: Envelope | None = None
    references: AllTables | OfSchemas | OfTables | None = None
    progress: ObjectName | None = None
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CheckInput(Node):
    """What a webhook's check can see, under a name."""

    kind: Literal["BODY", "HEADERS", "SECRET"]
    secret: ObjectName | None = None
    alias: str | None = None
    bytes: bool = False


@dataclass(frozen=True, slots=True)
class WebhookCheck(Node):
    condition: Expression
    inputs: tuple[CheckInput, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateWebhook(Node):
    """CREATE SOURCE | TABLE ... FROM WEBHOOK"""

    name: ObjectName
    body: Format
    as_table: bool = False
    cluster: str | None = None
    include: tuple[Include, ...] = ()
    check: WebhookCheck | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class SinkKey(Node):
    columns: tuple[str, ...]
    enforced: bool = True


@dataclass(frozen=True, slots=True)
class CreateSink(Node):
    """`mode` is that of an Iceberg sink, in place of formats and envelope."""

    relation: ObjectName
    into: Upstream
    name: ObjectName | None = None
    cluster: str | None = None
    key: SinkKey | None = None
    headers: str | None = None
    formats: Formats | None = None
    envelope: Envelope | None = None
    mode: Literal["UPSERT", "APPEND"] | None = None
    options: tuple[Option, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class FunctionArgument(Node):
    """A type, perhaps with a name."""

    type: TypeName
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CreateFunction(Node):
    """A function in another language. A function that returns rows has `columns`, any other `returns`."""

    name: ObjectName
    arguments: tuple[FunctionArgument, ...]
    language: str
    body: str
    returns: TypeName | None = None
    columns: tuple[ColumnType, ...] = ()
    volatility: Literal["IMMUTABLE", "STABLE", "VOLATILE"] | None = None
    strict: bool = False
    options: tuple[Option, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False


Create = (
    CreateDatabase
    | CreateSchema
    | CreateTable
    | CreateTableFromSource
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateType
    | CreateSecret
    | CreateCluster
    | CreateClusterReplica
    | CreateRole
    | CreateNetworkPolicy
    | CreateConnection
    | CreateSource
    | CreateWebhook
    | CreateSink
    | CreateFunction
)
