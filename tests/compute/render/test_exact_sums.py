"""Sums of floats are exact, whatever is summed in whatever order."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from holdfast.compute.evaluate import rows
from holdfast.compute.render.exact_sums import with_exact_sums
from holdfast.plan.check import check
from holdfast.plan.errors import DataError
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.relation import AggregateCall, ColumnType, Map, Reduce, Relation, Values
from holdfast.plan.scalar import Call
from holdfast.plan.types import BOOL, FLOAT4, FLOAT8, INT4, Type
from tests.compute.evaluate.build import aggregate, overload
from tests.compute.render.build import assert_same, col, plan_of, table

LARGEST = sys.float_info.max
KEY, PASSES, DOUBLE, REAL = (col(index, type_) for index, type_ in enumerate((INT4, BOOL, FLOAT8, FLOAT4)))
TYPES: tuple[Type, ...] = (INT4, BOOL, FLOAT8, FLOAT4)
CALLS: tuple[AggregateCall, ...] = (
    aggregate(overload("sum", "float8"), DOUBLE),
    aggregate(overload("count"), filter_=PASSES),
    aggregate(overload("avg", "float4"), REAL),
    aggregate(overload("avg", "float8"), DOUBLE),
    aggregate(overload("max", "float8"), DOUBLE),
    aggregate(overload("sum", "float8"), DOUBLE, filter_=PASSES),
)
ORDINARY = st.integers(-(10**6), 10**6).map(lambda number: number / 7)
FLOATS = ORDINARY | st.floats() | st.sampled_from((LARGEST, -LARGEST, 2.0**45, -(2.0**45), 2.0**-23, -(2.0**-24), -0.0))
Row = tuple[object, ...]


def answer(relation: Relation) -> str:
    try:
        return repr(rows(relation, {}))
    except DataError as error:
        return f"{type(error).__name__}: {error}"


@given(values=st.lists(st.none() | FLOATS, max_size=6).map(tuple), single=st.none() | st.floats(width=32))
@example((1e16, 1.0, -1e16), None)
@example((0.1,) * 10, None)
@example((math.inf, LARGEST, LARGEST), None)
@example((5e-324, -5e-324, 5e-324), None)
def test_the_sums_of_integers_and_the_rest_make_the_sum(values: Sequence[float | None], single: float | None) -> None:
    given_ = tuple((1, place % 2 == 0, value, single) for place, value in enumerate(values))
    for each in CALLS:
        reduce = Reduce(Values(given_, tuple(map(ColumnType, TYPES))), (), (each,))
        exact = with_exact_sums(reduce)
        check(exact, decorrelated=True)
        assert [column.type for column in exact.columns] == [column.type for column in reduce.columns]
        assert answer(exact) == answer(reduce)


def test_what_is_volatile_is_not_evaluated_twice() -> None:
    random = Call(FUNCTIONS["random"][0], (), FLOAT8, False)
    reduce = Reduce(Map(table("t", INT4), (random,)), (), (aggregate(overload("sum", "float8"), col(1, FLOAT8)),))
    assert with_exact_sums(reduce) is reduce


def test_spark_sums_exactly(spark: SparkSession) -> None:
    groups: dict[int | None, tuple[float | None, ...]] = {
        1: (0.1,) * 10,
        2: (1e16, 1.0, -1e16, 1.0),
        3: (math.inf, LARGEST, LARGEST),
        4: (math.nan, 1.0),
        5: (5e-324, 1e300, -1e300),
        6: (None, None),
        7: (math.inf, -math.inf),
        None: (1e-9, 0.3, 2.0**45, -(2.0**45), -0.0),
    }
    given_: list[Row] = [(k, n % 2 == 0, v, 0.10000000149011612) for k, vs in groups.items() for n, v in enumerate(vs)]
    assert_same(spark, plan_of(Reduce(table("t", *TYPES), (KEY,), CALLS)), {"t": (TYPES, given_)})
    for rows_ in (given_[:14], []):
        assert_same(spark, plan_of(Reduce(table("t", *TYPES), (), CALLS)), {"t": (TYPES, rows_)})
