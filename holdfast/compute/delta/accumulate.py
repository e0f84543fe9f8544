"""Aggregates of which a few totals say all: what a row adds to them it takes away again when it goes.

Such an aggregate needs no history of its group. Its totals are exact, so however rows came and went, what is made of
them is what it would be from scratch, and it is an error only where that is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import nan
from typing import Any as Value  # as `plan/types.py` lists them

from holdfast.compute.delta.addends import (
    digits,
    interval_parts,
    interval_total,
    number_parts,
    one_if_true,
    present,
    total_of_part,
)
from holdfast.compute.delta.finished_text import finished_text
from holdfast.compute.delta.float_parts import (
    float_parts,
    float_total,
    one_of_pair,
    value_and_square,
    values_and_products,
)
from holdfast.compute.delta.totals import WHOLE, zero
from holdfast.plan.functions.dyadic import read, units
from holdfast.plan.functions.function import Aggregate, Function, Types
from holdfast.plan.functions.registry import AGGREGATES
from holdfast.plan.functions.statistics import OF_PAIRS, VARIANCES, moments
from holdfast.plan.interval_arithmetic import divided
from holdfast.plan.relation import AggregateCall
from holdfast.plan.scalar import Call, Case, Coalesce, Column, Scalar
from holdfast.plan.types import FLOAT8, INT8, Numeric, Type, spark_type


@dataclass(frozen=True, slots=True)
class Accumulator:
    """The totals of an aggregate, each of a type of `types`, which start with zero.

    - `addends`: for a row of the input, what it adds to each of them. They are never null.
    - `sums`: what all rows of the input add to each of them, where there is a shorter way than to add the addends.
    - `finish`: the aggregate, as an expression of the totals.
    """

    addends: tuple[Scalar, ...]
    sums: tuple[AggregateCall | None, ...]
    finish: Callable[[tuple[Column, ...]], Scalar]
    types: tuple[Type, ...]


def accumulator(call: AggregateCall) -> Accumulator | None:
    """None for an aggregate that needs the rows of its group: one that chooses, sorts, or tells values apart."""
    if call.distinct or call.order:
        return None
    parts = _parts(call)
    if parts is None:
        return None
    types = tuple(part.type for part in parts)
    addends, sums = tuple(_counted(call, part) for part in parts), _sums(call, len(parts))
    if call.function.name in _COUNTS:
        return Accumulator(addends, sums, lambda columns: columns[0], types)
    function = _finish(call.function, Types(tuple(argument.type for argument in call.arguments), call.type), types)

    def finish(columns: tuple[Column, ...]) -> Scalar:
        return Call(function, columns, call.type, call.nullable)

    return Accumulator(addends, sums, finish, types)


def _sums(call: AggregateCall, parts: int) -> tuple[AggregateCall | None, ...]:
    """Of counts, and of the parts of numbers."""
    if len(call.arguments) > 1:
        return (None,) * parts
    count = AggregateCall(AGGREGATES["count"][len(call.arguments)], call.arguments, INT8, False, filter=call.filter)
    is_sum = call.function.name in ("sum", "avg") and call.arguments[0].type.base not in (*_FLOATS, "interval")
    if not is_sum:
        return (count, *(None,) * (parts - 1))
    totals = [total_of_part(place, parts - 1) for place in range(parts - 1)]
    return (count, *(AggregateCall(each, call.arguments, WHOLE, False, filter=call.filter) for each in totals))


def _counted(call: AggregateCall, part: Scalar) -> Scalar:
    """What is added for any row: nothing where an argument is null, or the filter does not let the row pass."""
    start = zero(part.type)
    if part.nullable:
        part = Coalesce((part, start))
    return part if call.filter is None else Case(((call.filter, part),), start)


_COUNTS = ("count", "regr_count")
_FLOATS = ("float4", "float8")
_BOOLEANS = ("bool_and", "every", "bool_or")


def _parts(call: AggregateCall) -> tuple[Scalar, ...] | None:
    """How many rows there are, and the other totals of the aggregate."""
    name, arguments = call.function.name, call.arguments
    count = present(*arguments)
    if name in _COUNTS:
        return (count,)
    if name in ("sum", "avg"):
        return (count, *_sum_parts(arguments[0]))
    if name in VARIANCES:
        return (count, *_variance_parts(arguments[0]))
    if name in _BOOLEANS:
        return (count, one_if_true(arguments[0]))
    if name in _MEANS:
        return (count, one_of_pair(arguments[0], arguments[1], _MEANS[name]))
    if name in OF_PAIRS:
        return (count, *values_and_products(arguments[0], arguments[1]))
    return None


def _sum_parts(argument: Scalar) -> tuple[Scalar, ...]:
    if argument.type.base in _FLOATS:
        return float_parts(argument)
    return interval_parts(argument) if argument.type.base == "interval" else number_parts(argument)


def _variance_parts(argument: Scalar) -> tuple[Scalar, ...]:
    if argument.type.base in _FLOATS:
        return value_and_square(argument)
    return (*number_parts(argument), *number_parts(argument, squared=True))


_MEANS = {"regr_avgy": 0, "regr_avgx": 1}
_MEAN = next(found for found in AGGREGATES["avg"] if found.arguments == (FLOAT8,))


@lru_cache(maxsize=1024)
def _finish(aggregate: Aggregate, types: Types, totals: tuple[Type, ...]) -> Function:
    """The aggregate as a function of its totals, one for one aggregate over the same types."""
    of = ", ".join(map(spark_type, types.arguments))
    # Spark knows functions by their names and the types of their calls, which say nothing of the aggregate's arguments.
    name = f"{aggregate.name} of totals of {of}"
    python, spark = _finished(aggregate, types), finished_text(aggregate.name, types)
    return Function(name, totals, types.result, python, spark, makes_null=True, fails=aggregate.fails)


def _finished(aggregate: Aggregate, types: Types) -> Callable[..., Value]:
    name, base = aggregate.name, types.arguments[0].base
    if name in VARIANCES:
        return _float_variance(name) if base in _FLOATS else _numeric_variance(name, types)
    if name in OF_PAIRS:
        return _of_pairs(name)
    if name in _MEANS:
        mean = _of_state(_MEAN, Types((FLOAT8,), FLOAT8))
        return lambda count, total: mean(count, units(read(total)))
    if name in _BOOLEANS:
        return _some if name == "bool_or" else _every
    if base == "interval":
        return _interval_mean if name == "avg" else _interval_sum
    of_state = _of_state(aggregate, types)
    if base in _FLOATS:
        return lambda count, *totals: of_state(count, float_total(*totals))
    form, whole = digits(types.arguments[0]), not isinstance(types.result, Numeric)

    def of_numbers(count: int, *totals: Decimal) -> Value:
        total = form.joined(totals)
        return of_state(count, int(total) if whole else total)

    return of_numbers


def _of_state(aggregate: Aggregate, types: Types) -> Callable[[int, Value], Value]:
    """What the aggregate is that has come to this state row by row."""
    assert aggregate.running is not None
    finish = aggregate.running(types).finish
    return lambda count, state: finish(state, count)


def _every(count: int, true: int) -> bool | None:
    return true == count if count else None


def _some(count: int, true: int) -> bool | None:
    return true > 0 if count else None


def _interval_sum(count: int, *totals: Value) -> Value:
    return interval_total(*totals) if count else None


def _interval_mean(count: int, *totals: Value) -> Value:
    return divided(interval_total(*totals), count) if count else None


def _numeric_variance(name: str, types: Types) -> Callable[..., Decimal | None]:
    variance, (type_,), result = VARIANCES[name], types.arguments, types.result
    assert isinstance(result, Numeric)
    values, squares = digits(type_), digits(type_, squared=True)

    def python(count: int, *totals: Decimal) -> Decimal | None:
        total = values.joined(totals[: values.parts])
        return variance.of_numerics(count, total, squares.joined(totals[values.parts :]), result)

    return python


def _float_variance(name: str) -> Callable[..., float | None]:
    variance = VARIANCES[name]

    def python(count: int, total: bytes, squares: bytes) -> float | None:
        if count <= variance.sample:
            return None
        found = read(total)
        return variance.of_floats(count, found.fraction(), read(squares).fraction()) if found.is_finite else nan

    return python


def _of_pairs(name: str) -> Callable[..., float | None]:
    pairs = OF_PAIRS[name]

    def python(count: int, *totals: bytes) -> float | None:
        if count < pairs.fewest:
            return None
        found = [read(total) for total in totals]
        if not all(number.is_finite for number in found):
            return nan
        return pairs.of(moments(count, *(number.fraction() for number in found)))

    return python
