"""Functions of text: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import strings, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(strings.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("length('é😀')", 2),
    ("length('ab'::char(4))", 2),
    ("octet_length('ab'::char(4))", 4),
    ("octet_length('é')", 2),
    ("bit_length('é')", 16),
    ("lower('ABC É')", "abc é"),
    ("upper('abc é')", "ABC É"),
    ("initcap('hELLO wORLD foo_bar 12ab')", "Hello World Foo_Bar 12ab"),
    ("substring('hello', 2)", "ello"),
    ("substring('hello', -1)", "hello"),
    ("substring('hello' from 2 for 3)", "ell"),
    ("substring('hello' from -1 for 3)", "h"),
    ("substring('hello' from -1 for 1)", ""),
    ("substring('hello', 2, 2147483647)", "ello"),
    ("substring('hello', (-2147483647), 2147483647)", ""),
    ("substring('hello', 2147483647, 2147483647)", ""),
    ("substring('h😀llo', 2, 1)", "😀"),
    ("substr('hello', 3)", "llo"),
    ("substring(null::text, 1)", None),
    ("substring('x', null::int)", None),
    ("overlay('abc' placing 'X' from 5 for 1)", "abcX"),
    ("overlay('abcdef' placing 'XY' from 4 for -2)", "abcXYbcdef"),
    ("overlay('abcdef' placing 'XY' from 2)", "aXYdef"),
    ("left('abcde', 2)", "ab"),
    ("left('abcde', -2)", "abc"),
    ("left('abcde', -9)", ""),
    ("left('abcde', -2147483648)", ""),
    ("left('abcde', 2147483647)", "abcde"),
    ("left('a😀c', -1)", "a😀"),
    ("right('abcde', 2)", "de"),
    ("right('abcde', -2)", "cde"),
    ("right('abcde', 0)", ""),
    ("right('abcde', -2147483648)", "abcde"),
    ("right('abcde', -2147483647)", ""),
    ("right('abcde', 99)", "abcde"),
    ("lpad('hi', 5)", "   hi"),
    ("lpad('hi', 5, 'xy')", "xyxhi"),
    ("lpad('hi', 1, 'xy')", "h"),
    ("lpad('hi', 0, 'xy')", ""),
    ("lpad('hi', -3, 'xy')", ""),
    ("lpad('hi', 5, '')", "hi"),
    ("lpad('hi', 1, '')", "h"),
    ("rpad('hi', 5, '😀x')", "hi😀x😀"),
    ("rpad('hi', 1)", "h"),
    ("lpad(null::text, 268435455)", None),
    ("ltrim('  abc ')", "abc "),
    ("ltrim('xxyabc', 'xy')", "abc"),
    ("rtrim('abcxx', 'x')", "abc"),
    (r"rtrim(E'abc \t ')", "abc \t"),
    ("btrim('é😀aé', '😀é')", "a"),
    ("trim(both from '  a ')", "a"),
    ("trim(leading 'x' from 'xxax')", "ax"),
    ("btrim('abc', '')", "abc"),
    ("replace('abcabc', 'b', 'XX')", "aXXcaXXc"),
    ("replace('abc', '', 'X')", "abc"),
    ("replace('abc', 'b', '')", "ac"),
    ("translate('12345', '143', 'ax')", "a2x5"),
    ("translate('aabb', 'aab', 'xyz')", "xxzz"),
    ("translate('abc', '', 'xyz')", "abc"),
    ("reverse('a😀é')", "é😀a"),
    ("repeat('ab', 3)", "ababab"),
    ("repeat('ab', -1)", ""),
    ("repeat('', 2147483647)", ""),
    ("strpos('high', 'ig')", 2),
    ("strpos('h😀gh', 'g')", 3),
    ("strpos('abc', '')", 1),
    ("strpos('', '')", 1),
    ("strpos('', 'a')", 0),
    ("position('b' in 'abc')", 2),
    ("split_part('a,b,c', ',', 2)", "b"),
    ("split_part('a,b,c', ',', -1)", "c"),
    ("split_part('a,b,c', ',', 4)", ""),
    ("split_part('a,b,c', ',', -4)", ""),
    ("split_part('abc', '', 1)", "abc"),
    ("split_part('abc', '', -1)", "abc"),
    ("split_part('abc', '', 2)", ""),
    ("split_part('', ',', 1)", ""),
    ("split_part('a.b|c', '.', 2)", "b|c"),
    ("split_part('a,b', ',', -2147483648)", ""),
    ("starts_with('abc', 'ab')", True),
    ("starts_with('abc', '')", True),
    ("'abc' ^@ 'b'", False),
    ("ascii('')", 0),
    ("ascii('é')", 233),
    ("ascii('😀')", 128512),
    ("chr(65)", "A"),
    ("chr(128512)", "😀"),
    (r"unistr('\d83d\de00\+01F600\U0001F600\\u00e9')", r"😀😀😀\u00e9"),
    ("unistr('abc')", "abc"),
    (r"unistr('\00e9')", "é"),
    ("normalize('é', NFD)", "é"),
    (r"normalize(U&'e\0301')", "é"),
    ("normalize('ﬁ', NFKC)", "fi"),
    ("'é' is normalized", True),
    (r"U&'e\0301' is NFC normalized", False),
    (r"U&'e\0301' is NFD normalized", True),
]

ERRORS = [
    ("substring('hello', 1, -1)", "negative substring length not allowed"),
    ("overlay('abc' placing 'x' from 0)", "negative substring length not allowed"),
    ("overlay('abc' placing 'x' from 2147483647 for 5)", "integer out of range"),
    ("rpad('hi', 268435455)", "requested length too large"),
    ("repeat('ab', 536870911)", "requested length too large"),
    ("split_part('a', ',', 0)", "field position must not be zero"),
    ("chr(0)", "null character not permitted"),
    ("chr(-1)", "character number must be positive"),
    ("chr(55296)", "requested character not valid for encoding: 55296"),
    ("chr(1114112)", "requested character too large for encoding: 1114112"),
    (r"unistr('\d83d')", "invalid Unicode surrogate pair"),
    (r"unistr('\zz')", "invalid Unicode escape"),
    (r"unistr('\+FFFFFF')", "invalid Unicode code point: FFFFFF"),
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
    ("sql", "answer"),
    [
        ("upper('éßŉ')", "ÉSSʼN"),
        ("lower('ΑΣ ΣİΣ')", "ας σi̇ς"),
        ("initcap('ǆx éa''b ﬁn')", "ǅx Éa'B Fin"),
        ("casefold('Straße')", "strasse"),
    ],
)
def test_case_is_that_of_the_builtin_locale_of_unicode(sql: str, answer: str) -> None:
    assert EXPRESSIONS.value(sql) == answer
