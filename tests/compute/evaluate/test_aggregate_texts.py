"""The Spark text of an aggregate has exactly the type that is declared, and the answer of the Python function."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from holdfast.compute.evaluate.aggregation import fold_of
from holdfast.compute.evaluate.keys import equality, ordering
from holdfast.compute.evaluate.values import from_arrow
from holdfast.compute.render.literals import literal
from holdfast.plan.functions import aggregates, collecting, statistics, sums
from holdfast.plan.functions.function import Aggregate
from holdfast.plan.relation import AggregateCall
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    TEXT,
    TIMESTAMP,
    UINT4,
    UINT8,
    Numeric,
    Type,
    array_of,
    arrow_type,
    numeric,
)
from tests.compute.evaluate.build import aggregate, col

FAMILIES = (aggregates.FAMILY, sums.FAMILY, collecting.FAMILY, statistics.FAMILY)
NUMBERS = (1, 2, 2, None, 7, 30_001)
VALUES: dict[Type, Sequence[object]] = {
    BOOL: (True, None, False, True),
    **dict.fromkeys((INT2, INT4, UINT4, UINT8), NUMBERS),
    INT8: (2**63 - 1, 2**63 - 1, None, -5),
    FLOAT4: (1.5, None, -0.25, 1.5),
    FLOAT8: (1.5, None, float("inf"), 1.5),
    TEXT: ("b", None, "", "é", "b"),
    BYTEA: (b"\xff", None, b"", b"a"),
    DATE: (0, None, 18_000),
    TIMESTAMP: (1, None, 2**50),
    array_of(INT4): ((1, None), None, (1, 2), (), (1, 2)),
    **{
        numeric(precision, scale): tuple(
            None if value is None else Decimal(value).scaleb(-scale)
            for value in (1, 2, 2, None, -7, 10 ** min(precision - 1, 20))
        )
        for precision, scale in (
            (5, 5),
            (10, 2),
            (16, 14),
            (20, 2),
            (22, 12),
            (24, 2),
            (38, 0),
            (38, 12),
            (38, 18),
            (38, 37),
        )
    },
}


def calls(type_: Type) -> list[AggregateCall]:
    """Of every aggregate of one argument of the type that has a text."""
    made = (
        aggregate(function, col(0, type_), distinct=distinct)
        for family in FAMILIES
        for function in family.aggregates
        if len(function.arguments) == 1 and _takes(function, type_)
        for distinct in (False, True)
    )
    return [call for call in made if template(call) is not None]


def _takes(function: Aggregate, type_: Type) -> bool:
    (pattern,) = function.arguments
    if isinstance(pattern, Type):
        return pattern.base == type_.base
    return pattern.value in ("any", "anyelement") or pattern.value == (
        "anyarray" if type_.base.startswith("_") else "anynonarray"
    )


def template(call: AggregateCall) -> str | None:
    spark = call.function.spark
    if spark is None or isinstance(spark, str):
        return spark
    return spark(["{0}"], [argument.type for argument in call.arguments], call.type)


def expected(call: AggregateCall, values: Sequence[object]) -> object:
    (argument,) = call.arguments
    rows: list[tuple[object, ...]] = sorted([(value,) for value in values], key=ordering([argument.type]))
    if call.distinct:
        rows = list({equality([argument.type])(row): row for row in rows}.values())
    return fold_of(call, call.function)(rows)


@pytest.mark.parametrize("type_", VALUES, ids=lambda type_: f"{type_}-{getattr(type_, 'scale', '')}")
def test_a_text_has_the_declared_type_and_the_answer_of_python(type_: Type, spark: SparkSession) -> None:
    made = calls(type_)
    texts = [(template(call) or "").format("x", distinct="DISTINCT " * call.distinct) for call in made]
    columns = ", ".join(f"{text} AS c{place}" for place, text in enumerate(texts))
    rows = ", ".join(f"({literal(value, type_)})" for value in VALUES[type_])
    answer = spark.sql(f"SELECT {columns} FROM VALUES {rows} AS t(x)").toArrow()
    for call, column in zip(made, answer.columns, strict=True):
        name = f"{call.function.name}{' distinct' * call.distinct}"
        assert (name, column.type) == (name, arrow_type(call.type))
        (found,), wanted = from_arrow(column, call.type), expected(call, VALUES[type_])
        if isinstance(wanted, float):
            wanted = pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert (name, found) == (name, wanted)


def test_every_type_of_a_sum_has_a_text() -> None:
    for type_ in VALUES:
        if isinstance(type_, Numeric) or type_.base in ("int2", "int4", "int8", "float8"):
            assert {"sum", "avg", "min", "max", "count"} <= {call.function.name for call in calls(type_)}
