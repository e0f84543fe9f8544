"""A number as it is written: its value, and the type that it has by itself."""

from __future__ import annotations

from decimal import Decimal
from math import inf

from holdfast.plan.errors import DataError
from holdfast.plan.functions.numeric_types import numeric_of
from holdfast.plan.types import FLOAT8, INT4, INT8, Type

_PREFIXES = ("0x", "0o", "0b")
_INT4_BOUND, _INT8_BOUND, _INT8_DIGITS = 2**31, 2**63, 19
_FLOAT_DIGITS = 17
"""As many as tell one float from another."""


def number(text: str) -> tuple[int | Decimal | float, Type]:
    """A whole number that int8 has is one; any other is numeric, with the digits it is written with.

    One with an exponent that no numeric has, but a double precision number does, is that: drivers write floats so. Of
    what no type has, the error is that of numeric, or one of `decimal`.
    """
    text = text.replace("_", "")
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if digits[:2].lower() in _PREFIXES:
        # Not by way of Python's own text of integers, which ends at some thousands of digits.
        digits = str(Decimal(int(digits, 0)))
    if digits.isdigit() and len(whole := digits.lstrip("0") or "0") <= _INT8_DIGITS:
        integer = int(sign + whole)
        if -_INT4_BOUND <= integer < _INT4_BOUND:
            return integer, INT4
        if -_INT8_BOUND <= integer < _INT8_BOUND:
            return integer, INT8
    value = Decimal(sign + digits)
    try:
        return value, numeric_of(value)
    except DataError:
        if "e" in text.lower() and len(value.as_tuple().digits) <= _FLOAT_DIGITS and 0 < abs(float(text)) < inf:
            return float(text), FLOAT8
        raise
