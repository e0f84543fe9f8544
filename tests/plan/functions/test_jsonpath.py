"""Queries of JSON by path."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import ProgramLimitExceeded, UnsupportedValue
from holdfast.plan.functions import jsonpath
from holdfast.plan.jsonpath.parse import parse_path
from tests.plan.functions.literal_calls import Calls

CALLS = Calls(jsonpath.FAMILY)

# Answers are PostgreSQL's, to the same with a jsonpath for the text.
CASES: tuple[tuple[str, str | None], ...] = (
    ("jsonb_path_query_array('{\"a\":[1,2,3]}'::jsonb, '$.a[*]'::text)", "[1, 2, 3]"),
    ("jsonb_path_query_array('{\"a\":[1,2,3]}'::jsonb, '$.a'::text)", "[[1, 2, 3]]"),
    (
        "jsonb_path_query_array('{\"a\":[1,2,3]}'::jsonb, 'strict $.b'::text)",
        'ERROR: JSON object does not contain key "b"',
    ),
    (
        "jsonb_path_query_array('[1]'::jsonb, 'strict $.b'::text)",
        "ERROR: jsonpath member accessor can only be applied to an object",
    ),
    (
        "jsonb_path_query_array('5'::jsonb, 'strict $[*]'::text)",
        "ERROR: jsonpath wildcard array accessor can only be applied to an array",
    ),
    (
        "jsonb_path_query_array('5'::jsonb, 'strict $[0]'::text)",
        "ERROR: jsonpath array accessor can only be applied to an array",
    ),
    ("jsonb_path_query_array('[1]'::jsonb, 'strict $[1]'::text)", "ERROR: jsonpath array subscript is out of bounds"),
    ("jsonb_path_query_array('[1]'::jsonb, '$[1]'::text)", "[]"),
    ("jsonb_path_query_array('[1,2,3]'::jsonb, '$[last]'::text)", "[3]"),
    ("jsonb_path_query_array('[1,2,3]'::jsonb, '$[last-1 to last]'::text)", "[2, 3]"),
    ("jsonb_path_query_array('[1,2,3]'::jsonb, '$[0 to 1, 2]'::text)", "[1, 2, 3]"),
    (
        "jsonb_path_query_array('[1,2,3]'::jsonb, '$[\"a\"]'::text)",
        "ERROR: jsonpath array subscript is not a single numeric value",
    ),
    ("jsonb_path_query_array('[1,2,3]'::jsonb, '$[1.7]'::text)", "[2]"),
    ("jsonb_path_query_array('[1,2,3]'::jsonb, '$[-1]'::text)", "[]"),
    (
        "jsonb_path_query_array('[1,2,3]'::jsonb, 'strict $[2 to 1]'::text)",
        "ERROR: jsonpath array subscript is out of bounds",
    ),
    (
        "jsonb_path_query_array('[1,2,3]'::jsonb, '$[9999999999]'::text)",
        "ERROR: jsonpath array subscript is out of integer range",
    ),
    ("jsonb_path_query_array('{\"a\":{\"b\":1}}'::jsonb, '$.*'::text)", '[{"b": 1}]'),
    ("jsonb_path_query_array('[{\"a\":1},{\"a\":2}]'::jsonb, '$.a'::text)", "[1, 2]"),
    (
        "jsonb_path_query_array('[{\"a\":1},{\"a\":2}]'::jsonb, 'strict $.a'::text)",
        "ERROR: jsonpath member accessor can only be applied to an object",
    ),
    (
        "jsonb_path_query_array('{\"a\":{\"b\":[1,2]}}'::jsonb, '$.**'::text)",
        '[{"a": {"b": [1, 2]}}, {"b": [1, 2]}, [1, 2], 1, 2]',
    ),
    ("jsonb_path_query_array('{\"a\":{\"b\":[1,2]}}'::jsonb, '$.**{1}'::text)", '[{"b": [1, 2]}]'),
    ("jsonb_path_query_array('{\"a\":{\"b\":[1,2]}}'::jsonb, '$.**{1 to 2}'::text)", '[{"b": [1, 2]}, [1, 2]]'),
    ("jsonb_path_query_array('{\"a\":{\"b\":[1,2]}}'::jsonb, '$.**{last}'::text)", "[1, 2]"),
    ("jsonb_path_query_array('{\"a\":{\"b\":[1,2]}}'::jsonb, '$.**{2 to last}'::text)", "[[1, 2], 1, 2]"),
    ("jsonb_path_query_array('{\"a\":{\"b\":[1,2]}}'::jsonb, 'strict $.**.b'::text)", "[[1, 2]]"),
    ("jsonb_path_query_array('[1,2,3,\"x\"]'::jsonb, '$[*] ? (@ > 1)'::text)", "[2, 3]"),
    ("jsonb_path_query_array('[1,2,3,\"x\"]'::jsonb, '$[*] ? (@ > $m)'::text, '{\"m\":2}'::jsonb)", "[3]"),
    (
        "jsonb_path_query_array('[1,2,3]'::jsonb, '$[*] ? (@ > $m)'::text)",
        'ERROR: could not find jsonpath variable "m"',
    ),
    (
        "jsonb_path_query_array('[1,2,3]'::jsonb, '$[*] ? (@ > $m)'::text, '5'::jsonb)",
        'ERROR: "vars" argument is not an object',
    ),
    (
        "jsonb_path_query_array('[1,2]'::jsonb, '$[*] + 1'::text)",
        "ERROR: left operand of jsonpath operator + is not a single numeric value",
    ),
    (
        "jsonb_path_query_array('[1,2]'::jsonb, '$ + 1'::text)",
        "ERROR: left operand of jsonpath operator + is not a single numeric value",
    ),
    ("jsonb_path_query_array('[1]'::jsonb, '$ + 1'::text)", "[2]"),
    (
        "jsonb_path_query_array('[\"a\"]'::jsonb, '$ + 1'::text)",
        "ERROR: left operand of jsonpath operator + is not a single numeric value",
    ),
    ("jsonb_path_query_array('[1,2]'::jsonb, '-$[*]'::text)", "[-1, -2]"),
    (
        "jsonb_path_query_array('[\"a\"]'::jsonb, '-$[*]'::text)",
        "ERROR: operand of unary jsonpath operator - is not a numeric value",
    ),
    ("jsonb_path_query_array('[1]'::jsonb, '$[0] / 0'::text)", "ERROR: division by zero"),
    ("jsonb_path_query_array('[7]'::jsonb, '$[0] % 4'::text)", "[3]"),
    ("jsonb_path_query_array('[-7]'::jsonb, '$[0] % 4'::text)", "[-3]"),
    (
        "jsonb_path_query_array('[1,\"a\",null,true,{},[]]'::jsonb, '$[*].type()'::text)",
        '["number", "string", "null", "boolean", "object", "array"]',
    ),
    ("jsonb_path_query_array('[1,[2,3]]'::jsonb, '$[*].size()'::text)", "[1, 2]"),
    (
        "jsonb_path_query_array('[1,[2,3]]'::jsonb, 'strict $[*].size()'::text)",
        "ERROR: jsonpath item method .size() can only be applied to an array",
    ),
    (
        "jsonb_path_query_array('[\"1.5\",2,\"x\"]'::jsonb, '$[*].double()'::text)",
        'ERROR: argument "x" of jsonpath item method .double() is invalid for type double precision',
    ),
    ("jsonb_path_query_array('[\"1.5\",2]'::jsonb, '$[*].double()'::text)", "[1.5, 2]"),
    (
        "jsonb_path_query_array('[true]'::jsonb, '$[*].double()'::text)",
        "ERROR: jsonpath item method .double() can only be applied to a string or numeric value",
    ),
    (
        "jsonb_path_query_array('[\"NaN\"]'::jsonb, '$[*].double()'::text)",
        "ERROR: NaN or Infinity is not allowed for jsonpath item method .double()",
    ),
    ("jsonb_path_query_array('[1.5,-1.5]'::jsonb, '$[*].ceiling()'::text)", "[2, -1]"),
    ("jsonb_path_query_array('[1.5,-1.5]'::jsonb, '$[*].floor()'::text)", "[1, -2]"),
    ("jsonb_path_query_array('[1.5,-1.5]'::jsonb, '$[*].abs()'::text)", "[1.5, 1.5]"),
    (
        "jsonb_path_query_array('[\"a\"]'::jsonb, '$[*].abs()'::text)",
        "ERROR: jsonpath item method .abs() can only be applied to a numeric value",
    ),
    (
        "jsonb_path_query_array('{\"a\":1,\"b\":[2]}'::jsonb, '$.keyvalue()'::text)",
        '[{"id": 0, "key": "a", "value": 1}, {"id": 0, "key": "b", "value": [2]}]',
    ),
    (
        "jsonb_path_query_array('[1]'::jsonb, 'strict $.keyvalue()'::text)",
        "ERROR: jsonpath item method .keyvalue() can only be applied to an object",
    ),
    ('jsonb_path_query_array(\'["abc","xbc"]\'::jsonb, \'$[*] ? (@ like_regex "^A" flag "i")\'::text)', '["abc"]'),
    ('jsonb_path_query_array(\'["abc","a.c"]\'::jsonb, \'$[*] ? (@ like_regex "a.c" flag "q")\'::text)', '["a.c"]'),
    (
        "jsonb_path_query_array('[\"abc\"]'::jsonb, '$[*] ? (@ like_regex \"(\")'::text)",
        "ERROR: invalid regular expression: parentheses () not balanced",
    ),
    (
        'jsonb_path_query_array(\'["abc"]\'::jsonb, \'$[*] ? (@ like_regex "a" flag "z")\'::text)',
        "ERROR: invalid input syntax for type jsonpath",
    ),
    ('jsonb_path_query_array(\'["abc","bc"]\'::jsonb, \'$[*] ? (@ starts with "a")\'::text)', '["abc"]'),
    (
        'jsonb_path_query_array(\'["abc","bc"]\'::jsonb, \'$[*] ? (@ starts with $p)\'::text, \'{"p":"b"}\'::jsonb)',
        '["bc"]',
    ),
    ("jsonb_path_query_array('[{\"a\":1},{\"b\":2}]'::jsonb, '$[*] ? (exists (@.a))'::text)", '[{"a": 1}]'),
    ("jsonb_path_query_array('[{\"a\":1},{\"b\":2}]'::jsonb, 'strict $[*] ? (exists (@.a))'::text)", '[{"a": 1}]'),
    ("jsonb_path_query_array('[1,2,\"a\",null]'::jsonb, '$[*] ? ((@ > 1) is unknown)'::text)", '["a"]'),
    ("jsonb_path_query_array('[1,2,\"a\",null]'::jsonb, '$[*] ? (!(@ > 1))'::text)", "[1, null]"),
    ("jsonb_path_query_array('[1,2,\"a\",null]'::jsonb, '$[*] ? (@ == null)'::text)", "[null]"),
    ("jsonb_path_query_array('[1,2,\"a\",null]'::jsonb, '$[*] ? (@ != null)'::text)", '[1, 2, "a"]'),
    ("jsonb_path_query_array('[1,2,\"a\",null]'::jsonb, '$[*] ? (@ <> 1 && @ < 5 || @ == \"a\")'::text)", '[2, "a"]'),
    ("jsonb_path_query_array('[[1,2],[3]]'::jsonb, '$[*] ? (@ > 2)'::text)", "[3]"),
    ("jsonb_path_query_array('[{\"a\":[1,5]}]'::jsonb, '$[*] ? (@.a[*] > 4)'::text)", '[{"a": [1, 5]}]'),
    ("jsonb_path_query_array('[{\"a\":[1,5]}]'::jsonb, 'strict $[*] ? (@.a > 4)'::text)", "[]"),
    ("jsonb_path_match('[1]'::jsonb, '$[0] == 1'::text)", "true"),
    ("jsonb_path_match('[1]'::jsonb, '$[0]'::text)", "ERROR: single boolean result is expected"),
    ("jsonb_path_match('[1]'::jsonb, '$[0]'::text, '{}'::jsonb, 'true'::bool)", None),
    ("jsonb_path_match('[true]'::jsonb, '$[0]'::text)", "true"),
    ("jsonb_path_match('[null]'::jsonb, '$[0]'::text)", None),
    ("jsonb_path_match('[\"a\"]'::jsonb, '$[0] > 1'::text)", None),
    ("jsonb_path_exists('{\"a\":1}'::jsonb, 'strict $.b'::text)", 'ERROR: JSON object does not contain key "b"'),
    ("jsonb_path_exists('{\"a\":1}'::jsonb, '$.b'::text)", "false"),
    ("jsonb_path_exists('{\"a\":1}'::jsonb, 'strict $.b'::text, '{}'::jsonb, 'true'::bool)", None),
    ("'{\"a\":1}'::jsonb @? 'strict $.b'::text", None),
    ("'{\"a\":1}'::jsonb @@ '$.a == 1'::text", "true"),
    ("'{\"a\":1}'::jsonb @@ '$.a'::text", None),
    ("'{\"a\":1}'::jsonb @@ '$.a > \"x\"'::text", None),
    ("jsonb_path_query_first('[1,2]'::jsonb, '$[*]'::text)", "1"),
    ("jsonb_path_query_first('[1,2]'::jsonb, '$[5]'::text)", None),
    ("jsonb_path_query_array('[1,2]'::jsonb, '$[5]'::text)", "[]"),
    ('jsonb_path_query_array(\'{"a b":1,"$x":2}\'::jsonb, \'$."a b"\'::text)', "[1]"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '$.a.b.c'::text)", "[]"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '$.'::text)", "ERROR: syntax error at end of jsonpath input"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '$.a +'::text)", "ERROR: syntax error at end of jsonpath input"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, 'a'::text)", "ERROR: syntax error at end of jsonpath input"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '@.a'::text)", "ERROR: @ is not allowed in root expressions"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, 'last'::text)", "ERROR: LAST is allowed only in array subscripts"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, ''::text)", 'ERROR: invalid input syntax for type jsonpath: ""'),
    (
        "jsonb_path_query_array('{\"a\":1}'::jsonb, '$.a ? (@ == 1'::text)",
        "ERROR: syntax error at end of jsonpath input",
    ),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '1 + 2 * 3'::text)", "[7]"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '(1 + 2) * 3'::text)", "[9]"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '1 == 1'::text)", "[true]"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '\"x\\u0041\\n\"'::text)", '["xA\\n"]'),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, 'true'::text)", "[true]"),
    ("jsonb_path_query_array('{\"a\":1}'::jsonb, '$.a == 1 || $.b == 2'::text)", "[true]"),
    (
        "jsonb_path_query_array('[\"2020-01-01\",\"2020-01-02 12:00:00\"]'::jsonb, '$[*].datetime()'::text)",
        '["2020-01-01", "2020-01-02T12:00:00"]',
    ),
    ("jsonb_path_query_array('[\"2020-01-01\"]'::jsonb, '$[*].datetime().type()'::text)", '["date"]'),
    ("jsonb_path_query_array('[\"12:34:56\"]'::jsonb, '$[*].datetime()'::text)", '["12:34:56"]'),
    (
        "jsonb_path_query_array('[\"2020-01-01T12:34:56+02:00\"]'::jsonb, '$[*].datetime()'::text)",
        '["2020-01-01T12:34:56+02:00"]',
    ),
    (
        "jsonb_path_query_array('[\"x\"]'::jsonb, '$[*].datetime()'::text)",
        'ERROR: datetime format is not recognized: "x"',
    ),
    (
        "jsonb_path_query_array('[1]'::jsonb, '$[*].datetime()'::text)",
        "ERROR: jsonpath item method .datetime() can only be applied to a string",
    ),
    (
        'jsonb_path_query_array(\'["2020-01-01","2021-01-01"]\'::jsonb, \'$[*].datetime() ? (@ < "2020-06-01".datetime())\'::text)',  # noqa: E501
        '["2020-01-01"]',
    ),
    (
        "jsonb_path_query_array('[\"1\", 2.7, true]'::jsonb, '$[*].integer()'::text)",
        "ERROR: jsonpath item method .integer() can only be applied to a string or numeric value",
    ),
    ("jsonb_path_query_array('[2.7]'::jsonb, '$[*].integer()'::text)", "[3]"),
    (
        "jsonb_path_query_array('[\"2.7\"]'::jsonb, '$[*].integer()'::text)",
        'ERROR: argument "2.7" of jsonpath item method .integer() is invalid for type integer',
    ),
    ("jsonb_path_query_array('[\"12\", 13.5]'::jsonb, '$[*].bigint()'::text)", "[12, 14]"),
    ("jsonb_path_query_array('[\"12\", 13.555]'::jsonb, '$[*].number()'::text)", "[12, 13.555]"),
    ("jsonb_path_query_array('[\"t\", 1, true, \"yes\"]'::jsonb, '$[*].boolean()'::text)", "[true, true, true, true]"),
    (
        "jsonb_path_query_array('[null]'::jsonb, '$[*].string()'::text)",
        "ERROR: jsonpath item method .string() can only be applied to a boolean, string, numeric, or datetime value",
    ),
    ("jsonb_path_query_array('[\"2020-01-01\"]'::jsonb, '$[*].date()'::text)", '["2020-01-01"]'),
    ("jsonb_path_query_array('[\"2020-01-01 12:34:56\"]'::jsonb, '$[*].timestamp()'::text)", '["2020-01-01T12:34:56"]'),
    ("jsonb_path_query('[1, 2, 3]'::jsonb, '$[*] ? (@ > 1)'::text)", "2;3"),
    ("jsonb_path_query('[{\"a\": 1}, 2, {\"a\": 3}]'::jsonb, 'strict $[*].a'::text, '{}'::jsonb, 'true'::bool)", "1"),
    (
        "jsonb_path_query('[{\"a\": 1}, 2, {\"a\": 3}]'::jsonb, 'strict $[*].a'::text)",
        "ERROR: jsonpath member accessor can only be applied to an object",
    ),
    ("jsonb_path_query_first('[{\"a\": 1}, 2]'::jsonb, 'strict $[*].a'::text, '{}'::jsonb, 'true'::bool)", "1"),
    ("jsonb_path_query_array('[1, 3, 7, 20000, 123456]'::jsonb, '1 / $[1]'::text)", "[0.33333333333333333333]"),
    ("jsonb_path_query_array('[1, 3, 7, 20000, 123456]'::jsonb, '$[4] / $[2]'::text)", "[17636.571428571429]"),
    ("jsonb_path_query_array('[1, 3, 7, 20000, 123456]'::jsonb, '$[0] / $[4]'::text)", "[0.000008100051840331778123]"),
    ("jsonb_path_query_array('[1, 3, 7, 20000, 123456]'::jsonb, '$[3] / $[4]'::text)", "[0.16200103680663556247]"),
    ("jsonb_path_query_array('[0.1, 2.5]'::jsonb, '$[0] * $[1] - 3'::text)", "[-2.75]"),
    ("jsonb_path_query_array('{\"a\": {\"b\": 1}}'::jsonb, '$.a . b'::text)", "[1]"),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '$ /* note */ .a'::text)", "[1]"),
    ("jsonb_path_query_array('{\"a\": [1, 2, 3]}'::jsonb, '$.a.size() + 1'::text)", "[4]"),
    ("jsonb_path_query_array('{\"a\": [1, 2, 3]}'::jsonb, '$.a[$.a.size() - 1]'::text)", "[3]"),
    ("jsonb_path_query_array('{\"a\": [1, 2, 3], \"n\": 1}'::jsonb, '$.a[$.n]'::text)", "[2]"),
    ("jsonb_path_query_array('[[1, 2], [3, 4]]'::jsonb, '$[*][*]'::text)", "[1, 2, 3, 4]"),
    ("jsonb_path_query_array('[[1, 2], [3, 4]]'::jsonb, '$[*][last]'::text)", "[2, 4]"),
    ("jsonb_path_query_array('[[[1]]]'::jsonb, '$.a'::text)", "[]"),
    ("jsonb_path_query_array('[[{\"a\": 1}]]'::jsonb, '$.a'::text)", "[]"),
    ('jsonb_path_query_array(\'{"a": {"x": 1}, "b": [{"x": 2}]}\'::jsonb, \'$.*.x\'::text)', "[1, 2]"),
    (
        'jsonb_path_query_array(\'{"a": {"x": 1}, "b": [{"x": 2}]}\'::jsonb, \'strict $.*.x\'::text)',
        "ERROR: jsonpath member accessor can only be applied to an object",
    ),
    ('jsonb_path_query_array(\'{"a": {"x": 1}, "b": [{"x": 2}]}\'::jsonb, \'$.**.x\'::text)', "[1, 2, 2]"),
    ('jsonb_path_query_array(\'{"a": {"x": 1}, "b": [{"x": 2}]}\'::jsonb, \'strict $.**.x\'::text)', "[1, 2]"),
    ('jsonb_path_query_array(\'{"a": {"x": 1}, "b": [{"x": 2}]}\'::jsonb, \'strict $.**{2}.x\'::text)', "[2]"),
    ("jsonb_path_query_array('5'::jsonb, '$.**{last}'::text)", "[]"),
    ("jsonb_path_query_array('[{\"type\": \"a\"}]'::jsonb, '$[*].type'::text)", '["a"]'),
    ('jsonb_path_query_array(\'["é", "z", "a"]\'::jsonb, \'$[*] ? (@ >= "z")\'::text)', '["é", "z"]'),
    ("jsonb_path_query_array('[true, false]'::jsonb, '$[*] ? (@ > false)'::text)", "[true]"),
    ("jsonb_path_query_array('[{}, []]'::jsonb, 'strict $[*] ? ((@ == @) is unknown)'::text)", "[{}, []]"),
    ("jsonb_path_query_array('[1, \"1\"]'::jsonb, '$[*] ? (@ == 1 || @ == \"1\")'::text)", '[1, "1"]'),
    ("jsonb_path_query_array('[\"a\\nb\"]'::jsonb, '$[*] ? (@ like_regex \"a.b\")'::text)", "[]"),
    ('jsonb_path_query_array(\'["a\\nb"]\'::jsonb, \'$[*] ? (@ like_regex "a.b" flag "s")\'::text)', '["a\\nb"]'),
    ('jsonb_path_query_array(\'["a\\nb"]\'::jsonb, \'$[*] ? (@ like_regex "^b" flag "m")\'::text)', '["a\\nb"]'),
    (
        'jsonb_path_query_array(\'["ab"]\'::jsonb, \'$[*] ? (@ like_regex "a b" flag "x")\'::text)',
        'ERROR: XQuery "x" flag (expanded regular expressions) is not implemented',
    ),
    (
        "jsonb_path_query_array('{\"a\": 1}'::jsonb, '$.a ? (@)'::text)",
        'ERROR: syntax error at or near ")" of jsonpath input',
    ),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '$.a == '::text)", "ERROR: syntax error at end of jsonpath input"),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '$[0'::text)", "ERROR: syntax error at end of jsonpath input"),
    (
        "jsonb_path_query_array('{\"a\": 1}'::jsonb, '1a'::text)",
        'ERROR: trailing junk after numeric literal at or near "1a" of jsonpath input',
    ),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '!($.a == 1)'::text)", "[false]"),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, 'LAX $.a'::text)", "[1]"),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '($.a == 1).type()'::text)", '["boolean"]'),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '0x1F + 1_000 + .5e1'::text)", "[1036]"),
    ('jsonb_path_query_array(\'{"a": 1}\'::jsonb, \'$"x y" + $z\'::text, \'{"x y": 1, "z": 2}\'::jsonb)', "[3]"),
    ("jsonb_path_query_array('{\"a\": 1}'::jsonb, '-$.a * 2 + +3'::text)", "[1]"),
    (
        'jsonb_path_query_array(\'["2020-01-01", "2020-01-01T00:00:00"]\'::jsonb, \'$[*].datetime() ? (@ == "2020-01-01".datetime())\'::text)',  # noqa: E501
        '["2020-01-01", "2020-01-01T00:00:00"]',
    ),
    (
        "jsonb_path_query_array('[\"2020-01-01T10:00:00+00\"]'::jsonb, '$[*].datetime() ? (@ == \"2020-01-01T12:00:00+02:00\".datetime())'::text)",  # noqa: E501
        '["2020-01-01T10:00:00+00:00"]',
    ),
    (
        "jsonb_path_query_array('[\"2020-01-01\"]'::jsonb, '$[*].datetime() ? (@ < \"2020-01-01T12:00:00+02:00\".datetime())'::text)",  # noqa: E501
        "ERROR: cannot convert value from date to timestamptz without time zone usage",
    ),
    ("jsonb_path_query_array('[\"2020-01-01 10:11:12.5\"]'::jsonb, '$[*].time()'::text)", '["10:11:12.5"]'),
    ("jsonb_path_query_array('[\"2020-01-01 10:11:12.5\"]'::jsonb, '$[*].date()'::text)", '["2020-01-01"]'),
    (
        "jsonb_path_query_array('[\"10:11:12\"]'::jsonb, '$[*].date()'::text)",
        'ERROR: date format is not recognized: "10:11:12"',
    ),
    ("jsonb_path_query_array('[\"10:11:12+01\"]'::jsonb, '$[*].time_tz()'::text)", '["10:11:12+01:00"]'),
    (
        "jsonb_path_query_array('[\"2020-01-01\"]'::jsonb, '$[*].timestamp_tz()'::text)",
        "ERROR: cannot convert value from date to timestamptz without time zone usage",
    ),
    (
        "jsonb_path_query_array('[\"2020-13-01\"]'::jsonb, '$[*].datetime()'::text)",
        'ERROR: datetime format is not recognized: "2020-13-01"',
    ),
    (
        "jsonb_path_query_array('[\"x\"]'::jsonb, '$[*].boolean()'::text)",
        'ERROR: argument "x" of jsonpath item method .boolean() is invalid for type boolean',
    ),
    (
        "jsonb_path_query_array('[1.5]'::jsonb, '$[*].boolean()'::text)",
        'ERROR: argument "1.5" of jsonpath item method .boolean() is invalid for type boolean',
    ),
    (
        "jsonb_path_query_array('[null]'::jsonb, '$[*].boolean()'::text)",
        "ERROR: jsonpath item method .boolean() can only be applied to a boolean, string, or numeric value",
    ),
    (
        "jsonb_path_query_array('[\"99999999999\"]'::jsonb, '$[*].integer()'::text)",
        'ERROR: argument "99999999999" of jsonpath item method .integer() is invalid for type integer',
    ),
    (
        "jsonb_path_query_array('[123.45]'::jsonb, '$[*].decimal(4,2)'::text)",
        'ERROR: argument "123.45" of jsonpath item method .decimal() is invalid for type numeric',
    ),
    (
        "jsonb_path_query_array('[\"x\"]'::jsonb, '$[*].number()'::text)",
        'ERROR: argument "x" of jsonpath item method .number() is invalid for type numeric',
    ),
    ("jsonb_path_exists('[1, 2]'::jsonb, '$[*] ? (@ > 1)'::text)", "true"),
    ("jsonb_path_exists(null::jsonb, '$'::text)", None),
    ("jsonb_path_match('{\"a\": 1}'::jsonb, 'exists($.a)'::text)", "true"),
    ("jsonb_path_match('{\"a\": 1}'::jsonb, 'exists($.b)'::text)", "false"),
    ("'[1, 2]'::jsonb @? '$[*] ? (@ > $x)'::text", 'ERROR: could not find jsonpath variable "x"'),
    ("'[1, 2]'::jsonb @@ '$[*] > 1'::text", "true"),
)


@pytest.mark.parametrize(("sql", "answer"), CASES, ids=[sql for sql, _ in CASES])
def test_the_answer_is_that_of_postgresql(sql: str, answer: str | None) -> None:
    assert CALLS.answer(sql) == answer


def test_numbers_lose_the_zeros_that_postgresql_shows() -> None:
    assert CALLS.answer("jsonb_path_query_array('[7]'::jsonb, '$[0] / 2'::text)") == "[3.5]"
    assert CALLS.answer("jsonb_path_query_array('[\"12\"]'::jsonb, '$[0].decimal(4, 1)'::text)") == "[12]"


def test_the_members_of_one_object_have_one_id_and_those_of_another_another() -> None:
    answer = CALLS.answer('jsonb_path_query_array(\'[{"a": 1, "b": 2}, {"a": 3}]\'::jsonb, \'$.keyvalue().id\'::text)')
    assert answer == "[1, 1, 2]"


def test_a_template_of_a_datetime_is_refused() -> None:
    (query,) = (f for f in jsonpath.FAMILY.functions if f.name == "jsonb_path_query_first" and len(f.arguments) == 2)
    assert query.python is not None
    with pytest.raises(UnsupportedValue):
        query.python('"01/02/2020"', '$.datetime("DD/MM/YYYY")')


def test_a_path_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(ProgramLimitExceeded):
        parse_path("(" * 5000 + "1" + ")" * 5000)
