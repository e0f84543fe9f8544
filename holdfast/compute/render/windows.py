"""Window functions as Spark SQL: by Spark's own where it has the same, else over whole partitions by Python.

Spark has no GROUPS and no EXCLUDE, and its offsets of RANGE are not PostgreSQL's. Where the order of peers shows in the
answer, all columns break ties, so the answer is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from holdfast.compute.evaluate.batch import answers, values_of
from holdfast.compute.evaluate.window import windowed
from holdfast.compute.render.aggregates import aggregate_filled, aggregate_template, portable, with_window
from holdfast.compute.render.block import Block, Writer
from holdfast.compute.render.calls import Needs, PythonCall, function_name, result_type, rows_type, unwrapped
from holdfast.compute.render.order import keyed, order_texts, stand_ins, tie_breaks
from holdfast.compute.render.scalars import argument_text, calls_python, filled, scalar_text
from holdfast.plan.functions.function import Aggregate, WindowFunction
from holdfast.plan.relation import (
    Columns,
    ColumnType,
    Frame,
    FrameBound,
    Relation,
    Values,
    Window,
    WindowCall,
    as_column,
)
from holdfast.plan.scalar import Column, Constant, Parameter, Scalar, children
from holdfast.plan.types import Type, spark_type

_OF_PEERS = ("rank", "dense_rank", "percent_rank", "cume_dist")
"""Functions that are the same for all peers."""


def keyed_calls(window: Window) -> tuple[Relation, tuple[WindowCall, ...]]:
    """The input with columns to sort by where Spark needs them, and the calls over it."""
    order = tuple(dict.fromkeys(key for call in window.calls for key in call.order))
    ties = range(len(window.input.columns)) if any(map(_has_ties, window.calls)) else ()
    below, by_columns = keyed(window.input, order, ties)
    places = dict(zip(order, by_columns, strict=True))
    return below, tuple(replace(call, order=tuple(places[key] for key in call.order)) for call in window.calls)


def _has_ties(call: WindowCall) -> bool:
    """Whether the order of peers shows in the answer."""
    match call.function:
        case Aggregate():
            return call.frame.unit == "rows"
        case WindowFunction():
            return call.function.name not in _OF_PEERS


def window_block(window: Window, block: Block, writer: Writer) -> Block:
    """`block` is that of the window's input."""
    width = len(window.input.columns)
    # Windows look at columns, and what they do not see cannot be computed twice.
    if not block.is_bare:
        block = writer.wrapped(block, window.input.columns)
    texts = [block.names[c.index] for c in block.columns if isinstance(c, Column)]
    found: dict[WindowCall, str] = {}
    for call in window.calls:
        text = _native(call, texts, window.input, writer.needs)
        if text is not None:
            found[call] = text
    rest = tuple(call for call in window.calls if call not in found)
    order = [*found, *rest]
    made = replace(
        block,
        names=(*block.names, *found.values()),
        columns=(*block.columns, *_columns_from(len(block.names), tuple(found))),
        kind="sealed",
        whole=None,
    )
    columns = (*window.input.columns, *(as_column(call) for call in found))
    for partition in dict.fromkeys(call.partition for call in rest):
        calls = tuple(call for call in rest if call.partition == partition)
        made = _collected(calls, made, columns, writer)
        columns = (*columns, *(as_column(call) for call in calls))
        order = [*(c for c in order if c not in calls), *calls]
    placed = [made.columns[width + order.index(call)] for call in window.calls]
    return replace(made, columns=(*made.columns[:width], *placed), whole=None)


def _columns_from(start: int, calls: Sequence[WindowCall]) -> tuple[Column, ...]:
    return tuple(Column(start + index, call.type, call.nullable) for index, call in enumerate(calls))


def _native(call: WindowCall, texts: Sequence[str], input_: Relation, needs: Needs) -> str | None:
    """The call in Spark's own terms, if it has them."""
    parts = (*call.arguments, *call.partition, *(key.expression for key in call.order))
    if call.ignore_nulls or any(calls_python(part) for part in parts) or call.frame.exclude is not None:
        return None
    match call.function:
        case Aggregate():
            return _native_aggregate(call, call.function, texts, input_, needs)
        case WindowFunction():
            return _native_function(call, call.function, texts, input_, needs)


