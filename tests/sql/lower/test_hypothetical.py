"""Hypothetical-set aggregates, against what PostgreSQL said of them."""

from __future__ import annotations

import pytest

from holdfast.errors import QueryError
from holdfast.sql.errors import DatatypeMismatch, GroupingError, NotSupported, UndefinedFunction
from tests.sql.lower.test_values import rows

ALL = "rank({0}) {1}, dense_rank({0}) {1}, percent_rank({0}) {1}, cume_dist({0}) {1}"
VALUES = "(VALUES (1), (1), (2), (3), (3), (5), (null)) t(x)"


@pytest.mark.parametrize(
    ("value", "order", "expected"),
    [
        ("3", "x", ("4", "3", "0.42857142857142855", "0.75")),
        ("3", "x DESC", ("3", "3", "0.2857142857142857", "0.625")),
        ("3", "x NULLS FIRST", ("5", "4", "0.5714285714285714", "0.875")),
        ("null", "x", ("7", "5", "0.8571428571428571", "1")),
        ("null", "x DESC", ("1", "1", "0", "0.25")),
    ],
)
def test_a_value_has_the_place_that_it_would_have_among_the_rows(
    value: str, order: str, expected: tuple[str, ...]
) -> None:
    calls = ALL.format(value, f"WITHIN GROUP (ORDER BY {order})")
    assert rows(f"SELECT {calls} FROM {VALUES}") == [expected]


def test_a_row_would_be_the_first_among_none() -> None:
    calls = ALL.format("3", "WITHIN GROUP (ORDER BY x)")
    assert rows(f"SELECT {calls} FROM {VALUES} WHERE false") == [("1", "1", "0", "1")]


def test_rows_are_compared_key_by_key_and_only_those_that_the_filter_lets_through() -> None:
    found = rows(
        "SELECT g, rank(g, 'b') WITHIN GROUP (ORDER BY x, y DESC) FILTER (WHERE x > 1), "
        "cume_dist(g, 'b') WITHIN GROUP (ORDER BY x, y DESC) "
        "FROM (VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 2, 'c'), (2, 3, 'b'), (2, 3, 'c')) t(g, x, y) GROUP BY g ORDER BY g"
    )
    assert found == [("1", "1", "0.3333333333333333"), ("2", "2", "0.5")]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("rank(1) WITHIN GROUP (ORDER BY x) OVER ()", NotSupported),
        ("rank(1, 2) WITHIN GROUP (ORDER BY x)", UndefinedFunction),
        ("rank('a'::text) WITHIN GROUP (ORDER BY x)", DatatypeMismatch),
        ("rank(count(*)) WITHIN GROUP (ORDER BY x)", GroupingError),
    ],
)
def test_a_call_must_have_a_value_for_each_key(query: str, error: type[QueryError]) -> None:
    with pytest.raises(error):
        rows(f"SELECT {query} FROM {VALUES}")
