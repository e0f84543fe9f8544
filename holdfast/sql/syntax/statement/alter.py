"""ALTER."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.create import ColumnDefinition, UpstreamTable
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.role import RoleAttribute
from holdfast.sql.syntax.statement.session import ResetVariable, SetVariable


@dataclass(frozen=True, slots=True)
class Rename(Node):
    kind: Kind
    name: ObjectName
    new_name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ChangeOwner(Node):
    kind: Kind
    name: ObjectName
    owner: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ChangeSchema(Node):
    """SET SCHEMA"""

    kind: Kind
    name: ObjectName
    schema: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ChangeCluster(Node):
    """SET CLUSTER"""

    kind: Kind
    name: ObjectName
    cluster: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Swap(Node):
    """Of clusters, or of schemas."""

    kind: Kind
    name: ObjectName
    other: str


@dataclass(frozen=True, slots=True)
class SetOptions(Node):
    """SET (...) [WITH (...)]"""

    kind: Kind
    name: ObjectName
    options: tuple[Option, ...]
    with_options: tuple[Option, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ResetOptions(Node):
    """RESET (...)"""

    kind: Kind
    name: ObjectName
    options: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetConnectionOption(Node):
    option: Option


@dataclass(frozen=True, slots=True)
class DropConnectionOption(Node):
    """DROP and RESET mean the same."""

    name: str


@dataclass(frozen=True, slots=True)
class AlterConnection(Node):
    """All changes happen together or not at all."""

    name: ObjectName
    changes: tuple[SetConnectionOption | DropConnectionOption, ...]
    with_options: tuple[Option, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RotateKeys(Node):
    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ApplyReplacement(Node):
    name: ObjectName
    replacement: ObjectName


@dataclass(frozen=True, slots=True)
class AddSubsources(Node):
    name: ObjectName
    tables: tuple[UpstreamTable, ...]
    options: tuple[Option, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RefreshReferences(Node):
    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetSinkFrom(Node):
    name: ObjectName
    relation: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSecret(Node):
    """The value is never shown by `repr`."""

    name: ObjectName
    value: Expression = field(repr=False)
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddColumn(Node):
    name: ObjectName
    column: ColumnDefinition
    if_exists: bool = False
    column_if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterRole(Node):
    """Attributes, or one parameter that new sessions of the role get."""

    name: str
    attributes: tuple[RoleAttribute, ...] = ()
    parameter: SetVariable | ResetVariable | None = None


@dataclass(frozen=True, slots=True)
class AlterSystem(Node):
    """`change` is a RESET without a name for ALL."""

    change: SetVariable | ResetVariable


Alter = (
    Rename
    | ChangeOwner
    | ChangeSchema
    | ChangeCluster
    | Swap
    | SetOptions
    | ResetOptions
    | AlterConnection
    | RotateKeys
    | ApplyReplacement
    | AddSubsources
    | RefreshReferences
    | SetSinkFrom
    | AlterSecret
    | AddColumn
    | AlterRole
    | AlterSystem
)
