from __future__ import annotations

import pytest

from holdfast.errors import QueryError
from holdfast.plan.check import check
from holdfast.plan.decorrelate import CorrelatedRecursion, decorrelate
from holdfast.plan.printer import show
from holdfast.plan.relation import (
    Apply,
    Filter,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    OuterJoin,
    Project,
    Recursive,
    Reduce,
    Relation,
    SemiJoin,
    TopK,
    Union,
)
from holdfast.plan.scalar import Scalar, Subquery
from holdfast.plan.types import BOOL, INT4, INT8, Type
from tests.plan.build import T, U, V, assert_shows, col, count, eq, lit, lt, maximum, negation, op, outer, plan


def decorrelated(relation: Relation) -> Relation:
    check(relation)
    return decorrelate(plan(relation)).relation


def value(relation: Relation, type_: Type = INT4) -> Subquery:
    return Subquery("scalar", relation, None, type_, True)


def exists(relation: Relation) -> Subquery:
    return Subquery("exists", relation, None, BOOL, False)


def any_of(relation: Relation, predicate: Scalar) -> Subquery:
    return Subquery("any", relation, predicate, BOOL, True)


TIED = Filter(U, (eq(col(0), outer(0)),))


def test_exists_is_a_semi_join_by_whatever_the_query_compares() -> None:
    query = Filter(U, (eq(col(0), outer(0)), lt(col(1), outer(1))))
    assert_shows(
        decorrelated(Filter(T, (exists(query),))),
        """
        SemiJoin on (#0 = #2) AND (#3 < #1)
          Get t
          Get u
        """,
    )


def test_not_exists_is_an_anti_join() -> None:
    assert_shows(
        decorrelated(Filter(T, (negation(exists(TIED)),))),
        """
        AntiJoin on (#0 = #2)
          Get t
          Get u
        """,
    )


IN_U = any_of(Project(U, (1,)), eq(col(0), col(2)))
IN_TIED = any_of(Project(TIED, (1,)), eq(col(0), col(2)))


def test_not_in_is_an_anti_join_and_two_facts_about_the_query() -> None:
    assert_shows(
        decorrelated(Filter(T, (negation(IN_U),))),
        """
        Project (#0, #1)
          AntiJoin on (#0 = #4)
            Filter (is_null(#2) OR (is_not_null(#0) AND not(#3)))
              CrossJoin
                Get t
                Reduce (bool_or(t), bool_or(is_null(#0)))
                  Project (#1)
                    Get u
            Project (#1)
              Get u
        """,
    )


def test_not_in_a_query_that_is_tied_asks_for_nulls_by_what_ties_it() -> None:
    assert_shows(
        decorrelated(Filter(T, (negation(IN_TIED),))),
        """
        AntiJoin on (#0 = #3) AND (#0 = #2)
          AntiJoin on (#0 = #3) AND is_null(#0)
            AntiJoin on (#0 = #3)
              Get t
              Filter is_null(#0)
                Project (#1, #0, #1)
                  Get u
            Project (#1, #0, #1)
              Get u
          Project (#1, #0, #1)
            Get u
        """,
    )


def test_not_in_without_nulls_is_an_anti_join() -> None:
    left, right = (Map(Project(each, ()), (lit(place),)) for place, each in enumerate((T, U)))
    query = any_of(right, eq(col(0, nullable=False), col(1, nullable=False)))
    assert isinstance(decorrelated(Filter(left, (negation(query),))), SemiJoin)


def test_not_in_of_what_may_fail_matches_what_it_cannot_tell() -> None:
    query = any_of(Project(U, (1,)), eq(op("/", lit(6), col(0)), col(2)))
    assert_shows(
        decorrelated(Filter(T, (negation(query),))),
        """
        AntiJoin on coalesce(((6 / #0) = #2), t)
          Get t
          Project (#1)
            Get u
        """,
    )


def test_in_as_a_value_is_true_false_or_unknown() -> None:
    assert_shows(
        decorrelated(Map(T, (IN_U,))),
        """
        Project (#0, #1, #6)
          Map (CASE WHEN #3 THEN t WHEN (is_null(#0) AND #4) THEN null WHEN #5 THEN null ELSE f END)
            CrossJoin
              LeftJoin on (#0 = #2)
                Get t
                Map (t)
                  Distinct
                    Project (#1)
                      Get u
              Reduce (bool_or(t), bool_or(is_null(#0)))
                Project (#1)
                  Get u
        """,
    )


def test_in_a_query_that_is_tied_is_joined_by_what_ties_it() -> None:
    assert_shows(
        decorrelated(Map(T, (IN_TIED,))),
        """
        Project (#0, #1, #8)
          Map (CASE WHEN #4 THEN t WHEN (is_null(#0) AND #6) THEN null WHEN #7 THEN null ELSE f END)
            LeftJoin on (#0 = #5)
              LeftJoin on (#0 = #2) AND (#0 = #3)
                Get t
                Map (t)
                  Distinct
                    Project (#1, #0)
                      Project (#1, #0, #1)
                        Get u
              Reduce by (#1) (bool_or(t), bool_or(is_null(#0)))
                Project (#1, #0, #1)
                  Get u
        """,
    )


