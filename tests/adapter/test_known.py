from __future__ import annotations

import pytest

from holdfast.adapter.known import Known, with_known
from holdfast.compute.evaluate import evaluate
from holdfast.plan.decorrelate import decorrelate
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog
from holdfast.sql.errors import NotSupported

KNOWN = Known(now=86_400_000_000 + 5, user="ada", database="db", version="holdfast 1")


def answer(sql: str) -> list[object]:
    plan = with_known(decorrelate(plan_query(sql, EmptyCatalog()).plan), KNOWN)
    return [column[0].as_py() for column in evaluate(plan, {}).columns]


def test_what_the_session_knows_is_one_value_throughout() -> None:
    sql = "SELECT current_user, current_database(), now() = clock_timestamp(), version(), current_date - '1970-01-01'"
    assert answer(sql) == ["ada", "db", True, "holdfast 1", 1]


def test_it_is_known_inside_of_subqueries_and_clauses() -> None:
    assert answer("SELECT (SELECT current_user WHERE now() IS NOT NULL) ORDER BY now()") == ["ada"]


def test_a_function_that_the_session_does_not_know_is_refused() -> None:
    with pytest.raises(NotSupported, match="function mz_uptime is not supported here"):
        answer("SELECT mz_uptime()")
