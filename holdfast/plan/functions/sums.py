"""Sums and averages.

The sum of floats is the exact one, rounded once, so that it does not depend on the order of the rows. Spark would add
them one after the other, so it is given integers to add (`compute/render/exact_sums.py`); its texts here are for
windows and DISTINCT, where its answer may differ in the last digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from math import fsum, isfinite, isinf, nan
from operator import truediv

from holdfast.plan.errors import DataError, NumericValueOutOfRange
from holdfast.plan.functions.aggregates import Rows
from holdfast.plan.functions.function import Aggregate, Family, Types
from holdfast.plan.functions.numeric_types import EXACT, fitted, of, whole_digits
from holdfast.plan.functions.running import FloatTotal, Running
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
_DIGITS_OF_COUNT = 15
"""Digits that a number of rows may have."""
_LONG_DIGITS = 18
"""Digits of numbers that all fit into a bigint."""


def exact_sum(values: Sequence[float]) -> float:
    """The sum, rounded once."""
    try:
        return fsum(values)
    except ValueError:
        return nan  # both infinities
    except OverflowError:
        # Somewhere on the way, which is of no account where something is infinite or NaN, or the sum is less again.
        strange = [value for value in values if not isfinite(value)]
        return sum(strange) if strange else _float(sum(map(Fraction, values)))


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


def _in_long(total: int) -> int:
    if not -(2**63) <= total < 2**63:
        raise NumericValueOutOfRange("bigint out of range")
    return total


def _in_unsigned(total: int) -> int:
    if total >= 2**64:
        raise NumericValueOutOfRange("uint8 out of range")
    return total


def _long_total(rows: Rows) -> int | None:
    total = _total(rows)
    return None if total is None else _in_long(total)


def _unsigned_total(rows: Rows) -> int | None:
    total = _total(rows)
    return None if total is None else _in_unsigned(total)


def _numeric_total(types: Types, rows: Rows) -> Decimal | None:
    assert isinstance(types.result, Numeric)
    return fitted(_decimal_sum(rows), types.result) if rows else None


def _decimal_sum(rows: Rows) -> Decimal:
    with localcontext(EXACT):
        return sum((value for (value,) in rows), Decimal(0))


def _float_total(rows: Rows) -> float | None:
    return exact_sum([value for (value,) in rows]) if rows else None


def _real_total(rows: Rows) -> float | None:
    return _in_real(exact_sum([value for (value,) in rows])) if rows else None


def _in_real(total: float) -> float:
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


# Row by row


def _running(finish: Callable[[int], int]) -> Callable[[Types], Running[int]]:
    return lambda _: Running(0, int.__add__, lambda total, count: finish(total) if count else None)


def _running_numeric(types: Types) -> Running[Decimal]:
    result = types.result
    assert isinstance(result, Numeric)
    return Running(Decimal(0), EXACT.add, lambda total, count: fitted(total, result) if count else None)


def _running_numeric_average(types: Types) -> Running[Decimal]:
    result = types.result
    assert isinstance(result, Numeric)
    return Running(
        Decimal(0),
        EXACT.add,
        lambda total, count: fitted(EXACT.divide(total, Decimal(count)), result) if count else None,
    )


def _running_float(finish: Callable[[float, int], float]) -> Callable[[Types], Running[FloatTotal]]:
    def finished(total: FloatTotal, count: int) -> float | None:
        try:
            return finish(total.rounded(), count) if count else None
        except OverflowError:
            raise _overflow() from None

    return lambda _: Running(FloatTotal(), FloatTotal.plus, finished)


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
    *(
        Aggregate(
            "sum",
            (type_,),
            INT8,
            _long_total,
            spark="sum({distinct}{0})",
            fails=True,
            running=_running(_in_long),
            doc=_SUM,
        )
        for type_ in (INT2, INT4)
    ),
    *(
        Aggregate(
            "sum",
            (type_,),
            UINT8,
            _unsigned_total,
            spark=_UNSIGNED_SUM,
            fails=True,
            running=_running(_in_unsigned),
            doc=_SUM,
        )
        for type_ in (UINT2, UINT4)
    ),
    *(
        Aggregate(
            "sum",
            (type_,),
            numeric(MAX_PRECISION, 0),
            _numeric_total,
            spark=_LONG_SUM,
            typed=True,
            running=_running_numeric,
            doc=_SUM,
        )
        for type_ in (INT8, UINT8)
    ),
    Aggregate(
        "sum",
        (NUMERIC,),
        _sum_type,
        _numeric_total,
        spark=lambda texts, _, result: f"CAST(sum({{distinct}}{texts[0]}) AS {spark_type(result)})",
        fails=True,
        typed=True,
        running=_running_numeric,
        doc=_SUM,
    ),
    Aggregate(
        "sum",
        (FLOAT4,),
        FLOAT4,
        _real_total,
        spark=_REAL_SUM,
        fails=True,
        running=_running_float(lambda total, _: _in_real(total)),
        doc=_SUM,
    ),
    Aggregate(
        "sum",
        (FLOAT8,),
        FLOAT8,
        _float_total,
        spark=_FLOAT_SUM,
        fails=True,
        running=_running_float(lambda total, _: total),
        doc=_SUM,
    ),
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


def _average_text(_: Sequence[str], types: Sequence[Type], result: Type) -> str:
    assert isinstance(result, Numeric)
    return mean_text(f"sum({{distinct}}{_summed(types[0])})", "count({distinct}{0})", types[0], result)


def mean_text(total: str, count: str, of_type: Type, result: Numeric) -> str:
    """The sum divided by the count: first what is whole, then the rest, whose quotient Spark has enough digits for.

    Spark's own average has four digits after the point more than its values; casting these first, for each row, costs
    more than the average does.
    """
    given = of(of_type)
    if whole_digits(given) > min(MAX_PRECISION - 1 - result.scale, _LONG_DIGITS):
        count = f"CAST(nullif({count}, 0) AS DECIMAL(19, 0))"
        return f"CAST(CAST({total} AS {spark_type(result)}) / {count} AS {spark_type(result)})"
    digits = _DIGITS_OF_COUNT
    count = f"CAST(nullif({count}, 0) AS DECIMAL({digits}, 0))"
    whole = f"CAST({total} div {count} AS DECIMAL({MAX_PRECISION - 1 - result.scale}, 0))"
    scale = max(given.scale, result.scale - digits - 1)
    rest = f"CAST({total} % {count} AS DECIMAL({digits + scale}, {scale})) / {count}"
    return f"CAST({whole} + CAST({rest} AS DECIMAL({result.scale + 1}, {result.scale})) AS {spark_type(result)})"


def _summed(type_: Type) -> str:
    """The argument, as something whose sum has room to grow."""
    return "CAST({0} AS DECIMAL(20, 0))" if type_ in (INT8, UINT8) else "{0}"


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
            running=_running_numeric_average,
            doc=_AVERAGE,
        )
        for type_ in (INT2, INT4, INT8, UINT2, UINT4, UINT8, NUMERIC)
    ),
    *(
        Aggregate(
            "avg",
            (type_,),
            FLOAT8,
            _float_average,
            spark=_FLOAT_AVERAGE,
            fails=True,
            running=_running_float(truediv),
            doc=_AVERAGE,
        )
        for type_ in (FLOAT4, FLOAT8)
    ),
    Aggregate("avg", (INTERVAL,), INTERVAL, _interval_average, fails=True, doc=_AVERAGE),
)

FAMILY = Family("Sums and averages", aggregates=(*_SUMS, *_AVERAGES))
