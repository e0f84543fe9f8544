"""Bytes: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import binary, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(binary.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    (r"length('\x0102'::bytea)", 2),
    (r"octet_length('\x0102'::bytea)", 2),
    (r"bit_length('\x01'::bytea)", 8),
    (r"bit_count('\xff01'::bytea)", 9),
    (r"substring('\x010203'::bytea from 2 for 1)", b"\x02"),
    (r"substring('\x010203'::bytea, 0, 2)", b"\x01"),
    (r"substring('\x010203'::bytea, -5)", b"\x01\x02\x03"),
    (r"substring('\x010203'::bytea, 2)", b"\x02\x03"),
    (r"overlay('\x010203'::bytea placing '\xff'::bytea from 2)", b"\x01\xff\x03"),
    (r"overlay('\x010203'::bytea placing '\xff'::bytea from 2 for 0)", b"\x01\xff\x02\x03"),
    (r"position('\x02'::bytea in '\x010203'::bytea)", 2),
    (r"position(''::bytea in '\x01'::bytea)", 1),
    (r"btrim('\x0001020100'::bytea, '\x0001'::bytea)", b"\x02"),
    (r"ltrim('\x0001'::bytea, '\x00'::bytea)", b"\x01"),
    (r"rtrim('\x0100'::bytea, '\x00'::bytea)", b"\x01"),
    (r"rtrim('\x0100'::bytea, ''::bytea)", b"\x01\x00"),
    (r"reverse('\x0102'::bytea)", b"\x02\x01"),
    (r"get_byte('\x01ff'::bytea, 1)", 255),
    (r"set_byte('\x0102'::bytea, 0, 300)", b",\x02"),
    (r"set_byte('\x0102'::bytea, 1, -1)", b"\x01\xff"),
    (r"get_bit('\x0180'::bytea, 0::int8)", 1),
    (r"get_bit('\x0180'::bytea, 15::int8)", 1),
    (r"set_bit('\x00'::bytea, 3::int8, 1)", b"\x08"),
    (r"set_bit('\xff'::bytea, 3::int8, 0)", b"\xf7"),
    (r"'\x01'::bytea || '\x02'::bytea", b"\x01\x02"),
    ("(-2)::int2::bytea", b"\xff\xfe"),
    ("1::bytea", b"\x00\x00\x00\x01"),
    ("258::int8::bytea", b"\x00\x00\x00\x00\x00\x00\x01\x02"),
    (r"'\x0102'::bytea::int4", 258),
    (r"'\xffff'::bytea::int2", -1),
    (r"'\xffffffff'::bytea::int4", -1),
    ("''::bytea::int4", 0),
    (r"'\xff'::bytea::int4", 255),
]

ERRORS = [
    (r"substring('\x01'::bytea, 1, -1)", "negative substring length not allowed"),
    (r"overlay('\x010203'::bytea placing '\xff'::bytea from 0)", "negative substring length not allowed"),
    (r"get_byte('\x0102'::bytea, 2)", "index 2 out of valid range, 0..1"),
    ("get_byte(''::bytea, 0)", "index 0 out of valid range, 0..-1"),
    (r"get_byte('\x01'::bytea, -1)", "index -1 out of valid range, 0..0"),
    (r"set_byte('\x00'::bytea, 8, 1)", "index 8 out of valid range, 0..0"),
    (r"get_bit('\x0180'::bytea, 16::int8)", "index 16 out of valid range, 0..15"),
    (r"set_bit('\x00'::bytea, 3::int8, 2)", "new bit must be 0 or 1"),
    (r"set_bit('\x00'::bytea, 8::int8, 1)", "index 8 out of valid range, 0..7"),
    (r"'\x010203'::bytea::int2", "smallint out of range"),
    (r"'\xffffffffffffffffff'::bytea::int8", "bigint out of range"),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message
