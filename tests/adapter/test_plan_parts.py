from __future__ import annotations

import pytest

from holdfast.adapter.catalog.builtin.functions import OF_CATALOG, OF_SESSION
from holdfast.adapter.plan_parts import is_stable, size_of
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.relation import Plan
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog


def plan(text: str) -> Plan:
    return decorrelate(plan_query(text, EmptyCatalog()).plan)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT now()",
        "SELECT 1 WHERE current_user = 'x'",
        "SELECT n FROM generate_series(1, 3) AS s (n) ORDER BY n + extract(day FROM now())",
        "SELECT sum(n) FILTER (WHERE mz_now() > 0) FROM generate_series(1, 3) AS s (n)",
        "SELECT lag(now()) OVER () FROM generate_series(1, 3)",
        "SELECT (SELECT CASE WHEN true THEN version() END)",
        "SELECT * FROM (VALUES (1)) AS v (a) JOIN (VALUES (2)) AS w (b) ON now() > '2024-01-01'",
    ],
)
def test_what_only_a_session_knows_is_found_wherever_it_stands(text: str) -> None:
    assert is_stable(plan(text))


def test_what_depends_on_nothing_is_not_stable() -> None:
    assert not is_stable(plan("SELECT abs(n) + 1 FROM generate_series(1, 3) AS s (n) WHERE n > 1 ORDER BY n LIMIT 1"))


def test_what_sessions_and_the_catalog_answer_is_stable() -> None:
    """So no plan with it is taken for the same whoever asks."""
    bound = [function for name in (*OF_CATALOG, *OF_SESSION) for function in FUNCTIONS.get(name, ())]
    assert {function.stability for function in bound} == {"stable"}


def test_the_size_of_a_plan_grows_with_its_expressions() -> None:
    few, many = ", ".join("12"), ", ".join(map(str, range(1000)))
    query = "SELECT n FROM generate_series(1, 3) AS s (n) WHERE n IN ({})"
    assert size_of(plan(query.format(few))) < 20
    assert size_of(plan(query.format(many))) > 1000
