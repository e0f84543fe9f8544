from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.calendar import (
    FIRST_DATE,
    LAST_DATE,
    add_months,
    date_of,
    day_of_year,
    days_in_month,
    days_of,
    iso_week,
    iso_weekday,
    shown_year,
    start_of_iso_week,
    weekday,
)

all_days = st.integers(FIRST_DATE, LAST_DATE)


def test_the_calendar_has_the_bounds_of_postgresql() -> None:
    assert date_of(FIRST_DATE) == (-4713, 11, 24)
    assert date_of(LAST_DATE) == (5874897, 12, 31)


@given(all_days)
def test_a_day_is_found_by_its_name(days: int) -> None:
    assert days_of(*date_of(days)) == days


@given(all_days)
def test_the_next_day_has_the_next_name(days: int) -> None:
    year, month, day = date_of(days)
    following = date_of(days + 1)
    if day < days_in_month(year, month):
        assert following == (year, month, day + 1)
    else:
        assert following == ((year, month + 1, 1) if month < 12 else (year + 1, 1, 1))


@given(st.dates())
def test_days_are_those_of_python_where_python_has_them(day: date) -> None:
    days = (day - date(1970, 1, 1)) // timedelta(days=1)
    assert date_of(days) == (day.year, day.month, day.day)
    assert iso_week(days) == day.isocalendar()[:2]
    assert iso_weekday(days) == day.isoweekday()
    assert weekday(days) == day.isoweekday() % 7
    assert day_of_year(days) == day.timetuple().tm_yday


@given(all_days)
def test_a_week_starts_on_its_monday(days: int) -> None:
    assert start_of_iso_week(*iso_week(days)) == days - iso_weekday(days) + 1


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ((2020, 1, 31), 1, (2020, 2, 29)),
        ((2021, 1, 31), 1, (2021, 2, 28)),
        ((2020, 3, 31), -1, (2020, 2, 29)),
        ((2020, 12, 15), 1, (2021, 1, 15)),
        ((1, 1, 1), -1, (0, 12, 1)),
    ],
)
def test_months_end_on_the_last_day_where_they_are_shorter(
    start: tuple[int, int, int], months: int, end: tuple[int, int, int]
) -> None:
    assert date_of(add_months(days_of(*start), months)) == end


def test_there_is_no_year_zero_to_show() -> None:
    assert [shown_year(year) for year in (1, 0, -1)] == [1, -1, -2]
