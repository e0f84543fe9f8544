"""Functions of users as workers of Spark's run them: the same answers, but a call that does not return is ended."""

from __future__ import annotations

import pyarrow as pa
import pytest

from holdfast.compute.evaluate.batch import ERROR, VALUE, ScalarBatch, Typed
from holdfast.compute.evaluate.limited_batch import LimitedBatch
from holdfast.compute.evaluate.python_processes import AT_ONCE
from holdfast.plan.functions.function import Types
from holdfast.plan.python_function import PythonFunction
from holdfast.plan.types import INT8


def batch_of(body: str, *parameters: str) -> ScalarBatch:
    types = Types((INT8,) * len(parameters), INT8)
    return ScalarBatch(Typed(PythonFunction("f", parameters, body, INT8), types), types, strict=False, fails=True)


@pytest.mark.parametrize("rows", [0, 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 7])
def test_the_answers_are_those_of_the_batch(rows: int) -> None:
    batch = batch_of("return 10 // n", "n")
    numbers = pa.array([n % 5 for n in range(rows)], pa.int64())
    assert LimitedBatch("f", batch, 60)(numbers).equals(batch(numbers))


def test_a_function_without_arguments_answers_once_for_each_row() -> None:
    # Spark has to hand over something.
    batch = batch_of("return 7")
    assert LimitedBatch("f", batch, 60)(pa.array([0, 0, 0])).field(VALUE).to_pylist() == [7, 7, 7]


def test_after_a_call_that_does_not_return_no_more_are_made() -> None:
    batch = batch_of(f"while n == {AT_ONCE + 5}: pass\nreturn n", "n")
    found = LimitedBatch("f", batch, 3)(pa.array(range(3 * AT_ONCE), pa.int64()))
    assert found.field(VALUE).to_pylist() == [*range(AT_ONCE), *[None] * (2 * AT_ONCE)]
    late = "RoutineTimedOut: function f: did not return within 3 s"
    assert found.field(ERROR).to_pylist() == [*[None] * AT_ONCE, *[late] * (2 * AT_ONCE)]
