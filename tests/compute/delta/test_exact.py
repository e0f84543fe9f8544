"""Which views Spark may make."""

from __future__ import annotations

import pytest

from holdfast.compute.delta import program
from holdfast.compute.delta.exact import is_exact_on_spark
from holdfast.plan.decorrelate import decorrelate
from holdfast.sql import plan_query
from tests.tpch.data import TpchCatalog


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT sum(l_quantity), avg(l_tax) FROM lineitem", True),
        ("SELECT sum(l_quantity::float8), max(l_tax::float8) FROM lineitem GROUP BY l_partkey", True),
        ("SELECT count(DISTINCT l_quantity::float8) FROM lineitem", True),
        ("SELECT sum(DISTINCT l_quantity::float8) FROM lineitem", False),
        ("SELECT avg(l_tax::float8) OVER (PARTITION BY l_partkey) FROM lineitem", False),
        ("SELECT sum(l_tax) OVER (PARTITION BY l_partkey), rank() OVER (ORDER BY l_tax::float8) FROM lineitem", True),
        ("SELECT s + 1 FROM (SELECT sum(DISTINCT l_tax::float4) AS s FROM lineitem) AS q", False),
    ],
)
def test_floats_that_spark_adds_in_an_order_of_its_own_are_added_here(query: str, expected: bool) -> None:
    plan = decorrelate(plan_query(query, TpchCatalog()).plan)
    assert is_exact_on_spark(program(plan)) is expected
