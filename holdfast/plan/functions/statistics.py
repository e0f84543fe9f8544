"""Statistics: variances, and regression of pairs of floats.

All sums behind them are exact, so that neither the order of the rows nor how far their values are from zero shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isfinite, nan, sqrt
from typing import TypeAlias

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.aggregates import Rows
from holdfast.plan.functions.function import Aggregate, Family, Types
from holdfast.plan.functions.numeric_types import EXACT, fitted, of, whole_digits
from holdfast.plan.functions.sums import checked, float_mean
from holdfast.plan.types import (
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MAX_PRECISION,
    NUMERIC,
    UINT2,
    UINT4,
    UINT8,
    Numeric,
    Type,
    numeric,
)

_LEAST_SCALE, _LEAST_OF_INTEGERS, _GREATEST_SCALE = 16, 10, 20
"""Digits after the point of a numeric result, as there is room for. A variance has twice the digits of its values."""


def _integers(values: Sequence[float]) -> tuple[list[int], int]:
    """The values times a number that makes them all integers, and this number."""
    ratios = [value.as_integer_ratio() for value in values]
    scale = max(denominator for _, denominator in ratios)
    return [numerator * (scale // denominator) for numerator, denominator in ratios], scale


def _float(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        raise NumericValueOutOfRange("value out of range: overflow") from None


def _root(exact: Fraction) -> float:
    return sqrt(_float(exact))


def _float_variance(rows: Rows, *, sample: bool) -> Fraction | float | None:
    """The exact variance, NaN, or None where there are too few values."""
    values = [value for (value,) in rows]
    count = len(values)
    if count <= sample:
        return None
    if not all(map(isfinite, values)):
        return nan
    scaled, scale = _integers(values)
    spread = count * sum(value * value for value in scaled) - sum(scaled) ** 2
    return Fraction(spread, count * (count - sample) * scale * scale)


def _of_floats(*, sample: bool, root: bool) -> Callable[[Rows], float | None]:
    def python(rows: Rows) -> float | None:
        exact = _float_variance(rows, sample=sample)
        if not isinstance(exact, Fraction):
            return exact
        return _root(exact) if root else _float(exact)

    return python


def _of_numerics(*, sample: bool, root: bool) -> Callable[[Types, Rows], Decimal | None]:
    def python(types: Types, rows: Rows) -> Decimal | None:
        assert isinstance(types.result, Numeric)
        count = len(rows)
        if count <= sample:
            return None
        with localcontext(EXACT):
            values = [Decimal(value) for (value,) in rows]
            spread = count * sum(value * value for value in values) - sum(values) ** 2
            exact = Decimal(spread) / (count * (count - sample))
            return fitted(exact.sqrt() if root else exact, types.result)

    return python


def _numeric_result(*, root: bool) -> Callable[[Sequence[Type]], Type]:
    def result(types: Sequence[Type]) -> Type:
        room = MAX_PRECISION - whole_digits(of(types[0])) * (1 if root else 2)
        least = _LEAST_SCALE if types[0].base == "numeric" else _LEAST_OF_INTEGERS
        return numeric(MAX_PRECISION, min(max(room, least), _GREATEST_SCALE))

    return result


def _variances(name: str, *, sample: bool, root: bool, doc: str) -> tuple[Aggregate, ...]:
    of_numerics, of_floats = _of_numerics(sample=sample, root=root), _of_floats(sample=sample, root=root)
    result, text = _numeric_result(root=root), checked(f"{name}({{distinct}}{{0}})")
    return (
        *(
            Aggregate(name, (type_,), result, of_numerics, fails=True, typed=True, doc=doc)
            for type_ in (INT2, INT4, INT8, UINT2, UINT4, UINT8, NUMERIC)
        ),
        *(Aggregate(name, (type_,), FLOAT8, of_floats, spark=text, fails=True, doc=doc) for type_ in (FLOAT4, FLOAT8)),
    )


@dataclass(frozen=True, slots=True)
class _Moments:
    """Of pairs (y, x): how many, their means, and the sums of squares and products of what they differ from them by."""

    count: int
    mean_x: Fraction
    mean_y: Fraction
    sxx: Fraction
    syy: Fraction
    sxy: Fraction


def _moments(rows: Rows) -> _Moments | None:
    """None if some value is infinite or NaN."""
    if not all(isfinite(y) and isfinite(x) for y, x in rows):
        return None
    (ys, y_scale), (xs, x_scale) = _integers([y for y, _ in rows]), _integers([x for _, x in rows])
    count, x_sum, y_sum = len(rows), sum(xs), sum(ys)

    def about_means(products: int, first: int, second: int, scale: int) -> Fraction:
        return Fraction(count * products - first * second, count * scale)

    return _Moments(
        count,
        Fraction(x_sum, count * x_scale),
        Fraction(y_sum, count * y_scale),
        about_means(sum(x * x for x in xs), x_sum, x_sum, x_scale * x_scale),
        about_means(sum(y * y for y in ys), y_sum, y_sum, y_scale * y_scale),
        about_means(sum(x * y for x, y in zip(xs, ys, strict=True)), x_sum, y_sum, x_scale * y_scale),
    )


Answer: TypeAlias = Fraction | float | None


def _corr(m: _Moments) -> Answer:
    if not m.sxx or not m.syy:
        return None
    square = _root(m.sxy * m.sxy / (m.sxx * m.syy))
    return square if m.sxy >= 0 else -square


def _r2(m: _Moments) -> Answer:
    if not m.sxx:
        return None
    return m.sxy * m.sxy / (m.sxx * m.syy) if m.syy else Fraction(1)


def _slope(m: _Moments) -> Answer:
    return m.sxy / m.sxx if m.sxx else None


def _intercept(m: _Moments) -> Answer:
    return m.mean_y - m.mean_x * m.sxy / m.sxx if m.sxx else None


def _covar_samp(m: _Moments) -> Answer:
    return m.sxy / (m.count - 1) if m.count > 1 else None


def _of_pairs(answer: Callable[[_Moments], Answer], *, fewest: int = 1) -> Callable[[Rows], float | None]:
    def python(rows: Rows) -> float | None:
        if len(rows) < fewest:
            return None
        moments = _moments(rows)
        if moments is None:
            return nan
        found = answer(moments)
        return _float(found) if isinstance(found, Fraction) else found

    return python


def _mean(which: int) -> Callable[[Rows], float | None]:
    return lambda rows: float_mean([row[which] for row in rows]) if rows else None


def _pairs(name: str, python: Callable[[Rows], float | None], doc: str) -> Aggregate:
    return Aggregate(name, (FLOAT8, FLOAT8), FLOAT8, python, fails=True, doc=doc)


def _count(rows: Rows) -> int:
    return len(rows)


_REGR_COUNT = Aggregate(
    "regr_count",
    (FLOAT8, FLOAT8),
    INT8,
    _count,
    spark="count({distinct}CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN struct({0}, {1}) END)",
    null_when_empty=False,
    doc="How many pairs there are.",
)

_SAMPLE, _POPULATION = "of the values as a sample", "of the values as all there are"

FAMILY = Family(
    "Statistics",
    aggregates=(
        *_variances("stddev", sample=True, root=True, doc=f"The standard deviation {_SAMPLE}."),
        *_variances("stddev_samp", sample=True, root=True, doc=f"The standard deviation {_SAMPLE}."),
        *_variances("stddev_pop", sample=False, root=True, doc=f"The standard deviation {_POPULATION}."),
        *_variances("variance", sample=True, root=False, doc=f"The variance {_SAMPLE}."),
        *_variances("var_samp", sample=True, root=False, doc=f"The variance {_SAMPLE}."),
        *_variances("var_pop", sample=False, root=False, doc=f"The variance {_POPULATION}."),
        _pairs("corr", _of_pairs(_corr), "The coefficient of correlation."),
        _pairs("covar_pop", _of_pairs(lambda m: m.sxy / m.count), f"The covariance {_POPULATION}."),
        _pairs("covar_samp", _of_pairs(_covar_samp, fewest=2), f"The covariance {_SAMPLE}."),
        _REGR_COUNT,
        _pairs("regr_avgx", _mean(1), "The mean of the second argument."),
        _pairs("regr_avgy", _mean(0), "The mean of the first argument."),
        _pairs("regr_sxx", _of_pairs(lambda m: m.sxx), "The sum of the squares of the second argument about its mean."),
        _pairs("regr_syy", _of_pairs(lambda m: m.syy), "The sum of the squares of the first argument about its mean."),
        _pairs("regr_sxy", _of_pairs(lambda m: m.sxy), "The sum of the products of both about their means."),
        _pairs("regr_slope", _of_pairs(_slope), "The slope of the line that fits best."),
        _pairs("regr_intercept", _of_pairs(_intercept), "Where the line that fits best meets the axis."),
        _pairs("regr_r2", _of_pairs(_r2), "The square of the coefficient of correlation."),
    ),
)
