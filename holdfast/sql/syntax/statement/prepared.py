"""Prepared statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.types import TypeName

if TYPE_CHECKING:
    from holdfast.sql.syntax.statement import Statement


@dataclass(frozen=True, slots=True)
class Prepare(Node):
    name: str
    statement: Statement
    types: tuple[TypeName, ...] = ()


@dataclass(frozen=True, slots=True)
class Execute(Node):
    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate(Node):
    """`name` is None for ALL."""

    name: str | None
