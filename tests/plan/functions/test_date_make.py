from __future__ import annotations

import pytest

from holdfast.plan.functions.date_make import FAMILY
from tests.plan.functions.text_calls import Case, check, check_refused

# What PostgreSQL 18 answers.

ANSWERS = [
    Case("make_date", "int4 int4 int4", ("2020", "2", "29"), "2020-02-29"),
    Case("make_date", "int4 int4 int4", ("-44", "3", "15"), "0044-03-15 BC"),
    Case("make_time", "int4 int4 float8", ("12", "34", "56.789"), "12:34:56.789"),
    Case("make_time", "int4 int4 float8", ("24", "0", "0"), "24:00:00"),
    Case("make_time", "int4 int4 float8", ("23", "59", "60"), "24:00:00"),
    Case("make_time", "int4 int4 float8", ("1", "2", "59.9999999"), "01:03:00"),
    Case(
        "make_timestamp",
        "int4 int4 int4 int4 int4 float8",
        ("2020", "2", "29", "12", "34", "56.789"),
        "2020-02-29 12:34:56.789",
    ),
    Case(
        "make_timestamp", "int4 int4 int4 int4 int4 float8", ("-44", "3", "15", "0", "0", "0"), "0044-03-15 00:00:00 BC"
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8",
        ("2020", "2", "29", "12", "34", "56.789"),
        "2020-02-29 12:34:56.789+00",
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "7", "1", "12", "0", "0", "Europe/Berlin"),
        "2020-07-01 10:00:00+00",
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "7", "1", "12", "0", "0", "+2"),
        "2020-07-01 10:00:00+00",
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "7", "1", "12", "0", "0", "-03:30"),
        "2020-07-01 15:30:00+00",
    ),
    Case("to_timestamp", "float8", ("0",), "1970-01-01 00:00:00+00"),
    Case("to_timestamp", "float8", ("1284352323.5",), "2010-09-13 04:32:03.5+00"),
    Case("to_timestamp", "float8", ("-1e9",), "1938-04-24 22:13:20+00"),
    Case("to_timestamp", "float8", ("infinity",), "infinity"),
    Case("to_timestamp", "float8", ("-infinity",), "-infinity"),
    Case("to_timestamp", "float8", ("1.1234565",), "1970-01-01 00:00:01.123456+00"),
]

REFUSED = [
    Case("make_date", "int4 int4 int4", ("0", "1", "1"), "date field value out of range: 0-01-01"),
    Case("make_date", "int4 int4 int4", ("2021", "2", "29"), "date field value out of range: 2021-02-29"),
    Case("make_date", "int4 int4 int4", ("2020", "13", "1"), "date field value out of range: 2020-13-01"),
    Case("make_date", "int4 int4 int4", ("5874898", "1", "1"), "date out of range: 5874898-01-01"),
    Case("make_date", "int4 int4 int4", ("-20", "13", "6"), "date field value out of range: -19-13-06"),
    Case("make_time", "int4 int4 float8", ("24", "0", "0.1"), "time field value out of range: 24:00:0.1"),
    Case("make_time", "int4 int4 float8", ("12", "60", "0"), "time field value out of range: 12:60:00"),
    Case("make_time", "int4 int4 float8", ("1", "2", "nan"), "time field value out of range: 1:02:NaN"),
    Case(
        "make_timestamp",
        "int4 int4 int4 int4 int4 float8",
        ("2020", "2", "30", "0", "0", "0"),
        "date field value out of range: 2020-02-30",
    ),
    Case(
        "make_timestamp",
        "int4 int4 int4 int4 int4 float8",
        ("2020", "2", "1", "25", "0", "0"),
        "time field value out of range: 25:00:00",
    ),
    Case(
        "make_timestamp",
        "int4 int4 int4 int4 int4 float8",
        ("300000", "1", "1", "0", "0", "5"),
        "timestamp out of range: 300000-01-01 0:00:05",
    ),
    Case(
        "make_timestamp",
        "int4 int4 int4 int4 int4 float8",
        ("5900000", "12", "1", "1", "1", "1"),
        "date out of range: 5900000-12-01",
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "7", "1", "12", "0", "0", "2"),
        'invalid input syntax for type numeric time zone: "2"',
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "7", "1", "12", "0", "0", "+99"),
        'numeric time zone "+99" out of range',
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "7", "1", "12", "0", "0", "foo"),
        'time zone "foo" not recognized',
    ),
    Case(
        "make_timestamptz",
        "int4 int4 int4 int4 int4 float8 text",
        ("2020", "13", "1", "12", "0", "0", "foo"),
        "date field value out of range: 2020-13-01",
    ),
    Case("to_timestamp", "float8", ("nan",), "timestamp cannot be NaN"),
    Case("to_timestamp", "float8", ("1e18",), 'timestamp out of range: "1e+18"'),
]


@pytest.mark.parametrize("case", ANSWERS)
def test_what_numbers_make_is_as_in_postgresql(case: Case) -> None:
    check(FAMILY, case)


@pytest.mark.parametrize("case", REFUSED)
def test_what_numbers_do_not_make_fails_as_in_postgresql(case: Case) -> None:
    check_refused(FAMILY, case)
