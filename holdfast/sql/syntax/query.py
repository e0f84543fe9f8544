"""Queries: what may stand wherever rows are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.expression import Expression, Order, Window
from holdfast.sql.syntax.literal_rows import LiteralRows
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.types import TypeName


@dataclass(frozen=True, slots=True)
class Alias(Node):
    """`AS name (columns)`"""

    name: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnType(Node):
    """`name type`"""

    name: str
    type: TypeName


@dataclass(frozen=True, slots=True)
class Table(Node):
    name: ObjectName
    alias: Alias | None = None


@dataclass(frozen=True, slots=True)
class Derived(Node):
    """`(query) AS alias`"""

    query: Query
    alias: Alias | None = None
    lateral: bool = False


@dataclass(frozen=True, slots=True)
class FunctionRows(Node):
    """One function in FROM, or of ROWS FROM, perhaps with the columns of the record it returns."""

    function: Expression
    columns: tuple[ColumnType, ...] = ()


@dataclass(frozen=True, slots=True)
class Functions(Node):
    """Functions in FROM. More than one is always `rows_from`.

    Column definitions are in `columns` here when the function stands alone, and in the functions of ROWS FROM.
    """

    functions: tuple[FunctionRows, ...]
    rows_from: bool = False
    alias: Alias | None = None
    columns: tuple[ColumnType, ...] = ()
    lateral: bool = False
    ordinality: bool = False


@dataclass(frozen=True, slots=True)
class Join(Node):
    """A join. CROSS has no condition; NATURAL, USING and ON exclude one another. `alias` is that of the parentheses."""

    kind: Literal["INNER", "LEFT", "RIGHT", "FULL", "CROSS"]
    left: FromItem
    right: FromItem
    natural: bool = False
    using: tuple[str, ...] = ()
    using_alias: str | None = None
    on: Expression | None = None
    alias: Alias | None = None


FromItem = Table | Derived | Functions | Join


@dataclass(frozen=True, slots=True)
class Target(Node):
    expression: Expression
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Distinct(Node):
    """DISTINCT, or DISTINCT ON when there are expressions."""

    on: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupingSet(Node):
    """`()`, `ROLLUP (...)`, `CUBE (...)` or `GROUPING SETS (...)`; only EMPTY has no items."""

    kind: Literal["EMPTY", "ROLLUP", "CUBE", "GROUPING SETS"]
    items: tuple[Expression | GroupingSet, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedWindow(Node):
    name: str
    window: Window


@dataclass(frozen=True, slots=True)
class Select(Node):
    """One SELECT. `hints` are the OPTIONS of it."""

    targets: tuple[Target, ...]
    from_items: tuple[FromItem, ...] = ()
    where: Expression | None = None
    group_by: tuple[Expression | GroupingSet, ...] = ()
    group_distinct: bool = False
    having: Expression | None = None
    windows: tuple[NamedWindow, ...] = ()
    distinct: Distinct | None = None
    hints: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Values(Node):
    """One row or more."""

    rows: tuple[tuple[Expression, ...], ...] | LiteralRows


@dataclass(frozen=True, slots=True)
class SetOperation(Node):
    """A branch is a whole `Query` only where it has a WITH, ORDER BY, LIMIT or OFFSET of its own."""

    kind: Literal["UNION", "INTERSECT", "EXCEPT"]
    left: Body
    right: Body
    all: bool = False


@dataclass(frozen=True, slots=True)
class CommonTable(Node):
    """`name (columns) AS (query)`; `materialized` is None where nothing was said."""

    name: str
    query: Query
    columns: tuple[str, ...] = ()
    materialized: bool | None = None


@dataclass(frozen=True, slots=True)
class RecursiveTable(Node):
    """`name (column type, ...) AS (query)`, whose columns are one or more."""

    name: str
    columns: tuple[ColumnType, ...]
    query: Query


@dataclass(frozen=True, slots=True)
class With(Node):
    """With `recursive`, a table may read itself."""

    tables: tuple[CommonTable, ...]
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class WithMutuallyRecursive(Node):
    """`WITH MUTUALLY RECURSIVE (options) ...`"""

    tables: tuple[RecursiveTable, ...]
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit(Node):
    """LIMIT or FETCH FIRST. `count` is None for LIMIT ALL."""

    count: Expression | None
    with_ties: bool = False


@dataclass(frozen=True, slots=True)
class Query(Node):
    """A body is itself a `Query` only as the branch of a `SetOperation`, never here."""

    body: Body
    common: With | WithMutuallyRecursive | None = None
    order_by: tuple[Order, ...] = ()
    limit: Limit | None = None
    offset: Expression | None = None


Body = Select | Values | SetOperation | Query


@dataclass(frozen=True, slots=True)
class AsOf(Node):
    """`AS OF time`, or `AS OF AT LEAST time`."""

    time: Expression
    at_least: bool = False
