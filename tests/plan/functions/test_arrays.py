"""Arrays put together, measured and searched."""

from __future__ import annotations

import pytest

from holdfast.plan.functions import arrays
from holdfast.plan.functions.function import Function, Types
from holdfast.plan.functions.quantified import quantified
from holdfast.plan.types import BOOL, INT4, array_of
from tests.plan.functions.literal_calls import Calls

CALLS = Calls(arrays.FAMILY)
UNEVEN = "ERROR: multidimensional arrays must have array expressions with matching dimensions"

# Answers are PostgreSQL's.
CASES: tuple[tuple[str, str | None], ...] = (
    ("array_append(null::int4[], '1'::int4)", "{1}"),
    ("array_append(null::int4[], null::int4)", "{NULL}"),
    ("array_append('{1}'::int4[], null::int4)", "{1,NULL}"),
    ("array_append('{{1}}'::int4[][], '2'::int4)", "ERROR: argument must be empty or one-dimensional array"),
    ("array_prepend('1'::int4, '{2}'::int4[])", "{1,2}"),
    ("array_prepend(null::int4, null::int4[])", "{NULL}"),
    ("array_cat('{1}'::int4[], '{{2},{3}}'::int4[][])", "{{1},{2},{3}}"),
    ("array_cat('{{2},{3}}'::int4[][], '{1}'::int4[])", "{{2},{3},{1}}"),
    ("array_cat('{{2},{3}}'::int4[][], '{1,2}'::int4[])", "ERROR: cannot concatenate incompatible arrays"),
    ("array_cat('{{2},{3}}'::int4[][], '{{1,2}}'::int4[][])", "ERROR: cannot concatenate incompatible arrays"),
    ("array_cat(null::int4[], '{1}'::int4[])", "{1}"),
    ("array_cat('{1}'::int4[], null::int4[])", "{1}"),
    ("array_cat(null::int4[], null::int4[])", None),
    ("array_cat('{}'::int4[], '{{1}}'::int4[][])", "{{1}}"),
    ("array_cat('{}'::int4[], '{}'::int4[])", "{}"),
    ("array_cat('{}'::int4[], null::int4[])", "{}"),
    ("array_cat(null::int4[], '{}'::int4[])", "{}"),
    ("'{1}'::int4[] || '{2,NULL}'::int4[]", "{1,2,NULL}"),
    ("'{1}'::int4[] || '2'::int4", "{1,2}"),
    ("'1'::int4 || '{2}'::int4[]", "{1,2}"),
    ("array_length('{1,2}'::int4[], '1'::int4)", "2"),
    ("array_length('{1,2}'::int4[], '2'::int4)", None),
    ("array_length('{1,2}'::int4[], '0'::int4)", None),
    ("array_length('{}'::int4[], '1'::int4)", None),
    ("array_length('{{1,2,3},{4,5,6}}'::int4[][], '2'::int4)", "3"),
    ("array_ndims('{}'::int4[])", None),
    ("array_ndims('{{1}}'::int4[][])", "2"),
    ("array_dims('{{1,2},{3,4}}'::int4[][])", "[1:2][1:2]"),
    ("array_dims('{}'::int4[])", None),
    ("array_lower('{1}'::int4[], '1'::int4)", "1"),
    ("array_lower('{}'::int4[], '1'::int4)", None),
    ("array_upper('{{1,2}}'::int4[][], '2'::int4)", "2"),
    ("cardinality('{}'::int4[])", "0"),
    ("cardinality('{{1,2},{3,4}}'::int4[][])", "4"),
    ("array_position('{1,NULL,2}'::int4[], null::int4)", "2"),
    ("array_position('{1,2,1}'::int4[], '1'::int4, '2'::int4)", "3"),
    ("array_position('{1,2,1}'::int4[], '1'::int4, '-5'::int4)", "1"),
    ("array_position('{1,2,1}'::int4[], '9'::int4)", None),
    ("array_position('{1,2,1}'::int4[], '1'::int4, null::int4)", "ERROR: initial position must not be null"),
    (
        "array_position('{{1}}'::int4[][], '1'::int4)",
        "ERROR: searching for elements in multidimensional arrays is not supported",
    ),
    ("array_position('{NaN}'::float8[], 'NaN'::float8)", "1"),
    ("array_position(null::int4[], '1'::int4)", None),
    ("array_positions('{1,2,1}'::int4[], '1'::int4)", "{1,3}"),
    ("array_positions('{1,NULL}'::int4[], null::int4)", "{2}"),
    ("array_positions('{1}'::int4[], '9'::int4)", "{}"),
    (
        "array_positions('{{1}}'::int4[][], '1'::int4)",
        "ERROR: searching for elements in multidimensional arrays is not supported",
    ),
    ("array_remove('{1,2,1,NULL}'::int4[], '1'::int4)", "{2,NULL}"),
    ("array_remove('{1,2,1,NULL}'::int4[], null::int4)", "{1,2,1}"),
    (
        "array_remove('{{1}}'::int4[][], '1'::int4)",
        "ERROR: removing elements from multidimensional arrays is not supported",
    ),
    ("array_remove(null::int4[], '1'::int4)", None),
    ("array_replace('{1,2,NULL,1}'::int4[], '1'::int4, '9'::int4)", "{9,2,NULL,9}"),
    ("array_replace('{1,2,NULL,1}'::int4[], null::int4, '9'::int4)", "{1,2,9,1}"),
    ("array_replace('{{1,2},{1,3}}'::int4[][], '1'::int4, null::int4)", "{{NULL,2},{NULL,3}}"),
    ("array_fill('7'::int4, '{3}'::int4[])", "{7,7,7}"),
    ("array_fill(null::int4, '{2}'::int4[])", "{NULL,NULL}"),
    ("array_fill('7'::int4, '{0}'::int4[])", "{}"),
    ("array_fill('7'::int4, '{-1}'::int4[])", "ERROR: array size exceeds the maximum allowed (134217727)"),
    ("array_fill('7'::int4, '{2}'::int4[], '{1}'::int4[])", "{7,7}"),
    ("array_fill('7'::int4, null::int4[])", "ERROR: dimension array or low bound array cannot be null"),
    ("array_fill('7'::int4, '{NULL}'::int4[])", "ERROR: dimension values cannot be null"),
    ("array_fill('7'::int4, '{}'::int4[])", "{}"),
    ("trim_array('{1,2,3}'::int4[], '2'::int4)", "{1}"),
    ("trim_array('{1,2,3}'::int4[], '4'::int4)", "ERROR: number of elements to trim must be between 0 and 3"),
    ("trim_array('{1,2,3}'::int4[], '-1'::int4)", "ERROR: number of elements to trim must be between 0 and 3"),
    ("trim_array('{{1,2},{3,4}}'::int4[][], '1'::int4)", "{{1,2}}"),
    ("array_reverse('{1,2,3}'::int4[])", "{3,2,1}"),
    ("array_reverse('{{1,2},{3,4}}'::int4[][])", "{{3,4},{1,2}}"),
    ("'{1,2}'::int4[] @> '{1,NULL}'::int4[]", "false"),
    ("'{1,NULL}'::int4[] @> '{1}'::int4[]", "true"),
    ("'{1,NULL}'::int4[] @> '{NULL}'::int4[]", "false"),
    ("'{1}'::int4[] @> '{}'::int4[]", "true"),
    ("'{NaN}'::float8[] @> '{NaN}'::float8[]", "true"),
    ("'{{1,2}}'::int4[][] @> '{1}'::int4[]", "true"),
    ("'{}'::int4[] <@ '{}'::int4[]", "true"),
    ("'{1}'::int4[] <@ '{1,2}'::int4[]", "true"),
    ("'{1,2}'::int4[] && '{2,3}'::int4[]", "true"),
    ("'{NULL}'::int4[] && '{NULL}'::int4[]", "false"),
    ("'{1}'::int4[] && null::int4[]", None),
)


