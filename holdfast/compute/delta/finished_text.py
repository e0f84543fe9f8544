"""How Spark says the aggregates that are made of totals of many groups most often; of others, Python makes them."""

from __future__ import annotations

from holdfast.compute.delta.addends import digits
from holdfast.plan.functions.function import Types
from holdfast.plan.functions.numeric_types import INTEGER_DIGITS
from holdfast.plan.functions.sums import mean_text
from holdfast.plan.types import Numeric, spark_type

_MOST_SCALE = 6
"""Digits after the point that Spark leaves to a product of numbers with the most digits."""


def finished_text(name: str, types: Types) -> str | None:
    """In terms of the number of rows, `{0}`, and the other totals. None: Spark has no words for it."""
    if name in ("bool_and", "every"):
        return "CASE WHEN {0} <> 0 THEN {1} = {0} END"
    if name == "bool_or":
        return "CASE WHEN {0} <> 0 THEN {1} > 0 END"
    of = types.arguments[0]
    if name not in ("sum", "avg") or not (isinstance(of, Numeric) or of.base in INTEGER_DIGITS):
        return None
    form = digits(of)
    if form.parts > 1 or form.scale > _MOST_SCALE:
        return None
    total = f"{{1}} * {10**-form.scale:.{form.scale}f}BD" if form.scale else "{1}"
    if name == "avg":
        assert isinstance(types.result, Numeric)
        return mean_text(f"({total})", "{0}", of, types.result)
    return f"CASE WHEN {{0}} <> 0 THEN CAST({total} AS {spark_type(types.result)}) END"
