from __future__ import annotations

import pytest

from holdfast.plan.functions.dates import FAMILY
from tests.plan.functions.text_calls import Case, check, check_refused, overload

# What PostgreSQL 18 answers.

ANSWERS = [
    Case("+", "date int4", ("2020-02-28", "2"), "2020-03-01"),
    Case("+", "date int4", ("infinity", "5"), "infinity"),
    Case("+", "date int4", ("0001-01-01", "-1"), "0001-12-31 BC"),
    Case("+", "int4 date", ("2", "2020-02-28"), "2020-03-01"),
    Case("-", "date int4", ("2020-03-01", "1"), "2020-02-29"),
    Case("-", "date int4", ("-infinity", "1"), "-infinity"),
    Case("-", "date date", ("2020-03-01", "2020-02-01"), "29"),
    Case("-", "date date", ("0001-01-01", "0001-01-01 BC"), "366"),
    Case("-", "date date", ("5874897-12-31", "4714-11-24 BC"), "2147483493"),
    Case("+", "date time", ("2020-01-01", "12:34:56.5"), "2020-01-01 12:34:56.5"),
    Case("+", "date time", ("2020-01-01", "24:00:00"), "2020-01-02 00:00:00"),
    Case("+", "date time", ("infinity", "12:00"), "infinity"),
    Case("+", "time date", ("12:34:56.5", "2020-01-01"), "2020-01-01 12:34:56.5"),
    Case("+", "date interval", ("2020-01-31", "1 mon"), "2020-02-29 00:00:00"),
    Case("+", "date interval", ("2020-01-31", "1 mon 1 day -1 hours"), "2020-02-29 23:00:00"),
    Case("+", "date interval", ("infinity", "1 day"), "infinity"),
    Case("+", "date interval", ("2020-01-01", "infinity"), "infinity"),
    Case("+", "interval date", ("1 mon", "2020-01-31"), "2020-02-29 00:00:00"),
    Case("-", "date interval", ("2020-03-31", "1 mon"), "2020-02-29 00:00:00"),
    Case("+", "timestamp interval", ("2020-01-31 12:00:00", "1 mon"), "2020-02-29 12:00:00"),
    Case("+", "timestamp interval", ("2021-01-31 12:00:00", "1 mon"), "2021-02-28 12:00:00"),
    Case("+", "timestamp interval", ("2020-02-29 00:00:00", "1 year"), "2021-02-28 00:00:00"),
    Case("+", "timestamp interval", ("2020-01-01 00:00:00", "1 mon -1 days +00:00:01"), "2020-01-31 00:00:01"),
    Case("+", "timestamp interval", ("infinity", "-1 day"), "infinity"),
    Case("+", "timestamp interval", ("2020-01-01 00:00:00", "-infinity"), "-infinity"),
    Case("+", "timestamp interval", ("0001-01-01 00:00:00", "-1 mons"), "0001-12-01 00:00:00 BC"),
    Case("+", "interval timestamp", ("1 mon", "2020-01-31 12:00:00"), "2020-02-29 12:00:00"),
    Case("-", "timestamp interval", ("2020-03-31 12:00:00", "1 mon"), "2020-02-29 12:00:00"),
    Case("+", "timestamptz interval", ("2020-01-31 12:00:00+00", "1 mon 2 days 03:00:00"), "2020-03-02 15:00:00+00"),
    Case("+", "interval timestamptz", ("1 mon", "2020-01-31 12:00:00+00"), "2020-02-29 12:00:00+00"),
    Case("-", "timestamptz interval", ("2020-03-31 12:00:00+00", "1 mon"), "2020-02-29 12:00:00+00"),
    Case("-", "timestamp timestamp", ("2020-03-01 12:00:00", "2020-02-01 13:00:00"), "28 days 23:00:00"),
    Case("-", "timestamp timestamp", ("2020-02-01 13:00:00", "2020-03-01 12:00:00"), "-28 days -23:00:00"),
    Case("-", "timestamp timestamp", ("infinity", "2020-01-01 00:00:00"), "infinity"),
    Case("-", "timestamp timestamp", ("2020-01-01 00:00:00", "infinity"), "-infinity"),
    Case("-", "timestamp timestamp", ("infinity", "-infinity"), "infinity"),
    Case(
        "-",
        "timestamptz timestamptz",
        ("2020-03-01 12:00:00+00", "2020-02-01 13:00:00.000001+00"),
        "28 days 22:59:59.999999",
    ),
    Case("+", "time interval", ("12:00", "13 hours"), "01:00:00"),
    Case("+", "time interval", ("12:00", "1 mon 1 day"), "12:00:00"),
    Case("+", "time interval", ("24:00", "00:00"), "00:00:00"),
    Case("+", "interval time", ("13 hours", "12:00"), "01:00:00"),
    Case("-", "time interval", ("12:00", "13 hours"), "23:00:00"),
    Case("-", "time time", ("12:00", "13:00:00.5"), "-01:00:00.5"),
    Case("age", "timestamp timestamp", ("2001-04-10 00:00:00", "1957-06-13 00:00:00"), "43 years 9 mons 27 days"),
    Case("age", "timestamp timestamp", ("1957-06-13 00:00:00", "2001-04-10 00:00:00"), "-43 years -9 mons -27 days"),
    Case("age", "timestamp timestamp", ("2020-03-31 00:00:00", "2020-02-29 12:00:00"), "1 mon 1 day 12:00:00"),
    Case("age", "timestamp timestamp", ("2020-02-29 12:00:00", "2020-03-31 00:00:00"), "-1 mons -1 days -12:00:00"),
    Case("age", "timestamp timestamp", ("infinity", "2020-01-01 00:00:00"), "infinity"),
    Case(
        "age",
        "timestamptz timestamptz",
        ("2001-04-10 00:00:00+00", "1957-06-13 00:00:00+00"),
        "43 years 9 mons 27 days",
    ),
    Case("isfinite", "timestamp", ("2020-01-01 00:00:00",), "t"),
    Case("isfinite", "timestamp", ("infinity",), "f"),
    Case("isfinite", "date", ("2020-01-01",), "t"),
    Case("isfinite", "date", ("-infinity",), "f"),
    Case("date_add", "timestamptz interval", ("2021-10-31 00:00:00+00", "1 day"), "2021-11-01 00:00:00+00"),
    Case("date_subtract", "timestamptz interval", ("2021-10-31 00:00:00+00", "1 day"), "2021-10-30 00:00:00+00"),
    Case(
        "overlaps",
        "timestamp timestamp timestamp timestamp",
        ("2001-02-16", "2001-12-21", "2001-10-30", "2002-10-30"),
        "t",
    ),
    Case(
        "overlaps",
        "timestamp timestamp timestamp timestamp",
        ("2001-12-21", "2001-02-16", "2002-10-30", "2001-12-21"),
        "f",
    ),
    Case(
        "overlaps",
        "timestamp timestamp timestamp timestamp",
        ("2001-02-16", "2001-02-16", "2001-02-16", "2001-02-16"),
        "t",
    ),
    Case(
        "overlaps",
        "timestamp timestamp timestamp timestamp",
        ("2001-02-16", "2001-02-17", "2001-02-17", "2001-02-18"),
        "f",
    ),
    Case("overlaps", "timestamp interval timestamp interval", ("2001-02-16", "100 days", "2001-10-30", "2 days"), "f"),
    Case("overlaps", "timestamp interval timestamp interval", ("2001-02-16", "300 days", "2001-10-30", "-2 days"), "t"),
    Case("overlaps", "time time time interval", ("10:00", "12:00", "11:00", "1 hour"), "t"),
    Case("overlaps", "time time time interval", ("10:00", "12:00", "12:00", "1 hour"), "f"),
]

