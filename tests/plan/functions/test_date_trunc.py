from __future__ import annotations

import pytest

from holdfast.plan.functions.date_trunc import FAMILY
from tests.plan.functions.text_calls import Case, check, check_refused

# What PostgreSQL 18 answers.

ANSWERS = [
    Case("date_trunc", "text timestamp", ("microseconds", "2021-08-19 13:14:15.161718"), "2021-08-19 13:14:15.161718"),
    Case("date_trunc", "text timestamp", ("milliseconds", "2021-08-19 13:14:15.161718"), "2021-08-19 13:14:15.161"),
    Case("date_trunc", "text timestamp", ("second", "2021-08-19 13:14:15.161718"), "2021-08-19 13:14:15"),
    Case("date_trunc", "text timestamp", ("minute", "2021-08-19 13:14:15.161718"), "2021-08-19 13:14:00"),
    Case("date_trunc", "text timestamp", ("hour", "2021-08-19 13:14:15.161718"), "2021-08-19 13:00:00"),
    Case("date_trunc", "text timestamp", ("day", "2021-08-19 13:14:15.161718"), "2021-08-19 00:00:00"),
    Case("date_trunc", "text timestamp", ("week", "2021-08-19 13:14:15.161718"), "2021-08-16 00:00:00"),
    Case("date_trunc", "text timestamp", ("month", "2021-08-19 13:14:15.161718"), "2021-08-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("quarter", "2021-08-19 13:14:15.161718"), "2021-07-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("year", "2021-08-19 13:14:15.161718"), "2021-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("decade", "2021-08-19 13:14:15.161718"), "2020-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("century", "2021-08-19 13:14:15.161718"), "2001-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("millennium", "2021-08-19 13:14:15.161718"), "2001-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("day", "0044-03-15 13:14:15.161718 BC"), "0044-03-15 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("week", "0044-03-15 13:14:15.161718 BC"), "0044-03-11 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("month", "0044-03-15 13:14:15.161718 BC"), "0044-03-01 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("quarter", "0044-03-15 13:14:15.161718 BC"), "0044-01-01 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("year", "0044-03-15 13:14:15.161718 BC"), "0044-01-01 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("decade", "0044-03-15 13:14:15.161718 BC"), "0051-01-01 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("century", "0044-03-15 13:14:15.161718 BC"), "0100-01-01 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("millennium", "0044-03-15 13:14:15.161718 BC"), "1000-01-01 00:00:00 BC"),
    Case("date_trunc", "text timestamp", ("day", "2000-01-01 00:00:00"), "2000-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("week", "2000-01-01 00:00:00"), "1999-12-27 00:00:00"),
    Case("date_trunc", "text timestamp", ("month", "2000-01-01 00:00:00"), "2000-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("quarter", "2000-01-01 00:00:00"), "2000-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("year", "2000-01-01 00:00:00"), "2000-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("decade", "2000-01-01 00:00:00"), "2000-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("century", "2000-01-01 00:00:00"), "1901-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("millennium", "2000-01-01 00:00:00"), "1001-01-01 00:00:00"),
    Case("date_trunc", "text timestamp", ("YEARS", "infinity"), "infinity"),
    Case("date_trunc", "text timestamp", ("day", "-infinity"), "-infinity"),
    Case("date_trunc", "text timestamptz", ("month", "2021-08-19 13:14:15.161718+02"), "2021-08-01 00:00:00+00"),
    Case(
        "date_trunc",
        "text timestamptz text",
        ("day", "2021-03-28 01:30:00+00", "Europe/Berlin"),
        "2021-03-27 23:00:00+00",
    ),
    Case(
        "date_trunc",
        "text timestamptz text",
        ("hour", "2021-10-31 00:30:00+00", "Europe/Berlin"),
        "2021-10-31 00:00:00+00",
    ),
    Case(
        "date_trunc",
        "text timestamptz text",
        ("day", "2021-10-31 12:00:00+00", "Europe/Berlin"),
        "2021-10-30 22:00:00+00",
    ),
    Case(
        "date_trunc",
        "text timestamptz text",
        ("month", "2021-11-30 23:30:00+00", "Asia/Kathmandu"),
        "2021-11-30 18:15:00+00",
    ),
    Case(
        "date_trunc",
        "text timestamptz text",
        ("minute", "2021-11-30 23:30:59+00", "Asia/Kathmandu"),
        "2021-11-30 23:30:00+00",
    ),
    Case("date_trunc", "text timestamptz text", ("year", "infinity", "UTC"), "infinity"),
    Case(
        "date_trunc",
        "text interval",
        ("microseconds", "-1234 years 7 mons -40 days 13:14:15.161718"),
        "-1233 years -5 mons -40 days +13:14:15.161718",
    ),
    Case(
        "date_trunc",
        "text interval",
        ("milliseconds", "-1234 years 7 mons -40 days 13:14:15.161718"),
        "-1233 years -5 mons -40 days +13:14:15.161",
    ),
    Case(
        "date_trunc",
        "text interval",
        ("second", "-1234 years 7 mons -40 days 13:14:15.161718"),
        "-1233 years -5 mons -40 days +13:14:15",
    ),
    Case(
        "date_trunc",
        "text interval",
        ("minute", "-1234 years 7 mons -40 days 13:14:15.161718"),
        "-1233 years -5 mons -40 days +13:14:00",
    ),
    Case(
        "date_trunc",
        "text interval",
        ("hour", "-1234 years 7 mons -40 days 13:14:15.161718"),
        "-1233 years -5 mons -40 days +13:00:00",
    ),
    Case(
        "date_trunc",
        "text interval",
        ("day", "-1234 years 7 mons -40 days 13:14:15.161718"),
        "-1233 years -5 mons -40 days",
    ),
    Case(
        "date_trunc", "text interval", ("month", "-1234 years 7 mons -40 days 13:14:15.161718"), "-1233 years -5 mons"
    ),
    Case(
        "date_trunc", "text interval", ("quarter", "-1234 years 7 mons -40 days 13:14:15.161718"), "-1233 years -3 mons"
    ),
    Case("date_trunc", "text interval", ("year", "-1234 years 7 mons -40 days 13:14:15.161718"), "-1233 years"),
    Case("date_trunc", "text interval", ("decade", "-1234 years 7 mons -40 days 13:14:15.161718"), "-1230 years"),
    Case("date_trunc", "text interval", ("century", "-1234 years 7 mons -40 days 13:14:15.161718"), "-1200 years"),
    Case("date_trunc", "text interval", ("millennium", "-1234 years 7 mons -40 days 13:14:15.161718"), "-1000 years"),
    Case("date_trunc", "text interval", ("year", "infinity"), "infinity"),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("15 mins", "2020-02-11 15:44:17", "2001-01-01"),
        "2020-02-11 15:30:00",
    ),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("15 mins", "2020-02-11 15:44:17", "2001-01-01 00:02:30"),
        "2020-02-11 15:32:30",
    ),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("1 day", "1999-12-31 23:00:00", "2000-01-01"),
        "1999-12-31 00:00:00",
    ),
    Case("date_bin", "interval timestamp timestamp", ("7 days", "infinity", "2020-01-01"), "infinity"),
    Case(
        "date_bin",
        "interval timestamptz timestamptz",
        ("15 mins", "2020-02-11 15:44:17+00", "2001-01-01+00"),
        "2020-02-11 15:30:00+00",
    ),
]

