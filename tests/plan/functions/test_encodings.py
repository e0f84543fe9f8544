"""Encodings: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import encodings, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(encodings.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    (r"encode('\x0001ff415c'::bytea, 'escape')", "\\000\x01\\377A\\\\"),
    (r"encode('\x0001ff'::bytea, 'hex')", "0001ff"),
    (r"encode('\x0001ff'::bytea, 'HEX')", "0001ff"),
    (
        rf"encode('\x{'61' * 60}'::bytea, 'base64')",
        "YWFh" * 19 + "\nYWFh",
    ),
    ("encode(''::bytea, 'base64')", ""),
    ("decode('YWJj', 'base64')", b"abc"),
    (r"decode(E'YW Jj\n', 'base64')", b"abc"),
    ("decode('YQ==', 'base64')", b"a"),
    ("decode('YQ=a', 'base64')", b"a"),
    (r"decode('a\\b\001', 'escape')", b"a\\b\x01"),
    ("decode('61 62', 'hex')", b"ab"),
    (r"convert_from('\xe9'::bytea, 'LATIN1'::name)", "é"),
    (r"convert_from('\xc3a9'::bytea, 'utf-8'::name)", "é"),
    (r"convert_from('\x80'::bytea, 'WIN1252'::name)", "€"),
    ("convert_to('é', 'latin1'::name)", b"\xe9"),
    ("convert_to('é', 'UTF_8'::name)", b"\xc3\xa9"),
    (r"convert('\xe9'::bytea, 'LATIN1'::name, 'UTF8'::name)", b"\xc3\xa9"),
    (r"length('\xc3a9'::bytea, 'UTF8'::name)", 1),
]

ERRORS = [
    ("encode('a'::bytea, 'foo')", 'unrecognized encoding: "foo"'),
    ("decode('YWJ', 'base64')", "invalid base64 end sequence"),
    ("decode('Y!', 'base64')", 'invalid symbol "!" found while decoding base64 sequence'),
    ("decode('Y===', 'base64')", 'unexpected "=" while decoding base64 sequence'),
    ("decode('YQ=', 'base64')", "invalid base64 end sequence"),
    ("decode('é', 'base64')", 'invalid symbol "é" found while decoding base64 sequence'),
    (r"decode('a\9', 'escape')", "invalid input syntax for type bytea"),
    ("decode('zz', 'hex')", 'invalid hexadecimal digit: "z"'),
    ("decode('616', 'hex')", "invalid hexadecimal data: odd number of digits"),
    ("decode('a', 'foo')", 'unrecognized encoding: "foo"'),
    (r"convert_from('\xff'::bytea, 'UTF8'::name)", 'invalid byte sequence for encoding "UTF8": 0xff'),
    (r"convert_from('\xc3'::bytea, 'UTF8'::name)", 'invalid byte sequence for encoding "UTF8": 0xc3'),
    (r"convert_from('\x00'::bytea, 'UTF8'::name)", 'invalid byte sequence for encoding "UTF8": 0x00'),
    (
        r"convert_from('\xf0288cbc'::bytea, 'UTF8'::name)",
        'invalid byte sequence for encoding "UTF8": 0xf0 0x28 0x8c 0xbc',
    ),
    (r"convert_from('\x61edb081'::bytea, 'UTF8'::name)", 'invalid byte sequence for encoding "UTF8": 0xed 0xb0 0x81'),
    (
        r"convert_from('\x81'::bytea, 'WIN1252'::name)",
        'character with byte sequence 0x81 in encoding "WIN1252" has no equivalent in encoding "UTF8"',
    ),
    (r"convert_from('\x61'::bytea, 'foo'::name)", 'invalid source encoding name "foo"'),
    (
        "convert_to('😀', 'LATIN1'::name)",
        'character with byte sequence 0xf0 0x9f 0x98 0x80 in encoding "UTF8" has no equivalent in encoding "LATIN1"',
    ),
    ("convert_to('a', 'foo'::name)", 'invalid destination encoding name "foo"'),
    (r"convert('\xff'::bytea, 'UTF8'::name, 'LATIN1'::name)", 'invalid byte sequence for encoding "UTF8": 0xff'),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message
