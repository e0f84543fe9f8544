"""Functions of users in the evaluator: called in another process, for many rows at once, and only as if row by row."""

from __future__ import annotations

import os
import threading
from contextvars import copy_context

import pytest

from holdfast.compute.evaluate import rows
from holdfast.compute.evaluate.batch import ScalarBatch, Typed
from holdfast.compute.evaluate.python_processes import PROCESSES, answers, stoppable
from holdfast.compute.evaluate.values import table_of
from holdfast.plan.errors import DivisionByZero, ExternalRoutineError
from holdfast.plan.functions.function import Function, Types
from holdfast.plan.functions.registry import AGGREGATES, OPERATORS
from holdfast.plan.python_function import PythonFunction, python_function
from holdfast.plan.relation import AggregateCall, ColumnType, Filter, Get, Map, Reduce, Relation, Values
from holdfast.plan.scalar import Call, Case, Column, Constant, Scalar
from holdfast.plan.types import BOOL, INT4, INT8, Type

A = Column(0, INT4, True)
TABLE = Get("t", (ColumnType(INT4, True),))
FEW = Values(((1,), (0,), (None,)), (ColumnType(INT4, True),))


def made(body: str, *types: Type, strict: bool = False) -> Function:
    parameters = tuple(f"arg{place}" for place in range(1, len(types) + 1))
    return python_function(PythonFunction("f", parameters, body, INT4), types, strict=strict)


def call(function: Function, *arguments: Scalar) -> Call:
    return Call(function, arguments, INT4, True)


def operator(symbol: str, *arguments: Scalar, type_: Type = INT4) -> Call:
    found = next(each for each in OPERATORS[symbol] if each.arguments == (INT4, INT4))
    return Call(found, arguments, type_, True)


def evaluated(relation: Relation, *values: int | None) -> list[tuple[object, ...]]:
    return rows(relation, {"t": table_of([(value,) for value in values], [INT4], ["a"])})


TWICE = made("return None if arg1 is None else arg1 * 2", INT4)
INVERSE = made("return 10 // arg1", INT4, strict=True)


@pytest.mark.parametrize("source", [TABLE, FEW])
def test_a_call_is_its_value_for_every_row(source: Relation) -> None:
    nested = call(TWICE, operator("+", call(TWICE, A), Constant(1, INT4)))
    assert evaluated(Map(source, (nested,)), 1, 0, None) == [(1, 6), (0, 2), (None, None)]


@pytest.mark.parametrize("source", [TABLE, FEW])
def test_a_call_that_fails_is_an_error_only_where_it_is_asked_for(source: Relation) -> None:
    positive = operator(">", A, Constant(0, INT4), type_=BOOL)
    guarded = Case(((positive, call(INVERSE, A)),), Constant(-1, INT4))
    assert evaluated(Map(source, (guarded,)), 1, 0, None) == [(1, 10), (0, -1), (None, -1)]
    with pytest.raises(ExternalRoutineError, match="ZeroDivisionError"):
        evaluated(Map(source, (call(INVERSE, A),)), 1, 0)


@pytest.mark.parametrize("source", [TABLE, FEW])
def test_so_is_an_argument_that_fails(source: Relation) -> None:
    argument = operator("/", Constant(10, INT4), A)
    positive = operator(">", A, Constant(0, INT4), type_=BOOL)
    guarded = Case(((positive, call(TWICE, argument)),), Constant(-1, INT4))
    assert evaluated(Map(source, (guarded,)), 1, 0, None) == [(1, 20), (0, -1), (None, -1)]
    with pytest.raises(DivisionByZero):
        evaluated(Map(source, (call(TWICE, argument),)), 1, 0)


@pytest.mark.parametrize("source", [TABLE, FEW])
def test_a_filter_asks_what_stands_before_the_call_first(source: Relation) -> None:
    positive = operator(">", A, Constant(0, INT4), type_=BOOL)
    large = operator(">", call(INVERSE, A), Constant(3, INT4), type_=BOOL)
    assert evaluated(Filter(source, (positive, large)), 1, 0, None) == [(1,)]
    with pytest.raises(ExternalRoutineError):
        evaluated(Filter(FEW, (large, positive)))


def test_groups_and_aggregates_may_call_functions() -> None:
    total = next(each for each in AGGREGATES["sum"] if each.arguments == (INT4,))
    summed = AggregateCall(total, (call(TWICE, A),), INT8, True)
    parity = call(made("return arg1 % 2", INT4, strict=True), A)
    reduce = Reduce(TABLE, (parity,), (summed,))
    assert sorted(evaluated(reduce, 1, 2, 3), key=repr) == [(0, 4), (1, 8)]


def test_a_strict_function_is_not_run_for_null() -> None:
    found = evaluated(Map(TABLE, (call(INVERSE, A), call(made("return 7", INT4), A))), None)
    assert found == [(None, None, 7)]


def test_more_rows_than_one_call_takes_are_answered_in_order() -> None:
    types = Types((INT4,), INT4)
    assert isinstance(TWICE.python, PythonFunction)
    batch = ScalarBatch(Typed(TWICE.python, types), types, strict=False, fails=True)
    parts = list(answers("f", batch, [(value,) for value in range(25_000)]))
    assert [value for part in parts for value in part.field(0).to_pylist()] == [2 * n for n in range(25_000)]


def test_functions_run_in_another_process_and_may_print() -> None:
    function = made("import os\nprint('hello')\nos.write(1, b'there')\nreturn os.getpid()")
    ((_, one), (_, other)) = evaluated(Map(TABLE, (call(function),)), 1, 2)
    assert one == other != os.getpid()


def test_a_function_that_ends_its_process_is_an_error_and_the_next_call_runs() -> None:
    with pytest.raises(ExternalRoutineError, match=r"^function f: the process that it ran in has ended$"):
        evaluated(Map(TABLE, (call(made("import os\nos._exit(1)")),)), 1)
    assert evaluated(Map(TABLE, (call(TWICE, A),)), 4) == [(4, 8)]


def test_a_function_that_never_returns_ends_with_the_block_it_runs_in() -> None:
    forever = made("while True: pass")
    begun, ended = threading.Event(), threading.Event()

    def run() -> None:
        begun.set()
        with pytest.raises(ExternalRoutineError):
            evaluated(Map(TABLE, (call(forever),)), 1)
        ended.set()

    with stoppable():
        # As asyncio.to_thread does, the thread takes the block along.
        thread = threading.Thread(target=copy_context().run, args=(run,))
        thread.start()
        assert begun.wait(60)
    assert ended.wait(60)
    thread.join()
    assert evaluated(Map(TABLE, (call(TWICE, A),)), 4) == [(4, 8)]


def test_a_process_is_used_again() -> None:
    function = made("import os\nreturn os.getpid()")
    first = evaluated(Map(TABLE, (call(function),)), 1)
    assert evaluated(Map(TABLE, (call(function),)), 1) == first
    PROCESSES.end()
    assert evaluated(Map(TABLE, (call(function),)), 1) != first
