"""What a join leaves few rows of is found first, and the rows stay the same."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate.relations import rows
from holdfast.plan.relation import Filter, Get, Join, Relation, SemiJoin
from holdfast.plan.rewrite.find_first import Finding, find_first
from tests.plan.build import col, eq, lit
from tests.plan.rewrite.test_reduce_joins import LINE, NATION, PLACES, REGION, SUPPLIER, joined, tables

SIZES = {"region": 40, "nation": 100, "supplier": 3_000, "line": 10_000}
ONE = (eq(col(1), lit(1)),)


class Found:
    """What was found, where each is said to have `count` rows."""

    def __init__(self, count: int = 0) -> None:
        self.relations: list[Relation] = []
        self._count = count

    def find(self, relation: Relation) -> tuple[Get, int]:
        self.relations.append(relation)
        return Get(f"found {len(self.relations) - 1}", relation.columns), self._count

    def first(self, relation: Relation, few: int = 300, many: int = 5_000) -> Relation:
        return find_first(relation, Finding(size, self.find, few, many))


def size(relation: Relation) -> int | None:
    return SIZES.get(relation.name) if isinstance(relation, Get) else None


CHAIN = joined(LINE, SUPPLIER, Filter(NATION, ONE), on=[(0, 2), (3, 4)])


def test_what_smaller_ones_leave_is_found_and_asked_of_what_is_large() -> None:
    found = Found()
    join = found.first(CHAIN)
    (left,) = found.relations
    assert isinstance(left, SemiJoin)
    assert (left.left, left.right) == (SUPPLIER, Filter(NATION, ONE))
    assert isinstance(join, Join)
    line, supplier, nation = join.inputs
    assert (supplier, nation) == (Get("found 0", SUPPLIER.columns), Filter(NATION, ONE))
    assert isinstance(line, SemiJoin)
    assert (line.left, line.right) == (LINE, supplier)


def test_what_turns_out_to_be_many_is_asked_of_nothing() -> None:
    join = Found(count=301).first(CHAIN)
    assert isinstance(join, Join)
    assert join.inputs == (LINE, Get("found 0", SUPPLIER.columns), Filter(NATION, ONE))


def test_nothing_is_found_where_it_is_of_no_use() -> None:
    found = Found()
    # Too many seem to be left, the others are not many, or do not meet it; or it is few as it is.
    for join, few, many in [(CHAIN, 299, 5_000), (CHAIN, 300, 10_001), (CHAIN, 3_000, 5_000)]:
        assert found.first(join, few, many) is join
    apart = joined(LINE, SUPPLIER, Filter(NATION, ONE), on=[(3, 4)])
    assert found.first(apart) is apart
    assert not found.relations


@settings(max_examples=200, deadline=None)
@given(
    held=tables(),
    on=PLACES,
    filtered=st.lists(st.booleans(), min_size=4, max_size=4),
    few=st.integers(0, 6),
    many=st.integers(0, 6),
    count=st.sampled_from([0, 100]),
)
def test_the_rows_are_the_same(
    held: dict[str, pa.Table], on: list[tuple[int, int]], filtered: list[bool], few: int, many: int, count: int
) -> None:
    parts = [
        Filter(part, ONE) if is_filtered else part
        for part, is_filtered in zip((LINE, SUPPLIER, NATION, REGION), filtered, strict=True)
    ]
    join, here = joined(*parts, on=on), dict(held)

    def find(relation: Relation) -> tuple[Get, int]:
        name = f"found {len(here)}"
        values = list(zip(*rows(relation, here), strict=True)) or [(), ()]
        here[name] = pa.table({c: pa.array(each, pa.int32()) for c, each in zip("ab", values, strict=True)})
        return Get(name, relation.columns), count

    def size(relation: Relation) -> int | None:
        return here[relation.name].num_rows if isinstance(relation, Get) else None

    assert Counter(rows(find_first(join, Finding(size, find, few, many)), here)) == Counter(rows(join, held))
