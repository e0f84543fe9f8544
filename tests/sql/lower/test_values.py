"""What expressions that are grammar come to, against what PostgreSQL said."""

from __future__ import annotations

import pytest

from holdfast.compute.evaluate import evaluate
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog
from holdfast.sql.errors import DatatypeMismatch, UndefinedFunction
from tests.differential.answer import Answer
from tests.differential.ask import answer_of


def answer(query: str) -> Answer:
    plan = decorrelate(plan_query(query, EmptyCatalog()).plan)
    return answer_of(evaluate(plan, {}), [column.type for column in plan.relation.columns])


def rows(query: str) -> list[tuple[str | None, ...]]:
    """The rows of a query, as text."""
    return list(answer(query).rows)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("""('"x"'::jsonb)[0]""", None),
        ("('[1]'::jsonb)['0']", "1"),
        ("""('{"0":5}'::jsonb)[0]""", "5"),
        ("""('{"a":[1,2]}'::jsonb)['a'][-1]""", "2"),
        ("""('{"a":[1,2]}'::jsonb)['a'][null]""", None),
        ("""('{"1":[1,2]}'::jsonb)['1'::text]['1']""", "2"),
        ("""('{"1":[1,2]}'::jsonb)[1::int2]""", "[1, 2]"),
        ("('[1]'::jsonb)['x']", None),
    ],
)
def test_a_subscript_of_json_is_a_key_or_a_place_whichever_it_is_written_as(
    expression: str, expected: str | None
) -> None:
    assert rows(f"SELECT {expression}") == [(expected,)]


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("1e37", ("numeric", "1" + "0" * 37)),
        ("1e-37", ("numeric", "0." + "0" * 36 + "1")),
        ("1e308", ("double precision", "1e+308")),
        ("-1.2345678901234567e-30", ("double precision", "-1.2345678901234567e-30")),
        ("5e-324", ("double precision", "5e-324")),
    ],
)
def test_a_literal_as_drivers_write_floats_is_numeric_or_else_double(literal: str, expected: tuple[str, str]) -> None:
    assert rows(f"SELECT pg_typeof({literal}), {literal}") == [expected]


@pytest.mark.parametrize("literal", ["1e400", "1e-400", "1" * 39, "1.23456789012345678e-30"])
def test_a_literal_of_which_digits_would_be_lost_is_refused(literal: str) -> None:
    with pytest.raises(NumericValueOutOfRange):
        rows(f"SELECT {literal}")


@pytest.mark.parametrize("index", ["1.0", "true", "1::bigint"])
def test_a_subscript_of_json_is_text_or_an_integer(index: str) -> None:
    with pytest.raises(DatatypeMismatch, match=r"subscript type \w+ is not supported"):
        rows(f"SELECT ('[1]'::jsonb)[{index}]")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'{{1,2},{3,4}}'::int[]", ["{{1,2},{3,4}}"]),
        ("('{{1,2},{3,4}}'::int[])[1][2]", ["2"]),
        ("array_length('{{1,2},{3,4}}'::int[], 2)", ["2"]),
        ("unnest('{{1,2},{3,4}}'::int[])", ["1", "2", "3", "4"]),
        ("'{{}}'::int[]", ["{}"]),
    ],
)
def test_an_array_has_the_dimensions_that_its_text_has(expression: str, expected: list[str]) -> None:
    assert rows(f"SELECT {expression}") == [(text,) for text in expected]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'abcd'::varchar(3)", "abc"),
        ("'abcd'::char(2)::text", "ab"),
        ("cast('  x ' as varchar(2))", "  "),
        ("varchar(3) 'abcd'", "abc"),
    ],
)
def test_a_cast_cuts_off_what_is_too_long(expression: str, expected: str) -> None:
    assert rows(f"SELECT {expression}") == [(expected,)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("concat(VARIADIC array['a','b'])", "ab"),
        ("concat(VARIADIC array[1,null,2.5])", "12.5"),
        ("concat(VARIADIC '{{1,2},{3,4}}'::int[])", "1234"),
        ("concat(VARIADIC '{}'::int[])", ""),
        ("concat(VARIADIC null::text[])", None),
        ("concat_ws(',', VARIADIC string_to_array('a b',' '))", "a,b"),
        ("concat_ws(null, VARIADIC array['a'])", None),
        ("format('%s %s', VARIADIC '{1,2}'::int[])", "1 2"),
        ("format('x', VARIADIC null::text[])", "x"),
        ("jsonb_build_array(VARIADIC '{1,2}'::int[])", "[1, 2]"),
        ("jsonb_build_object(VARIADIC '{1,2}'::int[])", '{"1": 2}'),
        ("""jsonb_extract_path('{"a":1}', VARIADIC '{a}')""", "1"),
        ("""jsonb_extract_path('{"a":1}', VARIADIC '{a}'::varchar[])""", "1"),
        ("""jsonb_extract_path('{"a":1}', VARIADIC '{a,null}'::text[])""", None),
    ],
)
def test_variadic_takes_the_elements_of_an_array_as_arguments(expression: str, expected: str | None) -> None:
    assert rows(f"SELECT {expression}") == [(expected,)]


@pytest.mark.parametrize("argument", ["1", "null", "'{a,b}'"])
def test_variadic_takes_an_array(argument: str) -> None:
    with pytest.raises(DatatypeMismatch, match="VARIADIC argument must be an array"):
        rows(f"SELECT concat(VARIADIC {argument})")


@pytest.mark.parametrize(
    "expression",
    [
        "upper(VARIADIC array['a'])",
        "concat_ws(',', 'x', VARIADIC array['a'])",
        "jsonb_extract_path('{}', VARIADIC '{1}'::int[])",
    ],
)
def test_variadic_is_for_functions_of_any_number_of_such_arguments(expression: str) -> None:
    with pytest.raises(UndefinedFunction):
        rows(f"SELECT {expression}")
