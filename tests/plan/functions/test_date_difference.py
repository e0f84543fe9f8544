from __future__ import annotations

import pytest

from holdfast.plan.functions.date_difference import FAMILY
from tests.plan.functions.text_calls import Case, check, check_refused

ANSWERS = [
    Case("datediff", "text date date", ("month", "2003-12-25", "2004-01-01"), "1"),
    Case("datediff", "text date date", ("year", "2003-12-31", "2004-01-01"), "1"),
    Case("datediff", "text date date", ("year", "2004-12-31", "2004-01-01"), "0"),
    Case("datediff", "text date date", ("week", "2020-01-05", "2020-01-06"), "1"),
    Case("datediff", "text date date", ("day", "2020-03-01", "2020-02-28"), "-2"),
    Case("datediff", "text date date", ("century", "2000-12-31", "2001-01-01"), "1"),
    Case("datediff", "text date date", ("decade", "1999-12-31", "2000-01-01"), "1"),
    Case("datediff", "text date date", ("hour", "2020-01-01", "2020-01-02"), "24"),
    Case("datediff", "text timestamp timestamp", ("hour", "2020-01-01 00:59:59", "2020-01-01 01:00:00"), "1"),
    Case("datediff", "text timestamp timestamp", ("quarter", "2020-03-31", "2021-01-01"), "4"),
    Case("datediff", "text timestamptz timestamptz", ("ms", "2020-01-01", "2020-01-01 00:00:00.0015"), "1"),
    Case("datediff", "text time time", ("minute", "10:59", "09:00"), "-119"),
]

REFUSED = [
    Case("datediff", "text date date", ("foo", "2020-01-01", "2020-01-01"), 'unit "foo" not recognized for type date'),
    Case(
        "datediff",
        "text time time",
        ("day", "10:00", "10:00"),
        'unit "day" not supported for type time without time zone',
    ),
    Case("datediff", "text date date", ("day", "infinity", "2020-01-01"), "cannot subtract infinite dates"),
]


@pytest.mark.parametrize("case", ANSWERS)
def test_a_difference_counts_the_starts_of_units(case: Case) -> None:
    check(FAMILY, case)


@pytest.mark.parametrize("case", REFUSED)
def test_a_difference_in_no_such_unit_is_refused(case: Case) -> None:
    check_refused(FAMILY, case)
