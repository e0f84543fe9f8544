"""Sorting the elements of an array."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.functions.container import dimensions
from holdfast.plan.functions.function import Any, Family, Function, Types
from holdfast.plan.order import is_natural, nullable_key, sort_key
from holdfast.plan.types import BOOL, Array, Type


def _sorted(
    types: Types, value: tuple[object, ...], descending: bool = False, nulls_first: bool | None = None
) -> tuple[object, ...]:
    """By the first dimension: of several, its arrays are sorted whole. Nulls are greatest, unless it is said."""
    type_ = types.arguments[0]
    assert isinstance(type_, Array)
    inner = Array(type_.base, type_.element, type_.dimensions - 1) if type_.dimensions > 1 else type_.element
    if nulls_first is None:
        return tuple(sorted(value, key=nullable_key(inner), reverse=descending))
    present = sorted((item for item in value if item is not None), key=sort_key(inner), reverse=descending)
    nulls = [None] * (len(value) - len(present))
    return (*nulls, *present) if nulls_first else (*present, *nulls)


def _spark_sorted(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str | None:
    type_ = types[0]
    if not isinstance(type_, Array) or dimensions(type_) > 1 or not is_natural(type_.element):
        return None
    return f"array_sort({texts[0]})"


def _same_type(types: Sequence[Type]) -> Type:
    return types[0]


_DOC = "The array with its elements sorted"

FAMILY = Family(
    "Order of arrays",
    functions=(
        Function("array_sort", (Any.ARRAY,), _same_type, _sorted, _spark_sorted, typed=True, doc=f"{_DOC}."),
        Function(
            "array_sort",
            (Any.ARRAY, BOOL),
            _same_type,
            _sorted,
            typed=True,
            doc=f"{_DOC}, the greatest first if so asked.",
        ),
        Function(
            "array_sort",
            (Any.ARRAY, BOOL, BOOL),
            _same_type,
            _sorted,
            typed=True,
            doc=f"{_DOC}, the greatest first and nulls first if so asked.",
        ),
    ),
)
