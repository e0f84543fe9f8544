from __future__ import annotations

from decimal import Decimal

import pytest

from holdfast.plan.errors import DivisionByZero, NumericValueOutOfRange
from holdfast.plan.functions.arithmetic import FAMILY
from holdfast.plan.functions.function import Function, Types
from holdfast.plan.functions.numeric_types import numeric_of
from holdfast.plan.functions.rounding import FAMILY as ROUNDING
from holdfast.plan.types import INT2, INT4, INT8, NUMERIC, UINT2, UINT8, Numeric, Type, numeric


def overload(name: str, *arguments: Type) -> Function:
    operators = (*FAMILY.operators, *ROUNDING.operators)
    return next(f for f in operators if f.name == name and f.arguments == arguments)


def text_of(name: str, *types: Numeric) -> str | None:
    function = overload(name, *(NUMERIC,) * len(types))
    assert callable(function.result)
    assert callable(function.spark)
    return function.spark(["a", "b"][: len(types)], types, function.result(types))


@pytest.mark.parametrize(("left", "right", "result"), [(INT2, INT2, INT2), (INT2, INT4, INT4), (INT8, INT2, INT8)])
def test_integers_give_the_wider_of_their_types(left: Type, right: Type, result: Type) -> None:
    assert overload("+", left, right).result is result


def test_spark_computes_narrow_integers_as_wide_ones_whose_cast_says_what_had_no_room() -> None:
    assert overload("+", INT4, INT2).spark == "CAST(CAST({0} AS BIGINT) + {1} AS INT)"
    assert overload("-", INT2).spark == "CAST(- CAST({0} AS BIGINT) AS SMALLINT)"
    assert overload("*", INT8, INT4).spark == "({0} * {1})"


@pytest.mark.parametrize(
    ("type_", "name", "a", "b"), [(UINT2, "+", 65535, 1), (UINT2, "-", 0, 1), (UINT8, "*", 2**63, 2)]
)
def test_unsigned_integers_overflow_at_both_ends(type_: Type, name: str, a: int, b: int) -> None:
    function = overload(name, type_, type_)
    assert function.python is not None
    with pytest.raises(NumericValueOutOfRange, match=f"{type_} out of range"):
        function.python(a, b)


def test_money_is_multiplied_by_spark_as_it_is() -> None:
    assert text_of("*", numeric(15, 2), numeric(16, 2)) == "(a * b)"
    assert text_of("*", numeric(32, 4), numeric(16, 2)) == "(a * b)"


def test_a_sum_that_spark_would_cut_is_one_of_narrower_operands() -> None:
    assert text_of("+", NUMERIC, NUMERIC) == "(CAST(a AS DECIMAL(37, 18)) + CAST(b AS DECIMAL(37, 18)))"
    assert text_of("+", numeric(38, 2), numeric(38, 2)) == "(a + b)"


def test_a_product_that_spark_would_cut_is_put_together_from_parts() -> None:
    text = text_of("*", NUMERIC, numeric(10, 0))
    assert text is not None
    assert text.count(" * ") == 2
    assert text.endswith("AS DECIMAL(37, 18))")


def test_a_quotient_gets_its_digits_from_a_dividend_with_more() -> None:
    assert text_of("/", numeric(1, 0), numeric(1, 0)) == "(CAST(a AS DECIMAL(19, 18)) / b)"
    assert text_of("/", numeric(38, 2), numeric(20, 0)) == "(CAST(a AS DECIMAL(24, 2)) / b)"
    assert text_of("/", NUMERIC, NUMERIC) is None


def test_spark_negates_long_decimals_as_text() -> None:
    assert text_of("-", numeric(34, 2)) == "(- a)"
    text = text_of("-", numeric(38, 2))
    assert text is not None
    assert "concat('-', CAST(a AS STRING))" in text


# PostgreSQL's answers, to 15 digits.
QUOTIENTS = [
    ("1", "3", "0.33333333333333333333"),
    ("2", "3", "0.66666666666666666667"),
    ("-2", "3", "-0.66666666666666666667"),
    ("10", "3", "3.3333333333333333"),
    ("20000", "3", "6666.6666666666666667"),
    ("0.001", "7", "0.00014285714285714286"),
    ("123456.78", "0.05", "2469135.6"),
    ("99999999999999.99", "7", "14285714285714.2843"),
    ("1", "1234567.89", "0.000000810000007371000067"),
]


@pytest.mark.parametrize(("a", "b", "expected"), QUOTIENTS)
def test_quotients_agree_with_postgres_to_15_digits(a: str, b: str, expected: str) -> None:
    left, right = Decimal(a), Decimal(b)
    types = numeric_of(left), numeric_of(right)
    function = overload("/", NUMERIC, NUMERIC)
    assert callable(function.result)
    assert function.python is not None
    found = function.python(Types(types, function.result(types)), left, right)
    assert isinstance(found, Decimal)
    assert abs(found - Decimal(expected)) <= abs(Decimal(expected)) * Decimal("1e-15") + Decimal("1e-20")


def test_numerics_are_not_divided_by_zero() -> None:
    function = overload("/", NUMERIC, NUMERIC)
    assert function.python is not None
    with pytest.raises(DivisionByZero, match="division by zero"):
        function.python(Types((NUMERIC, NUMERIC), NUMERIC), Decimal(1), Decimal(0))
