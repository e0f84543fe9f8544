"""Privileges and role membership."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.errors import UsageError
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement.kind import Kind

PRIVILEGES = (
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "USAGE",
    "CREATE",
    "CREATEDB",
    "CREATEROLE",
    "CREATECLUSTER",
    "CREATENETWORKPOLICY",
    "EXECUTE",
)
"""All there are."""


@dataclass(frozen=True, slots=True)
class OnObjects(Node):
    """Objects by name."""

    kind: Kind
    names: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True)
class OnAll(Node):
    """All objects of a kind: of the schemas, of the databases, or everywhere."""

    kind: Kind
    schemas: tuple[ObjectName, ...] = ()
    databases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OnSystem(Node):
    """The system itself."""


Subject = OnObjects | OnAll | OnSystem


@dataclass(frozen=True, slots=True)
class Grant(Node):
    """`privileges` are empty for ALL. The role PUBLIC is `public`."""

    privileges: tuple[str, ...]
    subject: Subject
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Revoke(Node):
    privileges: tuple[str, ...]
    subject: Subject
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GrantRole(Node):
    granted: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevokeRole(Node):
    revoked: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlterDefaultPrivileges(Node):
    """`creators` are empty for ALL ROLES. `change` is of all objects of a kind to come, within schemas or databases."""

    creators: tuple[str, ...]
    change: Grant | Revoke

    @property
    def on(self) -> OnAll:
        """The objects to come."""
        if not isinstance(self.change.subject, OnAll):
            raise UsageError("default privileges are of all objects of a kind")
        return self.change.subject
