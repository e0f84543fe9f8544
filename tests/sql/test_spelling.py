"""What a user may have meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.sql.spelling import Near, distance, nearest

words = st.text("abc", max_size=6)


def hint(name: str, *columns: str, relation: str | None = None) -> str | None:
    return nearest(relation, name, [Near("t", column, visible=True) for column in columns]).hint


def test_a_misspelt_column_is_suggested() -> None:
    assert hint("prise", "price", "name") == 'Perhaps you meant to reference the column "t.price".'


def test_two_columns_as_near_are_both_suggested() -> None:
    assert hint("cod", "code", "cop") == 'Perhaps you meant to reference the column "t.code" or the column "t.cop".'


def test_three_are_not() -> None:
    assert hint("cod", "code", "cop", "god") is None


def test_a_word_that_shares_too_little_is_not_meant() -> None:
    assert hint("ab", "xyzw", "cd") is None


def test_the_relation_counts_too() -> None:
    assert hint("price", "price", relation="tt") == 'Perhaps you meant to reference the column "t.price".'


@given(left=words, right=words)
def test_distance_is_that_of_the_shortest_way(left: str, right: str) -> None:
    def slow(a: str, b: str) -> int:
        if not a or not b:
            return len(a) + len(b)
        return min(slow(a[1:], b) + 1, slow(a, b[1:]) + 1, slow(a[1:], b[1:]) + (a[0] != b[0]))

    assert distance(left, right, 6) == slow(left, right)
