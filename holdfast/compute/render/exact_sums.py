"""Sums and averages of floats that are exact on Spark too, whose own sum depends on the order of the rows.

A float of ordinary size is four integers of 30 bits, whose sums Spark finds exactly. What these lack of other floats, a
second pass over the input collects for Python, as bytes of `dyadic`; mostly there are none, and it costs a filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isnan
from typing import Any as Value  # as `plan/types.py` lists them

from holdfast.compute.render.internal import SAME, call
from holdfast.compute.render.scalars import is_volatile
from holdfast.plan.free import scalars
from holdfast.plan.functions.dyadic import Dyadic, dyadic, read, total, units, written
from holdfast.plan.functions.function import Aggregate, Function, Types
from holdfast.plan.functions.registry import AGGREGATES
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import (
    AggregateCall,
    Filter,
    Join,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    column,
    inputs,
)
from holdfast.plan.scalar import Call, Case, Column, Or, Scalar, null
from holdfast.plan.types import BOOL, BYTEA, FLOAT8, INT8, Type, spark_type
from holdfast.plan.types import Map as MapType

_BITS = 30
_UNITS = (-15, 15, 45, 75)
"""The bits after the point that the integers end with. Sums of eight billion of them fit into a bigint."""
_BOUND, _LEAST = 2.0**45, 2.0 ** (52 - _UNITS[-1])
"""Floats between these, and zero, are ordinary."""


def with_exact_sums(relation: Relation) -> Relation:
    """The same relation, whose float sums are exact on Spark. What is volatile is not evaluated twice, and left."""
    known: dict[Relation, Relation] = {}

    def exact(found: Relation) -> Relation:
        if found not in known:
            changed = rebuilt(found, lambda below, _: exact(below), lambda scalar: scalar)
            known[found] = _exact(changed) if isinstance(changed, Reduce) else changed
        return known[found]

    return exact(relation)


def _exact(reduce: Reduce) -> Relation:
    sums = [each for each in reduce.aggregates if _is_float_sum(each)]
    if not sums or _has_volatile(reduce) or any(isinstance(key.type, MapType) for key in reduce.keys):
        return reduce
    values = tuple(dict.fromkeys(_counted(each) for each in sums))
    width = len(reduce.keys)
    parts = [*(each for each in reduce.aggregates if each not in sums), *(part for v in values for part in _parts(v))]
    first = Reduce(reduce.input, reduce.keys, tuple(parts))
    strange: tuple[Scalar, ...] = tuple(Call(_STRANGE, (value,), BOOL, value.nullable) for value in values)
    others = Filter(reduce.input, (Or(strange) if len(strange) > 1 else strange[0],))
    second = Reduce(others, reduce.keys, tuple(AggregateCall(_REST, (value,), BYTEA, False) for value in values))
    both: Relation = Join((first, second))
    if width:
        start = len(first.columns)
        keys = (call(SAME, column(first, i), Column(start + i, key.type, True)) for i, key in enumerate(reduce.keys))
        both = OuterJoin(first, second, tuple(keys))
    finished = Map(both, tuple(_finished(each, both, values.index(_counted(each)), first, width) for each in sums))
    places = iter(range(width, len(first.columns)))
    made = iter(range(len(both.columns), len(finished.columns)))
    return Project(finished, (*range(width), *(next(made if each in sums else places) for each in reduce.aggregates)))


def _is_float_sum(each: AggregateCall) -> bool:
    named = each.function.name in ("sum", "avg") and not each.distinct
    return named and each.arguments[0].type.base in ("float4", "float8")


def _has_volatile(relation: Relation) -> bool:
    return any(map(is_volatile, scalars(relation))) or any(map(_has_volatile, inputs(relation)))


def _counted(each: AggregateCall) -> Scalar:
    """What is summed, null for rows that do not count."""
    (value,) = each.arguments
    return value if each.filter is None else Case(((each.filter, value),), null(value.type))


def _parts(value: Scalar) -> tuple[AggregateCall, ...]:
    return (AggregateCall(_COUNT, (value,), INT8, False), *(AggregateCall(a, (value,), INT8, True) for a in _INTEGERS))


def _finished(each: AggregateCall, both: Relation, place: int, first: Reduce, width: int) -> Scalar:
    """The sum, from the totals of the value that is at `place` among all that are summed."""
    count = len(_INTEGERS) + 1
    values = len(both.columns) - len(first.columns) - width  # one column of bytes for each
    start = len(first.columns) - count * (values - place)
    totals = [column(both, start + i) for i in range(count)]
    rest = column(both, len(first.columns) + width + place)
    return Call(_finish(each.function, each.arguments[0].type), (*totals, rest), each.type, True)


@lru_cache(maxsize=64)
def _finish(aggregate: Aggregate, type_: Type) -> Function:
    result = aggregate.result
    assert aggregate.running is not None
    assert isinstance(result, Type)
    finish = aggregate.running(Types((type_,), result)).finish

    def python(count: int, *totals: Value) -> Value:
        if not count:
            return None
        *integers, rest = totals
        whole = 0
        for found in integers:
            whole = (whole << _BITS) + found
        number = Dyadic(whole, -_UNITS[-1])
        return finish(units(total((number, read(rest))) if rest else number), count)

    name = f"{aggregate.name} of integers of {spark_type(type_)}"
    arguments = (INT8,) * (len(_INTEGERS) + 1)
    return Function(name, (*arguments, BYTEA), result, python, strict=False, makes_null=True, fails=True)


# What is summed

_COUNT = next(found for found in AGGREGATES["count"] if found.arguments)


def _bounded(value: float) -> float:
    return _BOUND if isnan(value) else min(max(value, -_BOUND), _BOUND)


def _bounded_text(value: str) -> str:
    # For Spark, NaN is greater than all others.
    return f"if({value} > {_BOUND!r}D, {_BOUND!r}D, if({value} < {-_BOUND!r}D, {-_BOUND!r}D, {value}))"


def _integer(place: int) -> Aggregate:
    """The sum of the integers at one place: the value rounded to their unit, less what the place before has of it."""
    factor = 2.0 ** _UNITS[place]

    def rounded(value: float, by: float) -> int:
        return round(_bounded(value) * by)

    def python(rows: Sequence[tuple[float]]) -> int | None:
        if not rows:
            return None
        found = sum(rounded(value, factor) for (value,) in rows)
        return found - (sum(rounded(value, factor / 2**_BITS) for (value,) in rows) << _BITS) if place else found

    text = f"rint({_bounded_text('{0}')} * {factor!r}D)"
    if place:
        text += f" - rint({_bounded_text('{0}')} * {factor / 2**_BITS!r}D) * {2.0**_BITS!r}D"
    return Aggregate(f"integer {place}", (FLOAT8,), INT8, python, f"sum(CAST({text} AS BIGINT))")


_INTEGERS = tuple(map(_integer, range(len(_UNITS))))


def _is_strange(value: float) -> bool:
    return not (_LEAST <= abs(value) <= _BOUND or value == 0)


def _rests(rows: Sequence[tuple[float]]) -> bytes:
    """What the integers lack of the values."""
    lacking = (
        number
        for (value,) in rows
        if _is_strange(value)
        for number in (dyadic(value), Dyadic(-round(_bounded(value) * 2.0 ** _UNITS[-1]), -_UNITS[-1]))
    )
    return written(total(lacking))


_STRANGE = Function(
    "strange",
    (FLOAT8,),
    BOOL,
    _is_strange,
    f"abs({{0}}) > {_BOUND!r}D OR (abs({{0}}) < {_LEAST!r}D AND {{0}} <> 0D)",
)
_REST = Aggregate("rest of floats", (FLOAT8,), BYTEA, _rests, null_when_empty=False)
