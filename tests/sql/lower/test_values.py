"""What expressions that are grammar come to, against what PostgreSQL said."""

from __future__ import annotations

import pytest

from holdfast.compute.evaluate import evaluate
from holdfast.plan.decorrelate import decorrelate
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog
from holdfast.sql.errors import DatatypeMismatch
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
