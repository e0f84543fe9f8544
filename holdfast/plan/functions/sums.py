"""Sums and averages.

The sum of floats is the exact one, rounded once, so that it does not depend on the order of the rows; Spark adds them
one after the other, and its answer may differ in the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from math import fsum, isfinite, isinf, nan

from holdfast.plan.errors import DataError, NumericValueOutOfRange
from holdfast.plan.functions.aggregates import Rows
from holdfast.plan.functions.function import Aggregate, Family, Types
from holdfast.plan.functions.numeric_types import EXACT, fitted, of, whole_digits
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.interval_arithmetic import divided, interval_of, is_finite, plus
from holdfast.plan.real import rounded
from holdfast.plan.types import (
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    MAX_PRECISION,
    NUMERIC,
    UINT2,
    UINT4,
    UINT8,
    Interval,
    Numeric,
    Type,
    numeric,
    spark_type,
)

_COUNT_DIGITS = 7
"""Digits that Spark has left for the number of rows, where it averages numbers that are as large as can be."""


def exact_sum(values: Sequence[float]) -> float:
    """The sum, rounded once."""
    try:
        return fsum(values)
    except ValueError:
        return nan  # both infinities
    except OverflowError:
        return _float(sum(map(Fraction, values)))


def float_mean(values: Sequence[float]) -> float:
    return exact_sum(values) / len(values)


def _float(exact: Fraction | int) -> float:
    try:
        return float(exact)
    except OverflowError:
        raise _overflow() from None


def _overflow() -> DataError:
    return NumericValueOutOfRange("value out of range: overflow")


def _total(rows: Rows) -> int | None:
    return sum(value for (value,) in rows) if rows else None


def _long_total(rows: Rows) -> int | None:
    total = _total(rows)
    if total is not None and not -(2**63) <= total < 2**63:
        raise NumericValueOutOfRange("bigint out of range")
    return total


def _unsigned_total(rows: Rows) -> int | None:
    total = _total(rows)
    if total is not None and total >= 2**64:
        raise NumericValueOutOfRange("uint8 out of range")
    return total


def _numeric_total(types: Types, rows: Rows) -> Decimal | None:
    assert isinstance(types.result, Numeric)
    return fitted(_decimal_sum(rows), types.result) if rows else None


def _decimal_sum(rows: Rows) -> Decimal:
    with localcontext(EXACT):
        return sum((value for (value,) in rows), Decimal(0))


def _float_total(rows: Rows) -> float | None:
    return exact_sum([value for (value,) in rows]) if rows else None


def _real_total(rows: Rows) -> float | None:
    if not rows:
        return None
    total = exact_sum([value for (value,) in rows])
    found = rounded(total)
    if isinf(found) and isfinite(total):
        raise _overflow()
    return found


def _interval_total(rows: Rows) -> Interval | None:
    if not rows:
        return None
    infinite: set[Interval] = {value for (value,) in rows if not is_finite(value)}
    if infinite:
        return reduce(plus, infinite)
    return interval_of(*(sum(field) for field in zip(*(value for (value,) in rows), strict=True)))


def _sum_type(types: Sequence[Type]) -> Type:
    return numeric(MAX_PRECISION, of(types[0]).scale)


_OVERFLOW = failure(NumericValueOutOfRange, "value out of range: overflow")


def checked(result: str, argument: str = "{0}") -> str:
    """Spark's text of an aggregate of floats. Only infinite values make it infinite, others are out of range then."""
    strange = f"bool_or(isnan({argument}) OR abs({argument}) = double('infinity'))"
    is_strange = f"(isnan({result}) OR abs({result}) = double('infinity'))"
    return f"CASE WHEN {is_strange} AND NOT {strange} THEN {_OVERFLOW} ELSE {result} END"


_SUM = "The sum of all values."
_FLOAT_SUM = checked("sum({distinct}{0})")
_REAL_SUM = checked("CAST(sum({distinct}{0}) AS FLOAT)")
_FLOAT_AVERAGE = checked("avg({distinct}{0})")
_LONG_SUM = "CAST(sum({distinct}CAST({0} AS DECIMAL(28, 0))) AS DECIMAL(38, 0))"
_UNSIGNED_SUM = "CAST(sum({distinct}CAST({0} AS DECIMAL(20, 0))) AS DECIMAL(20, 0))"

