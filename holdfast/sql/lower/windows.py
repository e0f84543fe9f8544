"""Window functions, and aggregates with OVER."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from holdfast.plan.functions.function import Aggregate, WindowFunction
from holdfast.plan.relation import Frame, FrameBound, FrameKind, OrderKey, WindowCall
from holdfast.plan.scalar import Scalar
from holdfast.plan.types import INT8, INTERVAL, Type
from holdfast.sql.errors import (
    InvalidColumnReference,
    NotSupported,
    UndefinedObject,
    WindowingError,
    WrongObjectType,
)
from holdfast.sql.lower.block import FILTER, WINDOW, WINDOWS, Block
from holdfast.sql.lower.levels import reads, reads_row
from holdfast.sql.lower.order import order_key
from holdfast.sql.resolve import result_type
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import NamedWindow
from holdfast.sql.term import Term

_DATETIMES = frozenset({"date", "time", "timestamp", "timestamptz", "interval"})
_NUMBERS = frozenset({"int2", "int4", "int8", "float4", "float8", "numeric"})
_KINDS: dict[syntax.BoundKind, FrameKind] = {
    "UNBOUNDED PRECEDING": "unbounded preceding",
    "PRECEDING": "preceding",
    "CURRENT ROW": "current row",
    "FOLLOWING": "following",
    "UNBOUNDED FOLLOWING": "unbounded following",
}
_UNITS: dict[str, Literal["rows", "range", "groups"]] = {"ROWS": "rows", "RANGE": "range", "GROUPS": "groups"}
_EXCLUDES: dict[str, Literal["current row", "group", "ties"]] = {
    "CURRENT ROW": "current row",
    "GROUP": "group",
    "TIES": "ties",
}


def window_call(
    function: Aggregate | WindowFunction, arguments: tuple[Scalar, ...], expression: syntax.Call, block: Block
) -> Term:
    location, name = expression.location, expression.name.parts[-1]
    if expression.over is None:
        raise WrongObjectType(f"window function {name} requires an OVER clause", location)
    if expression.distinct:
        raise NotSupported("DISTINCT is not implemented for window functions", location)
    if expression.within_group:
        raise NotSupported(f"OVER is not supported for ordered-set aggregate {name}", location)
    if expression.order_by:
        raise NotSupported("aggregate ORDER BY is not implemented for window functions", location)
    if expression.filter is not None and isinstance(function, WindowFunction):
        raise NotSupported("FILTER is not implemented for non-aggregate window functions", location)
    if not block.clause.windows:
        raise WindowingError(f"window functions are not allowed in {block.clause.name}", location)
    if any(reads(part, WINDOWS) for part in arguments):
        raise WindowingError("window function calls cannot be nested", block.locations[WINDOWS])
    if expression.nulls == "IGNORE" and isinstance(function, Aggregate):
        raise NotSupported("IGNORE NULLS is not supported for aggregates", location)
    counted = None
    if expression.filter is not None:
        with block.in_clause(FILTER):
            counted = block.coercion.boolean(block.term(expression.filter), "FILTER")
    partition, order, frame = _window(expression.over, block)
    nullable = function.makes_null if isinstance(function, WindowFunction) else function.null_when_empty
    made = WindowCall(
        function,
        arguments,
        result_type(function, [part.type for part in arguments]),
        nullable,
        partition,
        order,
        frame,
        counted,
        expression.nulls == "IGNORE",
    )
    return Term(block.window(made, location), location)


def named_windows(windows: tuple[NamedWindow, ...]) -> dict[str, syntax.Window]:
    """The windows of a WINDOW clause, each as if it had been written out."""
    found: dict[str, syntax.Window] = {}
    for window in windows:
        if window.name in found:
            raise WindowingError(f'window "{window.name}" is already defined', window.location)
        found[window.name] = _inherited(window.window, found)
    return found


def check_windows(block: Block) -> None:
    """The windows that no call names must make sense too."""
    for window in block.named_windows.values():
        _window(window, block)


def _inherited(window: syntax.Window, others: dict[str, syntax.Window] | Block) -> syntax.Window:
    """A window with what it takes over from the one it starts from."""
    known = others.named_windows if isinstance(others, Block) else others
    if window.base is None:
        return window
    base = known.get(window.base)
    if base is None:
        raise UndefinedObject(f'window "{window.base}" does not exist', window.location)
    if window.partition_by:
        raise WindowingError(f'cannot override PARTITION BY clause of window "{window.base}"', window.location)
    if window.order_by and base.order_by:
        raise WindowingError(f'cannot override ORDER BY clause of window "{window.base}"', window.location)
    if base.frame is not None:
        hint = None if window.order_by or window.frame is not None else "Omit the parentheses in this OVER clause."
        raise WindowingError(f'cannot copy window "{window.base}" because it has a frame clause', window.location, hint)
    return replace(window, base=None, partition_by=base.partition_by, order_by=window.order_by or base.order_by)


def _window(
    over: syntax.Window | syntax.WindowName, block: Block
) -> tuple[tuple[Scalar, ...], tuple[OrderKey, ...], Frame]:
    if isinstance(over, syntax.WindowName):
        found = block.named_windows.get(over.name)
        if found is None:
            raise UndefinedObject(f'window "{over.name}" does not exist', over.location)
        over = found
    else:
        over = _inherited(over, block)
    with block.in_clause(WINDOW):
        partition = [block.coercion.text_if_unknown(block.term(part)).scalar for part in over.partition_by]
        order = [order_key(key, block.term(key.expression), block.coercion) for key in over.order_by]
        frame = Frame() if over.frame is None else _frame(over.frame, order, block)
    return tuple(partition), tuple(order), frame


def _frame(frame: syntax.Frame, order: list[OrderKey], block: Block) -> Frame:
    bounds = (frame.start, frame.end)
    if frame.unit == "GROUPS" and not order:
        raise WindowingError("GROUPS mode requires an ORDER BY clause", frame.location)
    if frame.unit == "RANGE" and any(bound.offset is not None for bound in bounds) and len(order) != 1:
        raise WindowingError(
            "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column", frame.location
        )
    start, end = (_bound(bound, frame.unit, order, block) for bound in bounds)
    exclude = None if frame.exclude is None else _EXCLUDES[frame.exclude]
    return Frame(_UNITS[frame.unit], start, end, exclude)


def _bound(bound: syntax.FrameBound, unit: str, order: list[OrderKey], block: Block) -> FrameBound:
    if bound.offset is None:
        return FrameBound(_KINDS[bound.kind])
    term = block.term(bound.offset)
    if unit == "RANGE":
        type_ = order[0].expression.type
        if type_.base in _DATETIMES:
            target: Type = INTERVAL
        elif type_.base in _NUMBERS:
            target = type_
        else:
            raise NotSupported(
                f"RANGE with offset PRECEDING/FOLLOWING is not supported for column type {type_}", term.location
            )
    else:
        target = INT8
    offset = block.coercion.specific(term, target, unit)
    if reads_row(offset):
        raise InvalidColumnReference(f"argument of {unit} must not contain variables", term.location)
    return FrameBound(_KINDS[bound.kind], offset)
