"""Casts of text: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("'abcdef'::varchar(3)", "abc"),
    ("'abcdef'::char(3)", "abc"),
    ("'abc'::text::varchar(2)", "ab"),
    ("'abc'::varchar::char(2)", "ab"),
    ("'éé'::varchar(1)", "é"),
    (
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'::text::name",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ),
    ("'ééééééééééééééééééééééééééééééééééééééééééé'::name", "ééééééééééééééééééééééééééééééé"),
    ("'a0eebc999c0b4ef8bb6d6bb9bd380a11'::text::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'{A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11}'::text::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11'::text::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::text", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    (r"'\x6162'::text::bytea", b"ab"),
    (r"'a\\b\001'::bytea::text", r"\x615c6201"),
    ("'é'::bytea::text", r"\xc3a9"),
    ("''::bytea::text", r"\x"),
    ("'abc'::text::\"char\"", "a"),
    ("'é'::text::\"char\"", r"\303"),
    ('65::"char"', "A"),
    ('(-61)::"char"', r"\303"),
    ("'é'::\"char\"::int", -61),
    ("'a'::\"char\"::int", 97),
    ("''::\"char\"::int", 0),
]

ERRORS = [
    (
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1'::text::uuid",
        'invalid input syntax for type uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1"',
    ),
    (
        "'a0e-ebc999c0b4ef8bb6d6bb9bd380a11'::text::uuid",
        'invalid input syntax for type uuid: "a0e-ebc999c0b4ef8bb6d6bb9bd380a11"',
    ),
    (
        "'{a0eebc999c0b4ef8bb6d6bb9bd380a11'::text::uuid",
        'invalid input syntax for type uuid: "{a0eebc999c0b4ef8bb6d6bb9bd380a11"',
    ),
    (
        "' a0eebc999c0b4ef8bb6d6bb9bd380a11'::text::uuid",
        'invalid input syntax for type uuid: " a0eebc999c0b4ef8bb6d6bb9bd380a11"',
    ),
    (
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-'::uuid",
        'invalid input syntax for type uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-"',
    ),
    (r"'\X61'::bytea", "invalid input syntax for type bytea"),
    (r"'\x6'::bytea", "invalid hexadecimal data: odd number of digits"),
    ('200::"char"', '"char" out of range'),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message
