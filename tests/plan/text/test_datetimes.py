from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.calendar import FIRST_DATE, FIRST_TIMESTAMP, LAST_DATE, LAST_TIMESTAMP, MICROS_PER_DAY
from holdfast.plan.errors import DataError, DatetimeFieldOverflow, InvalidDatetimeFormat
from holdfast.plan.text.codec import codec_of
from holdfast.plan.text.datetimes import read_date, read_timestamp, write_timestamp
from holdfast.plan.text.interval_text import read_interval, write_interval
from holdfast.plan.types import DATE, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, Interval, Modified, Type

# What PostgreSQL 18 answers.

DATES = [
    ("2020-01-02", "2020-01-02"),
    ("20200102", "2020-01-02"),
    ("January 8, 1999", "1999-01-08"),
    ("1/8/1999", "1999-01-08"),
    ("1/18/99", "1999-01-18"),
    ("08-Jan-1999", "1999-01-08"),
    ("Jan-08-1999", "1999-01-08"),
    ("1999-Jan-08", "1999-01-08"),
    ("Jan 8 1999", "1999-01-08"),
    ("8 Jan 1999", "1999-01-08"),
    ("1999.008", "1999-01-08"),
    ("1999-008", "1999-01-08"),
    ("J2451187", "1999-01-08"),
    ("January 8, 99 BC", "0099-01-08 BC"),
    ("0044-03-15 BC", "0044-03-15 BC"),
    ("294276-12-31", "294276-12-31"),
    ("5874897-12-31", "5874897-12-31"),
    ("4714-11-24 BC", "4714-11-24 BC"),
    ("1-1-1", "2001-01-01"),
    ("12.31.2020", "2020-12-31"),
    ("Sept 5 2001", "2001-09-05"),
    ("epoch", "1970-01-01"),
    ("infinity", "infinity"),
    ("+infinity", "infinity"),
    ("-infinity", "-infinity"),
    ("2020-01-02 04:05:06 PST", "2020-01-02"),
    ("990108", "1999-01-08"),
]

BAD_DATES = [
    ("99-Jan-08", 'date/time field value out of range: "99-Jan-08"'),
    ("5874898-01-01", 'date out of range: "5874898-01-01"'),
    ("4714-11-23 BC", 'date out of range: "4714-11-23 BC"'),
    ("2020-02-30", 'date/time field value out of range: "2020-02-30"'),
    ("13/13/2020", 'date/time field value out of range: "13/13/2020"'),
    ("2020-13-01", 'date/time field value out of range: "2020-13-01"'),
    ("0000-01-01", 'date/time field value out of range: "0000-01-01"'),
    ("2020-1", 'invalid input syntax for type date: "2020-1"'),
    ("foo", 'invalid input syntax for type date: "foo"'),
    ("", 'invalid input syntax for type date: ""'),
    ("2020-01-02 25:00", 'date/time field value out of range: "2020-01-02 25:00"'),
    ("2020-01-02 foo/bar", 'time zone "foo/bar" not recognized'),
    ("2020-01-02 +16", 'time zone displacement out of range: "2020-01-02 +16"'),
    ("99999999999-01-01", 'date/time field value out of range: "99999999999-01-01"'),
    ("2020-01-02 foo", 'invalid input syntax for type date: "2020-01-02 foo"'),
    ("Thursday", 'invalid input syntax for type date: "Thursday"'),
    ("5.6.7.8", 'invalid input syntax for type date: "5.6.7.8"'),
]

TIMES = [
    ("04:05:06.789", "04:05:06.789"),
    ("04:05", "04:05:00"),
    ("040506", "04:05:06"),
    ("0405", "04:05:00"),
    ("04:05 AM", "04:05:00"),
    ("04:05 PM", "16:05:00"),
    ("12:00 AM", "00:00:00"),
    ("12:30 PM", "12:30:00"),
    ("24:00:00", "24:00:00"),
    ("23:59:60", "24:00:00"),
    ("allballs", "00:00:00"),
    ("04:05:06.7894567", "04:05:06.789457"),
    ("04:05.5", "00:04:05.5"),
    ("04:05:06-08", "04:05:06"),
    ("04:05:06 PST", "04:05:06"),
    ("2003-04-12 04:05:06 America/New_York", "04:05:06"),
    ("T040506", "04:05:06"),
]

BAD_TIMES = [
    ("13:00 PM", 'date/time field value out of range: "13:00 PM"'),
    ("24:00:01", 'date/time field value out of range: "24:00:01"'),
    ("12:60", 'date/time field value out of range: "12:60"'),
    ("4", 'invalid input syntax for type time: "4"'),
    ("04:05:06 America/New_York", 'invalid input syntax for type time: "04:05:06 America/New_York"'),
    ("foo", 'invalid input syntax for type time: "foo"'),
]

