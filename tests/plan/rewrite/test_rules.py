"""Each rewrite, before and after."""

from __future__ import annotations

from decimal import Decimal

from holdfast.plan.functions.registry import CASTS, OPERATORS
from holdfast.plan.relation import (
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
    Values,
)
from holdfast.plan.rewrite.factor_conditions import factor_conditions
from holdfast.plan.rewrite.fold_constants import fold_constants, folded
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.rewrite.order_joins import order_joins
from holdfast.plan.rewrite.outer_to_inner import outer_to_inner
from holdfast.plan.rewrite.prune_columns import prune_columns
from holdfast.plan.rewrite.push_down_filters import push_down_filters
from holdfast.plan.rewrite.unwrap_casts import unwrap_casts
from holdfast.plan.scalar import FALSE, TRUE, And, Call, Case, Coalesce, Or, null
from holdfast.plan.types import BOOL, DATE, INT8, NUMERIC, TIMESTAMP, numeric
from tests.plan.build import T, U, V, assert_shows, col, count, eq, get, is_null, lit, lt, maximum, op

DIVISION = eq(op("/", lit(1), lit(0)), lit(1))


def test_projections_become_one() -> None:
    assert_shows(fuse_maps(Project(Project(T, (1, 0)), (1, 1))), "Project (#0, #0)\n  Get t")


def test_a_projection_of_all_columns_goes_away() -> None:
    assert fuse_maps(Project(Project(T, (1, 0)), (1, 0))) is T


def test_filters_and_maps_go_below_projections() -> None:
    plan = Filter(Map(Project(T, (1,)), (op("+", col(0), lit(1)),)), (lt(col(0), lit(5)),))
    assert_shows(
        fuse_maps(plan),
        """
        Project (#1, #2)
          Filter (#1 < 5)
            Map ((#1 + 1))
              Get t
        """,
    )


def test_a_filter_goes_to_the_side_it_is_about() -> None:
    plan = Filter(Join((T, U), (eq(col(0), col(2)),)), (lt(col(1), lit(1)), lt(col(3), lit(2)), lt(col(1), col(3))))
    assert_shows(
        push_down_filters(plan),
        """
        Join on (#0 = #2) AND (#1 < #3)
          Filter (#1 < 1)
            Get t
          Filter (#1 < 2)
            Get u
        """,
    )


def test_a_filter_on_the_padded_side_of_an_outer_join_stays() -> None:
    plan = Filter(OuterJoin(T, U, (eq(col(0), col(2)),)), (lt(col(0), lit(1)), is_null(col(3))))
    assert_shows(
        push_down_filters(plan),
        """
        Filter is_null(#3)
          LeftJoin on (#0 = #2)
            Filter (#0 < 1)
              Get t
            Get u
        """,
    )


def test_a_condition_about_the_right_side_of_a_semi_join_filters_it() -> None:
    assert_shows(
        push_down_filters(SemiJoin(T, U, (eq(col(0), col(2)), lt(col(3), lit(1))))),
        """
        SemiJoin on (#0 = #2)
          Get t
          Filter (#1 < 1)
            Get u
        """,
    )


def test_a_filter_on_keys_goes_below_a_reduce_and_others_stay() -> None:
    plan = Filter(
        Reduce(T, (op("+", col(0), lit(1)),), (count(),)), (lt(col(0), lit(3)), eq(col(1, INT8), lit(2, INT8)))
    )
    assert_shows(
        push_down_filters(plan),
        """
        Filter (#1 = 2)
          Reduce by ((#0 + 1)) (count(*))
            Filter ((#0 + 1) < 3)
              Get t
        """,
    )


def test_a_filter_goes_below_a_topk_only_for_whole_groups() -> None:
    plan = Filter(TopK(T, (0,), (), lit(1, INT8)), (lt(col(0), lit(3)), lt(col(1), lit(4))))
    assert_shows(
        push_down_filters(plan),
        """
        Filter (#1 < 4)
          TopK group (#0) limit 1
            Filter (#0 < 3)
              Get t
        """,
    )


def test_joins_are_ordered_so_that_each_is_tied_to_those_before() -> None:
    plan = Join((T, V, U), (eq(col(0), col(4)), eq(col(5), col(2))))
    assert_shows(
        order_joins(plan),
        """
        Project (#0, #1, #4, #5, #2, #3)
          Join on (#0 = #2) AND (#3 = #4)
            Get t
            Get u
            Get v
        """,
    )


def test_joins_of_joins_become_one() -> None:
    plan = Join((Join((T, U), (eq(col(0), col(2)),)), V), (eq(col(3), col(4)),))
    assert_shows(
        order_joins(plan),
        """
        Join on (#0 = #2) AND (#3 = #4)
          Get t
          Get u
          Get v
        """,
    )


def test_calls_of_constants_become_constants() -> None:
    assert folded(op("+", lit(1), op("*", lit(2), lit(3)))) is lit(7)


def test_a_call_that_fails_is_left_alone() -> None:
    assert folded(DIVISION) is DIVISION


