"""Joining and splitting: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.functions import joining, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(joining.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("'a' || 'b'", "ab"),
    ("'a' || null::text", None),
    ("'a' || 1", "a1"),
    ("1 || 'a'", "1a"),
    ("true || 'a'", "truea"),
    ("'x' || false", "xfalse"),
    ("'ab'::char(4) || 'x'", "abx"),
    ("'x' || 'ab'::char(4)", "xab"),
    ("concat('a', null, 1, true, 'b')", "a1tb"),
    ("concat(null)", ""),
    ("concat('ab'::char(4), 'x')", "ab  x"),
    ("concat_ws(',', 'a', null, 1, 'b')", "a,1,b"),
    ("concat_ws(null, 'a')", None),
    ("concat_ws(',', null)", ""),
    ("concat_ws('', 'a', 'b')", "ab"),
    ("string_to_array('a,b,c', ',')", ("a", "b", "c")),
    ("string_to_array('a,b,c', null)", ("a", ",", "b", ",", "c")),
    ("string_to_array('a,b,c', '')", ("a,b,c",)),
    ("string_to_array('', ',')", ()),
    ("string_to_array('a,b,,', ',')", ("a", "b", "", "")),
    ("string_to_array(null::text, ',')", None),
    ("string_to_array(null::text, '')", None),
    ("string_to_array('a.b.c', '.')", ("a", "b", "c")),
    (r"string_to_array('aEb\Ec', '\E')", ("aEb", "c")),
    ("string_to_array('a,b,c', ',', 'b')", ("a", None, "c")),
    ("string_to_array('abc', null, 'b')", ("a", None, "c")),
    ("string_to_array('a😀', null)", ("a", "😀")),
    ("array_to_string(array['a','b'], ',')", "a,b"),
    ("array_to_string(array['a',null,'b'], ',')", "a,b"),
    ("array_to_string(array['a',null,'b'], ',', '*')", "a,*,b"),
    ("array_to_string(array['a',null,'b'], ',', null)", "a,b"),
    ("array_to_string(array['a',null,'b'], null, '*')", None),
    ("array_to_string(array[1,2], '-')", "1-2"),
    ("'a  '::char(3) || 'x'", "ax"),
    ("'a b'::char(2) || 'x'", "ax"),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


def test_the_parts_of_a_text_are_rows() -> None:
    assert EXPRESSIONS.rows("string_to_table('a,b,', ',')") == [("a",), ("b",), ("",)]
    assert EXPRESSIONS.rows("string_to_table('ab', null::text, 'b')") == [("a",), (None,)]
    assert EXPRESSIONS.rows("string_to_table('', ',')") == []
    assert EXPRESSIONS.rows("string_to_table(null::text, ',')") == []
