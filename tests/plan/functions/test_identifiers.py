"""UUIDs: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.functions import identifiers, text_casts
from tests.plan.functions.expressions import Expressions
from tests.sql.lower.test_values import rows

EXPRESSIONS = Expressions(identifiers.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("uuid_extract_version('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)", 4),
    ("uuid_extract_version('00000000-0000-0000-0000-000000000000'::uuid)", None),
    ("uuid_extract_version('1ec9414c-232a-6b00-b3c8-9e6bdeced846'::uuid)", 6),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(
    ("sql", "answer"),
    [
        ("uuid_extract_timestamp('C232AB00-9414-11EC-B3C8-9F6BDECED846'::uuid)", 1645557742000000),
        ("uuid_extract_timestamp('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid)", 1645557742000000),
        ("uuid_extract_timestamp('1ec9414c-232a-6b00-b3c8-9e6bdeced846'::uuid)", None),
        ("uuid_extract_timestamp('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)", None),
        # RFC 9562, appendix A.
        ("uuid_generate_v5(uuid_ns_dns(), 'www.example.com')", "2ed6657d-e927-568b-95e1-2665a8aea6a2"),
        ("uuid_generate_v3(uuid_ns_dns(), 'www.example.com')", "5df41881-3aed-3515-88a7-2f4a814cf09e"),
        ("uuid_nil()", "00000000-0000-0000-0000-000000000000"),
    ],
)
def test_uuids_are_as_their_standard_says(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "version"), [("gen_random_uuid()", 4), ("uuidv7()", 7)])
def test_a_new_uuid_is_new_and_has_its_version(sql: str, version: int) -> None:
    first, second = EXPRESSIONS.value(sql), EXPRESSIONS.value(sql)
    assert first != second
    assert EXPRESSIONS.value(f"uuid_extract_version('{first}'::uuid)") == version


def test_uuids_by_time_are_in_order() -> None:
    made = [EXPRESSIONS.value("uuidv7()") for _ in range(3)]
    moments = [EXPRESSIONS.value(f"uuid_extract_timestamp('{each}'::uuid)") for each in made]
    assert moments == sorted(moments, key=str)


def test_the_time_of_a_uuid_is_moved_by_an_interval() -> None:
    now, later = (
        rows(f"SELECT extract(epoch FROM uuid_extract_timestamp({call}))")[0][0]
        for call in ("uuidv7()", "uuidv7(interval '1 hour')")
    )
    assert now is not None
    assert later is not None
    assert 3600 <= float(later) - float(now) < 3660
