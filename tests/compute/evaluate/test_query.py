"""Whole queries: over columns as over rows, in the order asked for, and which of them are answered here."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import inf, nan

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate import budget, can_evaluate, evaluate
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.errors import UsageError
from holdfast.plan.errors import DivisionByZero, InvalidRowCountInLimit, ProgramLimitExceeded
from holdfast.plan.functions.function import Function, ResultColumns, TableFunction
from holdfast.plan.functions.registry import FUNCTIONS, OPERATORS
from holdfast.plan.order import nullable_key
from holdfast.plan.relation import (
    UNIT,
    ColumnType,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    Map,
    OrderKey,
    OuterJoin,
    Plan,
    Project,
    Relation,
    TopK,
    Values,
)
from holdfast.plan.scalar import And, Call, Case, Coalesce, Constant, Or, Parameter, Scalar, null
from holdfast.plan.types import BOOL, DATE, FLOAT8, INT4, TEXT, Type, numeric
from tests.compute.evaluate.build import DIVIDE, EQUAL, LESS, PLUS, call, col, number

PRICE = numeric(6, 2)
TYPES: tuple[Type, ...] = (INT4, TEXT, FLOAT8, DATE, PRICE)
VALUES: tuple[list[object], ...] = (
    [None, -1, 0, 7],
    [None, "", "a", "é"],
    [None, 0.0, -0.0, 1.5, nan, inf, -inf],
    [None, -(2**31), 0, 2**31 - 1],
    [None, Decimal("-1.50"), Decimal("0.00"), Decimal("2.00")],
)
rows = st.lists(st.tuples(*(st.sampled_from(values) for values in VALUES)), max_size=8)
quick = settings(max_examples=60, deadline=None)

GET = Get("t", tuple(ColumnType(type_) for type_ in TYPES))
NAMES = tuple("isfdn")


def operator(name: str, base: str) -> Function:
    for found in OPERATORS[name]:
        if all(isinstance(part, Type) and part.base == base for part in found.arguments):
            return found
    raise KeyError(name, base)


def logic(name: str) -> Function:
    (found,) = FUNCTIONS[name]
    return found


@st.composite
def predicates(draw: st.DrawFn, depth: int = 2) -> Scalar:
    kind = draw(st.integers(0, 3 if depth else 1))
    if kind == 0:
        place = draw(st.integers(0, len(TYPES) - 1))
        name = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
        constant = Constant(draw(st.sampled_from(VALUES[place])), TYPES[place])
        return Call(operator(name, TYPES[place].base), (col(place, TYPES[place]), constant), BOOL, True)
    if kind == 1:
        place = draw(st.integers(0, len(TYPES) - 1))
        return Call(logic(draw(st.sampled_from(["is_null", "is_not_null"]))), (col(place, TYPES[place]),), BOOL, False)
    if kind == 2:
        return Call(logic("not"), (draw(predicates(depth - 1)),), BOOL, True)
    terms = draw(predicates(depth - 1)), draw(predicates(depth - 1))
    return And(terms) if draw(st.booleans()) else Or(terms)


@st.composite
def orders(draw: st.DrawFn) -> tuple[OrderKey, ...]:
    places = draw(st.lists(st.integers(0, len(TYPES) - 1), max_size=3))
    return tuple(OrderKey(col(place, TYPES[place]), draw(st.booleans()), draw(st.booleans())) for place in places)


def shown(table: pa.Table, types: Sequence[Type] = TYPES) -> list[str]:
    return [
        repr(tuple(nullable_key(type_)(v) for v, type_ in zip(row, types, strict=True)))
        for row in rows_of(table, types)
    ]


@quick
@given(rows, predicates(), orders(), st.one_of(st.none(), st.integers(0, 9)), st.integers(0, 3))
def test_a_read_by_columns_is_that_by_rows(
    given_rows: list[tuple[object, ...]],
    predicate: Scalar,
    order: tuple[OrderKey, ...],
    limit: int | None,
    offset: int,
) -> None:
    def plan(source: Relation) -> Plan:
        kept = Map(Filter(source, (predicate,)), (predicate,))
        return Plan(kept, (*NAMES, "p"), order, number(limit), number(offset))

    values = Values(tuple(given_rows), GET.columns)
    by_columns = evaluate(plan(GET), {"t": table_of(given_rows, TYPES, NAMES)})
    assert by_columns.column_names == [*NAMES, "p"]
    assert shown(by_columns, (*TYPES, BOOL)) == shown(evaluate(plan(values), {}), (*TYPES, BOOL))


def integers(*values: int | None) -> Values:
    return Values(tuple((value,) for value in values), (ColumnType(INT4),))


def column(plan: Plan, parameters: Sequence[object] = ()) -> list[object]:
    found: list[object] = evaluate(plan, {}, parameters).column(0).to_pylist()
    return found


def test_nulls_come_last_unless_they_are_asked_for_first() -> None:
    source = integers(2, None, 1)
    for order, expected in (
        (OrderKey(col(0)), [1, 2, None]),
        (OrderKey(col(0), nulls_first=True), [None, 1, 2]),
        (OrderKey(col(0), descending=True), [2, 1, None]),
        (OrderKey(col(0), descending=True, nulls_first=True), [None, 2, 1]),
    ):
        assert column(Plan(source, ("x",), (order,))) == expected


def test_columns_that_are_not_shown_still_order_the_rows() -> None:
    source = Values(((1, 9), (2, 8)), (ColumnType(INT4), ColumnType(INT4)))
    answer = evaluate(Plan(source, ("x",), (OrderKey(col(1)),)), {})
    assert answer.to_pydict() == {"x": [2, 1]}


def test_two_columns_may_have_one_name_and_a_result_none() -> None:
    assert evaluate(Plan(Project(integers(1), (0, 0)), ("x", "x")), {}).column_names == ["x", "x"]
    assert evaluate(Plan(integers(1, 2), ()), {}).num_columns == 0


def test_a_limit_may_be_a_parameter() -> None:
    plan = Plan(integers(3, 1, 2), ("x",), (OrderKey(col(0)),), Parameter(1, INT4), Parameter(2, INT4))
    assert column(plan, (1, 1)) == [2]
    with pytest.raises(InvalidRowCountInLimit):
        evaluate(plan, {}, (-1, 0))
    with pytest.raises(UsageError, match=r"no parameter \$2"):
        evaluate(plan, {}, (1,))


FAILS = call(EQUAL, call(DIVIDE, number(1), number(0)), number(1))
LAZY: list[tuple[Scalar, object]] = [
    (And((Constant(False, BOOL), FAILS)), False),
    (And((null(BOOL), Constant(False, BOOL), FAILS)), False),
    (And((null(BOOL), Constant(True, BOOL))), None),
    (Or((Constant(True, BOOL), FAILS)), True),
    (Or((null(BOOL), Constant(False, BOOL))), None),
    (Case(((null(BOOL), number(1)), (Constant(True, BOOL), number(2))), call(DIVIDE, number(1), number(0))), 2),
    (Coalesce((number(None), number(3), call(DIVIDE, number(1), number(0)))), 3),
    (call(PLUS, number(None), number(1)), None),
]


@pytest.mark.parametrize(("scalar", "expected"), LAZY)
def test_logic_stops_as_soon_as_its_answer_is_known(scalar: Scalar, expected: object) -> None:
    assert column(Plan(Map(UNIT, (scalar,)), ("x",))) == [expected]


def test_arguments_are_evaluated_before_a_null_decides() -> None:
    with pytest.raises(DivisionByZero):
        column(Plan(Map(UNIT, (call(PLUS, number(None), call(DIVIDE, number(1), number(0))),)), ("x",)))


NOW = Function("now", (), DATE, None, stability="stable")
SERIES = TableFunction(
    "generate_series",
    (INT4,),
    ResultColumns(("n",), (INT4,), (False,)),
    lambda n: ((each,) for each in range(n)),
    long=True,
)


def test_constants_and_plain_reads_are_answered_here() -> None:
    matching = Filter(GET, (call(LESS, col(0), number(1)),))
    for relation in (
        UNIT,
        Distinct(integers(1, 1)),
        GET,
        TopK(Project(Map(matching, (number(1),)), (0,)), (), (OrderKey(col(0)),), number(1)),
    ):
        assert can_evaluate(Plan(relation, ()))


def test_all_else_is_for_spark() -> None:
    for relation in (
        Distinct(GET),
        Map(GET, (Call(NOW, (), DATE, False),)),
        Map(UNIT, (Coalesce((number(None), Call(NOW, (), INT4, False))),)),
        FlatMap(UNIT, SERIES, (number(10),), (ColumnType(INT4),)),
    ):
        assert not can_evaluate(Plan(relation, ()))
    assert not can_evaluate(Plan(UNIT, (), (OrderKey(Call(NOW, (), DATE, False)),)))


def test_what_only_a_session_knows_is_not_evaluated() -> None:
    with pytest.raises(UsageError, match="only a session knows"):
        evaluate(Plan(Map(UNIT, (Call(NOW, (), DATE, False),)), ("x",)), {})


@pytest.mark.parametrize("outer", [False, True])
def test_a_join_that_comes_to_too_many_rows_is_given_up(outer: bool) -> None:
    many = Values(((1,),) * 30, (ColumnType(INT4),))
    same = (call(EQUAL, col(0), col(1)),)
    plan = Plan(OuterJoin(many, many, same) if outer else Join((many, many), same), ("a", "b"))
    assert evaluate(plan, {}, (), 900).num_rows == 900
    with pytest.raises(TooManyRows):
        evaluate(plan, {}, (), 899)


def test_a_series_that_comes_to_too_many_rows_is_given_up() -> None:
    counts = Values(((20,), (0,), (10,)), (ColumnType(INT4),))
    plan = Plan(FlatMap(counts, SERIES, (col(0),), (ColumnType(INT4),)), ("a", "n"))
    assert evaluate(plan, {}, (), 30).num_rows == 30
    with pytest.raises(TooManyRows):
        evaluate(plan, {}, (), 29)


def test_a_series_is_given_up_before_its_rows_are_made() -> None:
    endless = Values(((2**62,),), (ColumnType(INT4),))
    plan = Plan(FlatMap(endless, SERIES, (col(0),), (ColumnType(INT4),)), ("a", "n"))
    with pytest.raises(TooManyRows):
        evaluate(plan, {}, (), 1000)


def test_a_series_without_end_is_an_error_where_there_is_no_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_LONGEST", 1000)
    endless = Values(((2**62,),), (ColumnType(INT4),))
    with pytest.raises(ProgramLimitExceeded, match="more than 1000 rows"):
        evaluate(Plan(FlatMap(endless, SERIES, (col(0),), (ColumnType(INT4),)), ("a", "n")), {})
