"""Series: how many rows they will have."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from holdfast.plan.relation import FlatMap, Relation, inputs
from holdfast.plan.scalar import Constant, Parameter, Scalar
from holdfast.plan.types import Interval

_MICROS_PER_DAY = 86_400_000_000
_DAYS_PER_MONTH = 28
"""The fewest that there are: a series by months has no more rows than this makes."""


def series_rows(relation: Relation, parameters: Sequence[object]) -> int | None:
    """How many rows the series in a query make at most, None where that depends on other rows."""
    found = 0
    for part in inputs(relation):
        made = series_rows(part, parameters)
        if made is None:
            return None
        found += made
    if isinstance(relation, FlatMap) and relation.function.name == "generate_series":
        values = [_value(each, parameters) for each in relation.arguments]
        numbers = [_number(value) for value in values if value is not None]
        if len(numbers) < len(values):
            return None
        start, stop, step = (*numbers, Decimal(1))[:3]
        found += max(int((stop - start) / step) + 1, 0) if step else 0
    return found


def _value(scalar: Scalar, parameters: Sequence[object]) -> object:
    """None if only rows tell."""
    match scalar:
        case Constant(value=value):
            return 0 if value is None else value  # of null nothing is made
        case Parameter(number=number) if number <= len(parameters):
            value = parameters[number - 1]
            return 0 if value is None else value
    return None


def _number(value: object) -> Decimal:
    """Times are microseconds."""
    if isinstance(value, Interval):
        return Decimal((value.months * _DAYS_PER_MONTH + value.days) * _MICROS_PER_DAY + value.micros)
    assert isinstance(value, int | Decimal)
    return Decimal(value)
