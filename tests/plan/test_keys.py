from __future__ import annotations

from holdfast.plan.keys import covers, unique_keys
from holdfast.plan.relation import (
    UNIT,
    Distinct,
    Filter,
    Join,
    Map,
    OuterJoin,
    Project,
    Reduce,
    SemiJoin,
    TopK,
    Union,
)
from holdfast.plan.types import INT4, INT8
from tests.plan.build import T, col, count, eq, get, lit, lt

KEYED = get("k", INT4, INT4, keys=((0,),))


def keys(*columns: int) -> frozenset[frozenset[int]]:
    return frozenset((frozenset(columns),))


def test_a_collection_has_the_keys_it_was_given() -> None:
    assert unique_keys(KEYED) == keys(0)
    assert unique_keys(T) == frozenset()


def test_rows_that_are_only_filtered_or_widened_keep_their_key() -> None:
    assert unique_keys(Filter(Map(KEYED, (lit(1),)), (lt(col(0), lit(1)),))) == keys(0)
    assert unique_keys(SemiJoin(KEYED, T, (eq(col(0), col(2)),))) == keys(0)


def test_a_projection_keeps_keys_whose_columns_it_keeps() -> None:
    assert unique_keys(Project(KEYED, (1, 0))) == keys(1)
    assert unique_keys(Project(KEYED, (1,))) == frozenset()


def test_groups_are_told_apart_by_their_keys() -> None:
    assert unique_keys(Reduce(T, (col(1), col(0)), (count(),))) == keys(0, 1)
    assert unique_keys(Reduce(T, (), (count(),))) == keys()
    assert unique_keys(Distinct(T)) == keys(0, 1)
    assert unique_keys(TopK(T, (1,), (), lit(1, INT8))) == keys(1)
    assert unique_keys(UNIT) == keys()


def test_a_lookup_by_key_keeps_the_key_of_the_rows_that_look_up() -> None:
    left = get("l", INT4, INT4, keys=((0,),))
    assert unique_keys(Join((left, KEYED), (eq(col(1), col(2)),))) == keys(0)
    assert unique_keys(OuterJoin(left, KEYED, (eq(col(1), col(2)),))) == keys(0)


def test_other_joins_have_a_key_of_each_side_together() -> None:
    left = get("l", INT4, INT4, keys=((0,),))
    assert unique_keys(Join((left, KEYED), (eq(col(1), col(3)),))) == keys(0, 2)
    assert unique_keys(Join((left, T), ())) == frozenset()


def test_a_union_has_no_keys_of_its_inputs() -> None:
    assert unique_keys(Union((KEYED, KEYED))) == frozenset()


def test_columns_cover_a_key_that_they_hold() -> None:
    assert covers(KEYED, (1, 0))
    assert not covers(KEYED, (1,))
