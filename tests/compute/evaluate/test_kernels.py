"""What Arrow says of LIKE is what we say; and what it would not, it is not asked."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compute.evaluate.kernels import by_kernel
from holdfast.plan.functions.like import like
from holdfast.plan.functions.registry import OPERATORS
from holdfast.plan.scalar import Call, Column, Constant, Scalar
from holdfast.plan.types import BOOL, BPCHAR, BYTEA, TEXT, Type

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
