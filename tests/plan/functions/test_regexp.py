"""Functions of regular expressions: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import regexp, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(regexp.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("regexp_match('foobarbequebaz', 'bar.*que')", ("barbeque",)),
    ("regexp_match('foobarbequebaz', '(bar)(beque)')", ("bar", "beque")),
    ("regexp_match('abc', 'x')", None),
    ("regexp_match('abc', '(x)?b')", (None,)),
    ("regexp_match('abcd', '(a|ab)(c|bcd)')", ("a", "bcd")),
    ("regexp_match('foobar', '(foo|foob)(.*)')", ("foob", "ar")),
    ("regexp_match('XY1234Z', 'Y*([0-9]{1,3})')", ("123",)),
    ("regexp_match('XY1234Z', 'Y*?([0-9]{1,3})')", ("1",)),
    (r"regexp_match('abc01234xyz', '(.*)(\d+)(.*)')", ("abc0123", "4", "xyz")),
    (r"regexp_match('abc01234xyz', '(.*?)(\d+)(.*)')", ("abc", "0", "")),
    (r"regexp_match('abc01234xyz', '(?:(.*?)(\d+)(.*)){1,1}')", ("abc", "01234", "xyz")),
    ("regexp_match('aaa', '(a+)+')", ("a",)),
    ("regexp_match('aaa', '(a+)*')", ("aaa",)),
    ("regexp_match('ab', '((a)|b)*')", ("b", None)),
    ("regexp_match('FOO', 'o+', 'i')", ("OO",)),
    (r"regexp_match(E'a\nb', 'a.b', 'n')", None),
    (r"regexp_match(E'a\nb', 'a$', 'n')", ("a",)),
    (r"regexp_match(E'a\nb', 'a[^x]b', 'p')", None),
    (r"regexp_match(E'a\nb', '^b', 'w')", ("b",)),
    (r"regexp_match(E'a\nb', 'a\Db', 'n')", ("a\nb",)),
    ("regexp_match('a.b', '.', 'q')", (".",)),
    ("regexp_match('ab', 'a b', 'x')", ("ab",)),
    ("regexp_match(null::text, 'a')", None),
    ("regexp_replace('abc', 'b', 'X')", "aXc"),
    ("regexp_replace('abcb', 'b', 'X', 'g')", "aXcX"),
    ("regexp_replace('abc', 'b*', 'X', 'g')", "XaXXcX"),
    (r"regexp_replace('abc', 'b', '\x')", r"a\xc"),
    (r"regexp_replace('abc', 'b', '[\&]\\')", r"a[b]\c"),
    (r"regexp_replace('abc', '(b)', '<\1\2>')", "a<b>c"),
    (r"regexp_replace('abc', '(x)?b', '<\1>')", "a<>c"),
    (r"regexp_replace('abc', 'b', '\')", r"a\c"),
    ("regexp_replace('aaa', 'a', 'x', 2)", "axa"),
    ("regexp_replace('aaa', 'a', 'x', 1, 2)", "axa"),
    ("regexp_replace('aAa', 'a', 'x', 1, 0, 'i')", "xxx"),
    ("regexp_replace('aaa', 'a', 'x', 9)", "aaa"),
    ("regexp_replace('a-1 b-2', '[^0-9]', '', 'g')", "12"),
    (r"regexp_replace('a$b', '\$', '$$', 'g')", "a$$b"),
    ("regexp_replace('ABC', '[b-c]', 'x', 'gi')", "Axx"),
    ("regexp_replace('a😀é', '[^a-z]', '?', 'g')", "a??"),
    (r"regexp_replace('hello world', '\s+', ' ', 'g')", "hello world"),
    (r"regexp_replace('John Smith', '(\w+) (\w+)', '\2, \1')", "Smith, John"),
    ("regexp_split_to_array('abc', '')", ("a", "b", "c")),
    (r"regexp_split_to_array('a1b22c', '\d+')", ("a", "b", "c")),
    (r"regexp_split_to_array(' a b ', '\s*')", ("", "a", "b", "")),
    ("regexp_split_to_array('', '')", ("",)),
    ("regexp_split_to_array('', 'x')", ("",)),
    ("regexp_split_to_array('aXbxc', 'x', 'i')", ("a", "b", "c")),
    (r"regexp_split_to_array('the quick fox', '\s+')", ("the", "quick", "fox")),
    ("regexp_count('ababab', 'ab')", 3),
    ("regexp_count('ababab', 'ab', 2)", 2),
    ("regexp_count('aAa', 'a', 1, 'i')", 3),
    ("regexp_count('abc', '')", 4),
    ("regexp_count('a', 'a', 9)", 0),
    ("regexp_instr('foobar', 'o(.)')", 2),
    ("regexp_instr('foobar', 'o(.)', 1, 2)", 0),
    ("regexp_instr('foobar', 'o(.)', 1, 1, 1)", 4),
    ("regexp_instr('foobar', 'o(.)b', 1, 1, 0, 'i', 1)", 3),
    ("regexp_instr('foobar', 'o(x)?', 1, 1, 0, '', 1)", 0),
    ("regexp_instr('foobar', 'o', 1, 1, 0, '', 1)", 2),
    ("regexp_instr('foobar', 'x')", 0),
    ("regexp_instr('foobar', 'o', 1, 9)", 0),
    ("regexp_like('FOO', 'o', 'i')", True),
    ("regexp_like('foo', 'o$')", True),
    ("regexp_substr('foobar', 'o(.)b')", "oob"),
    ("regexp_substr('foobar', 'o(.)b', 1, 1, '', 1)", "o"),
    ("regexp_substr('foobar', 'o', 1, 3)", None),
    ("regexp_substr('foobar', '(x)?o', 1, 1, '', 1)", None),
    ("regexp_substr('a', 'a', 1, 1, '', 3)", None),
]

ERRORS = [
    ("regexp_match('a', 'a', 'g')", 'regexp_match() does not support the "global" option'),
    ("regexp_match('a', 'a', 'z')", 'invalid regular expression option: "z"'),
    ("regexp_match('a', '(')", "invalid regular expression: parentheses () not balanced"),
    ("regexp_replace('a', 'a', 'b', '1')", 'invalid regular expression option: "1"'),
    ("regexp_replace('a', 'a', 'b', 'z')", 'invalid regular expression option: "z"'),
    ("regexp_replace('a', 'a', 'b', 0)", 'invalid value for parameter "start": 0'),
    ("regexp_replace('a', 'a', 'b', 1, -1)", 'invalid value for parameter "n": -1'),
    ("regexp_split_to_array('a', 'a', 'g')", 'regexp_split_to_array() does not support the "global" option'),
    ("regexp_count('a', 'a', 0)", 'invalid value for parameter "start": 0'),
    ("regexp_count('a', 'a', 1, 'g')", 'regexp_count() does not support the "global" option'),
    ("regexp_instr('a', 'a', 1, 0)", 'invalid value for parameter "n": 0'),
    ("regexp_instr('a', 'a', 1, 1, 2)", 'invalid value for parameter "endoption": 2'),
    ("regexp_instr('a', 'a', 1, 1, 0, '', -1)", 'invalid value for parameter "subexpr": -1'),
    ("regexp_instr('a', 'a', 1, 1, 0, 'g')", 'regexp_instr() does not support the "global" option'),
    ("regexp_like('a', 'a', 'g')", 'regexp_like() does not support the "global" option'),
    ("regexp_substr('a', 'a', 1, 1, 'g')", 'regexp_substr() does not support the "global" option'),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(("sql", "message"), ERRORS, ids=[sql for sql, _ in ERRORS])
def test_the_error_is_postgresqls(sql: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        EXPRESSIONS.value(sql)
    assert str(raised.value) == message


def test_every_match_is_a_row_if_all_are_asked_for() -> None:
    assert EXPRESSIONS.rows("regexp_matches('foobarbaz', 'b(.)(.)', 'g')") == [(("a", "r"),), (("a", "z"),)]
    assert EXPRESSIONS.rows("regexp_matches('foobarbaz', 'b(.)(.)')") == [(("a", "r"),)]
    assert EXPRESSIONS.rows("regexp_matches('abc', 'b*', 'g')") == [(("",),), (("b",),), (("",),), (("",),)]
    assert EXPRESSIONS.rows("regexp_matches('abc', 'x')") == []


def test_what_is_between_matches_is_a_row_each() -> None:
    assert EXPRESSIONS.rows(r"regexp_split_to_table('a1b22c', '\d+')") == [("a",), ("b",), ("c",)]
    assert EXPRESSIONS.rows("regexp_split_to_table(null::text, 'x')") == []


@pytest.mark.parametrize(
    "sql",
    [
        r"regexp_match('a1', '(a)(\d)')",
        "regexp_replace('a-b', '[^a-z]', '', 'g')",
        r"regexp_split_to_array('a b', '\s+')",
        "regexp_count('abab', 'ab')",
        "regexp_substr('foobar', 'o+b')",
    ],
)
def test_spark_runs_a_constant_pattern_that_means_the_same_in_java(sql: str) -> None:
    assert EXPRESSIONS.run(sql).spark is not None


@pytest.mark.parametrize(
    "sql",
    [
        # Which way it matches, and groups that take no part.
        "regexp_match('abcd', '(a|ab)(c|bcd)')",
        "regexp_match('b', '(a)?b')",
        # Empty matches, and references.
        "regexp_replace('abc', 'b*', 'X', 'g')",
        r"regexp_replace('abc', '(b)', '\1', 'g')",
        # One match only.
        "regexp_replace('abc', 'b', 'X')",
    ],
)
def test_spark_does_not_run_what_java_does_otherwise(sql: str) -> None:
    assert EXPRESSIONS.run(sql).spark is None
