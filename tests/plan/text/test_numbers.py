from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan.errors import DataError, InvalidTextRepresentation, NumericValueOutOfRange
from holdfast.plan.text import read_of, write_of
from holdfast.plan.text.numbers import read_numeric
from holdfast.plan.types import (
    BOOL,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MZ_TIMESTAMP,
    NUMERIC,
    OID,
    REGCLASS,
    UINT2,
    UINT8,
    Type,
    numeric,
)

# PostgreSQL's answers.

FLOATS = [
    (FLOAT8, 1e23, "9.999999999999999e+22"),
    (FLOAT8, 9.5e22, "9.5e+22"),
    (FLOAT8, -2e23, "-1.9999999999999998e+23"),
    (FLOAT8, 123456789012345.0, "123456789012345"),
    (FLOAT8, 1234567890123456.0, "1.234567890123456e+15"),
    (FLOAT8, 1e15, "1e+15"),
    (FLOAT8, 0.0001, "0.0001"),
    (FLOAT8, 0.00001, "1e-05"),
    (FLOAT8, -0.0, "-0"),
    (FLOAT8, 5e-324, "5e-324"),
    (FLOAT8, 1e20, "1e+20"),
    (FLOAT8, 2.0**60, "1.152921504606847e+18"),
    (FLOAT8, 1.7976931348623157e308, "1.7976931348623157e+308"),
    (FLOAT8, math.inf, "Infinity"),
    (FLOAT8, -math.inf, "-Infinity"),
    (FLOAT8, math.nan, "NaN"),
    (FLOAT4, 1e6, "1e+06"),
    (FLOAT4, 123456.0, "123456"),
    (FLOAT4, 1234567.0, "1.234567e+06"),
    (FLOAT4, 16777216.0, "1.6777216e+07"),
    (FLOAT4, 850000000.0, "8.5e+08"),
    (FLOAT4, 0.10000000149011612, "0.1"),
    (FLOAT4, 3.4028234663852886e38, "3.4028235e+38"),
    (FLOAT4, -1.401298464324817e-45, "-1e-45"),
]


@pytest.mark.parametrize(("type_", "value", "text"), FLOATS)
def test_floats_are_written_with_as_few_digits_as_tell_them_apart(type_: Type, value: float, text: str) -> None:
    assert write_of(type_)(value) == text


@pytest.mark.parametrize(("type_", "value", "text"), FLOATS)
def test_floats_are_read_as_they_were_written(type_: Type, value: float, text: str) -> None:
    assert repr(read_of(type_)(text)) == repr(value)


@settings(max_examples=50)
@given(value=st.floats(allow_nan=False))
def test_every_float_survives_its_text(value: float) -> None:
    assert repr(read_of(FLOAT8)(write_of(FLOAT8)(value))) == repr(value)


@settings(max_examples=50)
@given(value=st.floats(width=32, allow_nan=False))
def test_every_real_survives_its_text(value: float) -> None:
    assert repr(read_of(FLOAT4)(write_of(FLOAT4)(value))) == repr(value)


READ = [
    (INT4, " 0x1F ", 31),
    (INT4, "1_000", 1000),
    (INT4, "0x_1", 1),
    (INT4, "0_1", 1),
    (INT4, "-2147483648", -(2**31)),
    (INT2, "0o17", 15),
    (INT8, "0b101", 5),
    (UINT2, "65535", 65535),
    (UINT8, "18446744073709551615", 2**64 - 1),
    (OID, "010", 8),
    (OID, "-1", 2**32 - 1),
    (OID, "0x10", 16),
    (REGCLASS, "1259", 1259),
    (BOOL, "  tRu ", True),
    (BOOL, "of", False),
    (BOOL, "1", True),
    (FLOAT8, "0x1p3", 8.0),
    (FLOAT8, "+inf", math.inf),
    (FLOAT8, "1.", 1.0),
    (FLOAT8, ".5e1", 5.0),
    (MZ_TIMESTAMP, "1700000000000", 1700000000000),
    (NUMERIC, "0x1F", Decimal(31)),
    (NUMERIC, "-0x10", Decimal(-16)),
    (NUMERIC, "1_0.5_5e1_0", Decimal(105500000000)),
    (NUMERIC, ".5", Decimal("0.5")),
    (NUMERIC, "5.", Decimal(5)),
    (NUMERIC, "1e25", Decimal(10) ** 25),
    (NUMERIC, "0." + "1" * 38, Decimal("0." + "1" * 38)),
    (numeric(4, 2, declared=True), "1.005", Decimal("1.01")),
    (numeric(4, 2, declared=True), "-1.005", Decimal("-1.01")),
]


