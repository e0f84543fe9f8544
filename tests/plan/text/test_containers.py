"""Text of containers and of jsonb, read and written again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.plan.errors import DataError, InvalidTextRepresentation
from holdfast.plan.text import read_of, write_of
from holdfast.plan.text.arrays import dimensions_of
from holdfast.plan.types import INT4, TEXT, Type, array_of, list_of, map_of, record_of
from tests.plan.functions.literal_calls import type_of

UNEVEN = "Multidimensional arrays must have sub-arrays with matching dimensions."

# Answers are PostgreSQL's: the text written again, or the message and the detail of the error.
CASES: tuple[tuple[str, str, str], ...] = (
    ("int4[]", "{1,2", 'ERROR: malformed array literal: "{1,2"; Unexpected end of input.'),
    (
        "int4[]",
        "1,2}",
        'ERROR: malformed array literal: "1,2}"; Array value must start with "{" or dimension information.',
    ),
    ("int4[]", "{1,,2}", 'ERROR: malformed array literal: "{1,,2}"; Unexpected "," character.'),
    ("int4[]", "{1,2}}", 'ERROR: malformed array literal: "{1,2}}"; Junk after closing right brace.'),
    (
        "int4[]",
        "{{1},{2,3}}",
        'ERROR: malformed array literal: "{{1},{2,3}}"; ' + UNEVEN,
    ),
    (
        "int4[]",
        "{{1},2}",
        'ERROR: malformed array literal: "{{1},2}"; ' + UNEVEN,
    ),
    ("int4[]", "{}", "{}"),
    ("text[]", "{\x1f,\xa0}", "{\x1f,\xa0}"),
    ("int4[]", "{{},{}}", "{}"),
    ("int4[]", "  { 1 , 2 }  ", "{1,2}"),
    ("int4[]", "{1,}", 'ERROR: malformed array literal: "{1,}"; Unexpected "}" character.'),
    ("int4[]", "{,1}", 'ERROR: malformed array literal: "{,1}"; Unexpected "," character.'),
    ("int4[]", "{1,x}", 'ERROR: invalid input syntax for type integer: "x"'),
    ("int4[]", "", 'ERROR: malformed array literal: ""; Array value must start with "{" or dimension information.'),
    ("int4[]", '{"1"}', "{1}"),
    ("int4[]", "[1:2]={1,2}", "{1,2}"),
    (
        "int4[]",
        "[1:3]={1,2}",
        'ERROR: malformed array literal: "[1:3]={1,2}"; Specified array dimensions do not match array contents.',
    ),
    ("int4[]", "{1 2}", 'ERROR: invalid input syntax for type integer: "1 2"'),
    ("int4[]", "{1,NULL,null}", "{1,NULL,NULL}"),
    ("int4[]", "{1} x", 'ERROR: malformed array literal: "{1} x"; Junk after closing right brace.'),
    ("int4[]", "{", 'ERROR: malformed array literal: "{"; Unexpected end of input.'),
    ("int4[]", "{1{2}}", 'ERROR: malformed array literal: "{1{2}}"; Unexpected "{" character.'),
    ("int4[]", '{"1"2}', 'ERROR: malformed array literal: "{"1"2}"; Incorrectly quoted array element.'),
    (
        "int4[]",
        "{{1},{}}",
        'ERROR: malformed array literal: "{{1},{}}"; ' + UNEVEN,
    ),
    (
        "int4[]",
        "{{}, {1}}",
        'ERROR: malformed array literal: "{{}, {1}}"; ' + UNEVEN,
    ),
    ("int4[]", "[2]={1,2}", "{1,2}"),
    ("int4[]", "[3:1]={1}", "ERROR: upper bound cannot be less than lower bound"),
    ("text[]", '{"a"b}', 'ERROR: malformed array literal: "{"a"b}"; Incorrectly quoted array element.'),
    ("text[]", '{a"b"}', 'ERROR: malformed array literal: "{a"b"}"; Incorrectly quoted array element.'),
    ("text[]", '{"a}', 'ERROR: malformed array literal: "{"a}"; Unexpected end of input.'),
    ("text[]", "{a b , c }", '{"a b",c}'),
    ("text[]", "{a\\,b}", '{"a,b"}'),
    ("text[]", '{null,"NULL","null",""}', '{NULL,"NULL","null",""}'),
    ("text[]", '{a\\"b}', '{"a\\"b"}'),
    ("text[]", '{"a\\"b","a\\\\b","{","a,b"," a"}', '{"a\\"b","a\\\\b","{","a,b"," a"}'),
    ("text[]", '{é,"\t"}', '{é,"\t"}'),
    ("text[]", "{\\null}", '{"null"}'),
    ("text[]", "{a\\", 'ERROR: malformed array literal: "{a\\"; Unexpected end of input.'),
    ("text[]", "{ a\\  , b}", '{"a ",b}'),
    ("text[]", '{"a" , "b"}', "{a,b}"),
    ("text[]", "{'a'}", "{'a'}"),
    ("text[]", "{a{b}", 'ERROR: malformed array literal: "{a{b}"; Unexpected "{" character.'),
    ("text[]", "{\\ a}", '{" a"}'),
    ("int4[][]", "{{1,2},{3,4}}", "{{1,2},{3,4}}"),
    (
        "int4[][]",
        "{{1,2},{3}}",
        'ERROR: malformed array literal: "{{1,2},{3}}"; ' + UNEVEN,
    ),
    ("int4[][]", "{{1,NULL}}", "{{1,NULL}}"),
    ("int4[][]", "{}", "{}"),
    ("int2vector", "1 2 3", "1 2 3"),
    ("int2vector", "1 x", 'ERROR: invalid input syntax for type smallint: "x"'),
    ("int2vector", "", ""),
    ("int4range", "[1,5]", "[1,6)"),
    ("int4range", "(1,5)", "[2,5)"),
    ("int4range", "(1,2)", "empty"),
    ("int4range", "[1,1)", "empty"),
    ("int4range", "(,5]", "(,6)"),
    ("int4range", "[,5]", "(,6)"),
    ("int4range", "[5,1]", "ERROR: range lower bound must be less than or equal to range upper bound"),
    ("int4range", "[1,2147483647]", "ERROR: integer out of range"),
    ("int4range", "(2147483647,)", "ERROR: integer out of range"),
    ("int4range", "x", 'ERROR: malformed range literal: "x"; Missing left parenthesis or bracket.'),
    ("int4range", "[1,2", 'ERROR: malformed range literal: "[1,2"; Unexpected end of input.'),
    ("int4range", "[1;2]", 'ERROR: malformed range literal: "[1;2]"; Missing comma after lower bound.'),
    ("int4range", "[1,2]x", 'ERROR: malformed range literal: "[1,2]x"; Junk after right parenthesis or bracket.'),
    ("int4range", "[1,2,3]", 'ERROR: malformed range literal: "[1,2,3]"; Too many commas.'),
    ("int4range", " [ 1 , 2 ] ", "[1,3)"),
    ("int4range", "EMPTY", "empty"),
    ("int4range", " empty ", "empty"),
    ("int4range", "empty x", 'ERROR: malformed range literal: "empty x"; Junk after "empty" key word.'),
    ("int4range", "[a,b]", 'ERROR: invalid input syntax for type integer: "a"'),
    ("int4range", '["1","2"]', "[1,3)"),
    ("int4range", "(,)", "(,)"),
    ("int4range", "[1,2]]", 'ERROR: malformed range literal: "[1,2]]"; Junk after right parenthesis or bracket.'),
    ("int4range", "[1,(2]", 'ERROR: invalid input syntax for type integer: "(2"'),
    ("int4range", '["1"",2]', 'ERROR: malformed range literal: "["1"",2]"; Unexpected end of input.'),
    ("int4range", "", 'ERROR: malformed range literal: ""; Missing left parenthesis or bracket.'),
    ("int4range", "[1", 'ERROR: malformed range literal: "[1"; Unexpected end of input.'),
    ("int4range", "[\\1,2]", "[1,3)"),
    ("numrange", "[1.5,2.5]", "[1.5,2.5]"),
    ("numrange", "(1,1]", "empty"),
    ("numrange", "[1,1]", "[1,1]"),
    ("numrange", "(1,1)", "empty"),
    ("int8range", "[1,9223372036854775807]", "ERROR: bigint out of range"),
    ("daterange", "[2020-01-01,2020-01-05]", "[2020-01-01,2020-01-06)"),
    ("daterange", "[2020-01-01,infinity]", "[2020-01-01,infinity]"),
    ("daterange", "(-infinity,infinity)", "(-infinity,infinity)"),
    ("daterange", "[5874897-12-31,5874897-12-31]", "ERROR: date out of range"),
    ("daterange", "(-infinity,2020-01-01]", "(-infinity,2020-01-02)"),
    ("tsrange", "[2020-01-01 00:00,2020-01-05]", '["2020-01-01 00:00:00","2020-01-05 00:00:00"]'),
    ("tsrange", '["2020-01-01 00:00","infinity"]', '["2020-01-01 00:00:00",infinity]'),
    ("tstzrange", "[2020-01-01 00:00,2020-01-05)", '["2020-01-01 00:00:00+00","2020-01-05 00:00:00+00")'),
    ("jsonb", '{"a": 1, "b": [1, 2]}', '{"a": 1, "b": [1, 2]}'),
    ("jsonb", '{"bb":1,"a":2,"a":3}', '{"a": 3, "bb": 1}'),
    ("jsonb", "-0", "0"),
    ("jsonb", "1e3", "1000"),
    ("jsonb", "1.5e-3", "0.0015"),
    ("jsonb", '"\\u00e9\\u0001\\u007f\\/"', '"é\\u0001\x7f/"'),
    ("jsonb", '"\\u0000"', "ERROR: unsupported Unicode escape sequence; \\u0000 cannot be converted to text."),
    ("jsonb", '"\\\\u0000"', '"\\\\u0000"'),
    ("jsonb", '"\\\\\\u0000"', "ERROR: unsupported Unicode escape sequence; \\u0000 cannot be converted to text."),
    (
        "jsonb",
        '"\\ud800"',
        "ERROR: invalid input syntax for type json; Unicode low surrogate must follow a high surrogate.",
    ),
    ("jsonb", '"\\ud83d\\ude00"', '"😀"'),
    (
        "jsonb",
        '"\\ude00"',
        "ERROR: invalid input syntax for type json; Unicode low surrogate must follow a high surrogate.",
    ),
    (
        "jsonb",
        '"\\ud83dx"',
        "ERROR: invalid input syntax for type json; Unicode low surrogate must follow a high surrogate.",
    ),
    ("jsonb", '{"a":}', 'ERROR: invalid input syntax for type json; Expected JSON value, but found "}".'),
    ("jsonb", "{a:1}", 'ERROR: invalid input syntax for type json; Token "a" is invalid.'),
    ("jsonb", '{"a" 1}', 'ERROR: invalid input syntax for type json; Expected ":", but found "1".'),
    ("jsonb", '{"a":1,}', 'ERROR: invalid input syntax for type json; Expected string, but found "}".'),
    ("jsonb", "[1,]", 'ERROR: invalid input syntax for type json; Expected JSON value, but found "]".'),
    ("jsonb", "[1 2]", 'ERROR: invalid input syntax for type json; Expected "," or "]", but found "2".'),
    ("jsonb", "nul", 'ERROR: invalid input syntax for type json; Token "nul" is invalid.'),
    ("jsonb", "01", 'ERROR: invalid input syntax for type json; Token "01" is invalid.'),
    ("jsonb", "1.", 'ERROR: invalid input syntax for type json; Token "1." is invalid.'),
    ("jsonb", ".5", 'ERROR: invalid input syntax for type json; Token "." is invalid.'),
    ("jsonb", "+1", 'ERROR: invalid input syntax for type json; Token "+" is invalid.'),
    ("jsonb", "1 2", 'ERROR: invalid input syntax for type json; Expected end of input, but found "2".'),
    ("jsonb", '"abc', 'ERROR: invalid input syntax for type json; Token ""abc" is invalid.'),
    ("jsonb", '"a\\x"', 'ERROR: invalid input syntax for type json; Escape sequence "\\x" is invalid.'),
    (
        "jsonb",
        '"a\\u12"',
        'ERROR: invalid input syntax for type json; "\\u" must be followed by four hexadecimal digits.',
    ),
    ("jsonb", "[1", "ERROR: invalid input syntax for type json; The input string ended unexpectedly."),
    ("jsonb", '{"a":1', "ERROR: invalid input syntax for type json; The input string ended unexpectedly."),
    ("jsonb", "{1:2}", 'ERROR: invalid input syntax for type json; Expected string or "}", but found "1".'),
    ("jsonb", "NaN", 'ERROR: invalid input syntax for type json; Token "NaN" is invalid.'),
    ("jsonb", "-Infinity", 'ERROR: invalid input syntax for type json; Token "-Infinity" is invalid.'),
    ("jsonb", "}", 'ERROR: invalid input syntax for type json; Expected JSON value, but found "}".'),
    ("jsonb", '{"a":1}}', 'ERROR: invalid input syntax for type json; Expected end of input, but found "}".'),
    ("jsonb", "-", 'ERROR: invalid input syntax for type json; Token "-" is invalid.'),
    ("jsonb", "1e400000", "ERROR: value overflows numeric format"),
    ("jsonb", '{"é":1,"zz":2,"a":3}', '{"a": 3, "zz": 2, "é": 1}'),
    ("jsonb", '{"a":1 "b":2}', 'ERROR: invalid input syntax for type json; Expected "," or "}", but found ""b"".'),
    ("jsonb", "", "ERROR: invalid input syntax for type json; The input string ended unexpectedly."),
    ("jsonb", '"a\nb"', "ERROR: invalid input syntax for type json; Character with value 0x0a must be escaped."),
    ("jsonb", "[1,\t2]", "[1, 2]"),
)


def written_again(type_: Type, text: str) -> str:
    try:
        return write_of(type_)(read_of(type_)(text))
    except DataError as error:
        return f"ERROR: {error}" + (f"; {error.detail}" if error.detail else "")


@pytest.mark.parametrize(("type_name", "text", "answer"), CASES, ids=[f"{name} {text}" for name, text, _ in CASES])
def test_the_text_is_that_of_postgresql(type_name: str, text: str, answer: str) -> None:
    assert written_again(type_of(type_name), text) == answer


RECORD = record_of(("f1", "f2", "f3"), (INT4, TEXT, TEXT))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('(1,"a b",)', (1, "a b", None)),
        ('(,"",NULL)', (None, "", "NULL")),
        ('( 1 ,"a""b","a\\\\b")', (1, 'a"b', "a\\b")),
        ("(1,a(b,[c)", (1, "a(b", "[c")),
    ],
)
def test_a_record_is_read(text: str, value: tuple[object, ...]) -> None:
    assert read_of(RECORD)(text) == value


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("1,2,3", "Missing left parenthesis."),
        ("(1,2", "Unexpected end of input."),
        ("(1,2)", "Too few columns."),
        ("(1,2,3,4)", "Too many columns."),
        ("(1,2,3) x", "Junk after right parenthesis."),
    ],
)
def test_a_malformed_record_is_explained(text: str, detail: str) -> None:
    with pytest.raises(InvalidTextRepresentation, match="malformed record literal") as caught:
        read_of(RECORD)(text)
    assert caught.value.detail == detail


@pytest.mark.parametrize(
    ("type_name", "text", "written"),
    [
        ("int4 list", "{1, NULL ,3}", "{1,NULL,3}"),
        ("int4 list list", "{{1},{},{2,3},NULL}", "{{1},{},{2,3},NULL}"),
        ("text list", '{a b, "c,d", "NULL", ""}', '{"a b","c,d","NULL",""}'),
        ("map[text=>int4]", "{b=>2, a=>1, b=>3}", "{a=>1,b=>3}"),
        ("map[text=>text]", '{"a=>b"=>"c d", e=f=>NULL}', '{"a=>b"=>"c d",e=f=>NULL}'),
        ("map[text=>int4 list]", "{a=>{1,2},b=>{}}", "{a=>{1,2},b=>{}}"),
        ("map[text=>int4]", "{}", "{}"),
    ],
)
def test_lists_and_maps_are_read_and_written(type_name: str, text: str, written: str) -> None:
    assert written_again(type_of(type_name), text) == written


@pytest.mark.parametrize(
    ("type_name", "text", "detail"),
    [
        ("int4 list", "1,2", 'Expected "{", but found "1".'),
        ("int4 list", "{1", 'Expected ",", but found the end.'),
        ("int4 list", "{1,}", "An element is missing."),
        ("int4 list", "{1} x", "Junk after closing right brace."),
        ("map[text=>int4]", "{a}", 'Expected "=>", but found "}".'),
        ("map[text=>int4]", "{NULL=>1}", "Keys cannot be null."),
    ],
)
def test_a_malformed_list_or_map_is_explained(type_name: str, text: str, detail: str) -> None:
    assert written_again(type_of(type_name), text).endswith(f'"{text}"; {detail}')


def test_an_array_of_other_dimensions_than_its_type_is_refused_with_the_reason() -> None:
    answer = written_again(type_of("int4[]"), "{{1,2},{3,4}}")
    assert answer.startswith("ERROR: array literal has 2 dimensions, but its type has 1")
    assert "part of its type" in answer


@pytest.mark.parametrize(
    ("text", "dimensions"), [("{1}", 1), (" { { 1 } }", 2), ("{}", 0), ("{{}}", 0), ("[1:1][1:2]={{1,2}}", 2), ("1", 0)]
)
def test_the_dimensions_of_a_literal_are_told_by_its_braces(text: str, dimensions: int) -> None:
    assert dimensions_of(text) == dimensions


texts = st.text(st.sampled_from('ab ,{}()[]"\\\t\n=>N') | st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
items = st.none() | texts | st.just("null")


@settings(max_examples=50)
@given(values=st.lists(items, max_size=4))
def test_an_array_and_a_list_of_any_texts_are_read_as_written(values: list[str | None]) -> None:
    for type_ in (array_of(TEXT), list_of(TEXT)):
        assert read_of(type_)(write_of(type_)(tuple(values))) == tuple(values)


@settings(max_examples=50)
@given(values=st.dictionaries(texts, items, max_size=4))
def test_a_map_of_any_texts_is_read_as_written(values: dict[str, str | None]) -> None:
    pairs = tuple(sorted(values.items()))
    assert read_of(map_of(TEXT))(write_of(map_of(TEXT))(pairs)) == pairs


@settings(max_examples=50)
@given(values=st.tuples(items, items, items))
def test_a_record_of_any_texts_is_read_as_written(values: tuple[str | None, ...]) -> None:
    type_ = record_of(("f1", "f2", "f3"), (TEXT, TEXT, TEXT))
    assert read_of(type_)(write_of(type_)(values)) == values