TIMESTAMPS = [
    ("1999-01-08 04:05:06", "1999-01-08 04:05:06"),
    ("1999-01-08 04:05:06.7891234", "1999-01-08 04:05:06.789123"),
    ("1999-01-08 04:05:06 -8:00", "1999-01-08 04:05:06"),
    ("1999-01-08T04:05:06Z", "1999-01-08 04:05:06"),
    ("19990108T040506", "1999-01-08 04:05:06"),
    ("1999-01-08 24:00:00", "1999-01-09 00:00:00"),
    ("1999-01-08 23:59:60", "1999-01-09 00:00:00"),
    ("January 8 04:05:06 1999 PST", "1999-01-08 04:05:06"),
    ("1999-01-08", "1999-01-08 00:00:00"),
    ("1999-01-08 4:05 PM", "1999-01-08 16:05:00"),
    ("0044-03-15 04:05:06 BC", "0044-03-15 04:05:06 BC"),
    ("-infinity", "-infinity"),
    ("infinity", "infinity"),
    ("epoch", "1970-01-01 00:00:00"),
    ("4714-11-24 00:00:00 BC", "4714-11-24 00:00:00 BC"),
    ("290000-12-31 23:59:59.999999", "290000-12-31 23:59:59.999999"),
    ("2020-01-02 12:34:56.1234565", "2020-01-02 12:34:56.123456"),
    ("2020-01-02 12:34:56.1234575", "2020-01-02 12:34:56.123458"),
]

BAD_TIMESTAMPS = [
    ("04:05:06 1999-01-08", 'invalid input syntax for type timestamp: "04:05:06 1999-01-08"'),
    ("1999-13-08 04:05:06", 'date/time field value out of range: "1999-13-08 04:05:06"'),
    ("1999-02-30", 'date/time field value out of range: "1999-02-30"'),
    ("1999-01-08 24:00:01", 'date/time field value out of range: "1999-01-08 24:00:01"'),
    ("300000-01-01", 'timestamp out of range: "300000-01-01"'),
    ("4714-11-23 23:59:59 BC", 'timestamp out of range: "4714-11-23 23:59:59 BC"'),
    ("1999-01-08 04:05:06 foo", 'invalid input syntax for type timestamp: "1999-01-08 04:05:06 foo"'),
]

TIMESTAMPTZS = [
    ("1999-01-08 04:05:06", "1999-01-08 04:05:06+00"),
    ("1999-01-08 04:05:06.789-8", "1999-01-08 12:05:06.789+00"),
    ("1999-01-08 04:05:06 PST", "1999-01-08 12:05:06+00"),
    ("1999-01-08 04:05:06+05:30", "1999-01-07 22:35:06+00"),
    ("1999-01-08 04:05:06 Europe/Berlin", "1999-01-08 03:05:06+00"),
    ("1999-07-08 04:05:06 europe/berlin", "1999-07-08 02:05:06+00"),
    ("2021-03-28 02:30:00 Europe/Berlin", "2021-03-28 01:30:00+00"),
    ("2021-10-31 02:30:00 Europe/Berlin", "2021-10-31 01:30:00+00"),
    ("2021-03-14 02:30 America/New_York", "2021-03-14 07:30:00+00"),
    ("2021-11-07 01:30 America/New_York", "2021-11-07 06:30:00+00"),
    ("2021-04-04 01:45 Australia/Lord_Howe", "2021-04-03 15:15:00+00"),
    ("1999-01-08T04:05:06Z", "1999-01-08 04:05:06+00"),
    ("1999-01-08 CEST", "1999-01-07 22:00:00+00"),
    ("1999-01-08 04:05 MSK", "1999-01-08 01:05:00+00"),
    ("2012-01-08 04:05 MSK", "2012-01-08 00:05:00+00"),
    ("12000-07-01 00:00 America/New_York", "12000-07-01 04:00:00+00"),
    ("0044-03-15 00:00 Europe/Berlin BC", "0044-03-14 23:06:32+00 BC"),
    ("1999-01-08 04:05:06+15:59:59", "1999-01-07 12:05:07+00"),
    ("1999-01-08 04:05:06 FOO5", "1999-01-08 09:05:06+00"),
    ("1999-07-01 04:05:06 FOO5BAR", "1999-07-01 08:05:06+00"),
    ("infinity", "infinity"),
    ("1999-01-08 040506+05", "1999-01-07 23:05:06+00"),
]