@pytest.mark.parametrize(("sql", "answer"), CASES, ids=[sql for sql, _ in CASES])
def test_the_answer_is_that_of_postgresql(sql: str, answer: str | None) -> None:
    assert CALLS.answer(sql) == answer


# Those that SQL has a syntax for, with what PostgreSQL answers to it.
BY_SYNTAX: tuple[tuple[str, str | None], ...] = (
    ("array('1'::int4, null::int4)", "{1,NULL}"),
    ("array('{1,2}'::int4[], '{3,4}'::int4[])", "{{1,2},{3,4}}"),
    ("array('{1}'::int4[], '{1,2}'::int4[])", UNEVEN),
    ("array('{1}'::int4[], null::int4[])", UNEVEN),
    ("array('{1}'::int4[], '{}'::int4[])", UNEVEN),
    ("array(null::int4[])", "{}"),
    ("array('{}'::int4[], '{}'::int4[])", "{}"),
    ("array_subscript('{1,2,3}'::int4[], '2'::int4)", "2"),
    ("array_subscript('{1,2,3}'::int4[], '0'::int4)", None),
    ("array_subscript('{1,2,3}'::int4[], null::int4)", None),
    ("array_subscript('{{1,2},{3,4}}'::int4[][], '1'::int4)", None),
    ("array_subscript('{{1,2},{3,4}}'::int4[][], '1'::int4, '2'::int4)", "2"),
    ("array_subscript('{{1,2},{3,4}}'::int4[][], '1'::int4, '3'::int4)", None),
    ("array_subscript('1 2'::int2vector, '0'::int4)", "1"),
    ("array_subscript('1 2'::int2vector, '2'::int4)", None),
    ("array_lower('1 2'::int2vector, '1'::int4)", "0"),
    ("array_upper('1 2'::int2vector, '1'::int4)", "1"),
    ("array_length('1 2'::int2vector, '1'::int4)", "2"),
    ("array_slice('{1,2,3}'::int4[], '2'::int4, '3'::int4)", "{2,3}"),
    ("array_slice('{1,2,3}'::int4[], '0'::int4, '9'::int4)", "{1,2,3}"),
    ("array_slice('{1,2,3}'::int4[], '3'::int4, '2'::int4)", "{}"),
    ("array_slice('{1,2,3}'::int4[], null::int4, '2'::int4)", None),
    ("array_slice('{{1,2},{3,4}}'::int4[][], '1'::int4, '1'::int4)", "{{1,2}}"),
    ("array_slice('{{1,2},{3,4}}'::int4[][], '1'::int4, '2'::int4, '2'::int4, '2'::int4)", "{{2},{4}}"),
    ("array_slice('{{1,2},{3,4}}'::int4[][], '1'::int4, '2'::int4, '5'::int4, '6'::int4)", "{}"),
    ("array_slice('{1,2}'::int4[], '1'::int4, '1'::int4, '1'::int4, '1'::int4)", "{}"),
    ("array_slice('{{1,2},{3,4}}'::int4[][], '5'::int4, '6'::int4)", "{}"),
)


