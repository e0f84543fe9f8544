"""Names, types and errors of planned queries, against what PostgreSQL said of them."""

from __future__ import annotations

import pytest

from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.plan.check import check
from holdfast.sql import plan_query
from tests.sql.answers import Recorded, queries, recorded
from tests.sql.catalog import TestCatalog

RECORDED = recorded()

RUN_TIME = ("21", "22")
"""Classes of errors of the data: where PostgreSQL does not say where in the text, it met them only when it ran."""


def ours(query: str) -> Recorded:
    try:
        planned = plan_query(query, TestCatalog())
    except HoldfastError as error:
        place = getattr(error, "position", 0)
        return Recorded((), (), str(error), place, error.hint, error.detail, sqlstate(error))
    check(planned.plan)
    names = tuple(column.name for column in planned.columns)
    return Recorded(names, tuple(str(column.type) for column in planned.columns))


def test_every_query_is_recorded() -> None:
    assert set(queries()) == set(RECORDED)


@pytest.mark.parametrize("query", RECORDED)
def test_a_query_has_the_columns_or_the_error_that_postgresql_gives_it(query: str) -> None:
    said = RECORDED[query]
    if said.sqlstate is not None and said.sqlstate.startswith(RUN_TIME) and not said.position:
        ours(query)  # It plans, or fails with the same: running it is for others to test.
        return
    assert ours(query) == said
