"""Functions that plans need and no user can name."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.errors import CardinalityViolation
from holdfast.plan.functions.function import Aggregate, Any, Family
from holdfast.plan.functions.spark_text import failure


def _single_value(rows: Sequence[tuple[object]]) -> object:
    if len(rows) > 1:
        raise CardinalityViolation
    return rows[0][0] if rows else None


SINGLE_VALUE = Aggregate(
    "single_value",
    (Any.ELEMENT,),
    Any.ELEMENT,
    _single_value,
    f"CASE WHEN count(1) > 1 THEN {failure(CardinalityViolation, str(CardinalityViolation()))} ELSE first({{0}}) END",
    strict=False,
    fails=True,
    doc="The one value of a query that stands for a value.",
)

FAMILY = Family("Internal", aggregates=(SINGLE_VALUE,))