@pytest.mark.parametrize(("sql", "answer"), BY_SYNTAX, ids=[sql for sql, _ in BY_SYNTAX])
def test_what_brackets_mean_is_what_they_mean_in_postgresql(sql: str, answer: str | None) -> None:
    assert CALLS.answer(sql) == answer


EQUALS = Function("=", (INT4, INT4), BOOL, lambda left, right: left == right, "({0} = {1})")


@pytest.mark.parametrize(
    ("value", "array", "any_", "all_"),
    [
        (None, (), False, True),
        (None, (1,), None, None),
        (1, (1, None), True, None),
        (2, (1, None), None, False),
        (1, (1, 1), True, True),
        (1, None, None, None),
    ],
)
def test_a_quantifier_leaves_open_what_a_null_leaves_open(
    value: int | None, array: tuple[int | None, ...] | None, any_: bool | None, all_: bool | None
) -> None:
    types = Types((INT4, array_of(INT4)), BOOL)
    for quantifier, answer in (("any", any_), ("all", all_)):
        function = quantified(EQUALS, "any" if quantifier == "any" else "all")
        assert function.python is not None
        assert function.python(types, value, array) is answer


def test_a_quantifier_looks_into_all_dimensions() -> None:
    function = quantified(EQUALS, "any")
    type_ = array_of(array_of(INT4))
    assert function.python is not None
    assert function.python(Types((INT4, type_), BOOL), 3, ((1, 2), (3, 4))) is True
    assert callable(function.spark)
    text = function.spark(("x", "a"), (INT4, type_), BOOL)
    assert text == "exists(flatten(a), _element -> (x = _element))"


def test_one_operator_has_one_function_for_each_quantifier() -> None:
    assert quantified(EQUALS, "any") is quantified(EQUALS, "any")
    assert quantified(EQUALS, "any") is not quantified(EQUALS, "all")
