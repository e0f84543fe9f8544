"""Names as they are written: already folded to lower case where they were not quoted."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.node import Node


@dataclass(frozen=True, slots=True)
class ObjectName(Node):
    """One part or more: `object`, `schema.object`, `database.schema.object`."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OperatorName(Node):
    """`schema` is empty unless the operator was written as `OPERATOR(schema.symbol)`."""

    symbol: str
    schema: tuple[str, ...] = ()
