from __future__ import annotations

import math
import struct
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan import real

reals = st.floats(width=32, allow_nan=False, allow_infinity=False)


def test_a_real_is_what_single_precision_holds() -> None:
    assert real.rounded(0.1) == struct.unpack("f", struct.pack("f", 0.1))[0]


def test_what_is_too_great_is_infinite() -> None:
    assert real.rounded(-1e39) == -math.inf
    assert real.nearest(Fraction(10) ** 39) == math.inf
    assert real.nearest(Fraction(real.GREATEST) + 2**102) == real.GREATEST


def test_a_number_just_beside_a_tie_is_rounded_once() -> None:
    tie = Fraction(1) + Fraction(1, 2**24)
    assert real.nearest(tie) == 1.0
    assert real.nearest(tie + Fraction(1, 2**80)) == 1.0 + 2**-23
    assert real.nearest(-tie - Fraction(1, 2**80)) == -1.0 - 2**-23


@settings(max_examples=50)
@given(value=reals.filter(lambda value: value > 0))
def test_neighbours_have_nothing_between_them(value: float) -> None:
    below = real.predecessor(value)
    assert below < value
    assert real.successor(below) == value


@settings(max_examples=50)
@given(value=reals)
def test_a_real_is_its_own_nearest(value: float) -> None:
    assert real.nearest(Fraction(value)) == value
