"""What PostgreSQL 18 answered, in `answers/`."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path

import pytest

from holdfast.plan.functions import number_casts, number_text
from holdfast.plan.functions.function import Types
from holdfast.plan.functions.numeric_types import cast_type, numeric_of
from holdfast.plan.text import read_of
from holdfast.plan.types import NUMERIC
from tests.plan.functions.number_calls import answer, rows, run, type_of

ANSWERS = Path(__file__).parent / "answers"
CASTS = {(cast.source, cast.target): cast for module in (number_casts, number_text) for cast in module.FAMILY.casts}


def recorded(name: str) -> list[tuple[str, str]]:
    return rows((ANSWERS / f"{name}.txt").read_text())


def is_close(ours: str, theirs: str) -> bool:
    """Whether two texts of floats differ by no more than libraries of mathematics do."""
    if ours == theirs or ours.startswith("!") or theirs.startswith("!"):
        return ours == theirs
    return math.isclose(float(ours), float(theirs), rel_tol=1e-14)


@pytest.mark.parametrize(("call", "expected"), recorded("arithmetic"))
def test_operators_answer_as_postgres(call: str, expected: str) -> None:
    assert answer(call) == expected


@pytest.mark.parametrize(("call", "expected"), recorded("rounding"))
def test_rounding_answers_as_postgres(call: str, expected: str) -> None:
    assert answer(call) == expected


@pytest.mark.parametrize(("call", "expected"), recorded("whole_numbers"))
def test_functions_of_whole_numbers_answer_as_postgres(call: str, expected: str) -> None:
    assert answer(call) == expected


@pytest.mark.parametrize(("call", "expected"), recorded("powers") + recorded("trigonometry"))
def test_functions_of_mathematics_answer_as_postgres_to_the_last_digits(call: str, expected: str) -> None:
    assert is_close(answer(call), expected)


@pytest.mark.parametrize(("call", "expected"), recorded("casts"))
def test_casts_answer_as_postgres(call: str, expected: str) -> None:
    head, _, text = call.partition(":")
    source, target = head.split()
    function = CASTS[source, target].function
    assert function is not None
    value = text[1:] if source == "text" else read_of(type_of(source))(text[1:])
    from_type = numeric_of(value) if isinstance(value, Decimal) else type_of(source)
    to_type = cast_type(from_type, NUMERIC) if target == "numeric" else type_of(target)
    assert run(function, Types((from_type,), to_type), [value]) == expected
