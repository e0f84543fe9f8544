from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.persist.part import Sums, total
from tests.persist.paper import Paper

known = st.builds(Sums, st.integers(-(2**70), 2**70), st.integers(0, 2**64 - 1))
some = known | known.map(lambda sums: replace(sums, content=None))
"""Sums, whose content may be unknown."""


@given(some, some, some)
def test_sums_are_added_in_any_order_and_nothing_adds_nothing(a: Sums, b: Sums, c: Sums) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + Sums() == a


@given(known, known)
def test_a_sum_of_what_is_known_is_known(a: Sums, b: Sums) -> None:
    assert a.content is not None
    assert b.content is not None
    assert a + b == Sums(a.diffs + b.diffs, (a.content + b.content) % 2**64)


@given(some, st.integers(-(2**70), 2**70))
def test_a_sum_with_unknown_content_is_that_of_the_diffs_alone(a: Sums, diffs: int) -> None:
    assert a + Sums(diffs, None) == Sums(a.diffs + diffs, None)


@given(known, known)
def test_known_sums_agree_if_they_are_equal(a: Sums, b: Sums) -> None:
    assert a.agree(a)
    assert a.agree(b) == b.agree(a) == (a == b)
    assert not a.agree(replace(a, content=(a.content or 0) ^ 1))


@given(some, some)
def test_what_is_unknown_contradicts_nothing_but_other_diffs(a: Sums, b: Sums) -> None:
    unknown = Sums(a.diffs, None)
    assert unknown.agree(a)
    assert a.agree(unknown)
    assert unknown.agree(b) == b.agree(unknown) == (a.diffs == b.diffs)
    assert not unknown.agree(Sums(a.diffs + 1, a.content))


@pytest.mark.parametrize("updates", [[(1, 0, 1)], [(2, 0, 1), (1, 3, -1)]])
def test_a_part_is_sorted_if_its_contents_are_known(updates: list[tuple[int, int, int]]) -> None:
    paper = Paper()
    part, small = paper.part(updates), paper.small_part(updates)
    assert part.is_sorted
    assert not small.is_sorted
    assert small.sums.agree(part.sums)
    assert total([part, part]).content is not None
    assert total([part, small]) == Sums(2 * part.sums.diffs, None)
