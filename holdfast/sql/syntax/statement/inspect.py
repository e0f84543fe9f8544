"""Statements that look at objects, or say something about them, and change none."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import AsOf, Query
from holdfast.sql.syntax.statement.kind import Kind


@dataclass(frozen=True, slots=True)
class Verify(Node):
    """Compare a maintained object with its query run from scratch. The kind is an index or a materialized view."""

    kind: Kind
    name: ObjectName
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class Inspect(Node):
    """The state of a shard by its id."""

    shard: str


@dataclass(frozen=True, slots=True)
class ValidateConnection(Node):
    name: ObjectName


@dataclass(frozen=True, slots=True)
class Comment(Node):
    """`kind` is None for a column, whose name is the last part. `text` is None to remove the comment."""

    kind: Kind | None
    name: ObjectName
    text: str | None


@dataclass(frozen=True, slots=True)
class Mock(Node):
    """Rows that stand for a relation in a unit test."""

    name: ObjectName
    columns: tuple[str, ...]
    query: Query


@dataclass(frozen=True, slots=True)
class UnitTest(Node):
    """EXECUTE UNIT TEST"""

    name: str
    view: ObjectName
    expected_columns: tuple[str, ...]
    expected: Query
    mocks: tuple[Mock, ...] = ()
    at_time: Expression | None = None
