from __future__ import annotations

import pytest

from holdfast.compute.render.literals import literal
from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.functions.date_spark import bounds, interval_literal, long
from holdfast.plan.types import INTERVAL, Interval


@pytest.mark.parametrize(
    "interval",
    [Interval(0, 1, 0), Interval(-14, 3, -5), Interval(-(2**31), 2**31 - 1, -(2**63)), Interval(0, 0, 2**62)],
)
def test_a_literal_interval_is_known_by_its_text(interval: Interval) -> None:
    assert interval_literal(literal(interval, INTERVAL)) == interval


@pytest.mark.parametrize("text", ["i", "CAST(NULL AS STRUCT<months: INT>)", "named_struct('months', m, 'days', 0)"])
def test_other_text_is_no_literal_interval(text: str) -> None:
    assert interval_literal(text) is None


def test_the_range_of_a_function_is_found_by_trying() -> None:
    def shifted(value: int) -> int:
        if not -1000 <= value + 17 <= 1000:
            raise DatetimeFieldOverflow("out of range")
        return value + 17

    assert bounds(shifted, -1000, 1000) == (-1000, 983)
    assert bounds(lambda value: shifted(-value), -1000, 1000) == (-983, 1000)
    assert bounds(lambda value: shifted(value - 5000), -1000, 1000) is None


def test_the_least_number_is_written_as_a_difference() -> None:
    assert long(-(2**63)) == "(-9223372036854775807L - 1L)"