def test_more_than_all_is_more_than_the_greatest() -> None:
    query = any_of(Project(U, (1,)), negation(lt(col(2), col(0))))
    assert_shows(
        decorrelated(Filter(T, (negation(query),))),
        """
        Project (#0, #1)
          Filter not(CASE WHEN (#0 <= #4) THEN t WHEN (is_null(#0) AND #2) THEN null WHEN #3 THEN null ELSE f END)
            CrossJoin
              Get t
              Reduce (bool_or(t), bool_or(is_null(#0)), max(#0))
                Project (#1)
                  Get u
        """,
    )


def test_any_other_predicate_is_asked_of_each_different_pair() -> None:
    query = any_of(Project(U, (1,)), op("<>", col(0), col(2)))
    assert_shows(
        decorrelated(Map(T, (query,))),
        """
        Project (#0, #1, #5)
          Map (CASE WHEN #3 THEN t WHEN #4 THEN null ELSE f END)
            LeftJoin on is_not_distinct(#0, #2)
              Get t
              Reduce by (#0) (bool_or((#0 <> #1)), bool_or(is_null((#0 <> #1))))
                CrossJoin
                  Distinct
                    Project (#0)
                      Get t
                  Project (#1)
                    Get u
        """,
    )


def test_an_aggregate_is_grouped_by_what_ties_it() -> None:
    query = value(Reduce(TIED, (), (maximum(col(1)),)))
    assert_shows(
        decorrelated(Filter(T, (lt(col(1), query),))),
        """
        Project (#0, #1)
          Filter (#1 < #2)
            LeftJoin on (#0 = #3)
              Get t
              Project (#1, #0)
                Reduce by (#0) (max(#1))
                  Get u
        """,
    )


def test_a_count_of_no_rows_is_zero() -> None:
    query = value(Reduce(TIED, (), (count(),)), INT8)
    assert_shows(
        decorrelated(Map(T, (query,))),
        """
        Project (#0, #1, #5)
          Map (CASE WHEN is_null(#4) THEN 0 ELSE #2 END)
            LeftJoin on (#0 = #3)
              Get t
              Map (t)
                Project (#1, #0)
                  Reduce by (#0) (count(*))
                    Get u
        """,
    )


def test_a_query_for_a_value_has_at_most_one_row() -> None:
    assert_shows(
        decorrelated(Map(T, (value(Project(TIED, (1,))),))),
        """
        Project (#0, #1, #5)
          Map (single_value(#2, #3))
            LeftJoin on (#0 = #4)
              Get t
              Project (#1, #2, #0)
                Reduce by (#1) (some_value(#0), count(*))
                  Project (#1, #0, #1)
                    Get u
        """,
    )


def test_a_value_that_depends_on_nothing_is_computed_once() -> None:
    query = value(Reduce(U, (), (maximum(col(1)),)))
    assert_shows(
        decorrelated(Filter(T, (lt(col(1), query),))),
        """
        Project (#0, #1)
          Filter (#1 < #2)
            CrossJoin
              Get t
              Reduce (max(#1))
                Get u
        """,
    )


def test_a_query_of_any_shape_is_evaluated_for_the_different_outer_values() -> None:
    query = value(Reduce(Filter(U, (lt(col(0), outer(0)),)), (), (count(),)), INT8)
    assert_shows(
        decorrelated(Map(T, (query,))),
        """
        Project (#0, #1, #4)
          Map (#3)
            LeftJoin on is_not_distinct(#0, #2)
              Get t
              Project (#0, #4)
                Map (CASE WHEN is_null(#3) THEN 0 ELSE #2 END)
                  LeftJoin on is_not_distinct(#0, #1)
                    Distinct
                      Project (#0)
                        Get t
                    Map (t)
                      Reduce by (#0) (count(*))
                        Filter (#1 < #0)
                          CrossJoin
                            Distinct
                              Project (#0)
                                Get t
                            Get u
        """,
    )


