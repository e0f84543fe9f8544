"""What the registry says of a function: its signature, what it promises, and how to run it.

A function is found by the base types of its arguments (`sql/resolve.py`), so a signature has types without
modifiers, or kinds of types (`Any`). Every function can be run by Python, on values as `plan/types.py` lists them.
Where Spark can say the same, with the same answer for every value, there is a text for it too; where it cannot, Spark
calls the Python function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any as Anything
from typing import Literal, TypeAlias

from holdfast.plan.functions.running import Running
from holdfast.plan.types import Type


class Any(Enum):
    """A kind of types in a signature. All arguments and the result of one kind have one type, except for ANY's."""

    ANY = "any"
    ELEMENT = "anyelement"
    ARRAY = "anyarray"
    NONARRAY = "anynonarray"
    COMPATIBLE = "anycompatible"
    COMPATIBLE_ARRAY = "anycompatiblearray"
    COMPATIBLE_NONARRAY = "anycompatiblenonarray"
    RANGE = "anyrange"
    LIST = "list"
    LIST_ELEMENT = "listelement"
    MAP = "map"
    MAP_VALUE = "mapvalue"
    RECORD = "record"


Pattern: TypeAlias = Type | Any
Result: TypeAlias = Pattern | Callable[[Sequence[Type]], Type]
"""The type of the result, or a function from the types of the arguments to it, for what modifiers and fields decide."""

SparkText: TypeAlias = str | Callable[[Sequence[str], Sequence[Type], Type], str | None]
"""SQL with `{0}`, `{1}`... for the arguments; or a function of their texts, their types and the type of the result,
which returns None where Spark has no such text for these: the Python function is called then."""

Stability: TypeAlias = Literal["immutable", "stable", "volatile"]


@dataclass(frozen=True, slots=True)
class Types:
    """The types of one call, for functions whose answer depends on them."""

    arguments: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, eq=False, slots=True)
class Function:
    """A scalar function or operator.

    - `strict`: null for any null argument, without being run.
    - `makes_null`: may be null although no argument is. A function that is not strict says so here too.
    - `fails`: may raise a `DataError`. Such a call is never run for a row for which the query does not ask for it.
    - `stability`: "immutable" is a function of its arguments alone; "stable" is one value throughout a query, which
      the session knows (`python` is None then); "volatile" is another value at each call.
    - `variadic`: the last argument may come any number of times, once or more.
    - `typed`: `python` takes the `Types` of the call before the values.
    - `infix`: an operator, shown between or before its arguments.
    """

    name: str
    arguments: tuple[Pattern, ...]
    result: Result
    python: Callable[..., object] | None = None
    spark: SparkText | None = None
    strict: bool = True
    makes_null: bool = False
    fails: bool = False
    stability: Stability = "immutable"
    variadic: bool = False
    typed: bool = False
    infix: bool = False
    doc: str = ""

    def __repr__(self) -> str:
        shown = ", ".join(a.value if isinstance(a, Any) else a.base for a in self.arguments)
        return f"{self.name}({shown})"


@dataclass(frozen=True, eq=False, slots=True)
class Aggregate:
    """An aggregate, which with OVER is a window function too.

    `python` takes the rows of a group: tuples of arguments, sorted where the call has an ORDER BY, without repetition
    where it says DISTINCT, and where `strict` without those that have a null.

    - `ordered`: the order of the rows shows in the answer. Rows that the call's ORDER BY leaves equal, which without$
      one is all, are sorted by their arguments, nulls last: an answer is a function of the multiset of rows.
    - `direct`: how many of the arguments stand before WITHIN GROUP. They come first, and are the same in all rows. The
      ORDER BY of WITHIN GROUP is that of the call, and its expressions are the other arguments.
    - `spark`: SQL of an aggregate over the same rows, with `{0}`, `{1}`... for the arguments and `{distinct}` where
      DISTINCT goes (without `{distinct}`, it changes nothing). A function is called with `{0}`... as texts, so that it
      returns such a text too. If the aggregate is strict, rows that have a null count for nothing, also for Spark.
      Where there is no text, or order counts, Spark collects the rows and calls the Python function.
    - `running`: the aggregate row by row, for those whose answer for one row more follows from the one before it.
    """

    name: str
    arguments: tuple[Pattern, ...]
    result: Result
    python: Callable[..., object]
    spark: SparkText | None = None
    strict: bool = True
    null_when_empty: bool = True
    ordered: bool = False
    direct: int = 0
    fails: bool = False
    typed: bool = False
    variadic: bool = False
    running: Callable[[Types], Running[Anything]] | None = None
    doc: str = ""

    def __repr__(self) -> str:
        return f"{self.name}(...)"


@dataclass(frozen=True, eq=False, slots=True)
class WindowFunction:
    """A function of a row's place among the rows of its partition, which has no meaning without OVER.

    `python` takes the rows of the partition (`WindowRows` in `plan/functions/windows.py`) and returns the values of
    all of them, in order.

    - `optional`: how many of the last arguments may be left out.
    - `framed`: it looks only at the rows of the frame. All others take no frame on Spark.
    - `constants`: the positions of arguments that the Spark text has only where they are constants.
    """

    name: str
    arguments: tuple[Pattern, ...]
    result: Result
    python: Callable[..., Sequence[object]]
    spark: SparkText | None = None
    makes_null: bool = True
    optional: int = 0
    framed: bool = False
    constants: tuple[int, ...] = ()
    doc: str = ""

    def __repr__(self) -> str:
        return f"{self.name}(...)"


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a table function: names, types, and which may be null."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    nullable: tuple[bool, ...]


@dataclass(frozen=True, eq=False, slots=True)
class ColumnsByConstant:
    """The columns of a table function whose first argument, which must be a constant, decides them."""

    of: Callable[[Anything], ResultColumns]


@dataclass(frozen=True, eq=False, slots=True)
class TableFunction:
    """A function that returns rows.

    `python` returns tuples, one value for each column. `spark` is SQL of an array, of structs where there is more than
    one column. A strict function returns no rows for a null argument. One that is `long` makes many rows of few.
    """

    name: str
    arguments: tuple[Pattern, ...]
    columns: ResultColumns | Callable[[Sequence[Type]], ResultColumns] | ColumnsByConstant
    python: Callable[..., Iterable[tuple[object, ...]]]
    spark: SparkText | None = None
    strict: bool = True
    fails: bool = False
    typed: bool = False
    variadic: bool = False
    long: bool = False
    doc: str = ""

    def __repr__(self) -> str:
        return f"{self.name}(...)"


CastContext: TypeAlias = Literal["implicit", "assignment", "explicit"]


@dataclass(frozen=True, eq=False, slots=True)
class Cast:
    """How a value of one base type becomes one of another.

    `function` takes the value, and by `Types` sees the target's modifiers. None says that the values are the same in
    both types.
    """

    source: str
    target: str
    context: CastContext
    function: Function | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """What one module of functions gives to the registry. `operators` are functions whose names are symbols."""

    title: str
    functions: tuple[Function, ...] = ()
    operators: tuple[Function, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    windows: tuple[WindowFunction, ...] = ()
    tables: tuple[TableFunction, ...] = ()
    casts: tuple[Cast, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
