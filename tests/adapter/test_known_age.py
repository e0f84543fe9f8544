from __future__ import annotations

import pytest

from holdfast.adapter.known import Known, with_known
from holdfast.compute.evaluate import evaluate
from holdfast.plan.decorrelate import decorrelate
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog

KNOWN = Known(now=86_400_000_000 + 5, user="ada", database="db", version="holdfast 1")


@pytest.mark.parametrize("type_", ["timestamp", "timestamptz"])
def test_an_age_is_counted_from_the_start_of_today(type_: str) -> None:
    sql = f"SELECT age({type_} '1969-12-01 12:00')::text"
    plan = with_known(decorrelate(plan_query(sql, EmptyCatalog()).plan), KNOWN)
    assert [column[0].as_py() for column in evaluate(plan, {}).columns] == ["1 mon 12:00:00"]
