"""Quoting: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import quoting, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(quoting.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("quote_ident('select')", '"select"'),
    ("quote_ident('a b')", '"a b"'),
    ("quote_ident('A')", '"A"'),
    ("quote_ident('between')", '"between"'),
    ("quote_ident('')", '""'),
    ("quote_ident('a\"b')", '"a""b"'),
    ("quote_ident('abort')", "abort"),
    ("quote_ident('a1_')", "a1_"),
    ("quote_ident('1a')", '"1a"'),
    (r"quote_literal('a\b''c')", r"E'a\\b''c'"),
    ("quote_literal('x')", "'x'"),
    ("quote_literal(1)", "'1'"),
    ("quote_literal(true)", "'true'"),
    ("quote_nullable(null::text)", "NULL"),
    ("quote_nullable('a')", "'a'"),
    ("quote_nullable(5)", "'5'"),
    (
        "format('%s|%10s|%-10s|%I|%L|%%|%2$s|%1$-5L|', 'a','b','c','D d','e''')",
        "a|         b|c         |\"D d\"|'e'''|%|b|'a'  |",
    ),
    ("format('%*s|%-*s|%*5$s', 5, 'a', 6, 'b', 7, 'c')", "    a|b     |      c"),
    ("format('%*s|', -5, 'a')", "a    |"),
    ("format('%L %s|', null, null)", "NULL |"),
    ("format('%1$s %s', 'a','b')", "a b"),
    ("format('%*1$s', null, 'x')", "x"),
    ("format(null, 1)", None),
    ("format('%1s', 'abc')", "abc"),
    ("format('plain')", "plain"),
    ("format('%s', true)", "t"),
    ("format('%--5s|', 'a')", "a    |"),
    ("format('%I %I', 'a', 'A b')", 'a "A b"'),
    ("parse_ident('Foo.\"Bar\" . baz')", ("foo", "Bar", "baz")),
    ("parse_ident('a b', false)", ("a",)),
    ("parse_ident('a.b c.d', false)", ("a", "b")),
    ('parse_ident(\'éa."x""y"\')', ("éa", 'x"y')),
    ("parse_ident('ÀB$1')", ("Àb$1",)),
]

ERRORS = [
    ("format('%')", "unterminated format() type specifier"),
    ("format('%d', 1)", 'unrecognized format() type specifier "d"'),
    ("format('%s')", "too few arguments for format()"),
    ("format('%I', null)", "null values cannot be formatted as an SQL identifier"),
    ("format('%0$s', 1)", "format specifies argument 0, but arguments are numbered from 1"),
    ("format('%3$s', 1)", "too few arguments for format()"),
    ("format('%5%|')", 'unrecognized format() type specifier "%"'),
    ("format('%1$')", "unterminated format() type specifier"),
    ("format('%-', 1)", "unterminated format() type specifier"),
    ("format('%$s',1)", 'unrecognized format() type specifier "$"'),
    ("format('%99999999999s',1)", "number is out of range"),
    ("format('%1*s',1)", 'unrecognized format() type specifier "*"'),
    ("parse_ident('foo.')", 'string is not a valid identifier: "foo."'),
    ("parse_ident('')", 'string is not a valid identifier: ""'),
    ("parse_ident('1a')", 'string is not a valid identifier: "1a"'),
    ("parse_ident('a b')", 'string is not a valid identifier: "a b"'),
    ("parse_ident('a.1', false)", 'string is not a valid identifier: "a.1"'),
    ("parse_ident('\"\"')", 'string is not a valid identifier: """"'),
    ("parse_ident('a..b')", 'string is not a valid identifier: "a..b"'),
    ("parse_ident('.a')", 'string is not a valid identifier: ".a"'),
    ("parse_ident('\"abc')", 'string is not a valid identifier: ""abc"'),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message
