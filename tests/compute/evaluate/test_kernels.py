"""What Arrow says of LIKE and remainders is what we say; and what it would not, it is not asked."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compute.evaluate.kernels import by_kernel
from holdfast.plan.functions.arithmetic import SIGNED, remainder
from holdfast.plan.functions.like import like
from holdfast.plan.functions.registry import OPERATORS
from holdfast.plan.scalar import Call, Column, Constant, Scalar
from holdfast.plan.text.numbers import INTEGER_RANGES
from holdfast.plan.types import BOOL, BPCHAR, BYTEA, INT2, INT4, INT8, TEXT, Type, arrow_type

LETTERS = "ab.*é\n$[(|+"


def called(name: str, pattern: Scalar, type_: Type = TEXT) -> Call:
    function = next(each for each in OPERATORS[name] if each.arguments[0] is type_)
    return Call(function, (Column(0, type_, True), pattern), BOOL, True)


@given(texts=st.lists(st.none() | st.text(LETTERS + "%_\\", max_size=6)), pattern=st.text(LETTERS + "%", max_size=5))
def test_plain_patterns_match_what_they_match(texts: list[str | None], pattern: str) -> None:
    table = pa.table({"0": pa.array(texts, pa.string())})
    expected = [None if text is None else like(text, pattern) for text in texts]
    found = by_kernel(called("~~", Constant(pattern, TEXT)), table, ())
    assert found is not None
    assert found.to_pylist() == expected
    negated = by_kernel(called("!~~", Constant(pattern, TEXT)), table, ())
    assert negated is not None
    assert negated.to_pylist() == [None if each is None else not each for each in expected]


@pytest.mark.parametrize(
    "call",
    [
        called("~~", Constant("a_", TEXT)),
        called("~~", Constant("a\\", TEXT)),
        called("~~", Constant(None, TEXT)),
        called("~~", Column(0, TEXT, True)),
        called("~~", Constant("a%", TEXT), BPCHAR),
        called("~~", Constant(b"a%", BYTEA), BYTEA),
    ],
)
def test_other_patterns_are_not_for_arrow(call: Call) -> None:
    assert by_kernel(call, pa.table({"0": pa.array(["a"])}), ()) is None


def divided(type_: Type, divisor: Scalar) -> Call:
    function = next(each for each in OPERATORS["%"] if each.arguments == (type_, type_))
    return Call(function, (Column(0, type_, True), divisor), type_, True)


@given(data=st.data(), type_=st.sampled_from(SIGNED))
def test_remainders_have_the_sign_of_the_dividend(data: st.DataObject, type_: Type) -> None:
    least, greatest = INTEGER_RANGES[type_.base]
    numbers = st.integers(least, greatest) | st.integers(-40, 40) | st.sampled_from((least, greatest))
    values = data.draw(st.lists(st.none() | numbers))
    divisor = data.draw(numbers.filter(lambda each: each not in (0, -1)))
    found = by_kernel(
        divided(type_, Constant(divisor, type_)), pa.table({"0": pa.array(values, arrow_type(type_))}), ()
    )
    assert found is not None
    assert found.to_pylist() == [None if each is None else remainder(each, divisor) for each in values]
    assert found.type == arrow_type(type_)


@pytest.mark.parametrize(
    "call",
    [
        divided(INT4, Constant(0, INT4)),
        divided(INT8, Constant(-1, INT8)),
        divided(INT2, Constant(None, INT2)),
        divided(INT8, Column(0, INT8, True)),
    ],
)
def test_what_may_fail_is_not_for_arrow(call: Call) -> None:
    assert by_kernel(call, pa.table({"0": pa.array([1], arrow_type(call.arguments[0].type))}), ()) is None
