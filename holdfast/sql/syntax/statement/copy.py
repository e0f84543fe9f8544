"""COPY, both ways."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.subscribe import Subscribe


@dataclass(frozen=True, slots=True)
class CopyFrom(Node):
    """Into a table. `source` is None for STDIN."""

    table: ObjectName
    columns: tuple[str, ...] = ()
    source: Expression | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyTo(Node):
    """Out of a table or a query. `target` is None for STDOUT."""

    relation: ObjectName | SelectStatement | Subscribe
    columns: tuple[str, ...] = ()
    target: Expression | None = None
    options: tuple[Option, ...] = ()
