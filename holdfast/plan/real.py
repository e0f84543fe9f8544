"""Single precision, which Python does not have: a `real` is a float that single precision holds too."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

_SINGLE = struct.Struct("<f")
_BITS = struct.Struct("<i")
GREATEST = 3.4028234663852886e38
_HALFWAY_TO_INFINITY = Fraction(2**128 - 2**103)


def rounded(value: float) -> float:
    """The nearest real, infinite where there is none."""
    try:
        found: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return found


def successor(value: float) -> float:
    """The next greater real of one that is not negative, infinite after the greatest."""
    return _moved(value, 1)


def predecessor(value: float) -> float:
    """The next lesser real of one that is positive."""
    return _moved(value, -1)


def _moved(value: float, by: int) -> float:
    # Reals that are not negative are in the order of their bits.
    (bits,) = _BITS.unpack(_SINGLE.pack(value))
    found: float = _SINGLE.unpack(_BITS.pack(bits + by))[0]
    return found


def nearest(exact: Fraction) -> float:
    """The nearest real to a number that even a float may not hold, ties to even."""
    size = abs(exact)
    if size >= _HALFWAY_TO_INFINITY:
        return math.copysign(math.inf, exact)
    # Rounding twice errs by one real at most, and only where the first landed on a tie.
    found = min(rounded(float(size)), GREATEST)
    if Fraction(found) < size and size > _middle(found, successor(found)):
        found = successor(found)
    elif Fraction(found) > size and size < _middle(predecessor(found), found):
        found = predecessor(found)
    return -found if exact < 0 else found


def _middle(low: float, high: float) -> Fraction:
    return (Fraction(low) + Fraction(high)) / 2 if math.isfinite(high) else _HALFWAY_TO_INFINITY
