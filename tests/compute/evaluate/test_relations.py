"""Relational operators mean what `plan/relation.py` says of them."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.plan.errors import (
    DivisionByZero,
    InvalidRowCountInLimit,
    InvalidRowCountInOffset,
    ProgramLimitExceeded,
)
from holdfast.plan.functions.function import ResultColumns, TableFunction
from holdfast.plan.relation import (
    Columns,
    ColumnType,
    Distinct,
    Filter,
    FlatMap,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Project,
    Recursive,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
)
from holdfast.plan.scalar import FALSE, TRUE, Constant, Or, null
from holdfast.plan.types import BOOL, FLOAT8, INT4, array_of
from tests.compute.evaluate.build import (
    DIVIDE,
    EQUAL,
    GREATER,
    LESS,
    PLUS,
    aggregate,
    answer,
    call,
    col,
    number,
    overload,
    table,
)

Pairs: TypeAlias = list[tuple[int | None, int | None]]

INTS = (INT4, INT4)
small = st.one_of(st.none(), st.integers(0, 3))
pairs = st.lists(st.tuples(small, small), max_size=6)
quick = settings(max_examples=50, deadline=None)


def constant(rows: Pairs) -> Values:
    return Values(tuple(rows), tuple(ColumnType(type_) for type_ in INTS))


def multiset(relation: Relation) -> Counter[tuple[object, ...]]:
    return Counter(answer(relation))


def test_a_map_adds_columns_and_a_project_chooses_them() -> None:
    relation = Project(Map(constant([(1, 2)]), (call(PLUS, col(0), col(1)),)), (2, 0, 0))
    assert answer(relation) == [(3, 1, 1)]


def test_an_array_is_added_to_no_rows() -> None:
    relation = Map(table("t", *INTS), (Constant((1, 2), array_of(INT4)),))
    assert answer(relation, t=(INTS, [])) == []


def test_a_filter_keeps_rows_for_which_all_predicates_are_true_and_not_null() -> None:
    rows: Pairs = [(1, 1), (2, 1), (None, 1)]
    assert answer(Filter(constant(rows), (call(LESS, col(0), number(2)), TRUE))) == [(1, 1)]


def test_a_filter_over_a_collection_is_that_over_its_rows() -> None:
    rows: Pairs = [(1, 1), (2, 5), (None, 1)]
    for predicate in (
        call(GREATER, col(1), number(2)),
        call(EQUAL, call(PLUS, col(0), col(1)), number(2)),
        Or((call(EQUAL, col(0), number(1)), call(EQUAL, col(1), number(5)))),
        null(BOOL),
        FALSE,
    ):
        over_rows = answer(Filter(constant(rows), (predicate,)))
        assert answer(Filter(table("t", *INTS), (predicate,)), t=(INTS, list(rows))) == over_rows


def test_an_input_that_is_not_given_is_a_bug() -> None:
    with pytest.raises(UsageError, match="no input"):
        answer(table("t", INT4))


@quick
@given(pairs, pairs)
def test_a_join_is_the_product_filtered(left: Pairs, right: Pairs) -> None:
    predicates = (call(EQUAL, col(0), col(2)), call(LESS, col(1), col(3)))
    pairwise = product(left, right)
    assert multiset(Join((constant(left), constant(right)), predicates)) == Counter(
        (a, b, c, d)
        for (a, b), (c, d) in pairwise
        if None not in (a, c) and a == c and b is not None and d is not None and b < d
    )


@quick
@given(pairs, pairs, pairs)
def test_a_join_of_three_is_a_join_of_two(first: Pairs, second: Pairs, third: Pairs) -> None:
    ab, bc = call(EQUAL, col(1), col(2)), call(EQUAL, col(3), col(4))
    inputs = constant(first), constant(second), constant(third)
    nested = Join((Join(inputs[:2], (ab,)), inputs[2]), (bc,))
    assert multiset(Join(inputs, (bc, ab))) == multiset(nested)


def test_a_predicate_of_a_join_that_fails_is_not_run_for_rows_without_partner() -> None:
    fails = call(LESS, call(DIVIDE, number(1), col(0)), col(2))
    assert answer(Join((constant([(0, 0)]), constant([])), (fails,))) == []
    with pytest.raises(DivisionByZero):
        answer(Join((constant([(0, 0)]), constant([(1, 1)])), (fails,)))


@quick
@given(pairs, pairs)
def test_an_outer_join_adds_what_the_inner_join_lacks(left: Pairs, right: Pairs) -> None:
    sides, predicates = (constant(left), constant(right)), (call(EQUAL, col(0), col(2)), call(LESS, col(1), col(3)))
    inner = multiset(Join(sides, predicates))
    lacking_left = Counter((*row, None, None) for row in left if not any(found[:2] == row for found in inner))
    lacking_right = Counter((None, None, *row) for row in right if not any(found[2:] == row for found in inner))
    assert multiset(OuterJoin(*sides, predicates)) == inner + lacking_left
    assert multiset(OuterJoin(*sides, predicates, full=True)) == inner + lacking_left + lacking_right


@quick
@given(pairs, pairs)
def test_a_semi_join_and_its_anti_join_are_the_left_side(left: Pairs, right: Pairs) -> None:
    sides, predicates = (constant(left), constant(right)), (call(EQUAL, col(0), col(2)),)
    semi = multiset(SemiJoin(*sides, predicates))
    assert semi == Counter(row for row in left if row[0] in {a for a, _ in right if a is not None})
    assert semi + multiset(SemiJoin(*sides, predicates, anti=True)) == Counter(left)


@quick
@given(pairs)
def test_a_distinct_is_a_reduce_by_all_columns(rows: Pairs) -> None:
    relation = constant(rows)
    assert answer(Distinct(relation)) == answer(Reduce(relation, (col(0), col(1)))) == sorted(set(rows), key=repr)


def test_floats_that_are_equal_are_one_group() -> None:
    nan = float("nan")
    relation = Values(((nan,), (-0.0,), (nan,), (0.0,)), (ColumnType(FLOAT8),))
    counted = answer(Reduce(relation, (col(0, FLOAT8),), (aggregate(overload("count")),)))
    assert [(str(value), count) for value, count in counted] == [("0.0", 2), ("nan", 2)]


def test_a_reduce_without_keys_has_a_row_for_no_rows_and_with_keys_none() -> None:
    calls = (aggregate(overload("count")), aggregate(overload("sum", "int4"), col(0)))
    assert answer(Reduce(constant([]), (), calls)) == [(0, None)]
    assert answer(Reduce(constant([]), (col(0),), calls)) == []


@quick
@given(pairs, st.integers(0, 3), st.integers(0, 3))
def test_a_top_k_takes_a_slice_of_each_group(rows: Pairs, limit: int, offset: int) -> None:
    relation = TopK(constant(rows), (0,), (OrderKey(col(1), descending=True),), number(limit), number(offset))
    expected: list[tuple[int | None, int | None]] = []
    for key in {a for a, _ in rows}:
        group = [row for row in rows if row[0] == key]
        group.sort(key=lambda row: (row[1] is None, -(row[1] or 0)))
        expected += group[offset : offset + limit]
    assert multiset(relation) == Counter(expected)


@quick
@given(pairs, st.integers(0, 7), st.booleans(), st.booleans())
def test_a_top_k_of_a_collection_is_that_of_its_rows(
    rows: Pairs, limit: int, descending: bool, nulls_first: bool
) -> None:
    def top(relation: Relation) -> TopK:
        return TopK(relation, (), (OrderKey(col(1), descending, nulls_first),), number(limit), number(1))

    assert answer(top(table("t", *INTS)), t=(INTS, list(rows))) == answer(top(constant(rows)))


def test_a_limit_that_is_null_is_none_and_a_negative_one_fails() -> None:
    rows = constant([(1, 1), (2, 2)])
    assert answer(TopK(rows, (), (), number(None), number(None))) == [(1, 1), (2, 2)]
    with pytest.raises(InvalidRowCountInLimit, match="LIMIT must not be negative"):
        answer(TopK(rows, (), (), number(-1)))
    with pytest.raises(InvalidRowCountInOffset, match="OFFSET must not be negative"):
        answer(TopK(constant([]), (), (), None, number(-1)))


def _times(value: int) -> list[tuple[object]]:
    return [(index,) for index in range(value)]


RETURNS: Columns = (ColumnType(INT4, False),)
TIMES = TableFunction("times", (INT4,), ResultColumns(("n",), (INT4,), (False,)), _times)


def test_a_flat_map_numbers_what_a_function_returns() -> None:
    rows = constant([(2, 7), (0, 8), (None, 9)])
    assert answer(FlatMap(rows, TIMES, (col(0),), RETURNS)) == [(2, 7, 0), (2, 7, 1)]
    assert answer(FlatMap(rows, TIMES, (col(0),), RETURNS, ordinality=True, outer=True)) == [
        (0, 8, None, None),
        (2, 7, 0, 1),
        (2, 7, 1, 2),
        (None, 9, None, None),
    ]


@quick
@given(pairs, pairs)
def test_threshold_of_a_union_with_the_negated_is_except_all(left: Pairs, right: Pairs) -> None:
    relation = Threshold(Union((constant(left), Negate(constant(right)))))
    assert multiset(relation) == Counter(left) - Counter(right)


@quick
@given(pairs, pairs)
def test_what_was_added_can_be_negated_through_linear_operators_and_joins(rows: Pairs, others: Pairs) -> None:
    both = Union((constant(rows), constant(others), Negate(constant(others))))
    shifted = Filter(Map(both, (call(PLUS, col(0), number(1)),)), (call(LESS, col(1), number(3)),))
    joined = Join((both, constant(rows)), (call(EQUAL, col(0), col(2)),))
    plain = Filter(Map(constant(rows), (call(PLUS, col(0), number(1)),)), (call(LESS, col(1), number(3)),))
    assert multiset(shifted) == multiset(plain)
    assert multiset(joined) == multiset(Join((constant(rows), constant(rows)), (call(EQUAL, col(0), col(2)),)))


def test_rows_that_are_there_less_than_zero_times_are_a_bug() -> None:
    with pytest.raises(UsageError, match="less than zero times"):
        answer(Negate(constant([(1, 1)])))


def test_a_let_names_a_relation() -> None:
    local = Local("x", constant([]).columns)
    assert answer(Let("x", constant([(1, 2)]), Union((local, local)))) == [(1, 2), (1, 2)]


def reachable(edges: Values, limit: int | None = None, *, error_at_limit: bool = False) -> LetRec:
    paths = Local("paths", edges.columns)
    longer = Project(Join((paths, edges), (call(EQUAL, col(1), col(2)),)), (0, 3))
    binding = Recursive("paths", Distinct(Union((edges, longer))), edges.columns)
    return LetRec((binding,), paths, limit, error_at_limit)


CIRCLE = constant([(1, 2), (2, 3), (3, 1)])


def test_a_recursion_goes_on_until_nothing_changes() -> None:
    assert answer(reachable(CIRCLE)) == sorted(product((1, 2, 3), repeat=2))


def test_a_recursion_stops_at_its_limit() -> None:
    assert answer(reachable(CIRCLE, 1)) == [(1, 2), (2, 3), (3, 1)]
    assert len(answer(reachable(CIRCLE, 2))) == 6
    assert len(answer(reachable(CIRCLE, 4, error_at_limit=True))) == 9
    with pytest.raises(ProgramLimitExceeded, match=r"exceeded the recursion limit 2\. \(Use RETURN AT"):
        answer(reachable(CIRCLE, 2, error_at_limit=True))


def test_bindings_of_a_recursion_see_those_before_them_of_the_same_round() -> None:
    columns = (ColumnType(INT4),)
    first, second = Local("first", columns), Local("second", columns)
    one = Values(((1,),), columns)
    relation = LetRec((Recursive("first", one, columns), Recursive("second", first, columns)), second, limit=1)
    assert answer(relation) == [(1,)]
