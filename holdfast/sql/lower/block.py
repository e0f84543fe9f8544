"""A block: one SELECT, or another place with expressions, while its expressions are given meanings.

Aggregates, window functions and functions that return rows are met inside of expressions, and computed before them.
Where one was met, the expression has a column for it at a position that no row has; `Placement` puts it where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from holdfast.plan.functions.function import TableFunction
from holdfast.plan.relation import AggregateCall, Columns, OrderKey, Relation, WindowCall
from holdfast.plan.scalar import Column, Scalar
from holdfast.sql.catalog import Catalog
from holdfast.sql.coerce import Coercion
from holdfast.sql.parameters import Parameters
from holdfast.sql.scope import Scope
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.expression import Window as WindowSyntax
from holdfast.sql.syntax.query import Query
from holdfast.sql.term import Term

AGGREGATES: Final = 1 << 24
GROUPINGS: Final = 1 << 25
WINDOWS: Final = 1 << 26
TABLES: Final = 1 << 27
QUERY: Final = 1 << 28
"""Where the columns of a query begin in the predicate of ANY."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a query, by the name that errors have for it, and what may stand in it."""

    name: str
    aggregates: bool = False
    windows: bool = False
    tables: bool = False


SELECT: Final = Clause("SELECT", aggregates=True, windows=True, tables=True)
ORDER_BY: Final = Clause("ORDER BY", aggregates=True, windows=True, tables=True)
DISTINCT_ON: Final = Clause("DISTINCT ON", aggregates=True, windows=True, tables=True)
GROUP_BY: Final = Clause("GROUP BY", tables=True)
HAVING: Final = Clause("HAVING", aggregates=True)
WHERE: Final = Clause("WHERE")
JOIN: Final = Clause("JOIN conditions")
VALUES: Final = Clause("VALUES")
LIMIT: Final = Clause("LIMIT")
OFFSET: Final = Clause("OFFSET")
FUNCTIONS: Final = Clause("functions in FROM", tables=True)
WINDOW: Final = Clause("window definitions", aggregates=True, tables=True)
FILTER: Final = Clause("FILTER")


@dataclass(frozen=True, slots=True)
class TableCall:
    """A function that returns rows, called in a SELECT list."""

    function: TableFunction
    arguments: tuple[Scalar, ...]
    returns: Columns


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that was named in an expression, and where; `inner` in a query inside of the expression."""

    column: Column
    shown: str
    location: int
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Common:
    """A common table: its plan as others may get it, what its columns are called, and where it counts its uses."""

    relation: Relation
    names: tuple[str, ...]
    uses: list[int]


@dataclass(frozen=True, slots=True)
class Rows:
    """A query that has been lowered: the terms that its columns are, over `relation`, and what they are called.

    They are not computed yet, as a literal may still get a type from what the query stands in. `order` is over
    `relation` too; `limit` and `offset` are not.
    """

    relation: Relation
    terms: tuple[Term, ...]
    names: tuple[str, ...]
    order: tuple[OrderKey, ...] = ()
    limit: Scalar | None = None
    offset: Scalar | None = None
    scope: Scope | None = None
    """The names of a SELECT's FROM, for what stands after it."""


LowerTerm: TypeAlias = "Callable[[Expression, Block], Term]"
LowerQuery: TypeAlias = "Callable[[Query, Statement, Scope | None, Mapping[str, Common]], Rows]"


class Statement:
    """What is the same throughout one statement, and how what stands inside of others is lowered."""

    def __init__(
        self, catalog: Catalog, parameters: Parameters, lower_term: LowerTerm, lower_query: LowerQuery
    ) -> None:
        self.catalog, self.parameters = catalog, parameters
        self.coercion = Coercion(parameters)
        self.lower_term, self.lower_query = lower_term, lower_query
        self._names: set[str] = set()
        self.query_names: dict[int, str] = {}
        """What the column of a query in the place of a value is called, by the identity of its syntax."""
        self.coming: list[str] = []
        """Common tables that are still to come."""

    def fresh(self, name: str) -> str:
        """A name for a common subplan, like `name`, that no other has."""
        found, number = name, 1
        while found in self._names:
            number += 1
            found = f"{name}_{number}"
        self._names.add(found)
        return found


@dataclass(slots=True, eq=False)
class Block:
    statement: Statement
    scope: Scope
    common: Mapping[str, Common]
    clause: Clause = WHERE
    aggregates: dict[AggregateCall, int] = field(default_factory=dict)
    groupings: dict[tuple[Scalar, ...], int] = field(default_factory=dict)
    windows: dict[WindowCall, int] = field(default_factory=dict)
    tables: dict[TableCall, int] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    named_windows: Mapping[str, WindowSyntax] = field(default_factory=dict)
    grouping_locations: list[tuple[Scalar, int]] = field(default_factory=list)
    direct: list[Scalar] = field(default_factory=list)
    """Arguments of aggregates that stand before WITHIN GROUP, which are those of a group and not of its rows."""
    direct_references: list[Reference] = field(default_factory=list)
    locations: dict[int, int] = field(default_factory=dict)
    """Where the last aggregate, window function and function that returns rows were met."""

    def __post_init__(self) -> None:
        self.scope.block = self

    @property
    def coercion(self) -> Coercion:
        return self.statement.coercion

    def term(self, expression: Expression) -> Term:
        """What the expression means here."""
        return self.statement.lower_term(expression, self)

    def query(self, query: Query) -> Rows:
        """A query inside of an expression, for which the row here is the nearest around."""
        return self.statement.lower_query(query, self.statement, self.scope, self.common)

    @contextmanager
    def in_clause(self, clause: Clause) -> Iterator[None]:
        before, self.clause = self.clause, clause
        try:
            yield
        finally:
            self.clause = before

    def aggregate(self, call: AggregateCall, location: int) -> Column:
        index = self.aggregates.setdefault(call, len(self.aggregates))
        self.locations[AGGREGATES] = location
        return Column(AGGREGATES + index, call.type, call.nullable)

    def window(self, call: WindowCall, location: int) -> Column:
        index = self.windows.setdefault(call, len(self.windows))
        self.locations[WINDOWS] = location
        return Column(WINDOWS + index, call.type, call.nullable)

    def table(self, call: TableCall, location: int) -> list[Column]:
        """The columns that the call returns."""
        self.locations[TABLES] = location
        index = self.tables.setdefault(call, sum(len(other.returns) for other in self.tables))
        return [Column(TABLES + index + place, found.type, True) for place, found in enumerate(call.returns)]
