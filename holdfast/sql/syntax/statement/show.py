"""SHOW."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement.drop import Signature
from holdfast.sql.syntax.statement.kind import Kind


@dataclass(frozen=True, slots=True)
class ShowLike(Node):
    pattern: str


@dataclass(frozen=True, slots=True)
class ShowWhere(Node):
    condition: Expression


@dataclass(frozen=True, slots=True)
class ShowObjects(Node):
    """`what` is the plural of a kind, or OBJECTS, or SUBSOURCES. `on` is an index's or a subsource's."""

    what: str
    within: ObjectName | None = None
    on: ObjectName | None = None
    cluster: str | None = None
    filter: ShowLike | ShowWhere | None = None


@dataclass(frozen=True, slots=True)
class ShowColumns(Node):
    relation: ObjectName
    filter: ShowLike | ShowWhere | None = None


@dataclass(frozen=True, slots=True)
class ShowCreate(Node):
    kind: Kind
    name: ObjectName
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class ShowCreateFunction(Node):
    function: Signature
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class ShowPrivileges(Node):
    """`default` shows the default privileges. `on` is the plural of a kind, or SYSTEM."""

    on: str | None = None
    role: str | None = None
    default: bool = False


@dataclass(frozen=True, slots=True)
class ShowRoleMembership(Node):
    role: str | None = None


@dataclass(frozen=True, slots=True)
class ShowVariable(Node):
    """`name` is None for ALL."""

    name: str | None


Show = ShowObjects | ShowColumns | ShowCreate | ShowCreateFunction | ShowPrivileges | ShowRoleMembership | ShowVariable
