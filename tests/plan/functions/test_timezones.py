from __future__ import annotations

import pytest

from holdfast.plan.calendar import MICROS_PER_DAY, MICROS_PER_HOUR, days_of
from holdfast.plan.functions.timezones import FAMILY
from holdfast.plan.types import TEXT, TIMESTAMP, TIMESTAMPTZ, Interval
from tests.plan.functions.text_calls import Case, check, check_refused, overload

# What PostgreSQL 18 answers.

ANSWERS = [
    Case("timezone", "text timestamptz", ("Europe/Berlin", "2021-03-28 00:59:59+00"), "2021-03-28 01:59:59"),
    Case("timezone", "text timestamptz", ("Europe/Berlin", "2021-03-28 01:00:00+00"), "2021-03-28 03:00:00"),
    Case("timezone", "text timestamptz", ("europe/berlin", "2021-10-31 00:30:00+00"), "2021-10-31 02:30:00"),
    Case("timezone", "text timestamptz", ("PST", "2021-07-01 00:00:00+00"), "2021-06-30 16:00:00"),
    Case("timezone", "text timestamptz", ("+02", "2021-07-01 00:00:00+00"), "2021-06-30 22:00:00"),
    Case("timezone", "text timestamptz", ("UTC", "infinity"), "infinity"),
    Case("timezone", "text timestamptz", ("Asia/Tokyo", "4714-11-24 00:00:00+00 BC"), "4714-11-24 09:18:59 BC"),
    Case("timezone", "text timestamptz", ("America/New_York", "12021-07-01 00:00:00+00"), "12021-06-30 20:00:00"),
    Case("timezone", "text timestamp", ("Europe/Berlin", "2021-03-28 02:30:00"), "2021-03-28 01:30:00+00"),
    Case("timezone", "text timestamp", ("Europe/Berlin", "2021-10-31 02:30:00"), "2021-10-31 01:30:00+00"),
    Case("timezone", "text timestamp", ("America/New_York", "2021-03-14 02:30:00"), "2021-03-14 07:30:00+00"),
    Case("timezone", "text timestamp", ("America/New_York", "2021-11-07 01:30:00"), "2021-11-07 06:30:00+00"),
    Case("timezone", "text timestamp", ("Australia/Lord_Howe", "2021-04-04 01:45:00"), "2021-04-03 15:15:00+00"),
    Case("timezone", "text timestamp", ("CEST", "2021-01-01 00:00:00"), "2020-12-31 22:00:00+00"),
    Case("timezone", "text timestamp", ("FOO5", "2021-01-01 00:00:00"), "2021-01-01 05:00:00+00"),
    Case("timezone", "text timestamp", ("UTC", "-infinity"), "-infinity"),
    Case("timezone", "interval timestamptz", ("-08:00", "2021-07-01 00:00:00+00"), "2021-06-30 16:00:00"),
    Case("timezone", "interval timestamptz", ("100:00:00.7", "2021-07-01 00:00:00+00"), "2021-07-05 04:00:00"),
    Case("timezone", "interval timestamp", ("-08:00", "2021-07-01 00:00:00"), "2021-07-01 08:00:00+00"),
    Case("timezone", "timestamptz", ("2021-07-01 00:00:00+02",), "2021-06-30 22:00:00"),
    Case("timezone", "timestamp", ("2021-07-01 00:00:00",), "2021-07-01 00:00:00+00"),
    Case(
        "date_add",
        "timestamptz interval text",
        ("2021-10-31 00:00:00+02", "1 day", "Europe/Warsaw"),
        "2021-10-31 23:00:00+00",
    ),
    Case(
        "date_add",
        "timestamptz interval text",
        ("2021-10-30 00:00:00+02", "1 mon 1 day 01:00:00", "Europe/Warsaw"),
        "2021-12-01 00:00:00+00",
    ),
    Case(
        "date_subtract",
        "timestamptz interval text",
        ("2021-11-01 00:00:00+01", "1 day", "Europe/Warsaw"),
        "2021-10-30 22:00:00+00",
    ),
]

REFUSED = [
    Case("timezone", "text timestamptz", ("foo", "2021-07-01 00:00:00+00"), 'time zone "foo" not recognized'),
    Case("timezone", "text timestamptz", ("America/New_York", "4714-11-24 00:00:00+00 BC"), "timestamp out of range"),
    Case("timezone", "text timestamp", ("foo", "2021-01-01 00:00:00"), 'time zone "foo" not recognized'),
    Case(
        "timezone",
        "interval timestamptz",
        ("1 mon", "2021-07-01 00:00:00+00"),
        'interval time zone "1 mon" must not include months or days',
    ),
    Case(
        "timezone",
        "interval timestamptz",
        ("1 day", "2021-07-01 00:00:00+00"),
        'interval time zone "1 day" must not include months or days',
    ),
    Case(
        "timezone",
        "interval timestamptz",
        ("infinity", "2021-07-01 00:00:00+00"),
        'interval time zone "infinity" must be finite',
    ),
    Case(
        "date_add",
        "timestamptz interval text",
        ("2021-10-30 00:00:00+02", "1 day", "foo"),
        'time zone "foo" not recognized',
    ),
]


@pytest.mark.parametrize("case", ANSWERS)
def test_a_time_in_a_zone_is_as_in_postgresql(case: Case) -> None:
    check(FAMILY, case)


@pytest.mark.parametrize("case", REFUSED)
def test_asking_for_a_zone_fails_as_in_postgresql(case: Case) -> None:
    check_refused(FAMILY, case)


def test_an_offset_tells_summer_from_the_rest() -> None:
    function = overload(FAMILY, "timezone_offset", "text timestamptz")
    assert function.python is not None
    summer = days_of(2021, 7, 1) * MICROS_PER_DAY
    hour = Interval(0, 0, MICROS_PER_HOUR)
    assert function.python("Europe/Berlin", summer) == ("CEST", hour, hour)
    assert function.python("UTC", summer) == ("UTC", Interval(0, 0, 0), Interval(0, 0, 0))


@pytest.mark.parametrize("zone", ["'UTC'", "'PST'", "'+02'"])
def test_spark_adds_an_offset_that_never_changes(zone: str) -> None:
    function = overload(FAMILY, "timezone", "text timestamptz")
    assert callable(function.spark)
    assert function.spark((zone, "t"), (TEXT, TIMESTAMPTZ), TIMESTAMP) is not None


@pytest.mark.parametrize("zone", ["'Europe/Berlin'", "'foo'", "z"])
def test_python_is_asked_for_a_zone_with_rules(zone: str) -> None:
    function = overload(FAMILY, "timezone", "text timestamptz")
    assert callable(function.spark)
    assert function.spark((zone, "t"), (TEXT, TIMESTAMPTZ), TIMESTAMP) is None