@pytest.mark.parametrize(("type_", "text", "value"), READ)
def test_every_form_of_postgres_is_read(type_: Type, text: str, value: object) -> None:
    assert read_of(type_)(text) == value


WRONG = [
    (INT4, "1__0", 'invalid input syntax for type integer: "1__0"'),
    (INT4, "", 'invalid input syntax for type integer: ""'),
    (INT4, "- 1", 'invalid input syntax for type integer: "- 1"'),
    (INT4, "1e5", 'invalid input syntax for type integer: "1e5"'),
    (INT4, "0x", 'invalid input syntax for type integer: "0x"'),
    (INT4, "_1", 'invalid input syntax for type integer: "_1"'),
    (INT4, "٣", 'invalid input syntax for type integer: "٣"'),
    (INT4, "99999999999", 'value "99999999999" is out of range for type integer'),
    (INT2, "40000", 'value "40000" is out of range for type smallint'),
    (INT4, "9999999999.5", 'value "9999999999.5" is out of range for type integer'),
    (INT4, "2147483648.5", 'invalid input syntax for type integer: "2147483648.5"'),
    (INT4, "0x8000000000z", 'value "0x8000000000z" is out of range for type integer'),
    (INT2, "9_9_9_9_9_9x", 'value "9_9_9_9_9_9x" is out of range for type smallint'),
    (INT2, "32768x", 'invalid input syntax for type smallint: "32768x"'),
    (INT2, "-99999 x", 'value "-99999 x" is out of range for type smallint'),
    (UINT2, "-1", 'value "-1" is out of range for type uint2'),
    (OID, "4294967296", 'value "4294967296" is out of range for type oid'),
    (OID, "x", 'invalid input syntax for type oid: "x"'),
    (BOOL, "o", 'invalid input syntax for type boolean: "o"'),
    (FLOAT8, "1e400", '"1e400" is out of range for type double precision'),
    (FLOAT8, "1e-400", '"1e-400" is out of range for type double precision'),
    (FLOAT8, "1_0", 'invalid input syntax for type double precision: "1_0"'),
    (FLOAT8, "1d", 'invalid input syntax for type double precision: "1d"'),
    (FLOAT4, "1e40", '"1e40" is out of range for type real'),
    (FLOAT4, "1e-46", '"1e-46" is out of range for type real'),
    (NUMERIC, ".", 'invalid input syntax for type numeric: "."'),
    (NUMERIC, "1e", 'invalid input syntax for type numeric: "1e"'),
    (NUMERIC, "1e200000", "value overflows numeric format"),
    (NUMERIC, "1" * 39, "value overflows numeric format"),
    (numeric(4, 2, declared=True), "123.4", "numeric field overflow"),
]


@pytest.mark.parametrize(("type_", "text", "message"), WRONG)
def test_what_cannot_be_read_is_said_as_postgres_says_it(type_: Type, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_of(type_)(text)
    assert str(caught.value) == message
    of_range = "out of range" in message or "overflow" in message
    assert type(caught.value) is (NumericValueOutOfRange if of_range else InvalidTextRepresentation)


def test_an_overflow_of_declared_digits_says_what_they_are() -> None:
    with pytest.raises(NumericValueOutOfRange) as caught:
        read_of(numeric(4, 4, declared=True))("1234.5")
    assert caught.value.detail == "A field with precision 4, scale 4 must round to an absolute value less than 1."


@pytest.mark.parametrize(
    ("text", "written"),
    [("100.00", "100"), ("-0.00", "0"), ("1.50", "1.5"), ("1e-10", "0.0000000001"), ("120", "120"), ("-0.5", "-0.5")],
)
def test_numerics_are_written_without_zeros_at_the_end(text: str, written: str) -> None:
    assert write_of(NUMERIC)(read_numeric(text)) == written


@given(st.integers(-(10**38), 10**38), st.integers(-40, 40))
def test_numerics_are_written_without_an_exponent(digits: int, exponent: int) -> None:
    number = Decimal(digits).scaleb(exponent)
    text = write_of(NUMERIC)(number)
    assert set(text) <= set("-.0123456789")
    assert Decimal(text) == number


def test_booleans_are_written_as_letters() -> None:
    assert [write_of(BOOL)(value) for value in (True, False)] == ["t", "f"]
