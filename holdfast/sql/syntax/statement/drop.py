"""DROP, and what else ends the ownership of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement.kind import Kind

Behavior = Literal["RESTRICT", "CASCADE"]


@dataclass(frozen=True, slots=True)
class Drop(Node):
    kind: Kind
    names: tuple[ObjectName, ...]
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
