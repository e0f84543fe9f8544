"""Regular expressions and SIMILAR TO: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import like, patterns, strings, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(like.FAMILY, patterns.FAMILY, strings.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("'abc' ~ 'b'", True),
    ("'abc' ~ '^b'", False),
    ("'abc' ~ 'c$'", True),
    (r"E'abc\n' ~ 'c$'", False),
    (r"E'a\nb' ~ 'a.b'", True),
    (r"E'a\nb' ~ '^b'", False),
    (r"E'a\nb' ~ '(?n)^b'", True),
    ("'abc' !~ 'b'", False),
    ("'ABC' ~* 'b'", True),
    ("'ABC' !~* 'b'", False),
    ("'ABC' ~ 'b'", False),
    ("'É' ~* 'é'", True),
    ("'abc' ~ ''", True),
    ("'' ~ '^$'", True),
    ("null::text ~ 'a'", None),
    ("'a' ~ null::text", None),
    ("'ab'::char(4) ~ 'b$'", False),
    ("'ab'::char(4) ~ 'b  $'", True),
    (r"'a+b' ~ 'a\+b'", True),
    (r"'a1' ~ '\d'", True),
    (r"'a_1' ~ '^\w+$'", True),
    (r"'a b' ~ '\s'", True),
    ("'ab' ~ 'a(?=b)'", True),
    ("'ab' ~ '(?<=a)b'", True),
    (r"'foo bar' ~ '\mbar\M'", True),
    (r"'foobar' ~ '\ybar'", False),
    (r"'aa' ~ '^(a)\1$'", True),
    (r"'ab' ~ '^(a)\1$'", False),
    ("'x' ~ '[[:alpha:]]'", True),
    ("'1' ~ '[^[:digit:]]'", False),
    ("']' ~ '[]]'", True),
    ("'-' ~ '[a-]'", True),
    ("'a]' ~ '[^]]'", True),
    (r"'\' ~ '\\'", True),
    (r"'a' ~ '[\w]'", True),
    (r"'-' ~ '[\w-]'", True),
    ("'foo' ~ '***=f.o'", False),
    ("'f.o' ~ '***=f.o'", True),
    ("'FOO' ~ '(?i)foo'", True),
    ("'foo' ~ '(?x) f o # comment'", True),
    (r"'tab	' ~ '\t'", True),
    (r"'A' ~ '\x41'", True),
    (r"'A' ~ '\u0041'", True),
    (r"'A' ~ '\101'", True),
    ("'aaa' ~ '^a{2,3}$'", True),
    ("'aaaa' ~ '^a{2,3}$'", False),
    ("'aaaa' ~ '^a{2,}$'", True),
    ("'a{' ~ 'a{'", True),
    ("'ab' ~ 'a|b|'", True),
    ("'ab' ~ '^(?:a|ab)$'", True),
    ("'😀' ~ '^.$'", True),
    (r"'é' ~ '^\w$'", True),
    ("'abc' SIMILAR TO 'a_c'", True),
    ("'abc' SIMILAR TO '(a|x)b%'", True),
    ("'abc' NOT SIMILAR TO 'ab'", True),
    ("'a%c' SIMILAR TO 'a#%c' ESCAPE '#'", True),
    ("'a.c' SIMILAR TO 'a.c'", True),
    ("'abc' SIMILAR TO 'a.c'", False),
    ("'abab' SIMILAR TO '(ab){2}'", True),
    (r"similar_to_escape('a%b_c|(d)*[x%$]+\^.{2}?')", r"^(?:a.*b.c|(?:d)*[x%$]+\^\.{2}?)$"),
    ("similar_to_escape('a#\"b%#\"c','#')", "^(?:a){1,1}?(b.*){1,1}(?:c)$"),
    (r"similar_to_escape('a\%b')", r"^(?:a\%b)$"),
    ("similar_to_escape('',  '')", "^(?:)$"),
    (r"similar_to_escape('a\b','')", r"^(?:a\\b)$"),
    ("similar_to_escape('[^]a_]%')", "^(?:[^]a_].*)$"),
    ("similar_to_escape('[a[:alpha:]_%]$')", r"^(?:[a[:alpha:]_%]\$)$"),
    ("similar_to_escape('[a[.].]_]_')", "^(?:[a[.].].].)$"),
    ("similar_to_escape('[a]]_')", "^(?:[a]].)$"),
    ("similar_to_escape('[#]a]_','#')", r"^(?:[\]a].)$"),
    (r"similar_to_escape('[a\b]','#')", r"^(?:[a\\b])$"),
    ("similar_to_escape('a#','#')", "^(?:a)$"),
    ("similar_escape('a%', null)", "^(?:a.*)$"),
    ("substring('foobar' similar '%#\"o_b#\"%' escape '#')", "oob"),
    ("substring('foobar' similar '#\"o_b#\"%' escape '#')", None),
    ("substring('abcdefg' similar 'a#\"%#\"x|g' escape '#')", "bcdef"),
    ("substring('abcdefg' similar 'a%g' escape '#')", "abcdefg"),
    ("substring('abc' from 'b')", "b"),
    ("substring('abc' from '(x)?b')", None),
    ("substring('abc' from 'z')", None),
    ("substring('foobar' from 'o(.)b')", "o"),
    ("substring('Thomas' from '...$')", "mas"),
    ("substring('ab12cd345' from '[0-9]+')", "12"),
]

ERRORS = [
    ("'a' ~ '*a'", "invalid regular expression: quantifier operand invalid"),
    ("'a' ~ 'a**'", "invalid regular expression: quantifier operand invalid"),
    ("'a' ~ 'a{2,1}'", "invalid regular expression: invalid repetition count(s)"),
    ("'a' ~ 'a{256}'", "invalid regular expression: invalid repetition count(s)"),
    ("'a' ~ '(a'", "invalid regular expression: parentheses () not balanced"),
    ("'a' ~ 'a)'", "invalid regular expression: parentheses () not balanced"),
    ("'a' ~ '[a'", "invalid regular expression: brackets [] not balanced"),
    ("'a' ~ '[b-a]'", "invalid regular expression: invalid character range"),
    ("'a' ~ '[[:foo:]]'", "invalid regular expression: invalid character class"),
    (r"'a' ~ '\'", r"invalid regular expression: invalid escape \ sequence"),
    (r"'a' ~ '\q'", r"invalid regular expression: invalid escape \ sequence"),
    ("'a' ~ '(?z)a'", "invalid regular expression: invalid embedded option"),
    ("'a' ~ 'a{1'", "invalid regular expression: braces {} not balanced"),
    (r"'a' ~ '\1'", "invalid regular expression: invalid backreference number"),
    ("'a' ~ '(?=a)*'", "invalid regular expression: quantifier operand invalid"),
    ("'a' ~ '[[.foo.]]'", "invalid regular expression: invalid collating element"),
    ("'a' ~ '(?'", "invalid regular expression: quantifier operand invalid"),
    ("'a' ~ '***x'", "invalid regular expression: quantifier operand invalid"),
    (r"'a' ~ '\x'", r"invalid regular expression: invalid escape \ sequence"),
    ("'a' ~ 'a+?+'", "invalid regular expression: quantifier operand invalid"),
    ("'a' ~ '(?i'", "invalid regular expression: invalid embedded option"),
    ("'a' SIMILAR TO 'b' ESCAPE 'xx'", "invalid escape string"),
    (
        "similar_to_escape('a#\"b#\"c#\"d','#')",
        "SQL regular expression may not contain more than two escape-double-quote separators",
    ),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message
