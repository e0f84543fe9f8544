"""Lists and maps."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import InvalidParameterValue, NullValueNotAllowed
from holdfast.plan.functions import lists, maps, series
from holdfast.plan.functions.function import Types
from holdfast.plan.types import INT4, TEXT, list_of, map_of, numeric, record_of
from tests.plan.functions.literal_calls import Calls, result_type

CALLS = Calls(lists.FAMILY, maps.FAMILY, series.FAMILY)

CASES: tuple[tuple[str, str | None], ...] = (
    ("list('1'::int4, null::int4, '3'::int4)", "{1,NULL,3}"),
    ("list_subscript('{1,2}'::int4 list, '2'::int8)", "2"),
    ("list_subscript('{1,2}'::int4 list, '3'::int8)", None),
    ("list_subscript('{1,2}'::int4 list, '0'::int8)", None),
    ("list_subscript('{{1},{2,3},NULL}'::int4 list list, '2'::int8)", "{2,3}"),
    ("list_subscript('{{1},{2,3},NULL}'::int4 list list, '2'::int8, '2'::int8)", "3"),
    ("list_subscript('{{1},{2,3},NULL}'::int4 list list, '3'::int8, '1'::int8)", None),
    ("list_slice('{1,2,3}'::int4 list, '2'::int8, '9'::int8)", "{2,3}"),
    ("list_slice('{1,2,3}'::int4 list, '3'::int8, '2'::int8)", "{}"),
    (
        "list_slice('{{1,2},{3,4,5},NULL}'::int4 list list, '1'::int8, '3'::int8, '2'::int8, '3'::int8)",
        "{{2},{4,5},NULL}",
    ),
    ("list_append('{1}'::int4 list, null::int4)", "{1,NULL}"),
    ("list_append(null::int4 list, '1'::int4)", "{1}"),
    ("list_prepend('1'::int4, '{2}'::int4 list)", "{1,2}"),
    ("list_cat('{1}'::int4 list, '{2}'::int4 list)", "{1,2}"),
    ("list_cat(null::int4 list, '{2}'::int4 list)", "{2}"),
    ("list_cat(null::int4 list, null::int4 list)", None),
    ("'{1}'::int4 list || '{2}'::int4 list", "{1,2}"),
    ("'{1}'::int4 list || '2'::int4", "{1,2}"),
    ("'1'::int4 || '{2}'::int4 list", "{1,2}"),
    ("list_length('{{1},{2,3}}'::int4 list list)", "2"),
    ("list_length('{}'::int4 list)", "0"),
    ("list_n_layers('{}'::int4 list list)", "2"),
    ("list_length_max('{{1},{2,3},NULL}'::int4 list list, '2'::int8)", "2"),
    ("list_length_max('{}'::int4 list list, '2'::int8)", None),
    ("list_remove('{1,2,1,NULL}'::int4 list, '1'::int4)", "{2,NULL}"),
    ("list_remove('{1,2,NULL}'::int4 list, null::int4)", "{1,2}"),
    ("'{1,2,NULL}'::int4 list @> '{2,2}'::int4 list", "true"),
    ("'{1,NULL}'::int4 list @> '{NULL}'::int4 list", "false"),
    ("'{1}'::int4 list <@ '{2}'::int4 list", "false"),
    ("unnest('{1,NULL}'::int4 list)", "1;NULL"),
    ("unnest('{b=>2,a=>NULL}'::map[text=>int4])", "(a,);(b,2)"),
    ("map('b'::text, '2'::int4, 'a'::text, null::int4, 'b'::text, '3'::int4)", "{a=>NULL,b=>3}"),
    ("map_length('{a=>1,b=>2}'::map[text=>int4])", "2"),
    ("'{a=>1,b=>NULL}'::map[text=>int4] -> 'a'::text", "1"),
    ("'{a=>1,b=>NULL}'::map[text=>int4] -> 'b'::text", None),
    ("'{a=>1,b=>NULL}'::map[text=>int4] -> 'c'::text", None),
    ("'{a=>1}'::map[text=>int4] ? 'a'::text", "true"),
    ("'{a=>1}'::map[text=>int4] ?| '{b,a}'::text[]", "true"),
    ("'{a=>1}'::map[text=>int4] ?& '{b,a}'::text[]", "false"),
    ("'{a=>1,b=>NULL}'::map[text=>int4] @> '{b=>NULL}'::map[text=>int4]", "true"),
    ("'{a=>1}'::map[text=>int4] @> '{a=>2}'::map[text=>int4]", "false"),
    ("'{a=>1}'::map[text=>int4] <@ '{a=>1,b=>2}'::map[text=>int4]", "true"),
)


@pytest.mark.parametrize(("sql", "answer"), CASES, ids=[sql for sql, _ in CASES])
def test_the_answer_is_that_of_materialize(sql: str, answer: str | None) -> None:
    assert CALLS.answer(sql) == answer


def test_a_layer_that_a_list_does_not_have_is_refused() -> None:
    (longest,) = (function for function in lists.FAMILY.functions if function.name == "list_length_max")
    assert longest.python is not None
    with pytest.raises(InvalidParameterValue, match=r"invalid layer: 3; must use value within \[1, 2\]"):
        longest.python(Types((list_of(list_of(INT4)), INT4), INT4), (), 3)


def test_a_list_of_numerics_holds_the_digits_of_all() -> None:
    (made,) = (function for function in lists.FAMILY.functions if function.name == "list")
    assert result_type(made, (numeric(10, 2), numeric(5, 4))) is list_of(numeric(12, 4))


def test_a_map_is_built_of_records_without_those_that_have_no_key() -> None:
    (built,) = (function for function in maps.FAMILY.functions if function.name == "map_build")
    assert built.python is not None
    assert built.python((("b", 1), ("a", None), None, (None, 3), ("b", 2))) == (("a", None), ("b", 2))
    assert result_type(built, (list_of(record_of(("k", "v"), (TEXT, INT4))),)) is map_of(INT4)


def test_a_null_key_is_refused() -> None:
    (made,) = (function for function in maps.FAMILY.functions if function.name == "map")
    assert made.python is not None
    with pytest.raises(NullValueNotAllowed):
        made.python(None, 1)
