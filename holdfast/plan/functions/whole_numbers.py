"""Division into whole numbers, and what else is about whole numbers: divisors, factorials, bases, buckets, chance."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any as Anything

from holdfast.plan.errors import (
    DivisionByZero,
    InvalidArgumentForWidthBucket,
    InvalidParameterValue,
    NullValueNotAllowed,
    NumericValueOutOfRange,
)
from holdfast.plan.functions import arithmetic
from holdfast.plan.functions.arithmetic import in_range
from holdfast.plan.functions.function import Any, Family, Function, Types
from holdfast.plan.functions.numeric_types import EXACT, checked, fitted, of, whole_digits
from holdfast.plan.order import sort_key
from holdfast.plan.types import (
    FLOAT8,
    INT4,
    INT8,
    MAX_PRECISION,
    NUMERIC,
    TEXT,
    Type,
    numeric,
)

Run = Callable[..., Anything]  # from values of a function's arguments to one of its result


def _mod(operator: Function) -> Function:
    return Function(
        "mod",
        operator.arguments,
        operator.result,
        operator.python,
        operator.spark,
        fails=True,
        typed=operator.typed,
        doc="the remainder, with the sign of the dividend",
    )


def _div_type(types: Sequence[Type]) -> Type:
    left, right = map(of, types)
    return numeric(max(min(whole_digits(left) + right.scale, MAX_PRECISION), 1), 0)


def _div(types: Types, a: Decimal, b: Decimal) -> Decimal:
    if not b:
        raise DivisionByZero
    found = EXACT.divide_int(a, b)
    return fitted(found, of(types.result))


def _gcd(type_: Type) -> Run:
    return lambda a, b: in_range(math.gcd(a, b), type_)


def _lcm(type_: Type) -> Run:
    return lambda a, b: in_range(math.lcm(a, b), type_)


def _scaled(run: Callable[[int, int], int]) -> Run:
    """For numerics: in units of the last digit of either."""

    def on_decimals(types: Types, a: Decimal, b: Decimal) -> Decimal:
        result = of(types.result)
        units = (int(EXACT.scaleb(value, result.scale)) for value in (a, b))
        return checked(EXACT.scaleb(Decimal(run(*units)), -result.scale), result)

    return on_decimals


def _divisor_type(types: Sequence[Type]) -> Type:
    left, right = map(of, types)
    scale, whole = max(left.scale, right.scale), max(whole_digits(left), whole_digits(right))
    return numeric(min(whole + scale, MAX_PRECISION), scale)


def _multiple_type(types: Sequence[Type]) -> Type:
    return numeric(MAX_PRECISION, max(of(type_).scale for type_ in types))


_GREATEST_FACTORIAL = 33
"""Of those with at most 38 digits."""


def _factorial(value: int) -> Decimal:
    if value < 0:
        raise NumericValueOutOfRange("factorial of a negative number is undefined")
    if value > _GREATEST_FACTORIAL:
        raise NumericValueOutOfRange("value overflows numeric format")
    return Decimal(math.factorial(value))


def _in_base(letter: str, bits: int) -> Run:
    return lambda value: format(value % (1 << bits), letter)


_BASES = (
    ("to_hex", "x", "lower(hex({}))", "in base 16"),
    ("to_bin", "b", "bin({})", "in base 2"),
    ("to_oct", "o", None, "in base 8"),
)


def _in_bases() -> list[Function]:
    found = []
    for type_, bits, unsigned in ((INT4, 32, "CAST({0} AS BIGINT) & 4294967295L"), (INT8, 64, "{0}")):
        for name, letter, text, doc in _BASES:
            spark = text and text.format(unsigned)
            found.append(Function(name, (type_,), TEXT, _in_base(letter, bits), spark, doc=f"its digits {doc}"))
    return found


# Buckets


def _checked_bucket(value: float, low: float, high: float, count: int) -> None:
    if count <= 0:
        raise InvalidArgumentForWidthBucket("count must be greater than zero")
    if math.isnan(value) or math.isnan(low) or math.isnan(high):
        raise InvalidArgumentForWidthBucket("operand, lower bound, and upper bound cannot be NaN")
    if math.isinf(low) or math.isinf(high):
        raise InvalidArgumentForWidthBucket("lower and upper bounds must be finite")
    if low == high:
        raise InvalidArgumentForWidthBucket("lower bound cannot equal upper bound")


def _float_bucket(value: float, low: float, high: float, count: int) -> int:
    _checked_bucket(value, low, high, count)
    return _bucket(value, low, high, count, lambda: int(count * _share(value, low, high)))


def _share(value: float, low: float, high: float) -> float:
    """How far from the one bound to the other."""
    if math.isinf(high - low):
        return (value / 2 - low / 2) / (high / 2 - low / 2)
    return (value - low) / (high - low)


def _numeric_bucket(value: Decimal, low: Decimal, high: Decimal, count: int) -> int:
    if count <= 0:
        raise InvalidArgumentForWidthBucket("count must be greater than zero")
    if low == high:
        raise InvalidArgumentForWidthBucket("lower bound cannot equal upper bound")

    def inside() -> int:
        above, below = EXACT.multiply(EXACT.subtract(value, low), Decimal(count)), EXACT.subtract(high, low)
        return int(EXACT.divide_int(above, below))

    return _bucket(value, low, high, count, inside)


def _bucket(value: Anything, low: Anything, high: Anything, count: int, inside: Callable[[], int]) -> int:
    """Bounds may stand in either order. What is before the first is in bucket 0, what is after the last in one more."""
    before, after = (value < low, value >= high) if low < high else (value > low, value <= high)
    if before:
        return 0
    return in_range(count + 1, INT4) if after else min(inside(), count - 1) + 1


def _threshold_bucket(types: Types, value: object, thresholds: Sequence[object]) -> int:
    if any(threshold is None for threshold in thresholds):
        raise NullValueNotAllowed("thresholds array must not contain NULLs")
    key = sort_key(types.arguments[0])
    return bisect_right([key(threshold) for threshold in thresholds], key(value))


# Chance


def _random_between(least: int, greatest: int) -> int:
    if least > greatest:
        raise InvalidParameterValue("lower bound must be less than or equal to upper bound")
    return random.randint(least, greatest)


FAMILY = Family(
    "Whole numbers",
    functions=(
        *(_mod(operator) for operator in arithmetic.FAMILY.operators if operator.name == "%"),
        Function("div", (NUMERIC, NUMERIC), _div_type, _div, fails=True, typed=True, doc="the quotient, cut"),
        *(
            Function(name, (type_, type_), type_, run(type_), fails=True, doc=doc)
            for name, run, doc in (("gcd", _gcd, "greatest common divisor"), ("lcm", _lcm, "least common multiple"))
            for type_ in (INT4, INT8)
        ),
        Function(
            "gcd",
            (NUMERIC, NUMERIC),
            _divisor_type,
            _scaled(math.gcd),
            fails=True,
            typed=True,
            doc="greatest common divisor",
        ),
        Function(
            "lcm",
            (NUMERIC, NUMERIC),
            _multiple_type,
            _scaled(math.lcm),
            fails=True,
            typed=True,
            doc="least common multiple",
        ),
        Function("factorial", (INT8,), numeric(MAX_PRECISION, 0), _factorial, fails=True, doc="the factorial"),
        *_in_bases(),
        Function(
            "width_bucket",
            (FLOAT8, FLOAT8, FLOAT8, INT4),
            INT4,
            _float_bucket,
            fails=True,
            doc="in which of so many equal parts between two bounds it is",
        ),
        Function(
            "width_bucket",
            (NUMERIC, NUMERIC, NUMERIC, INT4),
            INT4,
            _numeric_bucket,
            fails=True,
            doc="in which of so many equal parts between two bounds it is",
        ),
        Function(
            "width_bucket",
            (Any.COMPATIBLE, Any.COMPATIBLE_ARRAY),
            INT4,
            _threshold_bucket,
            fails=True,
            typed=True,
            doc="how many of the thresholds it has reached",
        ),
        Function("random", (), FLOAT8, random.random, "rand()", stability="volatile", doc="from 0 on, below 1"),
        *(
            Function(
                "random",
                (type_, type_),
                type_,
                _random_between,
                fails=True,
                stability="volatile",
                doc="between two bounds, both of which it may be",
            )
            for type_ in (INT4, INT8)
        ),
    ),
)
