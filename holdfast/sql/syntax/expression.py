"""Expressions.

PostgreSQL's grammar has already made these the same: the three spellings of a
cast, typed literals and casts of strings, `AT TIME ZONE`, `EXTRACT`,
`OVERLAY`, `POSITION`, `SUBSTRING` and `TRIM` and the calls in `pg_catalog` that
they stand for, and a minus before a number and a negative number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from holdfast.sql.syntax.name import ObjectName, OperatorName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.types import TypeName

if TYPE_CHECKING:
    from holdfast.sql.syntax.query import Query


@dataclass(frozen=True, slots=True)
class NullLiteral(Node):
    """`NULL`"""


@dataclass(frozen=True, slots=True)
class BooleanLiteral(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class IntegerLiteral(Node):
    """A number whose absolute value is at most 2147483647; any other is a `NumericLiteral`."""

    value: int


@dataclass(frozen=True, slots=True)
class NumericLiteral(Node):
    """A number as it was written, perhaps with a minus before it."""

    text: str


@dataclass(frozen=True, slots=True)
class StringLiteral(Node):
    value: str


@dataclass(frozen=True, slots=True)
class BitStringLiteral(Node):
    """`B'01'` or `X'1F'`, by the digits between the quotes."""

    base: Literal["B", "X"]
    digits: str


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """`$1` has number 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Column(Node):
    """A name that may be a column, a relation or a field: only its scope can say."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Star(Node):
    """`*`, or `name.*` when `qualifier` has parts."""

    qualifier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`(operand).name`. Without the parentheses, `a.name` is a `Column` of two parts."""

    operand: Expression
    name: str


@dataclass(frozen=True, slots=True)
class FieldStar(Node):
    """`(operand).*`"""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Subscript(Node):
    """`operand[index]`. Subscripts in a row are of one array; `apart`, the operand and its own stand in parentheses."""

    operand: Expression
    index: Expression
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`operand[lower:upper]`, either bound of which may be absent. `apart` is as for a `Subscript`."""

    operand: Expression
    lower: Expression | None
    upper: Expression | None
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """A prefix operator. A minus is never before a number: that is a negative number."""

    operator: OperatorName
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    operator: OperatorName
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class And(Node):
    """Two terms or more, the first of which is no `And`."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """Two terms or more, the first of which is no `Or`."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Expression


@dataclass(frozen=True, slots=True)
class Like(Node):
    """`[NOT] LIKE`, `[NOT] ILIKE` or `[NOT] SIMILAR TO`, perhaps with ESCAPE."""

    kind: Literal["LIKE", "ILIKE", "SIMILAR TO"]
    operand: Expression
    pattern: Expression
    escape: Expression | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between(Node):
    operand: Expression
    low: Expression
    high: Expression
    symmetric: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsDistinctFrom(Node):
    left: Expression
    right: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull(Node):
    operand: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsBoolean(Node):
    operand: Expression
    value: Literal["TRUE", "FALSE", "UNKNOWN"]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InList(Node):
    """`operand [NOT] IN (item, ...)`, one item or more."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InQuery(Node):
    """`operand IN (query)`. NOT IN is a `Not` of it, as PostgreSQL has it."""

    operand: Expression
    query: Query


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """`left operator ANY | ALL (right)`; with a query, the rows are compared one by one.

    The operator is `~~`, `!~~`, `~~*` or `!~~*` where it was written as [NOT] LIKE or ILIKE.
    """

    operator: OperatorName
    quantifier: Literal["ANY", "ALL"]
    left: Expression
    right: Expression | Query


@dataclass(frozen=True, slots=True)
class Exists(Node):
    query: Query


@dataclass(frozen=True, slots=True)
class Subquery(Node):
    """A query in parentheses that stands for its one value."""

    query: Query


@dataclass(frozen=True, slots=True)
class CollectionQuery(Node):
    """`ARRAY(query)`, `LIST(query)` or `MAP(query)`"""

    kind: Literal["ARRAY", "LIST", "MAP"]
    query: Query


@dataclass(frozen=True, slots=True)
class Row(Node):
    """`ROW(...)`, or two or more items in parentheses when not `explicit`."""

    items: tuple[Expression, ...]
    explicit: bool = True


@dataclass(frozen=True, slots=True)
class Array(Node):
    """`ARRAY[...]`. An item that is itself an `Array` is one more dimension."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class List(Node):
    """`LIST[...]`"""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Map(Node):
    """`MAP[key => value, ...]`"""

    entries: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class When(Node):
    condition: Expression
    result: Expression


