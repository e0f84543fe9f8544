"""Cursors."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe


@dataclass(frozen=True, slots=True)
class Declare(Node):
    """`hold` is kept so that it can be refused."""

    name: str
    statement: SelectStatement | Subscribe
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Fetch(Node):
    """Forward only. `count` is None for ALL."""

    name: str
    count: int | None = 1
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Close(Node):
    """`name` is None for ALL."""

    name: str | None
