"""How many digits the result of numeric arithmetic has.

PostgreSQL's numeric grows with its values. Ours has 38 digits, and where the point stands is a matter of the type, so
it is settled for each operation when a query is planned. The rules keep the digits after the point that PostgreSQL
would show, up to 18 of them (20 of a quotient), rather than room before the point: what does not fit is an error,
where lost digits would be a wrong answer.

Spark has rules of its own, which cut the scale down to 6 when digits run short. An operation whose operands are cast
as `operands` says is computed by Spark as a value of type `result`, digit by digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.types import MAX_PRECISION, NUMERIC, Numeric, Type, numeric

EXACT = Context(prec=200, rounding=ROUND_HALF_UP, Emax=10_000, Emin=-10_000)
"""For arithmetic whose result is fitted to its type after."""

KEPT_SCALE = 18
"""Digits after the point that a product keeps however large its operands may be."""
QUOTIENT_SCALE = 20
LEAST_QUOTIENT_SCALE = 16
LEAST_DIVIDEND = 15
"""Digits before the point that a dividend must at least be left with."""
SPARK_KEPT_SCALE = 6
"""Digits after the point that Spark never cuts."""

INTEGER_DIGITS = {
    "int2": 5,
    "int4": 10,
    "int8": 19,
    "uint2": 5,
    "uint4": 10,
    "uint8": 20,
    "oid": 10,
    "mz_timestamp": 19,
}


@lru_cache(maxsize=1024)
def of(type_: Type) -> Numeric:
    """The type as a numeric without declared digits, also of integers."""
    if isinstance(type_, Numeric):
        return numeric(type_.precision, type_.scale)
    if type_.base in INTEGER_DIGITS:
        return numeric(INTEGER_DIGITS[type_.base], 0)
    return NUMERIC


def numeric_of(value: Decimal) -> Numeric:
    """The tightest type that holds the value with the scale it is written with."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # finite
    scale = max(-exponent, 0)
    whole = max(len(digits) + exponent, 0) if value else 0
    if whole <= MAX_PRECISION < scale + whole:
        scale = max(-int(value.normalize(EXACT).as_tuple().exponent), 0)
    if scale + whole > MAX_PRECISION:
        raise NumericValueOutOfRange("value overflows numeric format")
    return numeric(max(scale + whole, 1), scale)


def fitted(value: Decimal, type_: Numeric) -> Decimal:
    """The value rounded to the type's scale, half away from zero."""
    step = _step(type_.scale)
    if value and value.same_quantum(step):
        return checked(value, type_)
    result = checked(value, type_).quantize(step, context=EXACT)
    return checked(result, type_) if result else abs(result)


@lru_cache(maxsize=64)
def _step(scale: int) -> Decimal:
    """One of the last digit after the point."""
    return Decimal(1).scaleb(-scale)


def checked(value: Decimal, type_: Numeric) -> Decimal:
    """The value, if the type has the digits before the point that it needs."""
    if value and value.adjusted() >= type_.precision - type_.scale:
        raise overflow(type_)
    return value


def overflow(type_: Numeric) -> NumericValueOutOfRange:
    error = NumericValueOutOfRange("numeric field overflow")
    whole = type_.precision - type_.scale
    bound = f"10^{whole}" if whole else "1"
    field = f"A field with precision {type_.precision}, scale {type_.scale}"
    error.detail = f"{field} must round to an absolute value less than {bound}."
    return error


def whole_digits(type_: Numeric) -> int:
    return type_.precision - type_.scale


def common(types: Sequence[Type]) -> Numeric:
    """The type that values of all these types are cast to where one type is needed: UNION, CASE, comparisons."""
    found = [of(type_) for type_ in types]
    scale = max(type_.scale for type_ in found)
    whole = max(whole_digits(type_) for type_ in found)
    if whole + scale > MAX_PRECISION:
        scale = max(MAX_PRECISION - whole, min(scale, KEPT_SCALE))
    return numeric(min(whole + scale, MAX_PRECISION) or 1, scale)


@dataclass(frozen=True, slots=True)
class Operation:
    """What the operands are cast to, and the type of what then comes out."""

    operands: tuple[Numeric, Numeric]
    result: Numeric


@lru_cache(maxsize=4096)
def sum_types(left: Type, right: Type) -> Operation:
    """Of + and -."""
    a, b = of(left), of(right)
    scale = max(a.scale, b.scale)
    whole = max(whole_digits(a), whole_digits(b)) + 1
    if whole + scale > MAX_PRECISION and scale > SPARK_KEPT_SCALE:
        room = MAX_PRECISION - 1 - scale
        a, b = _narrowed(a, room), _narrowed(b, room)
        whole = room + 1
    return Operation((a, b), numeric(min(whole + scale, MAX_PRECISION), scale))


def _narrowed(type_: Numeric, whole: int) -> Numeric:
    """With at most so many digits before the point."""
    return numeric(max(min(whole_digits(type_), max(whole, 0)) + type_.scale, 1), type_.scale)


@dataclass(frozen=True, slots=True)
class Product(Operation):
    """`cut` says that Spark's own result would have fewer digits after the point than ours."""

    cut: bool


@lru_cache(maxsize=4096)
def product_types(left: Type, right: Type) -> Product:
    a, b = of(left), of(right)
    scale, precision = a.scale + b.scale, a.precision + b.precision + 1
    if precision <= MAX_PRECISION or scale <= SPARK_KEPT_SCALE:
        return Product((a, b), numeric(min(precision, MAX_PRECISION), scale), cut=False)
    # One digit less than there are, since Spark adds it up from products of parts, and a sum may have one more.
    most = MAX_PRECISION - 1
    scale = min(scale, most, max(most - (precision - scale), KEPT_SCALE, a.scale, b.scale))
    return Product((_narrowed(a, most - b.scale), _narrowed(b, most - a.scale)), numeric(most, scale), cut=True)


@lru_cache(maxsize=4096)
def remainder_types(left: Type, right: Type) -> Operation:
    a, b = of(left), of(right)
    scale = max(a.scale, b.scale)
    return Operation((a, b), numeric(max(min(whole_digits(a), whole_digits(b)) + scale, 1), scale))


@dataclass(frozen=True, slots=True)
class Quotient(Operation):
    """A quotient is rounded to `scale`, and then to that of `result` if it is less.

    `spark` says that Spark does just that, for operands of these types.
    """

    scale: int
    spark: bool


@lru_cache(maxsize=4096)
def quotient_types(left: Type, right: Type) -> Quotient:
    a, b = of(left), of(right)
    whole = whole_digits(a) + b.scale
    most = MAX_PRECISION - LEAST_QUOTIENT_SCALE
    if whole > most:
        if most - b.scale < LEAST_DIVIDEND:
            scale = LEAST_QUOTIENT_SCALE
            return Quotient((a, b), numeric(MAX_PRECISION, scale), scale, spark=False)
        a = _narrowed(a, most - b.scale)
        whole = most
    wanted = min(max(QUOTIENT_SCALE, a.scale, b.scale), MAX_PRECISION - whole)
    # Spark gives a quotient as many digits as its dividend has after the point, its divisor in all, and one.
    if a.scale + b.precision + 1 < wanted:
        more = wanted - b.precision - 1
        a = numeric(whole_digits(a) + more, more)
    scale = min(a.scale + b.precision + 1, MAX_PRECISION - whole)
    return Quotient((a, b), numeric(whole + wanted, wanted), scale, spark=True)


def cast_type(source: Type, target: Numeric) -> Numeric:
    """The type of a value after a cast: what the user declared, or else what the source needs."""
    return target if target.declared else of(source)
