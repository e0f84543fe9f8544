"""Statistics: variances, and regression of pairs of floats.

All sums behind them are exact, so that neither the order of the rows nor how far their values are from zero shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isfinite, nan, sqrt
from typing import TypeAlias

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.aggregates import Rows
from holdfast.plan.functions.function import Aggregate, Family, Types
from holdfast.plan.functions.numeric_types import EXACT, fitted, of, whole_digits
from holdfast.plan.functions.sums import float_mean
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


@dataclass(frozen=True, slots=True)
class Variance:
    """Of values as a sample, or as all there are; or its square root. Of too few values, there is none."""

    sample: bool
    root: bool

    def of_floats(self, count: int, total: Fraction, squares: Fraction) -> float | None:
        """From the sums of the values and of their squares, all of which are finite."""
        if count <= self.sample:
            return None
        exact = (count * squares - total * total) / (count * (count - self.sample))
        return _root(exact) if self.root else _float(exact)

    def of_numerics(self, count: int, total: Decimal, squares: Decimal, result: Numeric) -> Decimal | None:
        if count <= self.sample:
            return None
        with localcontext(EXACT):
            exact = (count * squares - total * total) / (count * (count - self.sample))
            return fitted(exact.sqrt() if self.root else exact, result)


def _of_floats(variance: Variance) -> Callable[[Rows], float | None]:
    def python(rows: Rows) -> float | None:
        values = [value for (value,) in rows]
        if len(values) <= variance.sample:
            return None
        if not all(map(isfinite, values)):
            return nan
        scaled, scale = _integers(values)
        squares = Fraction(sum(value * value for value in scaled), scale * scale)
        return variance.of_floats(len(values), Fraction(sum(scaled), scale), squares)

    return python


def _of_numerics(variance: Variance) -> Callable[[Types, Rows], Decimal | None]:
    def python(types: Types, rows: Rows) -> Decimal | None:
        assert isinstance(types.result, Numeric)
        with localcontext(EXACT):
            values = [Decimal(value) for (value,) in rows]
            total, squares = sum(values, Decimal(0)), sum((value * value for value in values), Decimal(0))
        return variance.of_numerics(len(rows), total, squares, types.result)

    return python


VARIANCES: Mapping[str, Variance] = {
    "stddev": Variance(sample=True, root=True),
    "stddev_samp": Variance(sample=True, root=True),
    "stddev_pop": Variance(sample=False, root=True),
    "variance": Variance(sample=True, root=False),
    "var_samp": Variance(sample=True, root=False),
    "var_pop": Variance(sample=False, root=False),
}


def _numeric_result(*, root: bool) -> Callable[[Sequence[Type]], Type]:
    def result(types: Sequence[Type]) -> Type:
        room = MAX_PRECISION - whole_digits(of(types[0])) * (1 if root else 2)
        least = _LEAST_SCALE if types[0].base == "numeric" else _LEAST_OF_INTEGERS
        return numeric(MAX_PRECISION, min(max(room, least), _GREATEST_SCALE))

    return result


def _variances(name: str, variance: Variance) -> tuple[Aggregate, ...]:
    result = _numeric_result(root=variance.root)
    values = "of the values as a sample" if variance.sample else "of the values as all there are"
    doc = f"The {'standard deviation' if variance.root else 'variance'} {values}."
    of_numerics, of_floats = _of_numerics(variance), _of_floats(variance)
    return (
        *(
            Aggregate(name, (type_,), result, of_numerics, fails=True, typed=True, doc=doc)
            for type_ in (INT2, INT4, INT8, UINT2, UINT4, UINT8, NUMERIC)
        ),
        # Spark's own depends on the order of the rows.
        *(Aggregate(name, (type_,), FLOAT8, of_floats, fails=True, doc=doc) for type_ in (FLOAT4, FLOAT8)),
    )


@dataclass(frozen=True, slots=True)
class Moments:
    """Of pairs (y, x): how many, their means, and the sums of squares and products of what they differ from them by."""

    count: int
    mean_x: Fraction
    mean_y: Fraction
    sxx: Fraction
    syy: Fraction
    sxy: Fraction


def moments(count: int, y: Fraction, x: Fraction, yy: Fraction, xx: Fraction, xy: Fraction) -> Moments:
    """From how many pairs there are, at least one, and the sums of their values, squares and products."""
    return Moments(count, x / count, y / count, xx - x * x / count, yy - y * y / count, xy - x * y / count)


def _moments(rows: Rows) -> Moments | None:
    """None if some value is infinite or NaN."""
    if not all(isfinite(y) and isfinite(x) for y, x in rows):
        return None
    (ys, y_scale), (xs, x_scale) = _integers([y for y, _ in rows]), _integers([x for _, x in rows])
    return moments(
        len(rows),
        Fraction(sum(ys), y_scale),
        Fraction(sum(xs), x_scale),
        Fraction(sum(y * y for y in ys), y_scale * y_scale),
        Fraction(sum(x * x for x in xs), x_scale * x_scale),
        Fraction(sum(x * y for x, y in zip(xs, ys, strict=True)), x_scale * y_scale),
    )


Answer: TypeAlias = Fraction | float | None


def _corr(m: Moments) -> Answer:
    if not m.sxx or not m.syy:
        return None
    square = _root(m.sxy * m.sxy / (m.sxx * m.syy))
    return square if m.sxy >= 0 else -square


def _r2(m: Moments) -> Answer:
    if not m.sxx:
        return None
    return m.sxy * m.sxy / (m.sxx * m.syy) if m.syy else Fraction(1)


def _slope(m: Moments) -> Answer:
    return m.sxy / m.sxx if m.sxx else None


def _intercept(m: Moments) -> Answer:
    return m.mean_y - m.mean_x * m.sxy / m.sxx if m.sxx else None


def _covar_samp(m: Moments) -> Answer:
    return m.sxy / (m.count - 1) if m.count > 1 else None


@dataclass(frozen=True, slots=True)
class OfPairs:
    """An answer about pairs, null if they are not as many as `fewest`."""

    answer: Callable[[Moments], Answer]
    doc: str
    fewest: int = 1

    def of(self, found: Moments) -> float | None:
        """From the moments of at least one pair of finite values."""
        answer = self.answer(found) if found.count >= self.fewest else None
        return _float(answer) if isinstance(answer, Fraction) else answer


def _of_pairs(pairs: OfPairs) -> Callable[[Rows], float | None]:
    def python(rows: Rows) -> float | None:
        if len(rows) < pairs.fewest:
            return None
        found = _moments(rows)
        return nan if found is None else pairs.of(found)

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

OF_PAIRS: Mapping[str, OfPairs] = {
    "corr": OfPairs(_corr, "The coefficient of correlation."),
    "covar_pop": OfPairs(lambda m: m.sxy / m.count, "The covariance of the values as all there are."),
    "covar_samp": OfPairs(_covar_samp, "The covariance of the values as a sample.", fewest=2),
    "regr_sxx": OfPairs(lambda m: m.sxx, "The sum of the squares of the second argument about its mean."),
    "regr_syy": OfPairs(lambda m: m.syy, "The sum of the squares of the first argument about its mean."),
    "regr_sxy": OfPairs(lambda m: m.sxy, "The sum of the products of both about their means."),
    "regr_slope": OfPairs(_slope, "The slope of the line that fits best."),
    "regr_intercept": OfPairs(_intercept, "Where the line that fits best meets the axis."),
    "regr_r2": OfPairs(_r2, "The square of the coefficient of correlation."),
}

FAMILY = Family(
    "Statistics",
    aggregates=(
        *(aggregate for name, variance in VARIANCES.items() for aggregate in _variances(name, variance)),
        _REGR_COUNT,
        _pairs("regr_avgx", _mean(1), "The mean of the second argument."),
        _pairs("regr_avgy", _mean(0), "The mean of the first argument."),
        *(_pairs(name, _of_pairs(pairs), pairs.doc) for name, pairs in OF_PAIRS.items()),
    ),
)
