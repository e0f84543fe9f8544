"""Semi and anti joins of joins ask the input that decides, and keep the same rows."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from holdfast.compute.evaluate.relations import rows
from holdfast.plan.columns import is_same
from holdfast.plan.relation import ColumnType, Get, Join, SemiJoin, column
from holdfast.plan.rewrite.push_down_semi_joins import push_down_semi_joins
from holdfast.plan.scalar import Scalar
from holdfast.plan.types import INT8

TWO = (ColumnType(INT8), ColumnType(INT8))
T, U, V = Get("t", TWO), Get("u", TWO), Get("v", TWO)
JOIN = Join((T, U), (is_same(column(Join((T, U)), 1), column(Join((T, U)), 2)),))
INPUTS = {
    "t": pa.table({"a": [1, 2, 3, None], "b": [1, 1, 2, 2]}),
    "u": pa.table({"a": [1, 1, 2, 2], "b": [5, 6, 7, None]}),
    "v": pa.table({"a": [1, 5, None, 6], "b": [3, 7, 9, 9]}),
}


def asked(*pairs: tuple[int, int], anti: bool) -> SemiJoin:
    """Which rows of the join have columns that some row of `v` has."""
    every = Join((JOIN, V))
    predicates: tuple[Scalar, ...] = tuple(
        is_same(column(every, left), column(every, 4 + right)) for left, right in pairs
    )
    return SemiJoin(JOIN, V, predicates, anti)


@pytest.mark.parametrize("anti", [False, True])
@pytest.mark.parametrize(("pairs", "number"), [([(0, 0)], 0), ([(3, 0)], 1), ([(2, 0), (3, 1)], 1)])
def test_what_one_input_decides_is_asked_of_it(pairs: list[tuple[int, int]], number: int, anti: bool) -> None:
    relation = asked(*pairs, anti=anti)
    pushed = push_down_semi_joins(relation)
    assert isinstance(pushed, Join)
    assert [isinstance(part, SemiJoin) for part in pushed.inputs] == [place == number for place in (0, 1)]
    assert Counter(rows(pushed, INPUTS)) == Counter(rows(relation, INPUTS))


def test_what_two_inputs_decide_stays() -> None:
    relation = asked((0, 0), (3, 1), anti=False)
    assert push_down_semi_joins(relation) is relation
