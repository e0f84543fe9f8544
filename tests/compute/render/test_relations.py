"""Every operator, run on Spark, finds what the evaluator finds."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from holdfast.plan.functions.registry import WINDOWS
from holdfast.plan.relation import (
    UNIT,
    ColumnType,
    Distinct,
    Filter,
    FlatMap,
    Frame,
    FrameBound,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Plan,
    Project,
    Recursive,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.scalar import Case, Parameter
from holdfast.plan.types import INT4, INT4RANGE, INT8, TEXT, RangeValue, Type, array_of, map_of, record_of
from tests.compute.render.build import (
    COLLECT,
    COUNT,
    COUNT_ROWS,
    DIVIDE,
    EQUAL,
    GREATER,
    LESS,
    NUMBERS,
    PLUS,
    PYTHON_DIVIDE,
    PYTHON_EQUAL,
    PYTHON_PLUS,
    PYTHON_SUM,
    SUM,
    UPTO,
    Given,
    aggregate,
    assert_same,
    call,
    col,
    long,
    number,
    plan_of,
    table,
)

PAIRS: list[tuple[object, ...]] = [(1, 2), (1, 2), (1, None), (2, 0), (2, 5), (3, 1), (None, 4), (None, None)]
WORDS: list[tuple[object, ...]] = [(1, "a"), (1, "b"), (2, "c"), (4, "d"), (None, "e")]
GIVEN: Given = {"pairs": ((INT4, INT4), PAIRS), "words": ((INT4, TEXT), WORDS)}

pairs = table("pairs", INT4, INT4)
words = table("words", INT4, TEXT)
some = Filter(pairs, (call(GREATER, col(1), number(0)),))
sums = Map(pairs, (call(PLUS, col(0), col(1)),))
python_sums = Map(pairs, (call(PYTHON_PLUS, col(0), col(1)),))


def values(*rows: tuple[object, ...], types: tuple[Type, ...] = (INT4, INT4)) -> Values:
    return Values(rows, tuple(ColumnType(type_) for type_ in types))


def columns(*types: Type) -> tuple[ColumnType, ...]:
    return tuple(ColumnType(type_) for type_ in types)


RELATIONS: dict[str, Relation] = {
    "no columns": UNIT,
    "one row": values((1, None)),
    "some rows": values((1, None), (2, 3), (2, 3)),
    "no rows": values(),
    "rows without columns": values((), (), types=()),
    "collection": pairs,
    "map, filter, project": Project(Filter(sums, (call(GREATER, col(2), number(2)),)), (2, 0, 0)),
    "no columns of a collection": Project(pairs, ()),
    "python in map": Filter(python_sums, (call(LESS, col(2), number(4)),)),
    "python of python": Map(python_sums, (call(PYTHON_PLUS, col(2), col(2)),)),
    "join": Join((pairs, words), (call(EQUAL, col(0), col(2)),)),
    "join of some": Join((some, words, pairs), (call(EQUAL, col(0), col(2)), call(EQUAL, col(2), col(4)))),
    "cross join": Join((pairs, words)),
    "join with constants": Join((values((1, 2)), pairs), (call(EQUAL, col(0), col(2)),)),
    "join of constants": Join((values((1, 2)), values((3, 4)))),
    "join on python": Join((pairs, words), (call(PYTHON_EQUAL, col(0), col(2)),)),
    "left join": OuterJoin(some, words, (call(EQUAL, col(0), col(2)),)),
    "left join of computed": OuterJoin(
        words, Map(pairs, (number(7),)), (call(EQUAL, col(0), col(2)), call(GREATER, col(3), number(1)))
    ),
    "left join of some": OuterJoin(words, some, (call(EQUAL, col(0), col(2)),)),
    "full join": OuterJoin(
        some, Filter(words, (call(GREATER, col(0), number(1)),)), (call(EQUAL, col(0), col(2)),), True
    ),
    "join of outer joins": Join(
        (words, OuterJoin(pairs, words, (call(EQUAL, col(0), col(2)),))), (call(EQUAL, col(0), col(2)),)
    ),
    "left join on nothing": OuterJoin(words, pairs, ()),
    "left join on python": OuterJoin(pairs, words, (call(PYTHON_EQUAL, col(0), col(2)),)),
    "full join on python": OuterJoin(pairs, words, (call(PYTHON_EQUAL, col(0), col(2)),), True),
    "semi-join": SemiJoin(some, words, (call(EQUAL, col(0), col(2)),)),
    "anti-join": SemiJoin(some, Filter(words, (call(LESS, col(0), number(3)),)), (call(EQUAL, col(0), col(2)),), True),
    "anti-join on nothing": SemiJoin(pairs, Filter(words, (call(LESS, col(0), number(0)),)), (), True),
    "anti-join of computed": SemiJoin(pairs, sums, (call(EQUAL, col(0), col(4)),), True),
    "semi-join on python": SemiJoin(pairs, words, (call(PYTHON_EQUAL, col(0), col(2)),)),
    "anti-join on python": SemiJoin(pairs, words, (call(PYTHON_EQUAL, col(0), col(2)),), True),
    "reduce": Reduce(
        some,
        (col(0),),
        (
            aggregate(COUNT_ROWS),
            aggregate(SUM, col(1)),
            aggregate(SUM, col(1), distinct=True),
            aggregate(COUNT, col(1), filter_=call(GREATER, col(1), number(1))),
        ),
    ),
    "reduce without keys": Reduce(pairs, (), (aggregate(COUNT_ROWS), aggregate(SUM, col(1)))),
    "reduce of nothing": Reduce(
        values(), (), (aggregate(COUNT_ROWS), aggregate(SUM, col(1)), aggregate(COLLECT, col(0)))
    ),
    "reduce nobody looks at": Project(Reduce(pairs, (), (aggregate(COUNT_ROWS),)), ()),
    "reduce without anything": Reduce(pairs, ()),
    "having": Filter(
        Map(Reduce(pairs, (col(0),), (aggregate(SUM, col(1)),)), (call(PLUS, col(0), col(0)),)),
        (call(GREATER, col(1, INT8), number(1)),),
    ),
    "reduce by expressions": Filter(
        Reduce(pairs, (call(PLUS, col(0), number(1)), number(5)), (aggregate(COUNT_ROWS),)),
        (call(GREATER, col(0), number(2)),),
    ),
    "reduce by python": Reduce(
        pairs, (call(PYTHON_PLUS, col(0), col(0)),), (aggregate(SUM, call(PYTHON_PLUS, col(1), col(1))),)
    ),
    "python aggregates": Reduce(
        pairs,
        (col(0),),
        (
            aggregate(PYTHON_SUM, col(1)),
            aggregate(PYTHON_SUM, col(1), distinct=True),
            aggregate(COLLECT, col(1), order=(OrderKey(col(1), descending=True, nulls_first=True),)),
            aggregate(COLLECT, col(1), order=(OrderKey(col(1)),), filter_=call(GREATER, col(1), number(1))),
        ),
    ),
    "filtered count": Reduce(pairs, (), (aggregate(COUNT_ROWS, filter_=call(GREATER, col(1), number(1))),)),
    "distinct": Distinct(pairs),
    "distinct of computed": Distinct(Project(sums, (2,))),
    "distinct without columns": Distinct(Project(pairs, ())),
    "distinct maps": Distinct(values(((("a", 1),),), ((("a", 1),),), ((("b", 1),),), types=(map_of(INT4),))),
    "limit": TopK(pairs, (), (OrderKey(col(1), descending=True),), long(3), long(1)),
    "limit of computed": TopK(sums, (), (OrderKey(call(PLUS, col(2), number(1))),), long(3)),
    "limit by python": TopK(pairs, (), (OrderKey(call(PYTHON_PLUS, col(1), col(1))),), long(3)),
    "no limit": TopK(pairs, (), (), None),
    "offset alone": TopK(pairs, (), (OrderKey(col(0)),), None, long(5)),
    "limit of groups": TopK(pairs, (0,), (OrderKey(col(1), nulls_first=True),), long(1), long(1)),
    "limit from a column": TopK(pairs, (0,), (OrderKey(col(1)),), col(0)),
    "limit of aggregates": TopK(
        Reduce(pairs, (col(0),), (aggregate(SUM, col(1)),)), (), (OrderKey(col(1, INT8)),), long(2)
    ),
    "filter over a limit": Filter(TopK(pairs, (), (OrderKey(col(0)),), long(4)), (call(LESS, col(1), number(3)),)),
    "union": Union((pairs, Project(sums, (2, 0)), values((1, 2), (3, 4)))),
    "union of limits": Union(
        (TopK(pairs, (), (OrderKey(col(1)),), long(1)), TopK(pairs, (), (OrderKey(col(0)),), long(1)))
    ),
    "filter over a union": Filter(Union((pairs, pairs)), (call(GREATER, col(0), number(1)),)),
    "except all": Threshold(Union((pairs, Negate(values((1, 2), (2, 0), (9, 9), (None, None)))))),
    "except of joins": Threshold(
        Union(
            (
                Join((pairs, pairs), (call(EQUAL, col(0), col(2)),)),
                Negate(Join((some, pairs), (call(EQUAL, col(0), col(2)),))),
            )
        )
    ),
    "negated twice": Threshold(Negate(Union((Negate(sums), Filter(sums, (call(GREATER, col(2), number(3)),)))))),
    "negated below a semi-join": Threshold(
        SemiJoin(Union((pairs, pairs, Negate(some))), words, (call(EQUAL, col(0), col(2)),))
    ),
    "negated below an anti-join": Threshold(
        SemiJoin(Union((pairs, Negate(some))), words, (call(EQUAL, col(0), col(2)),), True)
    ),
    "negated below a join": Threshold(
        Project(Join((Map(Union((pairs, Negate(some))), (number(1),)), words), (call(EQUAL, col(0), col(3)),)), (0, 4))
    ),
    "let": Let("x", Reduce(pairs, (col(0),), (aggregate(SUM, col(1)),)), Union((Local("x", columns(INT4, INT8)),) * 2)),
    "let twice of one name": Union(
        (
            Let("x", pairs, Join((Local("x", columns(INT4, INT4)), words), (call(EQUAL, col(0), col(2)),))),
            Let("x", some, Join((Local("x", columns(INT4, INT4)), words), (call(EQUAL, col(0), col(2)),))),
        )
    ),
    "shared": Join((Distinct(pairs), Distinct(pairs)), (call(EQUAL, col(0), col(2)),)),
    "flat map": FlatMap(some, NUMBERS, (col(1),), columns(INT4)),
    "flat map in python": FlatMap(pairs, UPTO, (col(1),), columns(INT4, TEXT)),
    "outer flat map with places": FlatMap(pairs, UPTO, (col(1),), columns(INT4, TEXT), True, True),
    "flat map with places": FlatMap(pairs, NUMBERS, (col(1),), columns(INT4), True),
    "flat map of constants": FlatMap(UNIT, NUMBERS, (number(3),), columns(INT4)),
    "flat map of flat map": FlatMap(
        FlatMap(pairs, NUMBERS, (col(1),), columns(INT4)), NUMBERS, (col(2),), columns(INT4)
    ),
    "join of flat maps": Join(
        (FlatMap(pairs, NUMBERS, (col(1),), columns(INT4)), words), (call(EQUAL, col(2), col(3)),)
    ),
    "recursion": LetRec(
        (
            Recursive(
                "r",
                Distinct(
                    Union(
                        (
                            values((1,), types=(INT4,)),
                            Filter(
                                Project(Map(Local("r", columns(INT4)), (call(PLUS, col(0), number(1)),)), (1,)),
                                (call(LESS, col(0), number(5)),),
                            ),
                        )
                    )
                ),
                columns(INT4),
            ),
        ),
        Join((Local("r", columns(INT4)), pairs), (call(EQUAL, col(0), col(1)),)),
    ),
    "recursion that stops": LetRec(
        (
            Recursive(
                "r",
                Union((values((1,), types=(INT4,)), Map(Project(Local("r", columns(INT4)), ()), (number(2),)))),
                columns(INT4),
            ),
        ),
        Local("r", columns(INT4)),
        limit=3,
    ),
    "recursion over a let": Let(
        "x",
        Distinct(pairs),
        LetRec(
            (Recursive("r", Union((Local("x", columns(INT4, INT4)),)), columns(INT4, INT4)),),
            Local("r", columns(INT4, INT4)),
        ),
    ),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_spark_finds_what_the_evaluator_finds(spark: SparkSession, name: str) -> None:
    assert_same(spark, plan_of(RELATIONS[name]), GIVEN)


def test_nothing_is_run_that_a_case_does_not_ask_for(spark: SparkSession) -> None:
    for divide in (DIVIDE, PYTHON_DIVIDE):
        safe = Case(((call(GREATER, col(1), number(0)), call(divide, number(10), col(1))),), number(0))
        assert_same(spark, plan_of(Map(pairs, (safe,))), GIVEN)
        nested = Case(
            ((call(GREATER, col(1), number(0)), call(PYTHON_PLUS, call(divide, number(10), col(1)), number(1))),),
            number(0),
        )
        assert_same(spark, plan_of(Map(pairs, (nested,))), GIVEN)


FRAMES = {
    "default": Frame(),
    "rows": Frame("rows", FrameBound("preceding", long(1)), FrameBound("following", long(1))),
    "rows before": Frame("rows", FrameBound("preceding", long(2)), FrameBound("preceding", long(1))),
    "empty rows": Frame("rows", FrameBound("preceding", long(1)), FrameBound("preceding", long(2))),
    "whole": Frame("range", FrameBound("unbounded preceding"), FrameBound("unbounded following")),
    "range": Frame("range", FrameBound("preceding", number(1)), FrameBound("following", number(2))),
    "groups": Frame("groups", FrameBound("preceding", long(1)), FrameBound("current row")),
    "exclude": Frame("range", FrameBound("unbounded preceding"), FrameBound("current row"), "ties"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_are_those_of_the_evaluator(spark: SparkSession, name: str) -> None:
    order, frame = (OrderKey(col(1), nulls_first=True),), FRAMES[name]
    (first,) = WINDOWS["first_value"]
    (last,) = WINDOWS["last_value"]
    calls = (
        WindowCall(SUM, (col(1),), INT8, True, (col(0),), order, frame),
        WindowCall(COUNT_ROWS, (), INT8, True, (), order, frame),
        WindowCall(first, (col(1),), INT4, True, (), order, frame),
        WindowCall(last, (col(0),), INT4, True, (), order, frame),
        WindowCall(SUM, (col(1),), INT8, True, (), order, frame, call(GREATER, col(1), number(1))),
    )
    assert_same(spark, plan_of(Window(pairs, calls)), GIVEN)


def test_functions_of_places_are_those_of_the_evaluator(spark: SparkSession) -> None:
    order = (OrderKey(col(1), descending=True),)
    names = ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")
    found = [WINDOWS[name][0] for name in names]
    calls = [
        WindowCall(function, (), result, False, partition, order)
        for function in found
        for partition in ((), (col(0),))
        if isinstance(result := function.result, Type)
    ]
    (lag,), (lead,) = WINDOWS["lag"], WINDOWS["lead"]
    arguments = (col(0), number(2), number(9))
    calls += [WindowCall(f, arguments[:n], INT4, True, (), order) for f in (lag, lead) for n in (1, 2, 3)]
    calls.append(WindowCall(WINDOWS["rank"][0], (), INT8, False))
    calls.append(WindowCall(lag, (col(0), col(0)), INT4, True, (), order))
    window = Window(pairs, tuple(calls))
    assert_same(spark, plan_of(Filter(window, (call(GREATER, col(2, INT8), number(1)),))), GIVEN)


def test_a_window_in_python_takes_parameters(spark: SparkSession) -> None:
    frame = Frame("groups", FrameBound("preceding", Parameter(2, INT8)), FrameBound("current row"))
    window = Window(sums, (WindowCall(SUM, (Parameter(1, INT4),), INT8, True, (), (OrderKey(col(0)),), frame),))
    assert_same(spark, plan_of(window), GIVEN, (5, 1))


def test_order_and_limit_of_the_whole(spark: SparkSession) -> None:
    by_second = (OrderKey(col(1), descending=True, nulls_first=True), OrderKey(col(0)))
    assert_same(spark, Plan(pairs, ("a", "a"), by_second), GIVEN)
    assert_same(spark, Plan(pairs, ("a",), by_second), GIVEN)
    assert_same(spark, Plan(pairs, ("a",), by_second, long(3), long(1)), GIVEN)
    assert_same(spark, Plan(pairs, ("a", "b"), (OrderKey(call(PLUS, col(0), col(1))),), long(3)), GIVEN)
    assert_same(spark, Plan(pairs, ("a", "b"), (OrderKey(call(PYTHON_PLUS, col(0), col(1))),), long(3)), GIVEN)
    assert_same(spark, Plan(pairs, ("a", "b"), (), Parameter(1, INT8), Parameter(2, INT8)), GIVEN, (2, None))
    assert_same(spark, Plan(pairs, ("a", "b"), (), Parameter(1, INT8)), GIVEN, (None,))
    assert_same(spark, Plan(pairs, ("a", "b"), (OrderKey(col(0)),), call(PLUS, number(1), number(1))), GIVEN)
    assert_same(spark, Plan(Distinct(pairs), ("a",), (OrderKey(col(0)), OrderKey(col(1)))), GIVEN)
    assert_same(spark, Plan(Union((pairs, pairs)), ("a", "b"), by_second, long(3)), GIVEN)


def test_types_that_spark_sorts_otherwise_are_sorted_as_postgres_does(spark: SparkSession) -> None:
    arrays: list[tuple[object, ...]] = [((1, None),), ((1, 2),), ((),), (None,), ((None,),), ((1,),)]
    records: list[tuple[object, ...]] = [((1, None),), ((1, "a"),), ((None, "a"),), (None,)]
    ranges: list[tuple[object, ...]] = [
        (RangeValue(None, None, False, False, True),),
        (RangeValue(None, 3, False, False),),
        (RangeValue(1, None, True, False),),
        (RangeValue(1, 3, True, False),),
        (RangeValue(None, None, False, False),),
        (None,),
    ]
    for type_, rows in (
        (array_of(INT4), arrays),
        (record_of(("a", "b"), (INT4, TEXT)), records),
        (INT4RANGE, ranges),
        (map_of(INT4), [((("a", 1),),), ((("a", None),),), ((),), ((("b", 0),),)]),
    ):
        relation = table("x", type_)
        for descending in (False, True):
            plan = Plan(relation, ("a",), (OrderKey(col(0, type_), descending),))
            assert_same(spark, plan, {"x": ((type_,), rows)})
