from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.calendar import LAST_TIMESTAMP, MICROS_PER_SECOND, days_of
from holdfast.plan.errors import InvalidTimeZone
from holdfast.plan.zones import zone_of

WINTER, SUMMER = (days_of(2020, month, 1) * 86_400 * MICROS_PER_SECOND for month in (1, 7))


@pytest.mark.parametrize(
    ("name", "winter", "summer"),
    [
        ("UTC", 0, 0),
        ("z", 0, 0),
        ("Europe/Berlin", 3600, 7200),
        ("europe/BERLIN", 3600, 7200),
        ("PST", -28800, -28800),
        ("cest", 7200, 7200),
        ("MSK", 10800, 10800),
        ("+02", -7200, -7200),
        ("5", -18000, -18000),
        ("FOO-2", 7200, 7200),
        ("<+0530>-5:30", 19800, 19800),
        ("FOO-2BAR", 7200, 10800),
        ("EST5EDT", -18000, -14400),
    ],
)
def test_a_zone_is_so_far_from_utc(name: str, winter: int, summer: int) -> None:
    zone = zone_of(name)
    assert (zone.offset_at(WINTER), zone.offset_at(SUMMER)) == (winter, summer)


@pytest.mark.parametrize("name", ["", "X", "Foo/Bar", "200", "+1:60"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidTimeZone) as raised:
        zone_of(name)
    assert str(raised.value) == f'time zone "{name}" not recognized'


@given(
    st.integers(days_of(9000, 1, 1) * 86_400 * MICROS_PER_SECOND, LAST_TIMESTAMP - 146_097 * 86_400 * MICROS_PER_SECOND)
)
def test_after_the_last_rule_summers_repeat_every_400_years(micros: int) -> None:
    zone = zone_of("America/New_York")
    assert zone.offset_at(micros) == zone.offset_at(micros + 146_097 * 86_400 * MICROS_PER_SECOND)


def test_a_time_that_clocks_skip_is_counted_from_before() -> None:
    skipped = days_of(2021, 3, 28) * 86_400 * MICROS_PER_SECOND + 9_000 * MICROS_PER_SECOND
    assert zone_of("Europe/Berlin").offset_of_local(skipped) == 3600


def test_a_time_that_clocks_show_twice_is_the_second() -> None:
    shown = days_of(2021, 10, 31) * 86_400 * MICROS_PER_SECOND + 9_000 * MICROS_PER_SECOND
    assert zone_of("Europe/Berlin").offset_of_local(shown) == 3600
