"""Reading and changing rows."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.literal_rows import LiteralRows
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import AsOf, FromItem, Query, Target, Values, With, WithMutuallyRecursive


@dataclass(frozen=True, slots=True)
class SelectStatement(Node):
    """A query on its own, perhaps at a time of the user's choice."""

    query: Query
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    """`column = value`, or `(columns) = value` when the value is a `row` for them."""

    columns: tuple[str, ...]
    value: Expression
    row: bool = False


@dataclass(frozen=True, slots=True)
class OnConflict(Node):
    """Kept so that it can be refused. It does nothing when there are no assignments."""

    target: tuple[Expression, ...] = ()
    constraint: str | None = None
    target_where: Expression | None = None
    assignments: tuple[Assignment, ...] = ()
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class Insert(Node):
    """`source` is None for DEFAULT VALUES."""

    table: ObjectName
    columns: tuple[str, ...]
    source: Query | None
    alias: str | None = None
    on_conflict: OnConflict | None = None
    returning: tuple[Target, ...] = ()
    common: With | WithMutuallyRecursive | None = None

    @property
    def literal_rows(self) -> LiteralRows | None:
        """Its rows, if it was read as one of literals alone."""
        body = None if self.source is None else self.source.body
        return body.rows if isinstance(body, Values) and isinstance(body.rows, LiteralRows) else None


@dataclass(frozen=True, slots=True)
class Update(Node):
    table: ObjectName
    assignments: tuple[Assignment, ...]
    alias: str | None = None
    from_items: tuple[FromItem, ...] = ()
    where: Expression | None = None
    returning: tuple[Target, ...] = ()
    common: With | WithMutuallyRecursive | None = None


@dataclass(frozen=True, slots=True)
class Delete(Node):
    table: ObjectName
    alias: str | None = None
    using: tuple[FromItem, ...] = ()
    where: Expression | None = None
    returning: tuple[Target, ...] = ()
    common: With | WithMutuallyRecursive | None = None