def test_a_branch_that_is_never_taken_goes_away_with_its_errors() -> None:
    assert folded(Case(((FALSE, op("/", lit(1), lit(0))),), lit(2))) is lit(2)


def test_what_stands_after_false_is_not_run_and_what_stands_before_is() -> None:
    assert folded(And((FALSE, DIVISION))) is FALSE
    assert folded(And((DIVISION, FALSE))) is And((DIVISION, FALSE))
    assert folded(Or((is_null(col(0)), TRUE))) is TRUE


def test_a_coalesce_ends_at_the_first_value_that_is_there() -> None:
    assert folded(Coalesce((null(BOOL), col(0, BOOL), TRUE, col(1, BOOL)))) is Coalesce((col(0, BOOL), TRUE))


def test_a_filter_that_is_never_true_leaves_nothing() -> None:
    assert fold_constants(Filter(T, (lt(lit(2), lit(1)),))) is Values((), T.columns)
    assert fold_constants(Filter(T, (lt(lit(1), lit(2)),))) is T


def test_an_outer_join_whose_padding_is_dropped_is_an_inner_join() -> None:
    join = OuterJoin(T, U, (eq(col(0), col(2)),))
    assert_shows(
        outer_to_inner(Filter(join, (lt(col(3), lit(1)),))),
        """
        Filter (#3 < 1)
          Join on (#0 = #2)
            Get t
            Get u
        """,
    )
    kept = Filter(join, (is_null(col(3)),))
    assert outer_to_inner(kept) is kept


def test_a_full_join_keeps_the_padding_that_is_wanted() -> None:
    join = OuterJoin(T, U, (eq(col(0), col(2)),), full=True)
    assert_shows(
        outer_to_inner(Filter(join, (lt(col(3), lit(1)),))),
        """
        Filter (#3 < 1)
          Project (#2, #3, #0, #1)
            LeftJoin on (#2 = #0)
              Get u
              Get t
        """,
    )


def test_columns_that_nothing_needs_are_dropped_where_they_come_from() -> None:
    plan = Reduce(Join((T, U), (eq(col(0), col(2)),)), (col(1),), (maximum(col(1)), count()))
    assert_shows(
        prune_columns(Project(plan, (0, 2))),
        """
        Reduce by (#1) (count(*))
          Join on (#0 = #2)
            Get t
            Project (#0)
              Get u
        """,
    )


def test_every_column_tells_rows_apart() -> None:
    plan = Project(Distinct(T), (0,))
    assert prune_columns(plan) is plan


def test_a_union_is_pruned_on_all_sides() -> None:
    assert_shows(
        prune_columns(Project(Union((T, U)), (1,))),
        """
        Union
          Project (#1)
            Get t
          Project (#1)
            Get u
        """,
    )


def test_what_every_branch_asks_for_is_asked_once() -> None:
    tie, small, large = eq(col(0), col(2)), lt(col(1), lit(1)), lt(lit(9), col(1))
    assert_shows(
        factor_conditions(Join((T, U), (Or((And((tie, small)), And((large, tie)))),))),
        """
        Join on (#0 = #2) AND ((#1 < 1) OR (9 < #1))
          Get t
          Get u
        """,
    )


def test_a_branch_that_asks_for_nothing_more_makes_the_others_needless() -> None:
    tie, small = eq(col(0), col(2)), lt(col(1), lit(1))
    assert_shows(
        factor_conditions(Join((T, U), (Or((And((tie, small)), tie)),))),
        """
        Join on (#0 = #2)
          Get t
          Get u
        """,
    )


def test_a_cast_is_compared_before_it_where_the_constant_is_a_value_of_its_type() -> None:
    wide = Call(CASTS["int4", "numeric"].function, (col(0),), numeric(10, 0), True)  # type: ignore[arg-type]  # there is one
    less = next(f for f in OPERATORS["<"] if f.arguments == (NUMERIC, NUMERIC))
    whole = Call(less, (wide, lit(Decimal(5), numeric(1, 0))), BOOL, True)
    part = Call(less, (wide, lit(Decimal("5.5"), numeric(2, 1))), BOOL, True)
    assert unwrap_casts(Filter(T, (whole,))) is Filter(T, (lt(col(0), lit(5)),))
    assert unwrap_casts(Filter(T, (part,))) is Filter(T, (part,))


def test_a_date_is_compared_with_the_day_that_a_timestamp_begins() -> None:
    dates = get("d", DATE)
    less = next(f for f in OPERATORS["<"] if f.arguments == (DATE, TIMESTAMP))
    same = next(f for f in OPERATORS["<"] if f.arguments == (DATE, DATE))
    midnight, noon = 2 * 86_400_000_000, 5 * 43_200_000_000
    found = unwrap_casts(Filter(dates, (Call(less, (col(0, DATE), lit(midnight, TIMESTAMP)), BOOL, True),)))
    assert found is Filter(dates, (Call(same, (col(0, DATE), lit(2, DATE)), BOOL, True),))
    kept = Filter(dates, (Call(less, (col(0, DATE), lit(noon, TIMESTAMP)), BOOL, True),))
    assert unwrap_casts(kept) is kept
