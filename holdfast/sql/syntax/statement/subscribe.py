"""SUBSCRIBE: a query whose changes are wanted."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.expression import Expression, Order
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.query import AsOf, Query


@dataclass(frozen=True, slots=True)
class UpsertOutput(Node):
    """ENVELOPE UPSERT (KEY (...))"""

    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DebeziumOutput(Node):
    """ENVELOPE DEBEZIUM (KEY (...))"""

    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrderedOutput(Node):
    """WITHIN TIMESTAMP ORDER BY"""

    order_by: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Subscribe(Node):
    relation: ObjectName | Query
    output: UpsertOutput | DebeziumOutput | OrderedOutput | None = None
    options: tuple[Option, ...] = ()
    as_of: AsOf | None = None
    up_to: Expression | None = None
