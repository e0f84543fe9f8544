"""What a text of Spark SQL needs besides itself: Python functions, parameters and inputs.

Spark calls a Python function by a name that follows from what it does, so the same plan always has the same text, and
a session needs each function once.

Spark runs Python functions for all rows before it looks at the CASE around them, so a function that fails must not
raise. It returns its answer and its error side by side, and `unwrapped` raises the error where the answer is asked for.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from holdfast.compute.conform import conformed
from holdfast.compute.evaluate.values import from_arrow, to_arrow
from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Function, ResultColumns, TableFunction, Types
from holdfast.plan.types import Type, array_of, arrow_type, record_of, spark_type

VALUE, ERROR = "value", "error"


class Batch(Protocol):
    """What a worker of Spark's runs: columns to a column."""

    def __call__(self, *columns: pa.Array) -> pa.Array: ...


@dataclass(frozen=True, slots=True)
class PythonCall:
    """A function as Spark gets it. `result` is the type of what `batch` returns, as Spark writes types."""

    name: str
    result: str
    batch: Batch
    deterministic: bool = True


@dataclass(slots=True)
class Needs:
    """Collects, while a text is written, what it needs."""

    functions: dict[str, PythonCall] = field(default_factory=dict)
    parameters: dict[int, Type] = field(default_factory=dict)
    inputs: dict[str, None] = field(default_factory=dict)
    """An ordered set."""

    def call(self, call: PythonCall, arguments: Sequence[str]) -> str:
        self.functions.setdefault(call.name, call)
        # Spark does not call Arrow functions without arguments.
        return f"{call.name}({', '.join(arguments) or '0'})"


def function_name(shown: str, *identity: object) -> str:
    """A name for SQL, the same for the same identity whenever and wherever it is asked for."""
    digest = hashlib.sha256(repr(identity).encode()).hexdigest()[:12]
    return f"hf_{re.sub(r'[^a-z0-9]+', '_', shown.lower()).strip('_') or 'op'}_{digest}"


def unwrapped(text: str) -> str:
    """The value that a function returned, or its error, raised."""
    raised = f"if(r.{ERROR} IS NULL, r.{VALUE}, raise_error(r.{ERROR}))"
    return f"element_at(transform(array({text}), r -> {raised}), 1)"


def result_type(fails: bool, type_: Type) -> str:
    return f"STRUCT<{VALUE}: {spark_type(type_)}, {ERROR}: STRING>" if fails else spark_type(type_)


def answers(rows: Iterable[Sequence[Any]], run: Callable[..., Any], type_: Type, *, fails: bool) -> pa.Array:
    """The column of what `run` returns for each row; with `fails`, next to the errors it raised."""
    if not fails:
        return to_arrow([run(*row) for row in rows], type_)
    values: list[Any] = []
    errors: list[str | None] = []
    for row in rows:
        try:
            value, error = run(*row), None
        except DataError as failure:
            value, error = None, f"{type(failure).__name__}: {failure}"
        values.append(value)
        errors.append(error)
    fields = [pa.field(VALUE, arrow_type(type_)), pa.field(ERROR, pa.string())]
    return pa.StructArray.from_arrays([to_arrow(values, type_), pa.array(errors, pa.string())], fields=fields)


def values_of(columns: Sequence[pa.Array], types: Sequence[Type]) -> Iterable[tuple[Any, ...]]:
    """The rows of columns as Spark hands them over."""
    if not types:
        return ((),) * len(columns[0])
    taken = (from_arrow(conformed(column, type_), type_) for column, type_ in zip(columns, types, strict=True))
    return zip(*taken, strict=True)


@dataclass(frozen=True, slots=True)
class ScalarBatch:
    python: Callable[..., Any]
    types: Types
    strict: bool
    fails: bool

    def __call__(self, *columns: pa.Array) -> pa.Array:
        rows = values_of(columns, self.types.arguments)
        run = _unless_null(self.python) if self.strict else self.python
        return answers(rows, run, self.types.result, fails=self.fails)


@dataclass(frozen=True, slots=True)
class TableBatch:
    """`rows` is the type of all rows that the function returns: an array of records."""

    python: Callable[..., Iterable[tuple[Any, ...]]]
    arguments: tuple[Type, ...]
    rows: Type
    strict: bool
    fails: bool

    def __call__(self, *columns: pa.Array) -> pa.Array:
        def run(*values: Any) -> tuple[Any, ...]:
            return tuple(self.python(*values))

        rows = values_of(columns, self.arguments)
        return answers(rows, _unless_null(run) if self.strict else run, self.rows, fails=self.fails)


@dataclass(frozen=True, slots=True)
class Typed:
    """A function of the registry that is told the types of its call."""

    python: Callable[..., Any]
    types: Types

    def __call__(self, *values: Any) -> Any:
        return self.python(self.types, *values)


def _unless_null(run: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: None if None in values else run(*values)


def scalar_call(function: Function, types: Types) -> PythonCall:
    assert function.python is not None, f"only a session knows the value of {function}"
    python = Typed(function.python, types) if function.typed else function.python
    name = function_name(function.name, "scalar", function.name, function.arguments, types)
    batch = ScalarBatch(python, types, function.strict, function.fails)
    return PythonCall(name, result_type(function.fails, types.result), batch, function.stability != "volatile")


def rows_type(columns: Sequence[Type]) -> Type:
    return array_of(record_of(tuple(f"f{i}" for i in range(len(columns))), tuple(columns)))


def table_call(function: TableFunction, types: tuple[Type, ...], columns: ResultColumns) -> PythonCall:
    rows = rows_type(columns.types)
    python = Typed(function.python, Types(types, rows)) if function.typed else function.python
    name = function_name(function.name, "table", function.name, function.arguments, types, columns.types)
    batch = TableBatch(python, types, rows, function.strict, function.fails)
    return PythonCall(name, result_type(function.fails, rows), batch)
