"""Sums of floats that are exact: dyadic numbers, which are integers times powers of two, in as many bytes as they need.

As bytes, a number is either a float as Python or Java writes it, or what `written` returns; each may be followed by
integers that it is to be multiplied by, after a `*`. So to make such a number of a row's float, and to take it any
number of times, is mere concatenation. Zero is empty. Sums that are equal are written as equal bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import isinf, isnan, prod
from typing import NamedTuple

from holdfast.plan.functions.running import FloatTotal

ZERO = b""
_LEAST = 1074
"""Every finite float is an integer times two to the power of minus this."""


class Dyadic(NamedTuple):
    """`mantissa` times two to the power of `exponent`, and how many NaNs and infinities were added to it."""

    mantissa: int = 0
    exponent: int = 0
    nans: int = 0
    infinite: int = 0
    minus_infinite: int = 0

    def times(self, factor: int) -> Dyadic:
        return Dyadic(
            self.mantissa * factor,
            self.exponent,
            self.nans * factor,
            self.infinite * factor,
            self.minus_infinite * factor,
        )

    @property
    def is_finite(self) -> bool:
        return not (self.nans or self.infinite or self.minus_infinite)

    def fraction(self) -> Fraction:
        """The sum of what is finite."""
        if self.exponent >= 0:
            return Fraction(self.mantissa << self.exponent)
        return Fraction(self.mantissa, 1 << -self.exponent)


def dyadic(value: float) -> Dyadic:
    if isnan(value):
        return Dyadic(nans=1)
    if isinf(value):
        return Dyadic(infinite=1) if value > 0 else Dyadic(minus_infinite=1)
    numerator, denominator = value.as_integer_ratio()
    return Dyadic(numerator, 1 - denominator.bit_length())


def product(left: float, right: float) -> Dyadic:
    """Of finite floats."""
    one, other = dyadic(left), dyadic(right)
    return Dyadic(one.mantissa * other.mantissa, one.exponent + other.exponent)


def total(numbers: Iterable[Dyadic]) -> Dyadic:
    mantissas: defaultdict[int, int] = defaultdict(int)
    nans = infinite = minus_infinite = 0
    for number in numbers:
        mantissas[number.exponent] += number.mantissa
        nans += number.nans
        infinite += number.infinite
        minus_infinite += number.minus_infinite
    least = min(mantissas, default=0)
    mantissa = sum(found << (exponent - least) for exponent, found in mantissas.items())
    return Dyadic(mantissa, least, nans, infinite, minus_infinite)


def units(number: Dyadic) -> FloatTotal:
    """A sum of floats, which is never finer than the least of them."""
    found = number.mantissa << (number.exponent + _LEAST) if number.mantissa else 0
    return FloatTotal(found, number.nans, number.infinite, number.minus_infinite)


def written(number: Dyadic) -> bytes:
    mantissa, exponent, *counts = number
    if not mantissa:
        if not any(counts):
            return ZERO
        exponent = 0
    else:
        spare = (mantissa & -mantissa).bit_length() - 1
        mantissa, exponent = mantissa >> spare, exponent + spare
    text = f"{mantissa:x}p{exponent}"
    return "/".join((text, *map(str, counts)) if any(counts) else (text,)).encode()


def read(data: bytes) -> Dyadic:
    if data == ZERO:
        return Dyadic()
    text, *factors = data.decode().split("*")
    if "p" not in text:
        return dyadic(float(text)).times(prod(map(int, factors)))
    number, *counts = text.split("/")
    mantissa, exponent = number.split("p")
    return Dyadic(int(mantissa, 16), int(exponent), *map(int, counts)).times(prod(map(int, factors)))


def scaled(data: bytes, factor: int) -> bytes:
    return data + b"*%d" % factor if data and factor else ZERO