BAD_TIMESTAMPTZS = [
    ("1999-01-08 04:05:06 Foo/Bar", 'time zone "foo/bar" not recognized'),
    ("1999-01-08 04:05:06+16", 'time zone displacement out of range: "1999-01-08 04:05:06+16"'),
]

INTERVALS = [
    ("1 year 2 mons 3 days 04:05:06.789", "1 year 2 mons 3 days 04:05:06.789"),
    ("@ 1 year 2 mons -3 days 4 hours 5 mins 6.7 secs ago", "-1 years -2 mons +3 days -04:05:06.7"),
    ("P1Y2M3DT4H5M6S", "1 year 2 mons 3 days 04:05:06"),
    ("P0001-02-03T04:05:06", "1 year 2 mons 3 days 04:05:06"),
    ("P1W", "7 days"),
    ("PT1.5S", "00:00:01.5"),
    ("P-1Y", "-1 years"),
    ("1-2 3 4:05:06", "1 year 2 mons 3 days 04:05:06"),
    ("-1-2 +3 -4:05:06", "-1 years -2 mons +3 days -04:05:06"),
    ("1.5 years", "1 year 6 mons"),
    ("1.5 months", "1 mon 15 days"),
    ("1.5 weeks", "10 days 12:00:00"),
    ("1.5 days", "1 day 12:00:00"),
    ("1.5 hours", "01:30:00"),
    ("1.55555 minutes", "00:01:33.333"),
    ("0.7 months", "21 days"),
    ("5", "00:00:05"),
    ("5.5", "00:00:05.5"),
    ("-5", "-00:00:05"),
    ("1 decade 2 centuries", "210 years"),
    ("1 millennium", "1000 years"),
    ("3 ms 4 us", "00:00:00.003004"),
    ("infinity", "infinity"),
    ("-infinity", "-infinity"),
    ("1 day ago", "-1 days"),
    ("100000000:00:00", "100000000:00:00"),
    ("178956970 years 7 mons", "178956970 years 7 mons"),
    ("2147483647 days", "2147483647 days"),
    ("-2147483648 days", "-2147483648 days"),
    ("9223372036854775807 us", "2562047788:00:54.775807"),
    ("1 week 2 hours 3 sec", "7 days 02:00:03"),
    ("1:2", "01:02:00"),
    ("1:2.5", "00:01:02.5"),
    ("P1Y2M3DT", "1 year 2 mons 3 days"),
    ("P00010203T040506", "1 year 2 mons 3 days 04:05:06"),
    ("P0001-02", "1 year 2 mons"),
    ("1 mon -1 day", "1 mon -1 days"),
    ("-1 mon +1 day -00:00:01", "-1 mons +1 day -00:00:01"),
    ("-1 days", "-1 days"),
    ("1 days 00:00:00.000001", "1 day 00:00:00.000001"),
    ("2 h 30 m", "02:30:00"),
    ("+1 year", "1 year"),
    ("1y2mon3d4h5m6s", "1 year 2 mons 3 days 04:05:06"),
    ("0", "00:00:00"),
]

BAD_INTERVALS = [
    ("1 day 2 days", 'invalid input syntax for type interval: "1 day 2 days"'),
    ("foo", 'invalid input syntax for type interval: "foo"'),
    ("", 'invalid input syntax for type interval: ""'),
    ("1 foo", 'invalid input syntax for type interval: "1 foo"'),
    ("ago", 'invalid input syntax for type interval: "ago"'),
    ("1-13", 'interval field value out of range: "1-13"'),
    ("3000000000 days", 'interval field value out of range: "3000000000 days"'),
    ("178956971 years", "interval out of range"),
    ("2147483648 days", 'interval field value out of range: "2147483648 days"'),
    ("P", 'invalid input syntax for type interval: "P"'),
]

READ = [
    *((DATE, text, shown) for text, shown in DATES),
    *((TIME, text, shown) for text, shown in TIMES),
    *((INTERVAL, text, shown) for text, shown in INTERVALS),
    *((TIMESTAMP, text, shown) for text, shown in TIMESTAMPS),
    *((TIMESTAMPTZ, text, shown) for text, shown in TIMESTAMPTZS),
]
REFUSED = [
    *((DATE, text, message) for text, message in BAD_DATES),
    *((TIME, text, message) for text, message in BAD_TIMES),
    *((TIMESTAMP, text, message) for text, message in BAD_TIMESTAMPS),
    *((TIMESTAMPTZ, text, message) for text, message in BAD_TIMESTAMPTZS),
    *((INTERVAL, text, message) for text, message in BAD_INTERVALS),
]

