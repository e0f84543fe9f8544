"""Python functions over columns of Arrow: what a process that is not ours runs, row by row in one call.

A function that fails must not raise, as it may be run for rows that nobody asks about. It returns its answers and its
errors side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from holdfast.compute.conform import conformed
from holdfast.compute.evaluate.values import from_arrow, to_arrow
from holdfast.plan import errors
from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Types
from holdfast.plan.types import Type, arrow_type

VALUE, ERROR = "value", "error"

_ERRORS: Mapping[str, type[DataError]] = {
    name: found for name, found in vars(errors).items() if isinstance(found, type) and issubclass(found, DataError)
}


class Batch(Protocol):
    """What a worker of Spark's runs: columns to a column."""

    def __call__(self, *columns: pa.Array) -> pa.Array: ...


def answers(rows: Iterable[Sequence[Any]], run: Callable[..., Any], type_: Type, *, fails: bool) -> pa.Array:
    """The column of what `run` returns for each row; with `fails`, next to the errors it raised."""
    if not fails:
        return to_arrow([run(*row) for row in rows], type_)
    values: list[Any] = []
    failures: list[str | None] = []
    for row in rows:
        try:
            value, error = run(*row), None
        except DataError as failure:
            value, error = None, _said(failure)
        values.append(value)
        failures.append(error)
    return _side_by_side(values, failures, type_)


def failed(error: DataError, rows: int, type_: Type) -> pa.Array:
    """The answers to so many rows if none is known but that error."""
    return _side_by_side([None] * rows, [_said(error)] * rows, type_)


def _side_by_side(values: list[Any], failures: list[str | None], type_: Type) -> pa.Array:
    fields = [pa.field(VALUE, arrow_type(type_)), pa.field(ERROR, pa.string())]
    return pa.StructArray.from_arrays([to_arrow(values, type_), pa.array(failures, pa.string())], fields=fields)


def _said(error: DataError) -> str:
    return f"{type(error).__name__}: {error}"


def error_of(said: str) -> DataError:
    """The error that an answer has instead of a value."""
    name, _, message = said.partition(": ")
    return _ERRORS[name](message)


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
