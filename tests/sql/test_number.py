from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.types import FLOAT8, INT4, INT8, Type, numeric
from holdfast.sql.number import number


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [
        ("007", 7, INT4),
        ("-2147483648", -(2**31), INT4),
        ("2147483648", 2**31, INT8),
        ("-9223372036854775808", -(2**63), INT8),
        ("9223372036854775808", Decimal(2**63), numeric(19, 0)),
        ("-0xFF", -255, INT4),
        ("0b1_0", 2, INT4),
        ("1_000.50", Decimal("1000.50"), numeric(6, 2)),
        (".5", Decimal("0.5"), numeric(1, 1)),
        ("1e3", Decimal("1e3"), numeric(4, 0)),
        ("1e-320", 1e-320, FLOAT8),
        ("0" * 5000 + "1", 1, INT4),
    ],
    ids=str,
)
def test_a_number_is_of_the_first_type_that_has_it(text: str, value: object, type_: Type) -> None:
    assert number(text) == (value, type_)


@given(st.integers(-(2**70), 2**70))
def test_whole_numbers_are_what_they_are(value: int) -> None:
    assert number(str(value))[0] == value
    assert number(f"{'-' if value < 0 else ''}{abs(value):#x}")[0] == value


@pytest.mark.parametrize("text", ["9" * 39, "9" * 5000, f"0x{'f' * 5000}", "1e400", "-1e99999999999", "0.1e-400"])
def test_a_number_that_no_type_has_is_out_of_range_however_long_it_is(text: str) -> None:
    with pytest.raises(NumericValueOutOfRange, match="value overflows numeric format"):
        number(text)
