"""Arrays searched: for elements, and for those of other arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any as Anything

from holdfast.plan.errors import NullValueNotAllowed, UnsupportedValue
from holdfast.plan.functions.array_shape import Arguments, Texts, Tuple, flat, is_plain, type_of_first
from holdfast.plan.functions.container import (
    ELEMENT,
    compares_in_spark,
    contains,
    dimensions,
    element_of,
    leaves,
    same,
)
from holdfast.plan.functions.function import Any, Function, Types
from holdfast.plan.types import BOOL, INT4, Type, array_of, spark_type


def _position(types: Types, value: Tuple | None, item: object, start: int | None = 1) -> int | None:
    if not value:
        return None
    if start is None:
        raise NullValueNotAllowed("initial position must not be null")
    _refuse_dimensions(types, value, "searching for elements in")
    return next((i for i, found in enumerate(value, start=1) if i >= start and same(found, item)), None)


def _refuse_dimensions(types: Types, value: Tuple, doing: str) -> None:
    if value and not is_plain(types.arguments[0]):
        raise UnsupportedValue(f"{doing} multidimensional arrays is not supported")


def _spark_position(texts: Texts, types: Arguments, _result: Type) -> str | None:
    if not _searches_in_spark(types):
        return None
    value, item = texts
    of_null = f"array_position(transform({value}, {ELEMENT} -> {ELEMENT} IS NULL), true)"
    found = f"CASE WHEN {item} IS NULL THEN {of_null} ELSE array_position({value}, {item}) END"
    return f"CAST(nullif({found}, 0) AS INT)"


def _searches_in_spark(types: Arguments) -> bool:
    """Whether Spark compares the items with the elements without making others of them."""
    element = element_of(types[0])
    alike = all(spark_type(type_) == spark_type(element) for type_ in types[1:])
    return is_plain(types[0]) and alike and compares_in_spark(element)


def _positions(types: Types, value: Tuple | None, item: object) -> Tuple | None:
    if value is None:
        return None
    _refuse_dimensions(types, value, "searching for elements in")
    return tuple(i for i, found in enumerate(value, start=1) if same(found, item))


def _removed(types: Types, value: Tuple | None, item: object) -> Tuple | None:
    if value is None:
        return None
    _refuse_dimensions(types, value, "removing elements from")
    return tuple(found for found in value if not same(found, item))


def _spark_removed(texts: Texts, types: Arguments, _result: Type) -> str | None:
    if not _searches_in_spark(types):
        return None
    return f"filter({texts[0]}, {ELEMENT} -> NOT ({ELEMENT} <=> {texts[1]}))"


def _replaced(types: Types, value: Tuple | None, old: object, new: object) -> Tuple | None:
    return None if value is None else _mapped(value, dimensions(types.arguments[0]), old, new)


def _mapped(value: Tuple, depth: int, old: object, new: object) -> Tuple:
    if depth > 1:
        return tuple(_mapped(inner, depth - 1, old, new) for inner in value)
    return tuple(new if same(found, old) else found for found in value)


def _spark_replaced(texts: Texts, types: Arguments, _result: Type) -> str | None:
    if not _searches_in_spark(types):
        return None
    return f"transform({texts[0]}, {ELEMENT} -> if({ELEMENT} <=> {texts[1]}, {texts[2]}, {ELEMENT}))"


# Compared as sets


def _contains(types: Types, left: Tuple, right: Tuple) -> bool:
    values = list(leaves(left, dimensions(types.arguments[0])))
    return contains(values, leaves(right, dimensions(types.arguments[1])))


def _contained(types: Types, left: Tuple, right: Tuple) -> bool:
    return _contains(Types(types.arguments[::-1], types.result), right, left)


def _overlap(types: Types, left: Tuple, right: Tuple) -> bool:
    values = list(leaves(left, dimensions(types.arguments[0])))
    others = leaves(right, dimensions(types.arguments[1]))
    return any(item is not None and any(same(item, value) for value in values) for item in others)


def _spark_sets(form: str) -> Callable[[Texts, Arguments, Type], str | None]:
    def text(texts: Texts, types: Arguments, _result: Type) -> str | None:
        element = element_of(types[0])
        if spark_type(element) != spark_type(element_of(types[1])) or not compares_in_spark(element):
            return None
        left, right = (flat(t, type_) for t, type_ in zip(texts, types, strict=True))
        answer = form.format(left, right)
        return f"CASE WHEN {texts[0]} IS NOT NULL AND {texts[1]} IS NOT NULL THEN {answer} END"

    return text


_SPARK_CONTAINS = "forall({1}, " + ELEMENT + " -> coalesce(array_contains({0}, " + ELEMENT + "), false))"
_SPARK_CONTAINED = "forall({0}, " + ELEMENT + " -> coalesce(array_contains({1}, " + ELEMENT + "), false))"


def _searching(
    name: str, arguments: tuple[Any | Type, ...], result: Type | Callable[[Arguments], Type], **more: Anything
) -> Function:
    return Function(name, arguments, result, strict=False, makes_null=True, fails=True, typed=True, **more)


_ITEM = (Any.COMPATIBLE_ARRAY, Any.COMPATIBLE)

FUNCTIONS = (
    _searching("array_position", _ITEM, INT4, python=_position, spark=_spark_position, doc="Where an element is."),
    _searching("array_position", (*_ITEM, INT4), INT4, python=_position, doc="Where it is, from a place on."),
    _searching("array_positions", _ITEM, array_of(INT4), python=_positions, doc="All places where an element is."),
    _searching(
        "array_remove", _ITEM, type_of_first, python=_removed, spark=_spark_removed, doc="The array without an element."
    ),
    _searching(
        "array_replace",
        (*_ITEM, Any.COMPATIBLE),
        type_of_first,
        python=_replaced,
        spark=_spark_replaced,
        doc="The array with one element in place of another.",
    ),
)

OPERATORS = (
    Function(
        "@>",
        (Any.ARRAY, Any.ARRAY),
        BOOL,
        _contains,
        _spark_sets(_SPARK_CONTAINS),
        typed=True,
        infix=True,
        doc="Whether every element of the second array is in the first.",
    ),
    Function(
        "<@",
        (Any.ARRAY, Any.ARRAY),
        BOOL,
        _contained,
        _spark_sets(_SPARK_CONTAINED),
        typed=True,
        infix=True,
        doc="Whether every element of the first array is in the second.",
    ),
    Function(
        "&&",
        (Any.ARRAY, Any.ARRAY),
        BOOL,
        _overlap,
        _spark_sets("coalesce(arrays_overlap({0}, {1}), false)"),
        typed=True,
        infix=True,
        doc="Whether the arrays have an element in common.",
    ),
)
