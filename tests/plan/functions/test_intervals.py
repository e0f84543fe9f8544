from __future__ import annotations

import pytest

from holdfast.plan.functions.intervals import FAMILY
from tests.plan.functions.text_calls import Case, check, check_refused

# What PostgreSQL 18 answers.

ANSWERS = [
    Case("+", "interval interval", ("1 mon 2 days", "-3 days +04:00:00"), "1 mon -1 days +04:00:00"),
    Case("+", "interval interval", ("infinity", "1 day"), "infinity"),
    Case("-", "interval interval", ("1 mon 2 days", "-3 days +04:00:00"), "1 mon 5 days -04:00:00"),
    Case("-", "interval interval", ("1 day", "infinity"), "-infinity"),
    Case("-", "interval", ("1 mon -2 days +03:00:00",), "-1 mons +2 days -03:00:00"),
    Case("-", "interval", ("infinity",), "-infinity"),
    Case("*", "interval float8", ("1 mon", "1.5"), "1 mon 15 days"),
    Case("*", "interval float8", ("1 day", "0.1"), "02:24:00"),
    Case("*", "interval float8", ("1 year 2 mons 3 days 04:05:06", "-2.7"), "-3 years -1 mons -32 days -13:25:46.2"),
    Case("*", "interval float8", ("1 mon 15 days", "0.333"), "14 days 23:38:24"),
    Case("*", "interval float8", ("1 sec", "1e-7"), "00:00:00"),
    Case("*", "interval float8", ("infinity", "-1"), "-infinity"),
    Case("*", "interval float8", ("1 day", "infinity"), "infinity"),
    Case("*", "float8 interval", ("1.5", "1 mon"), "1 mon 15 days"),
    Case("/", "interval float8", ("1 mon", "2"), "15 days"),
    Case("/", "interval float8", ("1 day", "3"), "08:00:00"),
    Case("/", "interval float8", ("1 year 2 mons 3 days 04:05:06", "-2.7"), "-5 mons -6 days -17:30:46.705067"),
    Case("/", "interval float8", ("infinity", "2"), "infinity"),
    Case("/", "interval float8", ("1 day", "infinity"), "00:00:00"),
    Case("justify_days", "interval", ("35 days",), "1 mon 5 days"),
    Case("justify_days", "interval", ("-35 days",), "-1 mons -5 days"),
    Case("justify_days", "interval", ("1 mon -1 day",), "29 days"),
    Case("justify_days", "interval", ("infinity",), "infinity"),
    Case("justify_hours", "interval", ("50 hours",), "2 days 02:00:00"),
    Case("justify_hours", "interval", ("1 day -1 hour",), "23:00:00"),
    Case("justify_hours", "interval", ("-50:10:15",), "-2 days -02:10:15"),
    Case("justify_hours", "interval", ("-infinity",), "-infinity"),
    Case("justify_interval", "interval", ("1 mon -1 hour",), "29 days 23:00:00"),
    Case("justify_interval", "interval", ("-1 mon 35 days 50 hours",), "7 days 02:00:00"),
    Case("justify_interval", "interval", ("1 day -1 sec",), "23:59:59"),
    Case("justify_interval", "interval", ("infinity",), "infinity"),
    Case("justify_interval", "interval", ("-5 mons 149 days 25:00:00",), "01:00:00"),
    Case("isfinite", "interval", ("1 day",), "t"),
    Case("isfinite", "interval", ("infinity",), "f"),
    Case(
        "make_interval",
        "int4 int4 int4 int4 int4 int4 float8",
        ("1", "2", "3", "4", "5", "6", "7.5"),
        "1 year 2 mons 25 days 05:06:07.5",
    ),
    Case("make_interval", "int4 int4 int4 int4", ("0", "0", "0", "10"), "10 days"),
    Case("make_interval", "", (), "00:00:00"),
]

REFUSED = [
    Case("+", "interval interval", ("infinity", "-infinity"), "interval out of range"),
    Case("+", "interval interval", ("2147483647 days", "1 day"), "interval out of range"),
    Case("-", "interval interval", ("infinity", "infinity"), "interval out of range"),
    Case("-", "interval", ("-2147483648 days",), "interval out of range"),
    Case("*", "interval float8", ("infinity", "0"), "interval out of range"),
    Case("*", "interval float8", ("1 day", "nan"), "interval out of range"),
    Case("*", "interval float8", ("1 year", "1e9"), "interval out of range"),
    Case("/", "interval float8", ("1 day", "0"), "division by zero"),
    Case("/", "interval float8", ("infinity", "infinity"), "interval out of range"),
    Case("justify_days", "interval", ("2147483647 mons 30 days",), "interval out of range"),
    Case(
        "make_interval",
        "int4 int4 int4 int4 int4 int4 float8",
        ("0", "0", "0", "0", "0", "0", "1e300"),
        "interval out of range",
    ),
    Case(
        "make_interval",
        "int4 int4 int4 int4 int4 int4 float8",
        ("2147483647", "0", "0", "0", "0", "0", "0"),
        "interval out of range",
    ),
    Case(
        "make_interval",
        "int4 int4 int4 int4 int4 int4 float8",
        ("0", "0", "0", "0", "0", "0", "nan"),
        "interval out of range",
    ),
]


@pytest.mark.parametrize("case", ANSWERS)
def test_an_interval_is_as_in_postgresql(case: Case) -> None:
    check(FAMILY, case)


@pytest.mark.parametrize("case", REFUSED)
def test_arithmetic_fails_as_in_postgresql(case: Case) -> None:
    check_refused(FAMILY, case)
