"""Powers, roots and logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any as Anything

from holdfast.plan.errors import (
    DivisionByZero,
    InvalidArgumentForLogarithm,
    InvalidArgumentForPowerFunction,
    NumericValueOutOfRange,
)
from holdfast.plan.functions.arithmetic import OVERFLOW, UNDERFLOW
from holdfast.plan.functions.function import Family, Function, SparkText, Types
from holdfast.plan.functions.numeric_types import EXACT, KEPT_SCALE, QUOTIENT_SCALE, fitted, of, whole_digits
from holdfast.plan.functions.spark_let import let
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.types import FLOAT8, MAX_PRECISION, NUMERIC, Type, numeric

# Powers and logarithms of floats have no Spark text: Java's last digit is not always C's.

Run = Callable[..., Anything]  # from values of a function's arguments to one of its result

_NEGATIVE_ROOT = "cannot take square root of a negative number"
_OF_ZERO, _OF_NEGATIVE = "cannot take logarithm of zero", "cannot take logarithm of a negative number"
_ZERO_TO_NEGATIVE = "zero raised to a negative power is undefined"
_COMPLEX = "a negative number raised to a non-integer power yields a complex result"


# Floats


def _square_root(value: float) -> float:
    if value < 0:
        raise InvalidArgumentForPowerFunction(_NEGATIVE_ROOT)
    return math.sqrt(value)


def _square_root_text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    out = failure(InvalidArgumentForPowerFunction, _NEGATIVE_ROOT)
    return let(texts, lambda x: f"CASE WHEN {x} < 0 THEN {out} ELSE sqrt({x}) END")


def _exponential(value: float) -> float:
    try:
        found = math.exp(value)
    except OverflowError:
        raise NumericValueOutOfRange(OVERFLOW) from None
    if found == 0 and not math.isinf(value):
        raise NumericValueOutOfRange(UNDERFLOW)
    return found


def _logarithm(run: Callable[[float], float]) -> Run:
    def checked(value: float) -> float:
        if value == 0:
            raise InvalidArgumentForLogarithm(_OF_ZERO)
        if value < 0:
            raise InvalidArgumentForLogarithm(_OF_NEGATIVE)
        return run(value)

    return checked


def _power(base: float, exponent: float) -> float:
    if base == 0 and exponent < 0:
        raise InvalidArgumentForPowerFunction(_ZERO_TO_NEGATIVE)
    if base < 0 and math.isfinite(exponent) and not exponent.is_integer():
        raise InvalidArgumentForPowerFunction(_COMPLEX)
    try:
        found = math.pow(base, exponent)
    except OverflowError:
        raise NumericValueOutOfRange(OVERFLOW) from None
    if found == 0 and base != 0 and math.isfinite(base) and math.isfinite(exponent):
        raise NumericValueOutOfRange(UNDERFLOW)
    return found


# Numeric. PostgreSQL gives about 16 digits that count, and never fewer after the point than the arguments have.

_DEEP = Context(prec=MAX_PRECISION * 2 + 10, Emax=100_000, Emin=-100_000)
_SIGNIFICANT = 16
_LOG10_E = 0.434294481903252


def _scale_of(value: Decimal) -> int:
    return max(-int(value.normalize(EXACT).as_tuple().exponent), 0)


def _at(value: Decimal, scale: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-min(scale, MAX_PRECISION)), context=EXACT)


def _numeric_root(types: Types, value: Decimal) -> Decimal:
    if value < 0:
        raise InvalidArgumentForPowerFunction(_NEGATIVE_ROOT)
    # PostgreSQL counts in groups of four digits.
    groups = value.adjusted() // 4 if value else 0
    digits = _SIGNIFICANT - ((groups + 1) * 4 // 2 - 1)
    return fitted(_at(_DEEP.sqrt(value), max(digits, _scale_of(value), 0)), of(types.result))


def _root_type(types: Sequence[Type]) -> Type:
    type_ = of(types[0])
    whole = whole_digits(type_) // 2 + 1
    return numeric(min(whole + max(QUOTIENT_SCALE, type_.scale), MAX_PRECISION), max(QUOTIENT_SCALE, type_.scale))


def _bounded(power: Decimal) -> Decimal:
    """The tenth power that a result has, if its value may have a place in a numeric at all."""
    if power > MAX_PRECISION:
        raise NumericValueOutOfRange("value overflows numeric format")
    return power


def _numeric_exponential(types: Types, value: Decimal) -> Decimal:
    power = _bounded(value * Decimal(_LOG10_E))
    if power < -2 * MAX_PRECISION:
        return Decimal(0)
    digits = max(_SIGNIFICANT - int(power), _scale_of(value), 0)
    return fitted(_at(_DEEP.exp(value), digits), of(types.result))


def _weight_of_logarithm(value: Decimal) -> int:
    """About where the first digit of the natural logarithm stands."""
    if value == 1:
        return 0
    near = value - 1
    if Decimal("0.9") <= value <= Decimal("1.1"):
        groups = near.adjusted() // 4
        return groups * 4 + (near.adjusted() - groups * 4)
    return int(math.log10(abs(float(_DEEP.ln(value)))))


def _positive(value: Decimal) -> Decimal:
    if not value:
        raise InvalidArgumentForLogarithm(_OF_ZERO)
    if value < 0:
        raise InvalidArgumentForLogarithm(_OF_NEGATIVE)
    return value


def _natural_logarithm(types: Types, value: Decimal) -> Decimal:
    digits = _SIGNIFICANT - _weight_of_logarithm(_positive(value))
    return fitted(_at(_DEEP.ln(value), max(digits, _scale_of(value), 0)), of(types.result))


def _logarithm_to(types: Types, base: Decimal, value: Decimal) -> Decimal:
    below = _DEEP.ln(_positive(base))
    above = _DEEP.ln(_positive(value))
    if not below:
        raise DivisionByZero
    digits = _SIGNIFICANT - (_weight_of_logarithm(value) - _weight_of_logarithm(base))
    least = max(_scale_of(base), _scale_of(value), 0)
    return fitted(_at(_DEEP.divide(above, below), max(digits, least)), of(types.result))


def _common_logarithm(types: Types, value: Decimal) -> Decimal:
    return _logarithm_to(types, Decimal(10), value)


def _numeric_power(types: Types, base: Decimal, exponent: Decimal) -> Decimal:
    if not base:
        if exponent < 0:
            raise InvalidArgumentForPowerFunction(_ZERO_TO_NEGATIVE)
        return Decimal(0 if exponent else 1)
    whole = exponent == exponent.to_integral_value(context=EXACT)
    if base < 0 and not whole:
        raise InvalidArgumentForPowerFunction(_COMPLEX)
    power = _bounded(exponent * _DEEP.log10(abs(base)))
    if power < -2 * MAX_PRECISION:
        return Decimal(0)
    digits = max(_SIGNIFICANT - int(power), _scale_of(base), _scale_of(exponent), 0)
    size = _DEEP.power(abs(base), exponent)
    odd = whole and int(exponent) % 2 == 1
    return fitted(_at(-size if base < 0 and odd else size, digits), of(types.result))


_POWER_TYPE = numeric(MAX_PRECISION, KEPT_SCALE)
_LOGARITHM_TYPE = numeric(MAX_PRECISION, 25)


def _of_float(name: str, run: Run, doc: str, spark: SparkText | None = None, *, infix: bool = False) -> Function:
    return Function(name, (FLOAT8,), FLOAT8, run, spark, fails=True, infix=infix, doc=doc)


def _of_numeric(name: str, arity: int, result: Type, run: Run, doc: str, *, infix: bool = False) -> Function:
    return Function(name, (NUMERIC,) * arity, result, run, fails=True, typed=True, infix=infix, doc=doc)


def _powers(name: str, *, infix: bool) -> list[Function]:
    doc = "the first raised to the second"
    return [
        Function(name, (FLOAT8, FLOAT8), FLOAT8, _power, fails=True, infix=infix, doc=doc),
        _of_numeric(name, 2, _POWER_TYPE, _numeric_power, doc, infix=infix),
    ]


FAMILY = Family(
    "Powers, roots and logarithms",
    functions=(
        *_powers("power", infix=False),
        _of_float("sqrt", _square_root, "the square root", _square_root_text),
        Function("sqrt", (NUMERIC,), _root_type, _numeric_root, fails=True, typed=True, doc="the square root"),
        _of_float("cbrt", math.cbrt, "the cube root"),
        _of_float("exp", _exponential, "e raised to it"),
        _of_numeric("exp", 1, _POWER_TYPE, _numeric_exponential, "e raised to it"),
        _of_float("ln", _logarithm(math.log), "the natural logarithm"),
        _of_numeric("ln", 1, _LOGARITHM_TYPE, _natural_logarithm, "the natural logarithm"),
        _of_float("log", _logarithm(math.log10), "the logarithm to base 10"),
        _of_numeric("log", 1, _LOGARITHM_TYPE, _common_logarithm, "the logarithm to base 10"),
        _of_numeric("log", 2, _POWER_TYPE, _logarithm_to, "the logarithm of the second to the base of the first"),
        _of_float("log10", _logarithm(math.log10), "the logarithm to base 10"),
        _of_numeric("log10", 1, _LOGARITHM_TYPE, _common_logarithm, "the logarithm to base 10"),
    ),
    operators=(
        *_powers("^", infix=True),
        _of_float("|/", _square_root, "the square root", _square_root_text, infix=True),
        _of_float("||/", math.cbrt, "the cube root", infix=True),
    ),
    aliases={"pow": "power"},
)
