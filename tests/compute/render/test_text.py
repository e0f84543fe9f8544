"""Texts: flat, the same every time, and without what changes from run to run."""

from __future__ import annotations

import pytest

from holdfast.compute.render import render
from holdfast.compute.render.scalars import atom
from holdfast.errors import UsageError
from holdfast.plan.errors import InvalidRowCountInLimit
from holdfast.plan.functions.function import Function
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.relation import Filter, Frame, Map, Negate, OrderKey, Plan, Window, WindowCall
from holdfast.plan.scalar import Call, Or, Parameter
from holdfast.plan.types import INT4, INT8, TEXT
from tests.compute.render.build import SUM, call, col, long, plan_of, table
from tests.compute.render.test_relations import RELATIONS
from tests.plan.build import eq, lit

TEXTS = {
    "map, filter, project": (
        "SELECT t0.c0 + t0.c1 AS c0, t0.c0 AS c1, t0.c0 AS c2\nFROM `in_pairs` AS t0\nWHERE (t0.c0 + t0.c1) > 2"
    ),
    "join of some": (
        "SELECT t0.c0 AS c0, t0.c1 AS c1, t1.c0 AS c2, t1.c1 AS c3, t2.c0 AS c4, t2.c1 AS c5\n"
        "FROM `in_pairs` AS t0\n"
        "JOIN `in_words` AS t1 ON t0.c0 = t1.c0\n"
        "JOIN `in_pairs` AS t2 ON t1.c0 = t2.c0\n"
        "WHERE t0.c1 > 0"
    ),
    "anti-join": (
        "SELECT t0.c0 AS c0, t0.c1 AS c1\n"
        "FROM `in_pairs` AS t0\n"
        "LEFT ANTI JOIN `in_words` AS t1 ON (t0.c0 = t1.c0) AND (t1.c0 < 3)\n"
        "WHERE t0.c1 > 0"
    ),
    "having": (
        "SELECT t0.c0 AS c0, sum(CAST(t0.c1 AS BIGINT)) AS c1, t0.c0 + t0.c0 AS c2\n"
        "FROM `in_pairs` AS t0\n"
        "GROUP BY t0.c0\n"
        "HAVING sum(CAST(t0.c1 AS BIGINT)) > 1"
    ),
    "limit": (
        "SELECT t0.c0 AS c0, t0.c1 AS c1\n"
        "FROM `in_pairs` AS t0\n"
        "ORDER BY c1 DESC NULLS LAST, c0 NULLS LAST\n"
        "LIMIT 3\n"
        "OFFSET 1"
    ),
    "let": (
        "WITH `let_x` AS (\n"
        "  SELECT t0.c0 AS c0, sum(CAST(t0.c1 AS BIGINT)) AS c1\n"
        "  FROM `in_pairs` AS t0\n"
        "  GROUP BY t0.c0\n"
        ")\n"
        "SELECT t1.c0 AS c0, t1.c1 AS c1\n"
        "FROM `let_x` AS t1\n"
        "UNION ALL\n"
        "SELECT t2.c0 AS c0, t2.c1 AS c1\n"
        "FROM `let_x` AS t2"
    ),
    "shared": (
        "WITH `shared_0` AS (\n"
        "  SELECT DISTINCT t0.c0 AS c0, t0.c1 AS c1\n"
        "  FROM `in_pairs` AS t0\n"
        ")\n"
        "SELECT t2.c0 AS c0, t2.c1 AS c1, t3.c0 AS c2, t3.c1 AS c3\n"
        "FROM `shared_0` AS t2\n"
        "JOIN `shared_0` AS t3 ON t2.c0 = t3.c0"
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_flat(name: str) -> None:
    assert render(plan_of(RELATIONS[name])).text == TEXTS[name]


@pytest.mark.parametrize("name", RELATIONS)
def test_the_same_plan_has_the_same_text_and_functions(name: str) -> None:
    assert render(plan_of(RELATIONS[name])) == render(plan_of(RELATIONS[name]))


def test_a_function_of_a_window_is_the_same_for_the_same_plan() -> None:
    frame = Frame("groups")
    window = Window(table("x", INT4), (WindowCall(SUM, (col(0),), INT8, True, (), (OrderKey(col(0)),), frame),))
    assert render(plan_of(window)).functions
    assert render(plan_of(window)) == render(plan_of(window))


def test_a_query_says_what_it_reads_and_takes() -> None:
    plan = Plan(Map(table("x", INT4), (Parameter(2, INT8),)), ("a", "b"), (), Parameter(1, INT8))
    query = render(plan)
    assert query.inputs == ("x",)
    assert query.parameters == ((1, INT8), (2, INT8))
    assert "LIMIT CAST(least(coalesce(CAST(:p1 AS BIGINT), 2147483647), 2147483647) AS INT)" in query.text


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InvalidRowCountInLimit, match="LIMIT must not be negative"):
        render(Plan(table("x", INT4), ("a",), (OrderKey(col(0)),), long(-1)))


def test_what_cannot_be_rendered_is_a_bug() -> None:
    with pytest.raises(UsageError, match="less than zero times"):
        render(plan_of(Negate(table("x", INT4))))
    with pytest.raises(UsageError, match="only a session knows"):
        render(plan_of(Map(table("x", INT4), (call(Function("now", (), INT8, stability="stable")),))))


@pytest.mark.parametrize("text", ["t0.c1", "1", "'a b'", "f(a, ')')", "(a)", "((a) + (b))", ":p1", "`x`"])
def test_what_binds_tightly_needs_no_parentheses(text: str) -> None:
    assert atom(text) == text


@pytest.mark.parametrize("text", ["a + b", "(a) + (b)", "f(a) + g(b)", "-1", "CASE WHEN a THEN b END", "'a' || 'b'"])
def test_what_does_not_is_put_in_parentheses(text: str) -> None:
    assert atom(text) == f"({text})"


def test_comparisons_with_several_constants_are_one_with_a_list() -> None:
    text, other = col(0, TEXT), col(1, TEXT)
    terms = (eq(text, lit("a", TEXT)), eq(other, lit("x", TEXT)), eq(text, lit("b", TEXT)), eq(text, other))
    rendered = render(plan_of(Filter(table("x", TEXT, TEXT), (Or(terms),)))).text
    assert rendered.endswith("WHERE (t0.c0 IN ('a', 'b')) OR (t0.c1 = 'x') OR (t0.c0 = t0.c1)")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((2,), "substring(t0.c0, 2)"),
        ((-2,), "substring(t0.c0, 1)"),
        ((1, 2), "substring(t0.c0, 1, 2)"),
        ((-1, 4), "left(t0.c0, 2)"),
        ((-5, 2), "left(t0.c0, 0)"),
    ],
)
def test_a_part_of_a_text_between_constants_is_short(arguments: tuple[int, ...], text: str) -> None:
    function = next(f for f in FUNCTIONS["substring"] if f.arguments == (TEXT, *(INT4 for _ in arguments)))
    part = Call(function, (col(0, TEXT), *map(lit, arguments)), TEXT, True)
    assert text in render(plan_of(Map(table("x", TEXT), (part,)))).text
