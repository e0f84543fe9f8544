"""Functions that return rows."""

from __future__ import annotations

import pytest

from holdfast.plan.functions import series
from tests.plan.functions.literal_calls import Calls

CALLS = Calls(series.FAMILY)

# Answers are PostgreSQL's, but for zeros at the end of numerics.
CASES: tuple[tuple[str, str | None], ...] = (
    ("generate_series('1'::int4, '3'::int4)", "1;2;3"),
    ("generate_series('1'::int4, '0'::int4)", ""),
    ("generate_series('1'::int4, '5'::int4, '2'::int4)", "1;3;5"),
    ("generate_series('5'::int4, '1'::int4, '-2'::int4)", "5;3;1"),
    ("generate_series('1'::int4, '5'::int4, '-1'::int4)", ""),
    ("generate_series('1'::int4, '5'::int4, '0'::int4)", "ERROR: step size cannot equal zero"),
    ("generate_series('2147483646'::int4, '2147483647'::int4)", "2147483646;2147483647"),
    (
        "generate_series('-9223372036854775808'::int8, '-9223372036854775807'::int8)",
        "-9223372036854775808;-9223372036854775807",
    ),
    (
        "generate_series('9223372036854775800'::int8, '9223372036854775807'::int8, '5'::int8)",
        "9223372036854775800;9223372036854775805",
    ),
    ("generate_series(null::int4, '5'::int4)", ""),
    (
        "generate_series('2024-03-30 12:00+00'::timestamptz, '2024-04-01 12:00+00'::timestamptz, "
        "'1 day'::interval, 'Europe/Berlin'::text)",
        "2024-03-30 12:00:00+00;2024-03-31 11:00:00+00;2024-04-01 11:00:00+00",
    ),
    (
        "generate_series('2024-03-30 12:00+00'::timestamptz, '2024-03-28 12:00+00'::timestamptz, "
        "'1 day'::interval, 'x'::text)",
        'ERROR: time zone "x" not recognized',
    ),
    ("generate_series('1.25'::numeric, '3'::numeric, '0.75'::numeric)", "1.25;2;2.75"),
    ("generate_series('1.5'::numeric, '3'::numeric)", "1.5;2.5"),
    ("generate_series('3.5'::numeric, '1'::numeric, '-1'::numeric)", "3.5;2.5;1.5"),
    ("generate_series('1'::numeric, '3'::numeric, '0'::numeric)", "ERROR: step size cannot equal zero"),
    (
        "generate_series('2020-01-31'::timestamp, '2020-05-31'::timestamp, '1 month'::interval)",
        "2020-01-31 00:00:00;2020-02-29 00:00:00;2020-03-29 00:00:00;2020-04-29 00:00:00;2020-05-29 00:00:00",
    ),
    (
        "generate_series('2020-03-31'::timestamp, '2020-01-01'::timestamp, '-1 month'::interval)",
        "2020-03-31 00:00:00;2020-02-29 00:00:00;2020-01-29 00:00:00",
    ),
    (
        "generate_series('2020-03-31'::timestamp, '2020-01-01'::timestamp, '0'::interval)",
        "ERROR: step size cannot equal zero",
    ),
    (
        "generate_series('2020-01-01'::timestamp, '2020-01-03'::timestamp, '1 day -12 hours'::interval)",
        "2020-01-01 00:00:00;2020-01-01 12:00:00;2020-01-02 00:00:00;2020-01-02 12:00:00;2020-01-03 00:00:00",
    ),
    (
        "generate_series('2020-01-01'::timestamp, '2020-03-03'::timestamp, '1 month -30 days'::interval)",
        "ERROR: step size cannot equal zero",
    ),
    (
        "generate_series('2020-01-01'::timestamptz, '2020-01-01 03:00'::timestamptz, '1 hour'::interval)",
        "2020-01-01 00:00:00+00;2020-01-01 01:00:00+00;2020-01-01 02:00:00+00;2020-01-01 03:00:00+00",
    ),
    (
        "generate_series('2020-01-01'::timestamp, 'infinity'::timestamp, '100 years'::interval)",
        "ERROR: timestamp out of range",
    ),
    ("generate_subscripts('{{1,2,3},{4,5,6}}'::int4[][], '2'::int4)", "1;2;3"),
    ("generate_subscripts('{{1,2,3},{4,5,6}}'::int4[][], '1'::int4, 'true'::bool)", "2;1"),
    ("generate_subscripts('{1,2}'::int4[], '3'::int4)", ""),
    ("generate_subscripts('{}'::int4[], '1'::int4)", ""),
    ("generate_subscripts('5 6 7'::int2vector, '1'::int4)", "0;1;2"),
    ("generate_subscripts('5 6 7'::int2vector, '1'::int4, 'true'::bool)", "2;1;0"),
    ("unnest('{{1,2},{3,NULL}}'::int4[][])", "1;2;3;NULL"),
    ("unnest('{}'::int4[])", ""),
    ("unnest('{a,NULL,\"b c\"}'::text[])", "a;NULL;b c"),
    ("unnest(null::int4[])", ""),
)


@pytest.mark.parametrize(("sql", "answer"), CASES, ids=[sql for sql, _ in CASES])
def test_the_answer_is_that_of_postgresql(sql: str, answer: str | None) -> None:
    assert CALLS.answer(sql) == answer
