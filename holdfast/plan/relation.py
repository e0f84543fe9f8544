"""Relational operators: multisets of rows, made from others.

Every operator knows the types of its columns, and which may be null. Columns have no names: a name is what the user
called something, and only the result has any (`Plan`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.cached import cached_property
from holdfast.plan.functions.function import Aggregate, TableFunction, WindowFunction
from holdfast.plan.node import Node, remembered
from holdfast.plan.scalar import Column, Scalar
from holdfast.plan.types import INT8, Type


@dataclass(frozen=True, eq=False)
class ColumnType(Node):
    type: Type
    nullable: bool = True


Columns: TypeAlias = tuple[ColumnType, ...]


def as_column(scalar: Scalar | AggregateCall | WindowCall) -> ColumnType:
    return ColumnType(scalar.type, scalar.nullable)


def nullable(columns: Columns) -> Columns:
    return tuple(ColumnType(column.type) for column in columns)


@dataclass(frozen=True, eq=False)
class Values(Node):
    """Rows known beforehand, as values of `plan/types.py`."""

    rows: tuple[tuple[object, ...], ...]
    columns: Columns

    @classmethod
    def identity(cls, arguments: tuple[object, ...]) -> tuple[object, ...]:
        return (repr(arguments[0]), arguments[1])


@dataclass(frozen=True, eq=False)
class Get(Node):
    """A collection, by the name the caller's catalog knows it by. No two rows agree on the columns of a key."""

    name: str
    columns: Columns
    keys: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Local(Node):
    """What the `Let` or `LetRec` around it calls `name`."""

    name: str
    columns: Columns


@dataclass(frozen=True, eq=False)
class Map(Node):
    """Each row with more columns. A scalar sees only the columns of the input."""

    input: Relation
    scalars: tuple[Scalar, ...]

    @cached_property
    def columns(self) -> Columns:
        return (*self.input.columns, *(as_column(scalar) for scalar in self.scalars))


@dataclass(frozen=True, eq=False)
class Filter(Node):
    """The rows for which all predicates are true."""

    input: Relation
    predicates: tuple[Scalar, ...]

    @property
    def columns(self) -> Columns:
        return self.input.columns


@dataclass(frozen=True, eq=False)
class Project(Node):
    """Some columns, in any order, perhaps repeated."""

    input: Relation
    outputs: tuple[int, ...]

    @cached_property
    def columns(self) -> Columns:
        return tuple(self.input.columns[index] for index in self.outputs)


@dataclass(frozen=True, eq=False)
class FlatMap(Node):
    """Each row with each row that the function returns for it, and the place of that, from 1, with `ordinality`.

    With `outer`, a row for which the function returns none stays, with nulls.
    """

    input: Relation
    function: TableFunction
    arguments: tuple[Scalar, ...]
    returns: Columns
    ordinality: bool = False
    outer: bool = False

    @cached_property
    def columns(self) -> Columns:
        added = (*self.returns, ColumnType(INT8, False)) if self.ordinality else self.returns
        return (*self.input.columns, *(nullable(added) if self.outer else added))


@dataclass(frozen=True, eq=False)
class Join(Node):
    """Every combination of rows of the inputs, two or more, for which all predicates are true."""

    inputs: tuple[Relation, ...]
    predicates: tuple[Scalar, ...] = ()

    @cached_property
    def columns(self) -> Columns:
        return tuple(column for part in self.inputs for column in part.columns)


@dataclass(frozen=True, eq=False)
class OuterJoin(Node):
    """The inner join, and every row of the left side that it lacks, padded with nulls; with `full`, of both sides."""

    left: Relation
    right: Relation
    predicates: tuple[Scalar, ...]
    full: bool = False

    @cached_property
    def columns(self) -> Columns:
        left = nullable(self.left.columns) if self.full else self.left.columns
        return (*left, *nullable(self.right.columns))


@dataclass(frozen=True, eq=False)
class SemiJoin(Node):
    """The rows of the left side for which some row of the right makes all predicates true; with `anti`, none does."""

    left: Relation
    right: Relation
    predicates: tuple[Scalar, ...]
    anti: bool = False

    @property
    def columns(self) -> Columns:
        return self.left.columns


@dataclass(frozen=True, eq=False)
class OrderKey(Node):
    """In an ORDER BY. Without `nulls_first`, nulls come after all values, in either direction."""

    expression: Scalar
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, eq=False)
class AggregateCall(Node):
    """`order` sorts what an aggregate collects. `filter` says which rows count."""

    function: Aggregate
    arguments: tuple[Scalar, ...]
    type: Type
    nullable: bool
    distinct: bool = False
    filter: Scalar | None = None
    order: tuple[OrderKey, ...] = ()


@dataclass(frozen=True, eq=False)
class Reduce(Node):
    """One row for each different key, with the keys and then the aggregates over its rows.

    Without keys there is one row, also if the input has none.
    """

    input: Relation
    keys: tuple[Scalar, ...]
    aggregates: tuple[AggregateCall, ...] = ()

    @cached_property
    def columns(self) -> Columns:
        return (*(as_column(key) for key in self.keys), *(as_column(call) for call in self.aggregates))


@dataclass(frozen=True, eq=False)
class Distinct(Node):
    input: Relation

    @property
    def columns(self) -> Columns:
        return self.input.columns


