"""What a text of Spark SQL needs besides itself: Python functions, parameters and inputs.

Spark calls a Python function by a name that follows from what it does, so the same plan always has the same text, and
a session needs each function once.

Spark runs Python functions for all rows before it looks at the CASE around them, so a function that fails must not
raise. It returns its answer and its error side by side, and `unwrapped` raises the error where the answer is asked for.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from holdfast.compute.evaluate.batch import ERROR, VALUE, Batch, ScalarBatch, TableBatch, Typed
from holdfast.compute.evaluate.limited_batch import LimitedBatch
from holdfast.plan.functions.function import Function, ResultColumns, TableFunction, Types
from holdfast.plan.python_function import PythonFunction
from holdfast.plan.types import Type, array_of, record_of, spark_type


@dataclass(frozen=True, slots=True)
class PythonCall:
    """A function as Spark gets it. `result` is the type of what `batch` returns, as Spark writes types."""

    name: str
    result: str
    batch: Batch
    deterministic: bool = True


@dataclass(slots=True)
class Needs:
    """Collects, while a text is written, what it needs.

    `code_limit` says how many seconds a call of a user's function may take; None: any number.
    """

    code_limit: float | None = None
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


def scalar_call(function: Function, types: Types, code_limit: float | None) -> PythonCall:
    assert function.python is not None, f"only a session knows the value of {function}"
    python = Typed(function.python, types) if function.typed else function.python
    batch = ScalarBatch(python, types, function.strict, function.fails)
    own: tuple[object, ...] = ()
    limited: Batch = batch
    if isinstance(function.python, PythonFunction):
        # One of a user may be replaced by another of the same name and types.
        own = (function.python, code_limit)
        limited = batch if code_limit is None else LimitedBatch(function.name, batch, code_limit)
    name = function_name(function.name, "scalar", function.name, function.arguments, types, *own)
    return PythonCall(name, result_type(function.fails, types.result), limited, function.stability != "volatile")


def rows_type(columns: Sequence[Type]) -> Type:
    return array_of(record_of(tuple(f"f{i}" for i in range(len(columns))), tuple(columns)))


def table_call(function: TableFunction, types: tuple[Type, ...], columns: ResultColumns) -> PythonCall:
    rows = rows_type(columns.types)
    python = Typed(function.python, Types(types, rows)) if function.typed else function.python
    name = function_name(function.name, "table", function.name, function.arguments, types, columns.types)
    batch = TableBatch(python, types, rows, function.strict, function.fails)
    return PythonCall(name, result_type(function.fails, rows), batch)
