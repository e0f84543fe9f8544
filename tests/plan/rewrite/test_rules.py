"""Each rewrite, before and after."""

from __future__ import annotations

from decimal import Decimal

from holdfast.plan.functions.registry import CASTS, FUNCTIONS, OPERATORS, WINDOWS
from holdfast.plan.relation import (
    Distinct,
    Filter,
    Join,
    Let,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Project,
    Reduce,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.rewrite.compute_equated import compute_equated
from holdfast.plan.rewrite.drop_distinct import drop_distinct
from holdfast.plan.rewrite.drop_empty import drop_empty
from holdfast.plan.rewrite.factor_conditions import factor_conditions
from holdfast.plan.rewrite.fold_constants import fold_constants, folded
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.rewrite.fuse_topk import fuse_topk
from holdfast.plan.rewrite.fuse_unions import fuse_unions
from holdfast.plan.rewrite.infer_predicates import infer_predicates
from holdfast.plan.rewrite.inline_lets import inline_lets
from holdfast.plan.rewrite.order_joins import order_joins
from holdfast.plan.rewrite.outer_to_inner import outer_to_inner
from holdfast.plan.rewrite.prune_columns import prune_columns
from holdfast.plan.rewrite.push_down_filters import push_down_filters
from holdfast.plan.rewrite.push_down_reduce import push_down_reduce
from holdfast.plan.rewrite.restrict_groups import restrict_groups
from holdfast.plan.rewrite.share_common import share_common
from holdfast.plan.rewrite.unwrap_casts import unwrap_casts
from holdfast.plan.scalar import FALSE, TRUE, And, Call, Case, Coalesce, Or, null
from holdfast.plan.types import BOOL, DATE, FLOAT8, INT4, INT8, NUMERIC, TIMESTAMP, numeric
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


def test_of_inputs_that_are_tied_the_one_that_is_filtered_most_comes_next() -> None:
    equal, less = Filter(U, (eq(col(1), lit(1)),)), Filter(V, (lt(col(0), lit(1)),))
    plan = Join((T, get("w", INT4), less, equal), (eq(col(0), col(2)), eq(col(0), col(3)), eq(col(0), col(5))))
    assert_shows(
        order_joins(plan),
        """
        Project (#0, #1, #6, #4, #5, #2, #3)
          Join on (#0 = #6) AND (#0 = #4) AND (#0 = #2)
            Get t
            Filter (#1 = 1)
              Get u
            Filter (#0 < 1)
              Get v
            Get w
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


def test_what_may_fail_is_computed_before_inputs_are_joined_by_it() -> None:
    plan = Join((T, U), (eq(op("+", col(0), lit(1)), col(2)), lt(col(1), col(3))))
    assert_shows(
        compute_equated(plan),
        """
        Project (#0, #1, #3, #4)
          Join on (#2 = #3) AND (#1 < #4)
            Map ((#0 + 1))
              Get t
            Get u
        """,
    )
    semi = SemiJoin(T, U, (eq(op("*", col(0), lit(2)), op("+", col(2), lit(1))),), anti=True)
    assert_shows(
        compute_equated(semi),
        """
        Project (#0, #1)
          AntiJoin on (#2 = #5)
            Map ((#0 * 2))
              Get t
            Map ((#0 + 1))
              Get u
        """,
    )


def test_what_may_fail_is_left_to_rows_that_find_each_other_by_what_cannot() -> None:
    by_sum = eq(op("+", col(1), lit(1)), col(3))
    plan = Join((T, U), (eq(col(0), col(2)), by_sum))
    assert compute_equated(plan) is plan
    chain = Join((T, U, V), (eq(col(0), col(2)), eq(col(2), col(4)), eq(col(0), op("+", col(4), lit(1)))))
    assert compute_equated(chain) is chain


def test_what_may_fail_is_not_computed_for_rows_that_another_condition_keeps_from_it() -> None:
    by_sum = eq(op("+", col(1), lit(1)), col(3))
    guarded = OuterJoin(T, U, (lt(col(0), lit(5)), by_sum))
    assert compute_equated(guarded) is guarded
    compared = Join((T, U), (lt(op("+", col(1), lit(1)), col(3)),))
    assert compute_equated(compared) is compared


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


def test_padding_is_dropped_also_where_another_part_of_the_filter_may_fail() -> None:
    join = OuterJoin(T, U, (eq(col(0), col(2)),))
    fails = lt(op("/", lit(1), col(1)), col(3))
    assert outer_to_inner(Filter(join, (fails,))) is Filter(Join((T, U), join.predicates), (fails,))


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


KEYED = get("k", INT4, INT4, keys=((0,),))


def test_rows_with_a_key_are_different_already() -> None:
    assert drop_distinct(Distinct(KEYED)) is KEYED
    assert drop_distinct(Distinct(T)) is Distinct(T)
    assert drop_distinct(Reduce(KEYED, (col(1), col(0)))) is Project(KEYED, (1, 0))


def test_unions_of_unions_are_one_without_what_is_empty() -> None:
    nothing = Values((), T.columns)
    assert fuse_unions(Union((Union((T, nothing)), U))) is Union((T, U))
    assert fuse_unions(Union((nothing, T))) is T


def test_what_is_taken_away_twice_is_there() -> None:
    assert fuse_unions(Negate(Negate(T))) is T
    assert fuse_unions(Negate(Union((T, Negate(U))))) is Union((Negate(T), U))


def test_a_threshold_is_needed_only_where_rows_are_taken_away() -> None:
    assert fuse_unions(Threshold(Union((T, U)))) is Union((T, U))
    kept = Threshold(Union((T, Negate(U))))
    assert fuse_unions(kept) is kept


def test_nothing_comes_of_nothing() -> None:
    nothing = Values((), T.columns)
    assert drop_empty(Join((T, Map(nothing, (lit(1),))))) is Values((), (*T.columns, *Map(T, (lit(1),)).columns))
    assert drop_empty(SemiJoin(T, nothing, (), anti=True)) is T
    assert drop_empty(SemiJoin(T, nothing, ())) is nothing
    assert drop_empty(OuterJoin(T, nothing, ())) is Map(T, (null(INT4), null(INT4)))
    one_row = Reduce(nothing, (), (count(),))
    assert drop_empty(one_row) is one_row


def test_what_is_said_of_a_column_is_said_of_its_equals() -> None:
    join = Join((T, U), (eq(col(0), col(2)),))
    assert_shows(
        push_down_filters(infer_predicates(Filter(join, (eq(col(2), lit(7)),)))),
        """
        Join on (#0 = #2)
          Filter (#0 = 7)
            Get t
          Filter (#0 = 7)
            Get u
        """,
    )


def test_the_first_rows_of_the_first_rows_are_fewer_first_rows() -> None:
    order = (OrderKey(col(1)),)
    inner = TopK(T, (0,), order, lit(5, INT8))
    assert fuse_topk(TopK(inner, (0,), order, lit(3, INT8))) is TopK(T, (0,), order, lit(3, INT8))
    other = TopK(inner, (1,), order, lit(3, INT8))
    assert fuse_topk(other) is other


def test_only_rows_that_may_be_kept_are_numbered() -> None:
    number = WindowCall(WINDOWS["row_number"][0], (), INT8, False, (col(0),), (OrderKey(col(1)),))
    at_most = Call(
        next(f for f in OPERATORS["<="] if f.arguments == (INT8, INT8)), (col(2, INT8), lit(3, INT8)), BOOL, True
    )
    found = fuse_topk(Filter(Window(T, (number,)), (at_most,)))
    first = TopK(T, (0,), (OrderKey(col(1)),), lit(3, INT8))
    assert found is Filter(Window(first, (number,)), (at_most,))
    assert fuse_topk(found) is found


def test_what_occurs_twice_is_named_once() -> None:
    common = Reduce(T, (col(0),), (count(),))
    plan = Join((Filter(common, (lt(col(0), lit(1)),)), common))
    assert_shows(
        share_common(plan),
        """
        With shared0 =
          Reduce by (#0) (count(*))
            Get t
        Return
          CrossJoin
            Filter (#0 < 1)
              Local shared0
            Local shared0
        """,
    )


def test_a_name_that_is_used_once_is_not_needed() -> None:
    value = Reduce(T, (col(0),), (count(),))
    local = Local("x", value.columns)
    assert inline_lets(Let("x", value, Distinct(local))) is Distinct(value)
    twice = Let("x", value, Join((local, local)))
    assert inline_lets(twice) is twice
    assert inline_lets(Let("x", T, Join((Local("x", T.columns), Local("x", T.columns))))) is Join((T, T))


def test_an_outer_join_that_looks_up_what_nobody_needs_goes_away() -> None:
    assert prune_columns(Project(OuterJoin(T, KEYED, (eq(col(1), col(2)),)), (0, 1))) is T
    kept = prune_columns(Project(OuterJoin(T, U, (eq(col(1), col(2)),)), (0, 1)))
    assert isinstance(kept, Project)


def test_groups_are_made_before_they_are_looked_up() -> None:
    join = Join((T, KEYED), (eq(col(0), col(2)),))
    assert_shows(
        push_down_reduce(Reduce(join, (col(0), col(3)), (count(), maximum(col(1))))),
        """
        Project (#0, #4, #1, #2)
          Join on (#0 = #3)
            Reduce by (#0) (count(*), max(#1))
              Get t
            Get k
        """,
    )


def test_groups_of_rows_that_look_up_several_things_are_made_after() -> None:
    by_other = Reduce(Join((T, KEYED), (eq(col(0), col(2)),)), (col(3),), (count(),))
    assert push_down_reduce(by_other) is by_other
    no_key = Reduce(Join((T, U), (eq(col(0), col(2)),)), (col(0), col(3)), (count(),))
    assert push_down_reduce(no_key) is no_key
    of_both = Reduce(Join((T, KEYED), (eq(col(0), col(2)),)), (col(0),), (maximum(col(3)),))
    assert push_down_reduce(of_both) is of_both


FEW = Filter(U, (eq(col(1), lit(7)),))
GROUPS = Reduce(T, (col(0),), (maximum(col(1)),))


def test_rows_are_grouped_only_where_their_key_can_be_joined() -> None:
    assert_shows(
        restrict_groups(Join((FEW, GROUPS), (eq(col(0), col(2)),))),
        """
        Join on (#0 = #2)
          Filter (#1 = 7)
            Get u
          Reduce by (#0) (max(#1))
            SemiJoin on (#0 = #2)
              Get t
              Project (#0)
                Filter (#1 = 7)
                  Get u
        """,
    )


def test_what_restricts_groups_may_stand_behind_an_equality_or_a_semi_join() -> None:
    looked_up = SemiJoin(V, FEW, (eq(col(0), col(2)),))
    assert_shows(
        restrict_groups(OuterJoin(looked_up, Project(GROUPS, (1, 0)), (eq(col(0), col(3)),))),
        """
        LeftJoin on (#0 = #3)
          SemiJoin on (#0 = #2)
            Get v
            Filter (#1 = 7)
              Get u
          Project (#1, #0)
            Reduce by (#0) (max(#1))
              SemiJoin on (#0 = #2)
                Get t
                Project (#0)
                  Filter (#1 = 7)
                    Get u
        """,
    )


def test_groups_are_restricted_where_the_key_comes_from() -> None:
    joined = Reduce(Join((V, T), (eq(col(0), col(2)),)), (col(3),), (count(),))
    assert_shows(
        restrict_groups(Join((FEW, joined), (eq(col(0), col(2)),))),
        """
        Join on (#0 = #2)
          Filter (#1 = 7)
            Get u
          Reduce by (#3) (count(*))
            Join on (#0 = #2)
              Get v
              SemiJoin on (#1 = #2)
                Get t
                Project (#0)
                  Filter (#1 = 7)
                    Get u
        """,
    )


def test_groups_are_restricted_once() -> None:
    once = restrict_groups(Join((FEW, GROUPS), (eq(col(0), col(2)),)))
    assert restrict_groups(once) is once


def test_groups_stay_as_they_are_where_nothing_is_filtered_or_they_are_used_twice() -> None:
    unfiltered = Join((U, GROUPS), (eq(col(0), col(2)),))
    assert restrict_groups(unfiltered) is unfiltered
    twice = Union((Project(Join((FEW, GROUPS), (eq(col(0), col(2)),)), (2, 3)), GROUPS))
    assert restrict_groups(twice) is twice
    not_a_key = Join((FEW, GROUPS), (eq(col(0), col(3)),))
    assert restrict_groups(not_a_key) is not_a_key


def test_what_is_filtered_by_chance_restricts_no_groups() -> None:
    random = Call(next(f for f in FUNCTIONS["random"] if not f.arguments), (), FLOAT8, False)
    by_chance = Filter(U, (op("=", random, lit(0.5, FLOAT8)),))
    join = Join((by_chance, GROUPS), (eq(col(0), col(2)),))
    assert restrict_groups(join) is join
