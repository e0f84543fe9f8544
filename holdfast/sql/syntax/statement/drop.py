"""DROP, and what else ends the ownership of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.types import TypeName

Behavior = Literal["RESTRICT", "CASCADE"]


@dataclass(frozen=True, slots=True)
class Drop(Node):
    kind: Kind
    names: tuple[ObjectName, ...]
    if_exists: bool = False
    behavior: Behavior | None = None


@dataclass(frozen=True, slots=True)
class Signature(Node):
    """A function by its name, and by the types that it takes unless these are None."""

    name: ObjectName
    arguments: tuple[TypeName, ...] | None = None


@dataclass(frozen=True, slots=True)
class DropFunctions(Node):
    functions: tuple[Signature, ...]
    if_exists: bool = False
    behavior: Behavior | None = None


@dataclass(frozen=True, slots=True)
class DropOwned(Node):
    roles: tuple[str, ...]
    behavior: Behavior | None = None


@dataclass(frozen=True, slots=True)
class ReassignOwned(Node):
    roles: tuple[str, ...]
    to: str