@dataclass(frozen=True, slots=True)
class Case(Node):
    """One branch or more. Without an operand, conditions are boolean; with one, they are compared with it."""

    operand: Expression | None
    branches: tuple[When, ...]
    otherwise: Expression | None = None


@dataclass(frozen=True, slots=True)
class Choice(Node):
    """The expressions that look like functions and are grammar: one item or more, two of NULLIF."""

    kind: Literal["COALESCE", "GREATEST", "LEAST", "NULLIF"]
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Cast(Node):
    operand: Expression
    type: TypeName


@dataclass(frozen=True, slots=True)
class Collate(Node):
    operand: Expression
    collation: ObjectName


CurrentKind = Literal[
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "CURRENT_ROLE",
    "CURRENT_USER",
    "USER",
    "SESSION_USER",
    "CURRENT_CATALOG",
    "CURRENT_SCHEMA",
]


@dataclass(frozen=True, slots=True)
class Current(Node):
    """`current_date` and its like. Only times and timestamps have a precision."""

    kind: CurrentKind
    precision: int | None = None


@dataclass(frozen=True, slots=True)
class Grouping(Node):
    """`GROUPING(...)`, of one expression or more."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Default(Node):
    """`DEFAULT`, which only rows to insert and columns to update may have."""


@dataclass(frozen=True, slots=True)
class NamedArgument(Node):
    """`name => value`; after one, all arguments of the call are named."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Order(Node):
    """One key of an ORDER BY. `using` excludes a direction."""

    expression: Expression
    direction: Literal["ASC", "DESC"] | None = None
    nulls: Literal["FIRST", "LAST"] | None = None
    using: OperatorName | None = None


BoundKind = Literal["UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"]


@dataclass(frozen=True, slots=True)
class FrameBound(Node):
    """`offset` is there for PRECEDING and FOLLOWING, and only then."""

    kind: BoundKind
    offset: Expression | None = None


@dataclass(frozen=True, slots=True)
class Frame(Node):
    """A frame as it was meant: without BETWEEN, it ends at the current row."""

    unit: Literal["ROWS", "RANGE", "GROUPS"]
    start: FrameBound
    end: FrameBound
    exclude: Literal["CURRENT ROW", "GROUP", "TIES"] | None = None


@dataclass(frozen=True, slots=True)
class Window(Node):
    """What stands in the parentheses after OVER, or after a name in a WINDOW clause.

    `base` is a window of the WINDOW clause that this one starts from.
    """

    base: str | None = None
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[Order, ...] = ()
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class WindowName(Node):
    """`OVER name`"""

    name: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call of a function, an aggregate or a window function.

    - `star` is `f(*)`, which has no arguments.
    - `variadic` says that the last argument is an array of arguments.
    - `within_group` says that `order_by` came after WITHIN GROUP, not inside the call.
    - `nulls` is the null treatment of a window function.
    """

    name: ObjectName
    arguments: tuple[Expression | NamedArgument, ...] = ()
    star: bool = False
    variadic: bool = False
    distinct: bool = False
    order_by: tuple[Order, ...] = ()
    within_group: bool = False
    filter: Expression | None = None
    nulls: Literal["IGNORE", "RESPECT"] | None = None
    over: Window | WindowName | None = None


Literals = NullLiteral | BooleanLiteral | IntegerLiteral | NumericLiteral | StringLiteral | BitStringLiteral

Expression = (
    Literals
    | Parameter
    | Column
    | Star
    | Field
    | FieldStar
    | Subscript
    | Slice
    | Unary
    | Binary
    | And
    | Or
    | Not
    | Like
    | Between
    | IsDistinctFrom
    | IsNull
    | IsBoolean
    | InList
    | InQuery
    | Quantified
    | Exists
    | Subquery
    | CollectionQuery
    | Row
    | Array
    | List
    | Map
    | Case
    | Choice
    | Cast
    | Collate
    | Current
    | Grouping
    | Default
    | Call
)
