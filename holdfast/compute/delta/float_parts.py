"""What a float adds to totals: two integers of 63 bits, which hold all floats of ordinary sizes exactly, and for all
others the bytes of `dyadic`. So the totals of nearly all sums are two numbers and no bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from math import isfinite

from holdfast.compute.delta.addends import addend
from holdfast.compute.delta.totals import WHOLE
from holdfast.plan.functions.dyadic import ZERO, Dyadic, dyadic, product, read, total, units, written
from holdfast.plan.functions.function import Function
from holdfast.plan.functions.running import FloatTotal
from holdfast.plan.functions.spark_let import let
from holdfast.plan.scalar import Scalar
from holdfast.plan.types import BYTEA, FLOAT8, Type

_HIGH, _LOW = 18, 81
"""The bits after the point that the one and the other integer end with."""
_BOUND, _LEAST = 2.0 ** (63 - _HIGH), 2.0 ** (52 - _LOW)
"""Floats below the first and not below the second are ordinary, and zero is."""
_HIGH_UNITS, _LOW_UNITS = 2.0**_HIGH, 2.0 ** (_LOW - _HIGH)


def _is_ordinary(value: float) -> bool:
    return _LEAST <= abs(value) < _BOUND or value == 0


def _high(value: float) -> Decimal:
    return Decimal(int(value * _HIGH_UNITS) if _is_ordinary(value) else 0)


def _low(value: float) -> Decimal:
    if not _is_ordinary(value):
        return Decimal(0)
    shifted = value * _HIGH_UNITS
    return Decimal(int((shifted - int(shifted)) * _LOW_UNITS))


def _rest(value: float) -> bytes:
    return ZERO if _is_ordinary(value) else repr(value).encode()


def _text(ordinary: Callable[[str], str], otherwise: Callable[[str], str]) -> Callable[..., str]:
    def text(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str:
        def body(value: str) -> str:
            size = f"abs(CAST({value} AS DOUBLE))"
            # For Spark, NaN is greater than all others.
            holds = f"{size} < {_BOUND!r}D AND ({size} >= {_LEAST!r}D OR {size} = 0)"
            return (
                f"CASE WHEN {value} IS NULL THEN NULL WHEN {holds} THEN {ordinary(value)} ELSE {otherwise(value)} END"
            )

        return let(arguments, body)

    return text


def _whole(value: str) -> str:
    return f"CAST(CAST({value} AS BIGINT) AS DECIMAL(38, 0))"


def _shifted(value: str) -> str:
    return f"CAST({value} AS DOUBLE) * {_HIGH_UNITS!r}D"


def _low_text(value: str) -> str:
    return _whole(f"({_shifted(value)} - CAST(CAST({_shifted(value)} AS BIGINT) AS DOUBLE)) * {_LOW_UNITS!r}D")


def _no_number(_: str) -> str:
    return "CAST(0 AS DECIMAL(38, 0))"


def _no_bytes(_: str) -> str:
    return "X''"


def _bytes(value: str) -> str:
    return f"CAST(CAST(CAST({value} AS DOUBLE) AS STRING) AS BINARY)"


_PARTS = (
    Function("high of float", (FLOAT8,), WHOLE, _high, _text(lambda value: _whole(_shifted(value)), _no_number)),
    Function("low of float", (FLOAT8,), WHOLE, _low, _text(_low_text, _no_number)),
    Function("rest of float", (FLOAT8,), BYTEA, _rest, _text(_no_bytes, _bytes)),
)


def float_parts(argument: Scalar) -> tuple[Scalar, ...]:
    return tuple(addend(function, argument) for function in _PARTS)


def float_total(high: Decimal, low: Decimal, rest: bytes) -> FloatTotal:
    return units(total((Dyadic(int(high), -_HIGH), Dyadic(int(low), -_LOW), read(rest))))


# Squares and products have twice the bits, and are bytes always


def _value(place: int) -> Callable[..., bytes]:
    return lambda *values: written(dyadic(values[place]))


def _product(first: int, second: int) -> Callable[..., bytes]:
    def python(*values: float) -> bytes:
        return written(product(values[first], values[second])) if all(map(isfinite, values)) else ZERO

    return python


_VALUE = Function("float", (FLOAT8,), BYTEA, _value(0))
_SQUARE = Function("square of float", (FLOAT8,), BYTEA, _product(0, 0))
_FIRST = Function("first float", (FLOAT8, FLOAT8), BYTEA, _value(0))
_SECOND = Function("second float", (FLOAT8, FLOAT8), BYTEA, _value(1))
_OF_PAIRS = (
    _FIRST,
    _SECOND,
    Function("square of first float", (FLOAT8, FLOAT8), BYTEA, _product(0, 0)),
    Function("square of second float", (FLOAT8, FLOAT8), BYTEA, _product(1, 1)),
    Function("product of floats", (FLOAT8, FLOAT8), BYTEA, _product(0, 1)),
)


def value_and_square(argument: Scalar) -> tuple[Scalar, ...]:
    """The float and its square, which is zero if it is not finite."""
    return addend(_VALUE, argument), addend(_SQUARE, argument)


def one_of_pair(first: Scalar, second: Scalar, place: int) -> Scalar:
    """The one or the other of two floats, null if any is."""
    return addend((_FIRST, _SECOND)[place], first, second)


def values_and_products(first: Scalar, second: Scalar) -> tuple[Scalar, ...]:
    """Two floats, their squares and their product, which are zero if any is not finite."""
    return tuple(addend(function, first, second) for function in _OF_PAIRS)