REFUSED = [
    Case(
        "date_trunc",
        "text timestamp",
        ("foo", "2020-01-01 00:00:00"),
        'unit "foo" not recognized for type timestamp without time zone',
    ),
    Case(
        "date_trunc",
        "text timestamp",
        ("isoyear", "2020-01-01 00:00:00"),
        'unit "isoyear" not recognized for type timestamp without time zone',
    ),
    Case(
        "date_trunc",
        "text timestamp",
        ("timezone", "2020-01-01 00:00:00"),
        'unit "timezone" not supported for type timestamp without time zone',
    ),
    Case("date_trunc", "text timestamp", ("year", "4714-12-01 00:00:00 BC"), "timestamp out of range"),
    Case(
        "date_trunc",
        "text timestamp",
        ("foo", "infinity"),
        'unit "foo" not recognized for type timestamp without time zone',
    ),
    Case(
        "date_trunc",
        "text timestamptz",
        ("FOO", "2020-01-01 00:00:00"),
        'unit "foo" not recognized for type timestamp with time zone',
    ),
    Case(
        "date_trunc",
        "text timestamptz text",
        ("day", "2021-11-30 23:30:00+00", "foo"),
        'time zone "foo" not recognized',
    ),
    Case(
        "date_trunc",
        "text interval",
        ("week", "-1234 years 7 mons -40 days 13:14:15.161718"),
        'unit "week" not supported for type interval',
    ),
    Case("date_trunc", "text interval", ("foo", "1 day"), 'unit "foo" not recognized for type interval'),
    Case("date_trunc", "text interval", ("timezone", "1 day"), 'unit "timezone" not supported for type interval'),
    Case("date_bin", "interval timestamp timestamp", ("7 days", "2020-02-11", "infinity"), "origin out of range"),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("1 mon", "2020-02-11", "2020-01-01"),
        "timestamps cannot be binned into intervals containing months or years",
    ),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("0 days", "2020-02-11", "2020-01-01"),
        "stride must be greater than zero",
    ),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("-1 days", "2020-02-11", "2020-01-01"),
        "stride must be greater than zero",
    ),
    Case(
        "date_bin",
        "interval timestamp timestamp",
        ("infinity", "2020-02-11", "2020-01-01"),
        "timestamps cannot be binned into infinite intervals",
    ),
]


@pytest.mark.parametrize("case", ANSWERS)
def test_a_timestamp_is_truncated_as_in_postgresql(case: Case) -> None:
    check(FAMILY, case)


@pytest.mark.parametrize("case", REFUSED)
def test_truncating_fails_as_in_postgresql(case: Case) -> None:
    check_refused(FAMILY, case)
