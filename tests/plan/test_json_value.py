"""The canonical text of JSON, and its order."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan.errors import NumericValueOutOfRange, ProgramLimitExceeded
from holdfast.plan.json_value import MAX_DEPTH, equal, json_object, number, parse, sort_key, write
from holdfast.plan.text.json import canonical

scalars = (
    st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=3).map(number)
)
values = st.recursive(
    scalars | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abé", max_size=2), inner, max_size=3).map(
            lambda members: json_object(members.items())
        )
    ),
    max_leaves=8,
)


@settings(max_examples=100)
@given(value=values)
def test_a_value_is_what_its_text_is_parsed_as_and_its_text_is_canonical(value: Any) -> None:
    text = write(value)
    assert equal(parse(text), value)
    assert canonical(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1.0", "1"),
        ("-0.0", "0"),
        ("1.50", "1.5"),
        ("1e2", "100"),
        ("12345678901234567890.12345678901234567890", "12345678901234567890.1234567890123456789"),
        ('{"b":1,"aa":2,"a":3,"é":4}', '{"a": 3, "b": 1, "aa": 2, "é": 4}'),
    ],
)
def test_equal_values_have_one_text(text: str, written: str) -> None:
    assert canonical(text) == written


def test_a_string_that_looks_like_the_mark_of_a_number_stays_a_string() -> None:
    text = json.dumps(["\\u00001.5", '"\\u0000', Decimal("2.5")], default=float)
    assert canonical(text) == text


def test_true_is_not_one() -> None:
    assert not equal(True, 1)
    assert not equal([True], [1])
    assert equal([Decimal("1.5")], [Decimal("1.5")])


def test_nesting_has_a_limit_that_brackets_in_strings_do_not_count_for() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert canonical(deepest) == deepest
    with pytest.raises(ProgramLimitExceeded):
        canonical(f"[{deepest}]")
    brackets = json.dumps("[" * (MAX_DEPTH + 1) + '\\"')
    assert canonical(brackets) == brackets


@pytest.mark.parametrize("text", ["1e5000", "1e-5000", "9" * 5000])
def test_a_number_of_too_many_digits_is_refused(text: str) -> None:
    with pytest.raises(NumericValueOutOfRange, match="value overflows numeric format"):
        canonical(text)


def test_values_sort_as_in_postgresql() -> None:
    ordered = ["[]", "null", '"a"', '"b"', "1", "1.5", "false", "true", "[null]", "[[]]", "[1, 2]", "{}", '{"b": 1}']
    ordered += ['{"b": 2}', '{"c": 0}', '{"a": 0, "bb": 0}']
    assert sorted(ordered, key=lambda text: sort_key(parse(text))) == ordered
