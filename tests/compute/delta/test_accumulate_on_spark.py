"""Totals on Spark are those in memory, and so is what is made of them."""

from __future__ import annotations

import math
from decimal import Decimal

from pyspark.sql import SparkSession

from holdfast.compute.delta.accumulate import accumulator
from holdfast.compute.delta.totals import add, scale
from holdfast.plan.relation import Map, Project, Reduce
from holdfast.plan.scalar import Column, Scalar
from holdfast.plan.types import BOOL, FLOAT4, FLOAT8, INT4, INT8, INTERVAL, NUMERIC, UINT8, Interval, Type, numeric
from tests.compute.evaluate.build import aggregate, overload
from tests.compute.render.build import assert_same, plan_of, table


def most(scale: int, sign: str = "") -> Decimal:
    """As many digits as a numeric has."""
    return Decimal(f"{sign}{'9' * 38}e-{scale}")


COLUMNS: list[tuple[Type, tuple[object, ...]]] = [
    (INT8, (3, 2, 1, -1, 4)),  # the diff
    (BOOL, (True, None, False, True, True)),
    (INT4, (1, None, -(2**31), 2**31 - 1, 7)),
    (INT8, (1, None, -(2**63), 2**63 - 1, 7)),
    (UINT8, (1, None, 2**64 - 1, 2**64 - 1, 7)),
    (
        NUMERIC,
        (Decimal("1e-18"), None, most(18), most(18, "-"), Decimal("12.5")),
    ),
    (numeric(10, 2), (Decimal("0.01"), None, Decimal("99999999.99"), Decimal("-99999999.99"), Decimal("0.99"))),
    (numeric(18, 0), (Decimal(10**18 - 1), None, Decimal(1 - 10**18), Decimal(10**18 - 1), Decimal(-1))),
    (numeric(18, 8), (Decimal("1e-8"), None, Decimal("9999999999.99999999"), Decimal("-0.5"), Decimal("-7e-8"))),
    (numeric(17, 2), (Decimal(10**17 - 1) / 100, None, Decimal(1 - 10**17) / 100, Decimal("-2.01"), Decimal(2**31))),
    (numeric(8, 8), (Decimal("0.99999999"), None, Decimal("-0.99999999"), Decimal("-1e-8"), Decimal(0))),
    (numeric(18, 9), (Decimal("1e-9"), None, Decimal("999999999.999999999"), Decimal("-0.5"), Decimal("0.1"))),
    (numeric(23, 20), (Decimal("1e-20"), None, Decimal("999.99999999999999999999"), Decimal("-0.5"), Decimal(0))),
    (numeric(38, 0), (Decimal(1), None, most(0), most(0), most(0, "-"))),
    (
        numeric(38, 19),
        (Decimal("1e-19"), None, most(19), most(19, "-"), Decimal(-3)),
    ),
    (numeric(38, 38), (Decimal("1e-38"), None, most(38), Decimal("0.1"), Decimal("-0.3"))),
    (INTERVAL, (Interval(1, 2, 3), None, Interval(0, -5, 2**62), Interval(-1, 0, 0), Interval(0, 0, -(2**62)))),
    (FLOAT4, (0.5, None, 3.4028234663852886e38, 1.401298464324817e-45, 0.10000000149011612)),
    (FLOAT8, (0.1, None, 1.7976931348623157e308, 5e-324, -0.3)),
    (FLOAT8, (0.1, None, 1e9, -(2.0**45) + 2.0**-7, 2.0**-29)),
    (FLOAT8, (math.inf, None, math.nan, -0.0, 1e300)),
]
DIFF, PASSES, *ARGUMENTS = (Column(index, type_, index > 0) for index, (type_, _) in enumerate(COLUMNS))
TYPES = tuple(type_ for type_, _ in COLUMNS)
ROWS = list(zip(*(values for _, values in COLUMNS), strict=True))
CALLS = [
    aggregate(overload("count")),
    aggregate(overload("bool_and", "bool"), PASSES),
    *(aggregate(overload("sum", argument.type.base), argument) for argument in ARGUMENTS),
    *(aggregate(overload("sum", argument.type.base), argument, filter_=PASSES) for argument in ARGUMENTS),
    *(aggregate(overload("avg", argument.type.base), argument) for argument in ARGUMENTS),
    *(aggregate(overload("var_pop", argument.type.base), argument) for argument in (ARGUMENTS[1], ARGUMENTS[-2])),
    aggregate(overload("corr", "float8", "float8"), *ARGUMENTS[-2:]),
]
FITTING = {
    column for column in ARGUMENTS if column.type in (INT4, numeric(10, 2), numeric(23, 20)) or column is ARGUMENTS[-2]
}
"""Whose sums, and variances, are in range."""
MADE = [made for made in map(accumulator, CALLS) if made is not None]


def totals_of(addends: tuple[Scalar, ...]) -> Reduce:
    updates = table("updates", *TYPES)
    scaled = Map(updates, tuple(scale(addend, DIFF) for addend in addends))
    columns = (Column(len(TYPES) + index, addend.type, False) for index, addend in enumerate(addends))
    return Reduce(scaled, (), tuple(add(column) for column in columns))


def test_spark_adds_up_the_same(spark: SparkSession) -> None:
    assert len(MADE) == len(CALLS)
    relation = totals_of(tuple(addend for made in MADE for addend in made.addends))
    assert_same(spark, plan_of(relation), {"updates": (TYPES, ROWS)})


def test_spark_adds_up_the_same_in_shorter_ways(spark: SparkSession) -> None:
    sums = tuple(total for made in MADE for total in made.sums if total is not None)
    assert len(sums) > len(MADE)
    for given in (ROWS, []):
        assert_same(spark, plan_of(Reduce(table("updates", *TYPES), (), sums)), {"updates": (TYPES, given)})


def test_spark_makes_the_same_of_totals(spark: SparkSession) -> None:
    fitting = [
        made for made, call in zip(MADE, CALLS, strict=True) if not call.arguments or call.arguments[0] in FITTING
    ]
    relation = totals_of(tuple(addend for made in fitting for addend in made.addends))
    answers, start = [], 0
    for made in fitting:
        answers.append(made.finish(tuple(Column(start + i, type_, False) for i, type_ in enumerate(made.types))))
        start += len(made.types)
    finished = Project(Map(relation, tuple(answers)), tuple(range(start, start + len(answers))))
    for given in (ROWS, []):
        assert_same(spark, plan_of(finished), {"updates": (TYPES, given)})
