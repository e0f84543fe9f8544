"""Aggregates as Spark SQL: by Spark's own where it has the same, else over the collected rows by Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import pyarrow as pa

from holdfast.compute.evaluate.aggregation import reduced
from holdfast.compute.evaluate.batch import answers, values_of
from holdfast.compute.render.calls import Needs, PythonCall, function_name, result_type, rows_type, unwrapped
from holdfast.compute.render.scalars import argument_text, atom, scalar_text
from holdfast.plan.functions.function import Aggregate, WindowFunction
from holdfast.plan.relation import AggregateCall, ColumnType, OrderKey, Reduce, Values
from holdfast.plan.scalar import Column, Scalar
from holdfast.plan.types import Type


def aggregate_text(call: AggregateCall, columns: Sequence[str], needs: Needs) -> str:
    """The aggregate over rows whose columns have these texts."""
    return native(call, columns, needs) or _collected(call, columns, needs)


def native(call: AggregateCall, columns: Sequence[str], needs: Needs) -> str | None:
    """Spark's own aggregate, if it has one for the call."""
    function = call.function
    if function.ordered and call.order:
        return None
    arguments = [argument_text(argument, columns, needs) for argument in call.arguments]
    if call.filter is not None:
        if not (function.strict and arguments):
            return _counted(call, argument_text(call.filter, columns, needs))
        condition = scalar_text(call.filter, columns, needs)
        arguments = [f"CASE WHEN {condition} THEN {argument} END" for argument in arguments]
    template = aggregate_template(function, [argument.type for argument in call.arguments], call.type)
    return template and aggregate_filled(template, [atom(text) for text in arguments], distinct=call.distinct)


def aggregate_template(function: Aggregate, types: Sequence[Type], result: Type) -> str | None:
    """The text of an aggregate with `{0}`, `{1}`... for the arguments, if Spark has one."""
    if function.spark is None or isinstance(function.spark, str):
        return function.spark
    return function.spark([f"{{{index}}}" for index in range(len(types))], types, result)


def aggregate_filled(template: str, arguments: Sequence[str], *, distinct: bool) -> str:
    return template.format(*arguments, distinct="DISTINCT " if distinct else "")


def _counted(call: AggregateCall, condition: str) -> str | None:
    """`count(*)` of some rows."""
    return f"count_if({condition})" if call.function.name == "count" and not call.arguments else None


def _collected(call: AggregateCall, columns: Sequence[str], needs: Needs) -> str:
    """The rows of the group, for Python."""
    parts = (*call.arguments, *(key.expression for key in call.order))
    fields = (f"'f{i}', {scalar_text(part, columns, needs)}" for i, part in enumerate(parts, start=1))
    rows = f"collect_list(named_struct({', '.join(fields)}))"
    if call.filter is not None:
        rows = f"{rows} FILTER (WHERE {scalar_text(call.filter, columns, needs)})"
    text = needs.call(collected_call(call, parts), [rows])
    return unwrapped(text) if call.function.fails else text


@dataclass(frozen=True, slots=True)
class AggregateBatch:
    """Evaluates an aggregate for columns of arrays, each the rows of one group."""

    reduce: Reduce
    rows: Type
    result: Type
    fails: bool

    def __call__(self, *columns: pa.Array) -> pa.Array:
        def run(rows: Sequence[tuple[Any, ...]]) -> Any:
            return reduced(self.reduce, rows, ())[0][0]

        return answers(values_of(columns, (self.rows,)), run, self.result, fails=self.fails)


def collected_call(call: AggregateCall, parts: Sequence[Scalar]) -> PythonCall:
    """The aggregate as a function of the rows of a group, which have `parts` as their columns."""
    types = tuple(part.type for part in parts)
    held = tuple(Column(index, part.type, part.nullable) for index, part in enumerate(parts))
    arguments, keys = held[: len(call.arguments)], held[len(call.arguments) :]
    order = tuple(OrderKey(k, o.descending, o.nulls_first) for k, o in zip(keys, call.order, strict=True))
    function = portable(call.function, call.type)
    over_rows = AggregateCall(function, arguments, call.type, call.nullable, call.distinct, None, order)
    reduce = Reduce(Values((), tuple(ColumnType(type_) for type_ in types)), (), (over_rows,))
    directions = tuple((key.descending, key.nulls_first) for key in call.order)
    identity = ("aggregate", function.name, call.function.arguments, types, call.type, call.distinct, directions)
    name = function_name(function.name, *identity)
    batch = AggregateBatch(reduce, rows_type(types), call.type, function.fails)
    return PythonCall(name, result_type(function.fails, call.type), batch)


Collecting = TypeVar("Collecting", Aggregate, WindowFunction)


@lru_cache(maxsize=4096)
def portable(function: Collecting, result: Type) -> Collecting:
    """The function without what only planning needs, which other processes need not get. It is one for one function."""
    return replace(function, spark=None, result=result)


_AGGREGATES = re.compile(
    r"\b(sum|count|avg|min|max|bool_and|bool_or|every|some|any|bit_and|bit_or|bit_xor|count_if|any_value|mean|mode|median"
    r"|std|stddev|stddev_pop|stddev_samp|variance|var_pop|var_samp|corr|covar_pop|covar_samp|regr_\w+|try_sum|try_avg"
    r"|max_by|min_by|first|last|first_value|last_value|collect_list|collect_set|array_agg|listagg|string_agg)\("
)


def with_window(template: str, window: str) -> str | None:
    """The template with the window after each aggregate in it, or None if there is none to be seen."""
    found = list(_AGGREGATES.finditer(template))
    if not found:
        return None
    escaped = window.replace("{", "{{").replace("}", "}}")
    for match in reversed(found):
        end = _closing(template, match.end() - 1)
        template = f"{template[:end]} OVER {escaped}{template[end:]}"
    return template


def _closing(text: str, place: int) -> int:
    """The place after the parenthesis that closes the one at `place`."""
    depth = 0
    while True:
        if text[place] == "'":
            place += 1
            while text[place] != "'":
                place += 2 if text[place] == "\\" else 1
        depth += (text[place] == "(") - (text[place] == ")")
        place += 1
        if depth == 0:
            return place