@pytest.mark.parametrize(
    "right",
    [
        TIED,
        Filter(U, (lt(col(0), outer(0)),)),
        Map(U, (outer(1),)),
        TopK(TIED, (), (), lit(1, INT8)),
        TopK(Filter(U, (lt(col(0), outer(0)),)), (), (), lit(1, INT8)),
        Union((TIED, Filter(U, (eq(col(1), outer(1)),)))),
        Join((TIED, U), (eq(col(0), col(2)),)),
        OuterJoin(TIED, Filter(U, (eq(col(0), outer(1)),)), (eq(col(0), col(2)),)),
        OuterJoin(TIED, Filter(U, (eq(col(0), outer(1)),)), (eq(col(0), col(2)),), full=True),
        Let("x", TIED, Join((Local("x", U.columns), Local("x", U.columns)))),
        Filter(U, (exists(Filter(T, (eq(col(0), outer(0, 2)), eq(col(1), outer(1))))),)),
        Apply(TIED, Filter(T, (eq(col(0), outer(0)), lt(col(1), outer(1, 2))))),
    ],
)
@pytest.mark.parametrize("padded", [False, True])
def test_every_lateral_relation_is_a_join(right: Relation, padded: bool) -> None:
    applied = Apply(T, right, (), padded)
    check(applied)
    found = decorrelate(plan(applied))
    check(found, decorrelated=True)
    assert [column.type for column in found.relation.columns] == [column.type for column in applied.columns]


def test_a_query_about_one_side_of_an_outer_join_is_answered_there() -> None:
    query = any_of(Project(T, (1,)), eq(col(0), col(4)))
    assert_shows(
        decorrelated(OuterJoin(T, U, (query,))),
        """
        Project (#0, #1, #6, #7)
          LeftJoin on CASE WHEN #3 THEN t WHEN (is_null(#0) AND #4) THEN null WHEN #5 THEN null ELSE f END
            CrossJoin
              LeftJoin on (#0 = #2)
                Get t
                Map (t)
                  Distinct
                    Project (#1)
                      Get t
              Reduce (bool_or(t), bool_or(is_null(#0)))
                Project (#1)
                  Get t
            Get u
        """,
    )


BOTH = exists(Filter(V, (eq(col(0), outer(0)), eq(col(0), outer(3)))))


def test_a_query_about_both_sides_of_an_outer_join_is_asked_for_each_pair_that_the_rest_allows() -> None:
    assert_shows(
        decorrelated(OuterJoin(T, U, (eq(col(1), col(2)), BOTH))),
        """
        Project (#0, #1, #2, #3)
          LeftJoin on is_not_distinct(#0, #4) AND (#1 = #2) AND #6
            Get t
            Join on is_not_distinct(#1, #3)
              Get u
              Project (#0, #1, #5)
                Map (coalesce(#4, f))
                  LeftJoin on (#0 = #2) AND (#1 = #3)
                    Distinct
                      Project (#0, #3)
                        Join on (#1 = #2)
                          Get t
                          Get u
                    Map (t)
                      Distinct
                        Project (#0, #0)
                          Get v
        """,
    )


def test_a_full_join_on_such_a_query_is_the_left_join_and_the_rows_without_partner() -> None:
    found = decorrelated(OuterJoin(T, U, (BOTH,), full=True))
    assert isinstance(found, Union)
    lines = show(found).splitlines()
    assert "  Project (#2, #3, #0, #1)" in lines
    assert "      AntiJoin on is_not_distinct(#1, #4) AND #6" in lines


def test_a_condition_on_a_lateral_aggregate_pads_the_rows_that_it_drops() -> None:
    counted = Reduce(TIED, (), (count(),))
    assert_shows(
        decorrelated(Apply(T, counted, (lt(col(1), col(0)),), outer=True)),
        """
        Project (#0, #1, #3)
          LeftJoin on is_not_distinct(#0, #2) AND (#1 < #0)
            Get t
            Project (#0, #4)
              Map (CASE WHEN is_null(#3) THEN 0 ELSE #2 END)
                LeftJoin on is_not_distinct(#0, #1)
                  Distinct
                    Project (#0)
                      Get t
                  Map (t)
                    Reduce by (#0) (count(*))
                      Filter (#1 = #0)
                        CrossJoin
                          Distinct
                            Project (#0)
                              Get t
                          Get u
        """,
    )


def test_a_recursive_query_about_an_outer_row_carries_the_row_along() -> None:
    step = Filter(Local("r", U.columns), (lt(col(0), outer(1)),))
    body = LetRec((Recursive("r", Union((TIED, step)), U.columns),), Local("r", U.columns))
    assert_shows(
        decorrelated(Apply(T, body)),
        """
        Project (#0, #1, #4, #5)
          Join on is_not_distinct(#0, #2) AND is_not_distinct(#1, #3)
            Get t
            With recursive
              r =
                Union
                  Filter (#2 = #0)
                    CrossJoin
                      Distinct
                        Get t
                      Get u
                  Filter (#2 < #1)
                    Local r
            Return
              Local r
        """,
    )


def test_a_recursive_query_about_an_outer_row_cannot_be_asked_by_a_query_inside() -> None:
    asked = Filter(TIED, (exists(Filter(Local("r", U.columns), (eq(col(0), outer(0)),))),))
    body = LetRec((Recursive("r", asked, U.columns),), Local("r", U.columns))
    with pytest.raises(CorrelatedRecursion):
        decorrelated(Apply(T, body))
    assert issubclass(CorrelatedRecursion, QueryError)
