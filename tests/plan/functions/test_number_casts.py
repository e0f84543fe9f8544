from __future__ import annotations

from decimal import Decimal

import pytest

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions import number_casts, number_text
from holdfast.plan.functions.function import Cast, Function, Types
from holdfast.plan.types import (
    INT4,
    INT8,
    MZ_TIMESTAMP,
    NUMERIC,
    TEXT,
    UINT4,
    VARCHAR,
    Modified,
    Numeric,
    Type,
    numeric,
)

CASTS: dict[tuple[str, str], Cast] = {
    (cast.source, cast.target): cast for module in (number_casts, number_text) for cast in module.FAMILY.casts
}

# As pg_cast has them.
CONTEXTS = """
bool int4 explicit
int2 int4 implicit
int2 int8 implicit
int2 float4 implicit
int2 float8 implicit
int2 numeric implicit
int2 oid implicit
int4 bool explicit
int4 int2 assignment
int4 int8 implicit
int4 float4 implicit
int4 float8 implicit
int4 numeric implicit
int4 oid implicit
int4 regclass implicit
int8 int2 assignment
int8 int4 assignment
int8 float4 implicit
int8 float8 implicit
int8 numeric implicit
int8 oid implicit
float4 int2 assignment
float4 int8 assignment
float4 float8 implicit
float4 numeric assignment
float8 int4 assignment
float8 float4 assignment
float8 numeric assignment
numeric int4 assignment
numeric float4 implicit
numeric float8 implicit
numeric numeric implicit
oid int4 assignment
oid int8 assignment
oid regclass implicit
regclass oid implicit
regtype int8 assignment
"""


def function_of(source: str, target: str) -> Function:
    function = CASTS[source, target].function
    assert function is not None
    return function


def cast(value: object, source: Type, target: Type) -> object:
    function = function_of(source.base, target.base)
    assert function.python is not None
    return function.python(Types((source,), target), value) if function.typed else function.python(value)


@pytest.mark.parametrize("line", CONTEXTS.strip().splitlines())
def test_casts_have_the_contexts_of_postgres(line: str) -> None:
    source, target, context = line.split()
    assert CASTS[source, target].context == context


def test_no_cast_is_there_twice() -> None:
    listed = [(c.source, c.target) for module in (number_casts, number_text) for c in module.FAMILY.casts]
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        ("1.005", numeric(4, 2, declared=True), "1.01"),
        ("-1.005", numeric(4, 2, declared=True), "-1.01"),
        ("0.0001", numeric(4, 2, declared=True), "0"),
        ("99.994", numeric(4, 2, declared=True), "99.99"),
    ],
)
def test_declared_digits_round_half_away_from_zero(value: str, type_: Numeric, expected: str) -> None:
    assert cast(Decimal(value), NUMERIC, type_) == Decimal(expected)


def test_declared_digits_are_not_exceeded() -> None:
    with pytest.raises(NumericValueOutOfRange, match="numeric field overflow") as caught:
        cast(Decimal("99.995"), NUMERIC, numeric(4, 2, declared=True))
    assert caught.value.detail == ("A field with precision 4, scale 2 must round to an absolute value less than 10^2.")


def test_a_number_is_cut_to_the_length_of_its_text() -> None:
    assert cast(12345, INT4, Modified("varchar", 3)) == "123"
    assert cast(12345, INT4, VARCHAR) == "12345"


def test_a_text_column_is_read_with_the_digits_of_its_numeric() -> None:
    assert cast("0." + "1" * 50, TEXT, NUMERIC) == Decimal("0." + "1" * 18)
    with pytest.raises(NumericValueOutOfRange, match="numeric field overflow"):
        cast("1e20", TEXT, NUMERIC)


def test_an_mz_timestamp_is_a_number_that_is_not_negative() -> None:
    assert cast(Decimal("1700000000000.5"), NUMERIC, MZ_TIMESTAMP) == 1700000000001
    assert cast(5, UINT4, MZ_TIMESTAMP) == 5
    assert cast(5, MZ_TIMESTAMP, TEXT) == "5"
    with pytest.raises(NumericValueOutOfRange, match="mz_timestamp out of range"):
        cast(-1, INT8, MZ_TIMESTAMP)


def test_numbers_that_numeric_does_not_have_are_errors() -> None:
    for value, name in ((float("nan"), "NaN"), (float("-inf"), "infinity")):
        with pytest.raises(NumericValueOutOfRange, match=f"cannot convert {name} to numeric"):
            cast(value, Type("float8"), NUMERIC)
