"""What is small and filtered is asked of what it is joined with, and the rows stay the same."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate.relations import rows
from holdfast.plan.relation import Filter, Get, Join, Relation, SemiJoin, column
from holdfast.plan.rewrite.reduce_joins import reduce_joins
from holdfast.plan.types import INT4
from tests.plan.build import col, eq, get, lit

REGION, NATION, SUPPLIER, LINE = (get(name, INT4, INT4) for name in ("region", "nation", "supplier", "line"))
ASIA = Filter(REGION, (eq(col(1), lit(1)),))


def joined(*parts: Relation, on: list[tuple[int, int]]) -> Join:
    whole = Join(parts)
    return Join(parts, tuple(eq(column(whole, left), column(whole, right)) for left, right in on))


def reduced(relation: Relation, *small: str) -> Relation:
    return reduce_joins(relation, lambda each: 1.0 if isinstance(each, Get) and each.name in small else None)


CHAIN = joined(LINE, SUPPLIER, NATION, ASIA, on=[(0, 2), (3, 4), (5, 6)])


def test_what_is_large_is_asked_through_what_is_small() -> None:
    found = reduced(CHAIN, "region", "nation", "supplier")
    assert isinstance(found, Join)
    line, supplier, nation, region = found.inputs
    assert region is ASIA
    assert isinstance(nation, SemiJoin)
    assert (nation.left, nation.right) == (NATION, ASIA)
    assert isinstance(supplier, SemiJoin)
    assert (supplier.left, supplier.right) == (SUPPLIER, nation)
    assert isinstance(line, SemiJoin)
    assert (line.left, line.right) == (LINE, supplier)


def test_what_says_nothing_or_is_large_asks_nothing() -> None:
    assert reduced(CHAIN, "nation", "supplier") is CHAIN
    assert reduced(CHAIN) is CHAIN
    unfiltered = joined(LINE, SUPPLIER, on=[(0, 2)])
    assert reduced(unfiltered, "supplier") is unfiltered


def test_a_part_of_a_collection_is_asked_without_a_filter() -> None:
    unfiltered = joined(LINE, SUPPLIER, on=[(0, 2)])
    found = reduce_joins(unfiltered, lambda each: 0.1 if each == SUPPLIER else None)
    assert isinstance(found, Join)
    line, supplier = found.inputs
    assert isinstance(line, SemiJoin)
    assert (line.left, line.right, supplier) == (LINE, SUPPLIER, SUPPLIER)


def test_the_same_columns_are_asked_once() -> None:
    twice = joined(
        LINE, Filter(SUPPLIER, (eq(col(1), lit(1)),)), Filter(NATION, (eq(col(1), lit(1)),)), on=[(0, 2), (0, 4)]
    )
    found = reduced(twice, "supplier", "nation")
    assert isinstance(found, Join)
    line = found.inputs[0]
    assert isinstance(line, SemiJoin)
    assert line.left is LINE


@st.composite
def tables(draw: st.DrawFn) -> dict[str, pa.Table]:
    value = st.none() | st.integers(0, 3)
    return {
        name: pa.table({c: pa.array(draw(st.lists(value, min_size=n, max_size=n)), pa.int32()) for c in ("a", "b")})
        for name in ("region", "nation", "supplier", "line")
        for n in [draw(st.integers(0, 5))]
    }


PLACES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(
    held=tables(),
    on=PLACES,
    filtered=st.lists(st.booleans(), min_size=4, max_size=4),
    small=st.sets(st.sampled_from(["region", "nation", "supplier", "line"])),
)
def test_the_rows_are_the_same(
    held: dict[str, pa.Table], on: list[tuple[int, int]], filtered: list[bool], small: set[str]
) -> None:
    parts = [
        Filter(part, (eq(col(1), lit(1)),)) if is_filtered else part
        for part, is_filtered in zip((LINE, SUPPLIER, NATION, REGION), filtered, strict=True)
    ]
    join = joined(*parts, on=on)
    assert Counter(rows(reduced(join, *small), held)) == Counter(rows(join, held))
