"""Functions that plans need and no user can name."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.errors import CardinalityViolation
from holdfast.plan.functions.function import Aggregate, Any, Family, Function
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.types import INT8


def _some_value(rows: Sequence[tuple[object]]) -> object:
    return rows[0][0] if len(rows) == 1 else None


def _single_value(value: object, count: int | None) -> object:
    if count is not None and count > 1:
        raise CardinalityViolation
    return value


SOME_VALUE = Aggregate(
    "some_value",
    (Any.ELEMENT,),
    Any.ELEMENT,
    _some_value,
    "CASE WHEN count(*) = 1 THEN first({0}) END",
    strict=False,
    doc="The value of the only row, null or not. Of several, none can be chosen that would always be the same: null.",
)

SINGLE_VALUE = Function(
    "single_value",
    (Any.ELEMENT, INT8),
    Any.ELEMENT,
    _single_value,
    f"CASE WHEN {{1}} > 1 THEN {failure(CardinalityViolation, str(CardinalityViolation()))} ELSE {{0}} END",
    strict=False,
    makes_null=True,
    fails=True,
    doc="The one value of a query that stands for a value, if it does not have more rows than one.",
)

FAMILY = Family("Internal", functions=(SINGLE_VALUE,), aggregates=(SOME_VALUE,))
