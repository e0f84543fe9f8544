"""Values that are equal in SQL but not written the same, and how they are told apart."""

from __future__ import annotations

from holdfast.plan.functions.function import Any, Function
from holdfast.plan.types import TEXT, Array, List, Map, Range, Record, Type

SPELLING = Function("spelling", (Any.ANY,), TEXT, repr, "CAST({0} AS STRING)")
"""How a value is written, among all that are equal to it."""


def found_by_bits(type_: Type) -> bool:
    """Whether values of the type that are equal in SQL have the same bits in Arrow."""
    match type_:
        case Array() | List():
            return found_by_bits(type_.element)
        case Record():
            return all(map(found_by_bits, type_.types))
        case Map() | Range():
            return False
    return type_.base != "jsonb"
