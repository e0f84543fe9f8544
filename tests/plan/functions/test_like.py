"""LIKE: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import like, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(like.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("'a' LIKE 'a'", True),
    ("'abc' LIKE 'a%'", True),
    ("'abc' LIKE '_b_'", True),
    ("'abc' LIKE 'a_'", False),
    ("'' LIKE '%'", True),
    ("'' LIKE ''", True),
    (r"'a%c' LIKE 'a\%c'", True),
    (r"'abc' LIKE 'a\%c'", False),
    (r"'abc' LIKE 'a\bc'", True),
    (r"'a\c' LIKE 'a\\c'", True),
    (r"'abc' LIKE 'abc\'", False),
    (r"'a' LIKE 'a\'", False),
    (r"'b' LIKE 'a\'", False),
    (r"'' LIKE '%\'", False),
    (r"'' LIKE '%_\'", False),
    (r"'a' LIKE '_%\'", False),
    ("'😀b' LIKE '_b'", True),
    (r"E'a\nb' LIKE 'a_b'", True),
    (r"E'a\nb' LIKE '%'", True),
    ("'abc' NOT LIKE 'a%'", False),
    ("'ABC' ILIKE 'a%'", True),
    ("'ÀB' ILIKE 'àb'", True),
    ("'abc' NOT ILIKE 'A%'", False),
    ("'a#%' LIKE 'a##_' ESCAPE '#'", True),
    ("'a%' LIKE 'a#%' ESCAPE '#'", True),
    (r"'a\b' LIKE 'a\b' ESCAPE ''", True),
    (r"'a\b' LIKE 'a\b' ESCAPE '#'", True),
    ("null::text LIKE 'a'", None),
    ("'a' LIKE null::text", None),
    (r"null::text LIKE 'a\'", None),
    ("'ab'::char(4) LIKE 'ab'", False),
    ("'ab'::char(4) LIKE 'ab  '", True),
    ("'ab'::char(4) LIKE 'ab%'", True),
    ("'a.c' LIKE 'a.c'", True),
    ("'abc' LIKE 'a.c'", False),
    ("'aab' LIKE '%ab'", True),
]

ERRORS = [
    (r"'ab' LIKE 'a\'", "LIKE pattern must not end with escape character"),
    (r"'a' LIKE '%\'", "LIKE pattern must not end with escape character"),
    (r"'a' LIKE '%_\'", "LIKE pattern must not end with escape character"),
    (r"'ab' LIKE '_%\'", "LIKE pattern must not end with escape character"),
    (r"'ab' LIKE 'a%_\'", "LIKE pattern must not end with escape character"),
    ("'a' LIKE 'b' ESCAPE 'xx'", "invalid escape string"),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("sql", "spark"),
    [
        ("'abc' LIKE 'a%'", "('abc' LIKE 'a%')"),
        (r"'abc' LIKE 'a\b\%'", r"('abc' LIKE 'ab\\%')"),
        ("'abc' NOT LIKE 'a%'", "(NOT ('abc' LIKE 'a%'))"),
        ("'ABC' ILIKE 'A%'", "(lower('ABC') LIKE 'a%')"),
        ("'ab'::char(4) LIKE 'ab'", "(rpad(rtrim(left('ab', 4)), 4, ' ') LIKE 'ab')"),
    ],
)
def test_a_constant_pattern_is_sparks_own(sql: str, spark: str) -> None:
    assert EXPRESSIONS.run(sql).spark == spark
