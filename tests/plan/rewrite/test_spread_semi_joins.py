"""Semi joins of joins with few rows are asked of all inputs that have the columns, and keep the same rows."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from holdfast.compute.evaluate.relations import rows
from holdfast.plan.columns import is_same
from holdfast.plan.relation import ColumnType, Get, Join, Relation, SemiJoin, column
from holdfast.plan.rewrite.spread_semi_joins import spread_semi_joins
from holdfast.plan.types import INT8
from tests.plan.build import eq

TWO = (ColumnType(INT8), ColumnType(INT8))
T, U, V = Get("t", TWO), Get("u", (ColumnType(INT8, False), ColumnType(INT8))), Get("v", TWO)
BOTH = Join((T, U))
JOIN = Join((T, U), (eq(column(BOTH, 1), column(BOTH, 2)),))
INPUTS = {
    "t": pa.table({"a": [1, 2, 3, None, 4], "b": [1, 1, 2, 2, None]}),
    "u": pa.table({"a": [1, 1, 2, 2, 3], "b": [5, 6, 7, None, 8]}),
    "v": pa.table({"a": [1, 5, None, 1], "b": [3, 6, 9, 6]}),
}


def asked(*pairs: tuple[int, int], anti: bool = False) -> SemiJoin:
    every = Join((JOIN, V))
    predicates = tuple(eq(column(every, left), column(every, 4 + right)) for left, right in pairs)
    return SemiJoin(JOIN, V, predicates, anti)


def spread(relation: Relation) -> Relation:
    return spread_semi_joins(relation, lambda each: isinstance(each, Get))


@pytest.mark.parametrize(
    ("pairs", "which"),
    [
        ([(0, 0)], [True, False]),
        ([(3, 0)], [False, True]),
        ([(1, 0)], [True, True]),
        ([(2, 0)], [True, True]),
        ([(2, 0), (3, 1)], [False, True]),
        ([(1, 0), (3, 1)], [False, True]),
    ],
)
def test_all_inputs_that_have_the_columns_are_asked(pairs: list[tuple[int, int]], which: list[bool]) -> None:
    relation = asked(*pairs)
    found = spread(relation)
    assert isinstance(found, Join)
    assert [isinstance(part, SemiJoin) for part in found.inputs] == which
    expected = Counter(rows(relation, INPUTS))
    assert expected
    assert Counter(rows(found, INPUTS)) == expected


def test_the_rest_stays() -> None:
    apart, anti = asked((0, 0), (3, 1)), asked((1, 0), anti=True)
    every = Join((JOIN, V))
    alike = SemiJoin(JOIN, V, (is_same(column(every, 1), column(every, 4)),))
    for relation in (apart, anti, alike):
        assert spread(relation) is relation
    large = asked((1, 0))
    assert spread_semi_joins(large, lambda _: False) is large