REFUSED = [
    Case("+", "date int4", ("2020-01-01", "2147483647"), "date out of range"),
    Case("+", "date int4", ("4714-11-24 BC", "-1"), "date out of range"),
    Case("-", "date int4", ("4714-11-24 BC", "1"), "date out of range"),
    Case("-", "date date", ("infinity", "2020-01-01"), "cannot subtract infinite dates"),
    Case("+", "date time", ("5000000-01-01", "00:00"), "date out of range for timestamp"),
    Case("+", "date interval", ("5000000-01-01", "1 day"), "date out of range for timestamp"),
    Case("-", "date interval", ("4714-11-24 BC", "1 day"), "timestamp out of range"),
    Case("+", "timestamp interval", ("infinity", "-infinity"), "timestamp out of range"),
    Case("+", "timestamp interval", ("290000-01-01 00:00:00", "10000 years"), "timestamp out of range"),
    Case("-", "timestamp interval", ("2020-03-31 12:00:00", "-2147483648 days"), "interval out of range"),
    Case("-", "timestamp timestamp", ("infinity", "infinity"), "interval out of range"),
    Case("-", "timestamp timestamp", ("290000-01-01 00:00:00", "4714-11-24 00:00:00 BC"), "interval out of range"),
    Case("+", "time interval", ("12:00", "infinity"), "cannot add infinite interval to time"),
    Case("-", "time interval", ("12:00", "infinity"), "cannot subtract infinite interval from time"),
    Case("age", "timestamp timestamp", ("infinity", "infinity"), "interval out of range"),
]


@pytest.mark.parametrize("case", ANSWERS)
def test_the_sum_or_difference_is_as_in_postgresql(case: Case) -> None:
    check(FAMILY, case)


@pytest.mark.parametrize("case", REFUSED)
def test_a_sum_or_difference_fails_as_in_postgresql(case: Case) -> None:
    check_refused(FAMILY, case)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((None, None, 1, 2), None),
        ((1, None, 0, 2), True),
        ((1, None, 1, 2), None),
        ((1, 3, None, 2), True),
        ((3, None, 1, 2), None),
        ((1, 2, 3, None), None),
        ((1, 3, 2, None), True),
    ],
)
def test_one_known_end_may_be_enough_to_overlap(
    arguments: tuple[int | None, int | None, int | None, int | None], answer: bool | None
) -> None:
    function = overload(FAMILY, "overlaps", "timestamp timestamp timestamp timestamp")
    assert function.python is not None
    assert function.python(*arguments) is answer
