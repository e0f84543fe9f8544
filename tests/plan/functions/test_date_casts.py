from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions.date_casts import FAMILY
from holdfast.plan.functions.function import Types
from holdfast.plan.types import MZ_TIMESTAMP, TIMESTAMP
from tests.plan.functions.text_calls import called, cast_of, type_of

# Source, target, value and what PostgreSQL 18 answers.

ANSWERS = [
    ("date", "timestamp", "2020-01-02", "2020-01-02 00:00:00"),
    ("date", "timestamptz", "0044-03-15 BC", "0044-03-15 00:00:00+00 BC"),
    ("date", "timestamp", "-infinity", "-infinity"),
    ("timestamp", "date", "1969-12-31 23:59:59.999999", "1969-12-31"),
    ("timestamp", "date", "infinity", "infinity"),
    ("timestamptz", "date", "2020-01-02 23:00:00-05", "2020-01-03"),
    ("timestamp", "time", "1969-12-31 23:59:59.999999", "23:59:59.999999"),
    ("timestamp", "time", "infinity", None),
    ("timestamptz", "time(1)", "2020-01-02 23:00:00.25-05", "04:00:00.3"),
    ("timestamp", "timestamptz", "2020-01-02 12:00:00", "2020-01-02 12:00:00+00"),
    ("timestamptz", "timestamp", "2020-01-02 12:00:00+02", "2020-01-02 10:00:00"),
    ("timestamp", "timestamp(0)", "2020-01-02 12:34:56.5", "2020-01-02 12:34:57"),
    ("timestamp", "timestamp(0)", "1999-01-02 12:34:56.5", "1999-01-02 12:34:56"),
    ("timestamptz", "timestamptz(3)", "2020-01-02 12:34:56.1235+00", "2020-01-02 12:34:56.124+00"),
    ("timestamp", "timestamptz(0)", "infinity", "infinity"),
    ("time", "time(0)", "23:59:59.5", "24:00:00"),
    ("time", "interval", "12:34:56.789", "12:34:56.789"),
    ("interval", "time", "1 mon 2 days -01:00:00", "23:00:00"),
    ("interval", "interval(1)", "1 day 00:00:00.25", "1 day 00:00:00.3"),
    ("text", "date", "January 8, 1999", "1999-01-08"),
    ("varchar", "timestamp(2)", "1999-01-08 04:05:06.789", "1999-01-08 04:05:06.79"),
    ("text", "interval", "1 year ago", "-1 years"),
    ("date", "text", "0044-03-15 BC", "0044-03-15 BC"),
    ("timestamptz", "text", "1999-01-08 04:05:06.7+01", "1999-01-08 03:05:06.7+00"),
    ("date", "varchar(4)", "1999-01-08", "1999"),
    ("interval", "text", "P1Y", "1 year"),
]

REFUSED = [
    ("date", "timestamp", "5000000-01-01", "date out of range for timestamp"),
    ("interval", "time", "infinity", "cannot convert infinite interval to time"),
    ("text", "date", "foo", 'invalid input syntax for type date: "foo"'),
    ("text", "timestamptz", "foo", 'invalid input syntax for type timestamp with time zone: "foo"'),
]


@pytest.mark.parametrize(("source", "target", "value", "answer"), ANSWERS)
def test_a_value_is_cast_as_in_postgresql(source: str, target: str, value: str, answer: str | None) -> None:
    result = type_of(target)
    assert called(cast_of(FAMILY, source, result.base), (value,), result) == answer


@pytest.mark.parametrize(("source", "target", "value", "message"), REFUSED)
def test_a_cast_fails_as_in_postgresql(source: str, target: str, value: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        called(cast_of(FAMILY, source, target), (value,))
    assert str(raised.value) == message


def test_an_mz_timestamp_is_milliseconds_since_1970() -> None:
    function = cast_of(FAMILY, "mz_timestamp", "timestamp")
    assert function.python is not None
    assert function.python(Types((MZ_TIMESTAMP,), TIMESTAMP), 1500) == 1_500_000


def test_a_timestamp_before_1970_is_no_mz_timestamp() -> None:
    function = cast_of(FAMILY, "timestamp", "mz_timestamp")
    assert function.python is not None
    assert function.python(Types((TIMESTAMP,), MZ_TIMESTAMP), 1_500_999) == 1500
    with pytest.raises(DataError):
        function.python(Types((TIMESTAMP,), MZ_TIMESTAMP), -1)


CONTEXTS = [
    ("date", "timestamp", "implicit"),
    ("date", "timestamptz", "implicit"),
    ("timestamp", "date", "assignment"),
    ("timestamptz", "date", "assignment"),
    ("timestamp", "timestamptz", "implicit"),
    ("timestamptz", "timestamp", "assignment"),
    ("timestamp", "time", "assignment"),
    ("time", "interval", "implicit"),
    ("interval", "time", "assignment"),
    ("interval", "interval", "implicit"),
    ("text", "date", "explicit"),
    ("date", "text", "assignment"),
]


@pytest.mark.parametrize(("source", "target", "context"), CONTEXTS)
def test_casts_apply_where_postgresql_applies_them(source: str, target: str, context: str) -> None:
    assert [cast.context for cast in FAMILY.casts if (cast.source, cast.target) == (source, target)] == [context]