ROUNDED = [
    ("timestamp", 0, "2020-01-02 12:34:56.5", "2020-01-02 12:34:57"),
    ("timestamp", 0, "1999-01-02 12:34:56.5", "1999-01-02 12:34:56"),
    ("timestamp", 3, "2020-01-02 12:34:56.1235", "2020-01-02 12:34:56.124"),
    ("timestamp", 3, "infinity", "infinity"),
    ("timestamptz", 2, "2020-01-02 12:34:56.126+01", "2020-01-02 11:34:56.13+00"),
    ("time", 0, "23:59:59.5", "24:00:00"),
    ("time", 1, "12:00:00.25", "12:00:00.3"),
    ("interval", 1, "1 day 00:00:00.25", "1 day 00:00:00.3"),
    ("interval", 0, "-00:00:00.5", "-00:00:01"),
]

FIELDS = [
    ("90", "DAY", "90 days"),
    ("1.5", "DAY", "1 day"),
    ("1-2", "YEAR TO MONTH", "1 year 2 mons"),
    ("1 year 2 days 3:04:05", "MONTH", "1 year"),
    ("1 2:03", "DAY TO MINUTE", "1 day 02:03:00"),
    ("2:03", "MINUTE TO SECOND", "00:02:03"),
    ("3", "YEAR", "3 years"),
    ("14", "MONTH", "1 year 2 mons"),
    ("5", "HOUR TO SECOND", "00:00:05"),
    ("1 day 04:05:06", "HOUR", "1 day 04:00:00"),
]


@pytest.mark.parametrize(("type_", "text", "shown"), READ)
def test_text_is_read_and_shown_as_postgresql_does(type_: Type, text: str, shown: str) -> None:
    codec = codec_of(type_)
    assert codec.write(codec.read(text)) == shown


@pytest.mark.parametrize(("type_", "text", "message"), REFUSED)
def test_text_is_refused_as_postgresql_does(type_: Type, text: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        codec_of(type_).read(text)
    assert str(raised.value) == message


@pytest.mark.parametrize("text", ["now", "today", "tomorrow", "yesterday", "now 04:05"])
def test_what_depends_on_the_clock_is_no_text_of_a_date(text: str) -> None:
    with pytest.raises(InvalidDatetimeFormat):
        read_date(text)


def test_a_month_out_of_range_hints_at_the_order_of_day_and_month() -> None:
    with pytest.raises(DatetimeFieldOverflow) as raised:
        read_date("13/13/2020")
    assert raised.value.hint == 'Perhaps you need a different "DateStyle" setting.'


@pytest.mark.parametrize(("base", "digits", "text", "shown"), ROUNDED)
def test_seconds_are_rounded_to_the_digits_of_the_type(base: str, digits: int, text: str, shown: str) -> None:
    codec = codec_of(Modified(base, digits))
    assert codec.write(codec.read(text)) == shown


@pytest.mark.parametrize(("text", "fields", "shown"), FIELDS)
def test_the_fields_of_an_interval_say_the_unit_and_cut(text: str, fields: str, shown: str) -> None:
    assert write_interval(read_interval(text, fields)) == shown


def test_timestamps_end_where_microseconds_since_1970_do() -> None:
    assert read_timestamp(write_timestamp(LAST_TIMESTAMP)) == LAST_TIMESTAMP
    with pytest.raises(DatetimeFieldOverflow):
        read_timestamp("294247-01-10 04:00:54.775807")


@given(st.integers(FIRST_DATE, LAST_DATE))
def test_every_date_is_read_back(days: int) -> None:
    codec = codec_of(DATE)
    assert codec.read(codec.write(days)) == days


@given(st.integers(0, MICROS_PER_DAY))
def test_every_time_is_read_back(micros: int) -> None:
    codec = codec_of(TIME)
    assert codec.read(codec.write(micros)) == micros


@pytest.mark.parametrize("type_", [TIMESTAMP, TIMESTAMPTZ])
@given(micros=st.integers(FIRST_TIMESTAMP, LAST_TIMESTAMP))
def test_every_timestamp_is_read_back(type_: Type, micros: int) -> None:
    codec = codec_of(type_)
    assert codec.read(codec.write(micros)) == micros


@given(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-(2**63), 2**63 - 1),
)
def test_every_interval_is_read_back(months: int, days: int, micros: int) -> None:
    interval = Interval(months, days, micros)
    assert read_interval(write_interval(interval)) == interval
