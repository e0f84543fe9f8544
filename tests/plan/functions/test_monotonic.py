"""Timestamps in text."""

from __future__ import annotations

import pytest

from holdfast.plan.functions import monotonic
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(monotonic.FAMILY)


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("2015-09-18T23:56:04.123Z", 1442620564123000),
        ("1969-12-31T23:59:59.999Z", -1000),
        ("0001-01-01T00:00:00.000Z", -62135596800000000),
        ("0000-01-01T00:00:00.000Z", None),
        ("2015-09-18T24:00:00.000Z", None),
        ("2015-02-29T00:00:00.000Z", None),
        ("2015-09-18 23:56:04.123Z", None),
        ("2015-09-18T23:56:04Z", None),
        ("2015-09-18T23:56:04.123+00:00", None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_only_one_form_is_a_timestamp_and_all_else_null(text: str, micros: int | None) -> None:
    assert EXPRESSIONS.value(f"try_parse_monotonic_iso8601_timestamp('{text}')") == micros