def _native_function(
    call: WindowCall, function: WindowFunction, texts: Sequence[str], input_: Relation, needs: Needs
) -> str | None:
    if any(i < len(call.arguments) and not _is_number(call.arguments[i]) for i in function.constants):
        return None
    frame: str | None = ""
    if function.framed:
        frame = _frame_of_function(function.name, call.frame)
    arguments = [scalar_text(argument, texts, needs) for argument in call.arguments]
    types = [argument.type for argument in call.arguments]
    text = filled(function.spark, arguments, types, call.type)
    if frame is None or text is None:
        return None
    window = _window(call, texts, input_, frame, needs)
    return f"CAST({text} OVER {window} AS {spark_type(call.type)})"


def _is_number(scalar: Scalar) -> bool:
    return isinstance(scalar, Constant) and scalar.value is not None


def _frame_of_function(name: str, frame: Frame) -> str | None:
    """The frame of a function that picks one of its rows: by rows, so that ties are broken."""
    if frame.unit == "rows":
        return _rows_frame(frame)
    if frame.unit == "range" and frame.start.offset is None and frame.end.offset is None:
        if name == "first_value" and frame.start.kind == "unbounded preceding":
            return "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        if name == "last_value" and frame.end.kind == "unbounded following":
            return "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    return None


def _native_aggregate(
    call: WindowCall, function: Aggregate, texts: Sequence[str], input_: Relation, needs: Needs
) -> str | None:
    frame = _rows_frame(call.frame) if call.frame.unit == "rows" else _range_frame(call)
    if frame is None or function.ordered:
        return None
    arguments = [argument_text(argument, texts, needs) for argument in call.arguments]
    if call.filter is not None:
        if calls_python(call.filter) or not (function.strict and arguments):
            return None
        condition = scalar_text(call.filter, texts, needs)
        arguments = [f"(CASE WHEN {condition} THEN {argument} END)" for argument in arguments]
    template = aggregate_template(function, [argument.type for argument in call.arguments], call.type)
    window = _window(call, texts, input_, frame, needs)
    template = with_window(template, window) if template else None
    return template and aggregate_filled(template, arguments, distinct=False)


def _window(call: WindowCall, texts: Sequence[str], input_: Relation, frame: str, needs: Needs) -> str:
    order = order_texts(call.order, texts, needs)
    if _has_ties(call):
        order += tie_breaks(call.order, texts, input_.columns, stand_ins(input_))
    parts = []
    if call.partition:
        parts.append("PARTITION BY " + ", ".join(scalar_text(part, texts, needs) for part in call.partition))
    if order or isinstance(call.function, WindowFunction):
        parts.append(f"ORDER BY {', '.join(order) or '0'}")
    if frame:
        parts.append(frame)
    return f"({' '.join(parts)})"


_BOUNDS = {
    "unbounded preceding": "UNBOUNDED PRECEDING",
    "current row": "CURRENT ROW",
    "unbounded following": "UNBOUNDED FOLLOWING",
}


def _rows_frame(frame: Frame) -> str | None:
    start, end = _row_offset(frame.start), _row_offset(frame.end)
    if start is None or end is None or start > end:
        return None
    return f"ROWS BETWEEN {_bound(frame.start)} AND {_bound(frame.end)}"


def _range_frame(call: WindowCall) -> str | None:
    frame = call.frame
    if frame.unit != "range" or frame.start.offset is not None or frame.end.offset is not None:
        return None
    if not call.order:
        # All rows are peers.
        return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    return f"RANGE BETWEEN {_bound(frame.start)} AND {_bound(frame.end)}"


def _bound(bound: FrameBound) -> str:
    if bound.kind in _BOUNDS:
        return _BOUNDS[bound.kind]
    assert isinstance(bound.offset, Constant)
    return f"{bound.offset.value} {bound.kind.upper()}"


