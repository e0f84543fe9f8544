from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.arithmetic import FAMILY
from holdfast.plan.functions.function import Function, Types
from holdfast.plan.functions.numeric_types import (
    EXACT,
    cast_type,
    common,
    fitted,
    numeric_of,
    of,
    product_types,
    quotient_types,
    remainder_types,
    sum_types,
)
from holdfast.plan.types import FLOAT8, INT4, INT8, NUMERIC, Numeric, numeric

types = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: numeric(p, s)))


def values_of(type_: Numeric) -> st.SearchStrategy[Decimal]:
    bound = 10**type_.precision - 1
    return st.integers(-bound, bound).map(lambda units: EXACT.scaleb(Decimal(units), -type_.scale))


operands = st.tuples(types, types).flatmap(
    lambda pair: st.tuples(st.just(pair[0]), st.just(pair[1]), values_of(pair[0]), values_of(pair[1]))
)


def operator_of(name: str) -> Function:
    return next(f for f in FAMILY.operators if f.name == name and f.arguments == (NUMERIC, NUMERIC))


def digits(type_: Numeric) -> tuple[int, int]:
    return type_.precision, type_.scale


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", (1, 0)), ("100.00", (5, 2)), ("0.05", (2, 2)), ("0", (1, 0)), ("1E+3", (4, 0)), ("0.00001", (5, 5))],
)
def test_a_literal_has_the_digits_it_is_written_with(text: str, expected: tuple[int, int]) -> None:
    assert digits(numeric_of(Decimal(text))) == expected


def test_a_literal_of_more_digits_than_there_are_is_refused() -> None:
    with pytest.raises(NumericValueOutOfRange, match="value overflows numeric format"):
        numeric_of(Decimal("1." + "1" * 38))


def test_zeros_at_the_end_make_no_literal_too_long() -> None:
    assert digits(numeric_of(Decimal("12." + "0" * 40))) == (2, 0)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (numeric(15, 2), numeric(1, 0), (16, 2)),
        (numeric(10, 4), numeric(15, 2), (18, 4)),
        (numeric(38, 2), numeric(38, 2), (38, 2)),
        (NUMERIC, NUMERIC, (38, 18)),
        (NUMERIC, numeric(38, 0), (38, 18)),
    ],
)
def test_a_sum_keeps_the_greater_scale(left: Numeric, right: Numeric, expected: tuple[int, int]) -> None:
    assert digits(sum_types(left, right).result) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (numeric(15, 2), numeric(16, 2), (32, 4)),
        (numeric(32, 4), numeric(16, 2), (38, 6)),
        (numeric(38, 6), numeric(15, 2), (37, 8)),
        (NUMERIC, numeric(10, 0), (37, 18)),
        (NUMERIC, NUMERIC, (37, 18)),
        (numeric(38, 30), numeric(1, 0), (37, 30)),
    ],
)
def test_a_product_adds_the_scales_up_to_18(left: Numeric, right: Numeric, expected: tuple[int, int]) -> None:
    assert digits(product_types(left, right).result) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (numeric(1, 0), numeric(1, 0), (21, 20)),
        (numeric(15, 2), numeric(15, 2), (35, 20)),
        (numeric(19, 0), numeric(19, 0), (38, 19)),
        (numeric(38, 2), numeric(20, 0), (38, 16)),
        (NUMERIC, NUMERIC, (38, 16)),
        (numeric(5, 2), numeric(30, 2), (25, 20)),
    ],
)
def test_a_quotient_has_16_digits_after_the_point_at_least(
    left: Numeric, right: Numeric, expected: tuple[int, int]
) -> None:
    assert digits(quotient_types(left, right).result) == expected


def test_a_cast_has_the_digits_that_were_declared_or_those_of_its_source() -> None:
    declared = numeric(10, 2, declared=True)
    assert cast_type(INT4, declared) is declared
    assert digits(cast_type(INT4, NUMERIC)) == (10, 0)
    assert digits(cast_type(INT8, NUMERIC)) == (19, 0)
    assert cast_type(FLOAT8, NUMERIC) is NUMERIC
    assert cast_type(declared, NUMERIC) is numeric(10, 2)


def test_one_type_for_many_has_room_for_all_of_them() -> None:
    assert digits(common([numeric(10, 2), numeric(5, 4), INT4])) == (14, 4)
    assert digits(common([numeric(38, 0), NUMERIC])) == (38, 18)


def test_rounding_is_half_away_from_zero() -> None:
    assert [fitted(Decimal(text), numeric(5, 1)) for text in ("0.25", "-0.25", "0.35", "-0.04")] == [
        Decimal("0.3"),
        Decimal("-0.3"),
        Decimal("0.4"),
        Decimal("0.0"),
    ]


@settings(max_examples=50)
@given(left=types, right=types)
@example(left=numeric(1, 0), right=numeric(38, 38))
@example(left=numeric(38, 38), right=numeric(38, 38))
def test_results_always_have_a_type_that_arrow_and_spark_hold(left: Numeric, right: Numeric) -> None:
    for operation in (sum_types, product_types, quotient_types, remainder_types):
        found = operation(left, right)
        for type_ in (*found.operands, found.result):
            assert 1 <= type_.precision <= 38
            assert 0 <= type_.scale <= type_.precision


@settings(max_examples=100)
@given(case=operands)
def test_operations_are_exact_or_rounded_once_or_overflow(case: tuple[Numeric, Numeric, Decimal, Decimal]) -> None:
    left, right, a, b = case
    exact = {"+": EXACT.add(a, b), "-": EXACT.subtract(a, b), "*": EXACT.multiply(a, b)}
    for name, expected in exact.items():
        function = operator_of(name)
        assert callable(function.result)
        assert function.python is not None
        result = function.result((left, right))
        try:
            found = function.python(Types((left, right), result), a, b)
        except NumericValueOutOfRange:
            assert max(a.adjusted(), b.adjusted(), expected.adjusted()) + 1 > 38 - of(result).scale - 2
        else:
            assert found == expected.quantize(Decimal(1).scaleb(-of(result).scale), context=EXACT)
