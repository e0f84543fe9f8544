"""Aggregates over groups of rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from holdfast.compute.evaluate.keys import Key, Sorter, equality, ordering, same
from holdfast.compute.evaluate.scalars import Row, compiled, compiled_all
from holdfast.plan.functions.function import Aggregate, Types
from holdfast.plan.order import is_itself
from holdfast.plan.relation import AggregateCall, Reduce, WindowCall

Fold: TypeAlias = Callable[[Sequence[Row]], Any]  # a value of the aggregate's type


def reduced(reduce: Reduce, rows: Sequence[Row], parameters: Sequence[object]) -> list[Row]:
    folds = [_folded(call, parameters) for call in reduce.aggregates]
    if not reduce.keys:
        return [tuple([fold(rows) for fold in folds])]
    keys, same_key = compiled_all(reduce.keys, parameters), equality([key.type for key in reduce.keys])
    groups: dict[Key, tuple[Row, list[Row]]] = {}
    for row in rows:
        values = keys(row)
        groups.setdefault(same_key(values), (values, []))[1].append(row)
    found = list(groups.values())
    if not all(is_itself(key.type) for key in reduce.keys):
        found = [(tuple(map(same, values)), members) for values, members in found]
    return [(*values, *[fold(members) for fold in folds]) for values, members in found]


def distinct(rows: Sequence[Row], key: Callable[[Row], Key]) -> list[Row]:
    """One of all rows that are equal."""
    found: dict[Key, Row] = {}
    for row in rows:
        found.setdefault(key(row), row)
    return list(found.values())


def fold_of(call: AggregateCall | WindowCall, function: Aggregate) -> Fold:
    """The aggregate over the arguments of rows, which are sorted and different where the call asks for it."""
    python, strict = function.python, function.strict and bool(call.arguments)
    if function.typed:
        python = partial(python, Types(tuple(argument.type for argument in call.arguments), call.type))
    if not strict:
        return python
    return lambda rows: python([row for row in rows if None not in row])


def _folded(call: AggregateCall, parameters: Sequence[object]) -> Fold:
    """The aggregate over rows of the input."""
    arguments, fold = compiled_all(call.arguments, parameters), fold_of(call, call.function)
    types = [argument.type for argument in call.arguments]
    by_arguments, same_arguments = ordering(types), equality(types)
    sorter = Sorter(call.order, lambda row: by_arguments(arguments(row)), parameters)
    sorts = bool(call.order) or call.function.ordered
    keep = None if call.filter is None else compiled(call.filter, parameters)
    if keep is None and not sorts and not call.distinct:
        return lambda rows: fold([arguments(row) for row in rows])

    def folded(rows: Sequence[Row]) -> Any:  # a value of the aggregate's type
        if keep is not None:
            rows = [row for row in rows if keep(row) is True]
        if sorts:
            rows = sorter.sort(rows)
        values = [arguments(row) for row in rows]
        return fold(distinct(values, same_arguments) if call.distinct else values)

    return folded
