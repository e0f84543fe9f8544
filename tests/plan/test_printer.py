from __future__ import annotations

from holdfast.plan.functions.registry import TABLES, WINDOWS
from holdfast.plan.printer import show
from holdfast.plan.relation import (
    AggregateCall,
    ColumnType,
    Distinct,
    Filter,
    FlatMap,
    Frame,
    FrameBound,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    Plan,
    Recursive,
    Reduce,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.scalar import And, Case, Coalesce, Or, Parameter, Subquery
from holdfast.plan.types import BOOL, INT4, INT8, TEXT
from tests.plan.build import T, U, assert_shows, col, count, eq, is_null, lit, lt, maximum, op, outer


def test_a_query_shows_its_names_its_order_and_its_bounds() -> None:
    keys = (OrderKey(col(0), descending=True, nulls_first=True), OrderKey(col(1)))
    assert show(Plan(T, ("a", "b"), keys, lit(3, INT8), lit(1, INT8))) == (
        "Result: a, b\nOrder: #0 desc nulls first, #1 nulls last\nLimit: 3\nOffset: 1\nGet t"
    )


def test_scalars_are_shown_as_they_are_written() -> None:
    both = And((lt(col(0), lit(1)), Or((is_null(col(1)), eq(col(1), Parameter(1, INT4))))))
    chosen = Case(((both, Coalesce((col(0), lit(2)))),), op("+", col(0), col(1)))
    assert_shows(
        Map(T, (chosen, lit("it's", TEXT), lit(None, TEXT))),
        """
        Map (CASE WHEN ((#0 < 1) AND (is_null(#1) OR (#1 = $1))) THEN coalesce(#0, 2) ELSE (#0 + #1) END, 'it''s', null)
          Get t
        """,
    )


def test_a_query_in_a_scalar_stands_below_its_operator() -> None:
    query = Subquery("exists", Filter(U, (eq(col(0), outer(0)),)), None, BOOL, False)
    assert show(Filter(T, (query,))) == (
        "Filter exists(...)\n  Get t\n  Query of exists =\n    Filter (#0 = #^0)\n      Get u"
    )


def test_groups_and_windows_show_all_that_decides_them() -> None:
    some = maximum(col(1))
    ordered = AggregateCall(some.function, (col(1),), INT4, True, True, lt(col(0), lit(9)), (OrderKey(col(0)),))
    frame = Frame("rows", FrameBound("preceding", lit(1)), FrameBound("current row"), "ties")
    number = WindowCall(WINDOWS["row_number"][0], (), INT8, False, (), (OrderKey(col(1)),), frame)
    assert_shows(
        Window(T, (number,)),
        """
        Window (row_number() over (order by #1 nulls last rows between 1 preceding and current row exclude ties))
          Get t
        """,
    )
    assert_shows(
        Reduce(T, (col(0),), (ordered, count())),
        """
        Reduce by (#0) (max(distinct #1 order by #0 nulls last) filter (#0 < 9), count(*))
          Get t
        """,
    )


def test_rows_are_shown_up_to_a_number() -> None:
    rows = tuple((i,) for i in range(25))
    text = show(Values(rows, (ColumnType(INT4),)))
    assert text.splitlines()[:2] == ["Values", "  (0)"]
    assert text.splitlines()[-1] == "  ... 5 more"
    assert show(Values((), (ColumnType(INT4),))) == "Empty"


def test_names_stand_before_what_uses_them() -> None:
    local = Local("x", T.columns)
    assert_shows(
        Let("x", Distinct(T), Threshold(Union((local, Negate(local))))),
        """
        With x =
          Distinct
            Get t
        Return
          Threshold
            Union
              Local x
              Negate
                Local x
        """,
    )
    loop = LetRec((Recursive("r", Union((T, Local("r", T.columns))), T.columns),), Local("r", T.columns), 5, True)
    assert_shows(
        loop,
        """
        With recursive (error at limit 5)
          r =
            Union
              Get t
              Local r
        Return
          Local r
        """,
    )


def test_table_functions_and_first_rows() -> None:
    series = next(f for f in TABLES["generate_series"] if f.arguments == (INT4, INT4))
    calls = FlatMap(T, series, (lit(1), col(0)), (ColumnType(INT4, False),), ordinality=True, outer=True)
    assert_shows(
        TopK(calls, (0,), (OrderKey(col(1)),), lit(1, INT8), lit(2, INT8)),
        """
        TopK group (#0) order (#1 nulls last) limit 1 offset 2
          FlatMap outer generate_series(1, #0) with ordinality
            Get t
        """,
    )
