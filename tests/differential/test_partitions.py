"""Queries that have to have the same rows, do; no other database is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.differential.answer import either
from tests.differential.ask import ask_us
from tests.differential.equivalent import Equivalents, Pair
from tests.differential.rounds import rounds

QUERIES = 60
FAILING = 0.25
"""The part of queries that may fail by their data and so say nothing."""

KINDS: tuple[Callable[[Equivalents], Pair], ...] = (
    Equivalents.partitioned,
    Equivalents.counted,
    Equivalents.in_and_exists,
    Equivalents.not_exists_and_left_join,
    Equivalents.distinct_and_groups,
    Equivalents.union_and_distinct,
    Equivalents.except_and_anti_join,
    Equivalents.correlated_count_and_groups,
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_two_ways_to_ask_have_the_same_rows(kind: Callable[[Equivalents], Pair]) -> None:
    failed = 0
    for part in rounds(range(20_000, 20_000 + QUERIES)):
        for seed in part.seeds:
            pair = kind(Equivalents(part.generator(seed)))
            one, other = (ask_us(text, part.catalog, optimized=True) for text in pair)
            if either(one, other):
                failed += 1
                continue
            assert one.error is None, part.report(seed, pair[0], str(one.error))
            assert other.error is None, part.report(seed, pair[1], str(other.error))
            difference = other.with_columns_of(one).differs(one, ordered=False)
            assert difference is None, part.report(seed, ";\n".join(pair), difference)
    assert failed <= FAILING * QUERIES