@dataclass(frozen=True, eq=False)
class TopK(Node):
    """Of each group of rows that agree on the columns `group`, in order: those from `offset` on, at most `limit`.

    Rows that `order` leaves equal are told apart by all their columns, so the answer is always the same.
    """

    input: Relation
    group: tuple[int, ...]
    order: tuple[OrderKey, ...]
    limit: Scalar | None
    offset: Scalar | None = None

    @property
    def columns(self) -> Columns:
        return self.input.columns


FrameKind: TypeAlias = Literal["unbounded preceding", "preceding", "current row", "following", "unbounded following"]


@dataclass(frozen=True, eq=False)
class FrameBound(Node):
    kind: FrameKind
    offset: Scalar | None = None


@dataclass(frozen=True, eq=False)
class Frame(Node):
    unit: Literal["rows", "range", "groups"] = "range"
    start: FrameBound = FrameBound("unbounded preceding")
    end: FrameBound = FrameBound("current row")
    exclude: Literal["current row", "group", "ties"] | None = None


@dataclass(frozen=True, eq=False)
class WindowCall(Node):
    function: WindowFunction | Aggregate
    arguments: tuple[Scalar, ...]
    type: Type
    nullable: bool
    partition: tuple[Scalar, ...] = ()
    order: tuple[OrderKey, ...] = ()
    frame: Frame = Frame()
    filter: Scalar | None = None
    ignore_nulls: bool = False


@dataclass(frozen=True, eq=False)
class Window(Node):
    """Each row with the values of window functions."""

    input: Relation
    calls: tuple[WindowCall, ...]

    @cached_property
    def columns(self) -> Columns:
        return (*self.input.columns, *(as_column(call) for call in self.calls))


@dataclass(frozen=True, eq=False)
class Union(Node):
    """All rows of all inputs, one or more, which have the same types of columns."""

    inputs: tuple[Relation, ...]

    @cached_property
    def columns(self) -> Columns:
        sides = zip(*(part.columns for part in self.inputs), strict=True)
        return tuple(ColumnType(same[0].type, any(column.nullable for column in same)) for same in sides)


@dataclass(frozen=True, eq=False)
class Negate(Node):
    """Each row as often less as the input has it more. Only a `Threshold` above makes it a multiset again."""

    input: Relation

    @property
    def columns(self) -> Columns:
        return self.input.columns


@dataclass(frozen=True, eq=False)
class Threshold(Node):
    """The rows that are there more often than not: those whose count is negative are dropped."""

    input: Relation

    @property
    def columns(self) -> Columns:
        return self.input.columns


@dataclass(frozen=True, eq=False)
class Let(Node):
    """`body`, in which `Local(name)` is `value`."""

    name: str
    value: Relation
    body: Relation

    @property
    def columns(self) -> Columns:
        return self.body.columns


@dataclass(frozen=True, eq=False)
class Recursive(Node):
    """One binding of a `LetRec`. Each `Local` of the name has these columns."""

    name: str
    value: Relation
    columns: Columns


@dataclass(frozen=True, eq=False)
class LetRec(Node):
    """`body` over the bindings, each evaluated in turn from empty until nothing changes, or `limit` rounds are over.

    At the limit it is an error if `error_at_limit`.
    """

    bindings: tuple[Recursive, ...]
    body: Relation
    limit: int | None = None
    error_at_limit: bool = False

    @property
    def columns(self) -> Columns:
        return self.body.columns


# Before decorrelation only:


@dataclass(frozen=True, eq=False)
class Apply(Node):
    """Each row of `left` with the rows of `right` for it, in which `Outer` columns of level 1 are those of that row.

    Only pairs for which all predicates are true; with `outer`, a row of `left` without any stays, with nulls.
    """

    left: Relation
    right: Relation
    predicates: tuple[Scalar, ...] = ()
    outer: bool = False

    @cached_property
    def columns(self) -> Columns:
        right = self.right.columns
        return (*self.left.columns, *(nullable(right) if self.outer else right))


Relation: TypeAlias = (
    Values
    | Get
    | Local
    | Map
    | Filter
    | Project
    | FlatMap
    | Join
    | OuterJoin
    | SemiJoin
    | Reduce
    | Distinct
    | TopK
    | Window
    | Union
    | Negate
    | Threshold
    | Let
    | LetRec
    | Apply
)


@dataclass(frozen=True, eq=False)
class Plan(Node):
    """A query: its rows, what the user calls the columns, and the order in which the rows are wanted.

    Only the first `len(names)` columns of `relation` are shown; `order` may need more.
    """

    relation: Relation
    names: tuple[str, ...]
    order: tuple[OrderKey, ...] = ()
    limit: Scalar | None = None
    offset: Scalar | None = None


@remembered
def inputs(relation: Relation) -> tuple[Relation, ...]:
    """The relations right below."""
    match relation:
        case Values() | Get() | Local():
            return ()
        case Join() | Union():
            return relation.inputs
        case OuterJoin() | SemiJoin() | Apply():
            return relation.left, relation.right
        case Let():
            return relation.value, relation.body
        case LetRec():
            return (*(binding.value for binding in relation.bindings), relation.body)
    return (relation.input,)


def column(relation: Relation, index: int) -> Column:
    """The column of `relation` at a position, as an expression."""
    found = relation.columns[index]
    return Column(index, found.type, found.nullable)


UNIT = Values(((),), ())
"""One row without columns."""