def _row_offset(bound: FrameBound) -> int | None:
    """How far the bound is from the current row, or None if Spark cannot say that."""
    match bound.kind:
        case "unbounded preceding":
            return -(2**31)
        case "current row":
            return 0
        case "unbounded following":
            return 2**31
    if not isinstance(bound.offset, Constant) or not isinstance(bound.offset.value, int):
        return None
    offset = bound.offset.value
    if not 0 <= offset < 2**31:
        return None
    return -offset if bound.kind == "preceding" else offset


def _collected(calls: tuple[WindowCall, ...], block: Block, columns: Columns, writer: Writer) -> Block:
    """The rows of each partition, collected for Python, and taken apart again."""
    needs = writer.needs
    inner = writer.wrapped(block, columns)
    row = ", ".join(f"'c{index}', {name}" for index, name in enumerate(inner.names)) or "'c', 0"
    partition = ", ".join(scalar_text(part, inner.names, needs) for part in calls[0].partition)
    group = f"\nGROUP BY {partition}" if partition else ""
    alias, view = writer.alias(), writer.alias()
    collected = f"(\n  SELECT collect_list(named_struct({row})) AS r\n  FROM {inner.source}{group}\n) AS {alias}"
    python = _python(calls, columns)
    parameters = _parameters(calls)
    arguments = [f"{alias}.r", *(scalar_text(parameter, (), needs) for parameter in parameters)]
    values = unwrapped(needs.call(python, arguments))
    source = f"{collected}\nLATERAL VIEW inline(arrays_zip({alias}.r, {values})) {view} AS r, v"
    names = (
        *(f"{view}.r.c{index}" for index in range(len(columns))),
        *(f"{view}.v.f{index}" for index in range(1, len(calls) + 1)),
    )
    shown = tuple(Column(index, column.type, column.nullable) for index, column in enumerate(columns))
    return Block(source, names, (*shown, *_columns_from(len(columns), calls)), kind="viewed")


@dataclass(frozen=True, slots=True)
class WindowBatch:
    """Evaluates window functions for columns of arrays, each the rows of one partition."""

    window: Window
    rows: Type
    parameters: tuple[tuple[int, Type], ...]
    result: Type

    def __call__(self, *columns: pa.Array) -> pa.Array:
        width, most = len(self.window.input.columns), max((n for n, _ in self.parameters), default=0)

        def run(rows: Sequence[tuple[Any, ...]], *values: Any) -> tuple[Any, ...]:
            numbered = dict(zip((n for n, _ in self.parameters), values, strict=True))
            parameters = [numbered.get(number) for number in range(1, most + 1)]
            return tuple(row[width:] for row in windowed(self.window, rows, parameters))

        types = (self.rows, *(type_ for _, type_ in self.parameters))
        return answers(values_of(columns, types), run, self.result, fails=True)


def _python(calls: tuple[WindowCall, ...], columns: Columns) -> PythonCall:
    # Within a partition there is no other.
    held = tuple(
        WindowCall(
            portable(call.function, call.type),
            call.arguments,
            call.type,
            call.nullable,
            (),
            call.order,
            call.frame,
            call.filter,
            call.ignore_nulls,
        )
        for call in calls
    )
    window = Window(Values((), tuple(ColumnType(column.type) for column in columns)), held)
    rows = rows_type([column.type for column in columns])
    result = rows_type([call.type for call in calls])
    parameters = tuple((parameter.number, parameter.type) for parameter in _parameters(calls))
    batch = WindowBatch(window, rows, parameters, result)
    name = function_name(calls[0].function.name, "window", calls, rows)
    return PythonCall(name, result_type(True, result), batch)


def _parameters(calls: Sequence[WindowCall]) -> list[Parameter]:
    """The parameters in the calls, each once."""
    found: dict[Parameter, None] = {}

    def look(scalar: Scalar | None) -> None:
        if isinstance(scalar, Parameter):
            found[scalar] = None
        elif scalar is not None:
            for part in children(scalar):
                look(part)

    for call in calls:
        for scalar in (*call.arguments, *(key.expression for key in call.order), call.filter):
            look(scalar)
        look(call.frame.start.offset)
        look(call.frame.end.offset)
    return list(found)
