"""Addends: what one row adds to the totals that an aggregate is made of, and how such totals are put together again.

Totals must not overflow where the aggregate would not, so a number that has many digits is taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any as Value  # as `plan/types.py` lists them

from holdfast.compute.delta.totals import SPARE, WHOLE
from holdfast.plan.functions.function import Aggregate, Any, Function, Types
from holdfast.plan.functions.numeric_types import EXACT, of
from holdfast.plan.functions.spark_let import let
from holdfast.plan.interval_arithmetic import interval_of, is_finite, plus
from holdfast.plan.scalar import Call, Constant, Scalar
from holdfast.plan.text.interval_text import INFINITE, MINUS_INFINITE
from holdfast.plan.types import BOOL, INT8, INTERVAL, MAX_PRECISION, Interval, Numeric, Type, spark_type


def addend(function: Function, *arguments: Scalar) -> Scalar:
    assert isinstance(function.result, Type)
    return Call(function, arguments, function.result, function.strict and any(a.nullable for a in arguments))


# Counts


def _present(*values: object) -> int:
    return int(None not in values)


def _present_text(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str:
    present = " AND ".join(f"{argument} IS NOT NULL" for argument in arguments)
    return f"CAST({present} AS BIGINT)"


_PRESENT = Function("present", (Any.ANY,), INT8, _present, _present_text, strict=False, variadic=True)
_ONE_IF_TRUE = Function("one if true", (BOOL,), INT8, int, "CAST({0} AS BIGINT)")


def present(*arguments: Scalar) -> Scalar:
    """One for a row none of whose arguments is null."""
    return addend(_PRESENT, *arguments) if arguments else Constant(1, INT8)


def one_if_true(argument: Scalar) -> Scalar:
    return addend(_ONE_IF_TRUE, argument)


# Integers and numerics

_PART = 19
"""Digits of one part of a number that has too many."""


@dataclass(frozen=True, slots=True)
class Digits:
    """Numbers of a type, or their squares, as integers in parts, after the point is moved by `scale` digits."""

    scale: int
    parts: int

    def joined(self, totals: Sequence[Decimal]) -> Decimal:
        """The sum of the numbers, from those of their parts."""
        whole = totals[0]
        for place, total in enumerate(totals[1:], start=1):
            if total:  # as hardly any is, for numbers that people add up
                whole = EXACT.add(whole, EXACT.scaleb(total, _PART * place))
        return EXACT.scaleb(whole, -self.scale) if self.scale else whole


def digits(type_: Type, *, squared: bool = False) -> Digits:
    found, power = of(type_), 2 if squared else 1
    precision = found.precision * power
    return Digits(found.scale * power, 1 if precision + SPARE <= MAX_PRECISION else -(-precision // _PART))


def number_parts(argument: Scalar, *, squared: bool = False) -> tuple[Scalar, ...]:
    parts = digits(argument.type, squared=squared).parts
    return tuple(addend(_part(place, parts, squared=squared), argument) for place in range(parts))


@lru_cache(maxsize=256)
def _part(place: int, parts: int, *, squared: bool) -> Function:
    low = 10 ** (_PART * place)

    def python(types: Types, value: Decimal | int) -> Decimal:
        if parts == 1 and not squared and isinstance(value, int):
            return Decimal(value)
        number = int(EXACT.scaleb(value, of(types.arguments[0]).scale))
        size = (number * number if squared else abs(number)) // low
        if place < parts - 1:
            size %= 10**_PART
        return Decimal(-size if number < 0 and not squared else size)

    def text(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
        return None if squared else _part_text(arguments, of(types[0]).scale, place, parts)

    name = f"part {place} of {parts} of the {'square' if squared else 'number'}"
    return Function(name, (Any.ANY,), WHOLE, python, text, typed=True)


def _part_text(arguments: Sequence[str], scale: int, place: int, parts: int) -> str | None:
    """Spark cuts digits after the point where a result might have too many; here, those that it cuts are zeros."""
    if parts == 1:
        return f"CAST({arguments[0]}{f' * {10**scale}BD' if scale else ''} AS DECIMAL(38, 0))"
    if parts > 2 or scale > _PART:
        return None
    unit = f"{10 ** (_PART - scale)}BD"
    if place == 0:
        return f"CAST(({arguments[0]} % {unit}) * {10**scale}BD AS DECIMAL(38, 0))"
    return let(arguments, lambda value: f"CAST(({value} - {value} % {unit}) / {unit} AS DECIMAL(38, 0))")


@lru_cache(maxsize=256)
def total_of_part(place: int, parts: int) -> Aggregate:
    """The sum of parts of numbers, by the numbers: Spark adds these as they are, and moves the point of the sum."""

    def python(types: Types, rows: Sequence[tuple[Value]]) -> Decimal:
        part = _part(place, parts, squared=False).python
        assert part is not None
        values: list[Value] = [part(types, value) for (value,) in rows]
        with localcontext(EXACT):
            return sum(values, Decimal(0))

    def text(_: Sequence[str], types: Sequence[Type], __: Type) -> str | None:
        type_, is_numeric = of(types[0]), isinstance(types[0], Numeric)
        if type_.precision <= (_LONG if is_numeric else _LONG + 1) and type_.scale <= _FRACTION:
            return _total_of_longs(type_)
        number = "{0}" if is_numeric else f"CAST({{0}} AS {spark_type(type_)})"
        found = _total_text(type_.scale, place, parts)
        return None if found is None else found.replace("{0}", number)

    return Aggregate(
        f"total of part {place} of {parts}", (Any.ANY,), WHOLE, python, text, null_when_empty=False, typed=True
    )


_LONG, _FRACTION = 18, 8
"""Digits of decimals that Spark has in a long, where an integer may have one more, and of those whose sums are added in
one.
"""

_BITS = 31
"""Of a whole number that has more, the rest is added up by itself: so are two thousand million of the largest."""


def _total_of_longs(type_: Numeric) -> str:
    """Sums of longs take a third of the time of sums of decimals: of whole numbers, in halves if they are large, and of
    what comes after the point.
    """
    whole, scale = "CAST({0} AS BIGINT)", type_.scale
    if type_.precision - scale <= _BITS * 3 // 10:
        total = _as_decimal(f"sum({whole})")
    else:
        high, low = f"sum(shiftright({whole}, {_BITS}))", f"sum({whole} & {2**_BITS - 1}L)"
        total = f"{_as_decimal(high)} * {2**_BITS}BD + {_as_decimal(low)}"
    if scale:
        # A fraction of less than one, which has no more digits than those that it is cast to.
        fraction = f"sum(CAST({{0}} - CAST({whole} AS {spark_type(type_)}) AS DECIMAL({_FRACTION}, {scale})))"
        total = f"({total}) * {10**scale}BD + CAST(coalesce({fraction}, 0) * {10**scale}BD AS DECIMAL(38, 0))"
    return f"CAST({total} AS DECIMAL(38, 0))"


def _as_decimal(total: str) -> str:
    return f"CAST(coalesce({total}, 0L) AS DECIMAL(19, 0))"


def _total_text(scale: int, place: int, parts: int) -> str | None:
    """Most numbers are all in their lowest part. Spark's `abs` cuts digits of those that have the most."""
    if parts > 2 or scale > _PART:
        return None
    moved = f" * {10**scale}BD" if scale else ""
    if parts == 1:
        return f"CAST(coalesce(sum({{0}}), 0){moved} AS DECIMAL(38, 0))"
    unit = f"{10 ** (_PART - scale)}BD"
    is_low = f"{{0}} < {unit} AND {{0}} > -{unit}"
    if place == 0:
        low = f"CAST(CASE WHEN {is_low} THEN {{0}} ELSE {{0}} % {unit} END AS DECIMAL({_PART}, {scale}))"
        return f"CAST(coalesce(sum({low}), 0){moved} AS DECIMAL(38, 0))"
    high = f"CASE WHEN NOT ({is_low}) THEN CAST(({{0}} - {{0}} % {unit}) / {unit} AS DECIMAL(38, 0)) END"
    return f"CAST(coalesce(sum({high}), 0) AS DECIMAL(38, 0))"


# Intervals


def _field(place: int) -> Callable[[Interval], Decimal]:
    return lambda interval: Decimal(interval[place] if is_finite(interval) else 0)


def _is(infinite: Interval) -> Callable[[Interval], int]:
    return lambda interval: int(interval == infinite)


_INTERVAL_PARTS = (
    *(Function(f"{name} of interval", (INTERVAL,), WHOLE, _field(i)) for i, name in enumerate(Interval._fields)),
    Function("one if infinite", (INTERVAL,), INT8, _is(INFINITE)),
    Function("one if minus infinite", (INTERVAL,), INT8, _is(MINUS_INFINITE)),
)


def interval_parts(argument: Scalar) -> tuple[Scalar, ...]:
    return tuple(addend(function, argument) for function in _INTERVAL_PARTS)


def interval_total(months: Decimal, days: Decimal, micros: Decimal, infinite: int, minus_infinite: int) -> Interval:
    if infinite and minus_infinite:
        return plus(INFINITE, MINUS_INFINITE)
    if infinite or minus_infinite:
        return INFINITE if infinite else MINUS_INFINITE
    return interval_of(int(months), int(days), int(micros))