_SUMS = (
    Aggregate("sum", (INT2,), INT8, _long_total, spark="sum({distinct}{0})", fails=True, doc=_SUM),
    Aggregate("sum", (INT4,), INT8, _long_total, spark="sum({distinct}{0})", fails=True, doc=_SUM),
    Aggregate("sum", (INT8,), numeric(MAX_PRECISION, 0), _numeric_total, spark=_LONG_SUM, typed=True, doc=_SUM),
    Aggregate("sum", (UINT2,), UINT8, _unsigned_total, spark=_UNSIGNED_SUM, fails=True, doc=_SUM),
    Aggregate("sum", (UINT4,), UINT8, _unsigned_total, spark=_UNSIGNED_SUM, fails=True, doc=_SUM),
    Aggregate("sum", (UINT8,), numeric(MAX_PRECISION, 0), _numeric_total, spark=_LONG_SUM, typed=True, doc=_SUM),
    Aggregate(
        "sum",
        (NUMERIC,),
        _sum_type,
        _numeric_total,
        spark=lambda texts, _, result: f"CAST(sum({{distinct}}{texts[0]}) AS {spark_type(result)})",
        fails=True,
        typed=True,
        doc=_SUM,
    ),
    Aggregate("sum", (FLOAT4,), FLOAT4, _real_total, spark=_REAL_SUM, fails=True, doc=_SUM),
    Aggregate("sum", (FLOAT8,), FLOAT8, _float_total, spark=_FLOAT_SUM, fails=True, doc=_SUM),
    Aggregate("sum", (INTERVAL,), INTERVAL, _interval_total, fails=True, doc=_SUM),
)


def _average_type(types: Sequence[Type]) -> Numeric:
    """As many digits after the point as PostgreSQL shows of a quotient, up to 20, or what there is room for."""
    given = of(types[0])
    whole = whole_digits(given)
    for scale in (20, 16):
        if given.scale <= scale - 4 and whole + _COUNT_DIGITS + scale - 4 <= MAX_PRECISION:
            return numeric(MAX_PRECISION, scale)
    return numeric(MAX_PRECISION, max(given.scale, min(16, MAX_PRECISION - whole), 6))


def _average_text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str:
    """Spark has four digits more after the point in an average, and as many as the dividend has in a quotient."""
    given = of(types[0])
    assert isinstance(result, Numeric)
    if given.scale <= result.scale - 4 and whole_digits(given) + result.scale <= MAX_PRECISION:
        inner = spark_type(numeric(MAX_PRECISION - 4, result.scale - 4))
        return f"CAST(avg({{distinct}}CAST({texts[0]} AS {inner})) AS {spark_type(result)})"
    total = f"CAST(sum({{distinct}}{texts[0]}) AS {spark_type(result)})"
    count = f"CAST(nullif(count({{distinct}}{texts[0]}), 0) AS DECIMAL(19, 0))"
    return f"CAST({total} / {count} AS {spark_type(result)})"


def _numeric_average(types: Types, rows: Rows) -> Decimal | None:
    assert isinstance(types.result, Numeric)
    return fitted(EXACT.divide(_decimal_sum(rows), Decimal(len(rows))), types.result) if rows else None


def _float_average(rows: Rows) -> float | None:
    return float_mean([value for (value,) in rows]) if rows else None


def _interval_average(rows: Rows) -> Interval | None:
    total = _interval_total(rows)
    return None if total is None else divided(total, len(rows))


_AVERAGE = "The mean of all values."

_AVERAGES = (
    *(
        Aggregate(
            "avg",
            (type_,),
            _average_type,
            _numeric_average,
            spark=_average_text,
            fails=type_ is NUMERIC,
            typed=True,
            doc=_AVERAGE,
        )
        for type_ in (INT2, INT4, INT8, UINT2, UINT4, UINT8, NUMERIC)
    ),
    Aggregate("avg", (FLOAT4,), FLOAT8, _float_average, spark=_FLOAT_AVERAGE, fails=True, doc=_AVERAGE),
    Aggregate("avg", (FLOAT8,), FLOAT8, _float_average, spark=_FLOAT_AVERAGE, fails=True, doc=_AVERAGE),
    Aggregate("avg", (INTERVAL,), INTERVAL, _interval_average, fails=True, doc=_AVERAGE),
)

FAMILY = Family("Sums and averages", aggregates=(*_SUMS, *_AVERAGES))
