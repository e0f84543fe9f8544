"""Lists, as Materialize has them: sequences whose elements may be lists again, each of its own length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as Anything

from holdfast.plan.errors import InvalidParameterValue
from holdfast.plan.functions.container import (
    ELEMENT,
    as_type,
    common,
    compares_in_spark,
    contains,
    element_of,
    same,
)
from holdfast.plan.functions.function import Any, Family, Function, Types
from holdfast.plan.types import BOOL, INT4, INT8, List, Type, list_of, spark_type

Tuple = tuple[Anything, ...]
Texts = Sequence[str]
Arguments = Sequence[Type]


def _first(types: Arguments) -> Type:
    return types[0]


def layers(type_: Type) -> int:
    """How many lists there are inside each other."""
    count = 0
    while isinstance(type_, List):
        count, type_ = count + 1, type_.element
    return count


def _made(*values: object) -> Tuple:
    return values


def _made_type(types: Arguments) -> Type:
    return list_of(common(types))


def _spark_made(texts: Texts, types: Arguments, result: Type) -> str:
    return f"array({', '.join(as_type(text, t, element_of(result)) for text, t in zip(texts, types, strict=True))})"


def _subscripted(value: Anything, *subscripts: int) -> object:
    for subscript in subscripts:
        if value is None or not 1 <= subscript <= len(value):
            return None
        value = value[subscript - 1]
    found: object = value
    return found


def _subscripted_type(types: Arguments) -> Type:
    found = types[0]
    for _ in types[1:]:
        found = element_of(found)
    return found


def _spark_subscripted(texts: Texts, _types: Arguments, _result: Type) -> str:
    value, *subscripts = texts
    for subscript in subscripts:
        # Beyond what an array can hold, a place is none of its places.
        place = f"if({subscript} < 1 OR {subscript} > 2147483647, -1, CAST({subscript} - 1 AS INT))"
        value = f"get({value}, {place})"
    return value


def _sliced(value: Tuple, *bounds: int) -> Tuple:
    return _cut(value, list(zip(bounds[::2], bounds[1::2], strict=True)))


def _cut(value: Tuple, pairs: Sequence[tuple[int, int]]) -> Tuple:
    lower, upper = pairs[0]
    kept = value[max(lower, 1) - 1 : max(upper, 0)]
    if not pairs[1:]:
        return kept
    return tuple(None if inner is None else _cut(inner, pairs[1:]) for inner in kept)


def _appended(value: Tuple | None, item: object) -> Tuple:
    return (*(value or ()), item)


def _prepended(item: object, value: Tuple | None) -> Tuple:
    return (item, *(value or ()))


def _concatenated(left: Tuple | None, right: Tuple | None) -> Tuple | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right


def _appended_type(types: Arguments) -> Type:
    return list_of(common([element_of(types[0]), types[1]]))


def _prepended_type(types: Arguments) -> Type:
    return list_of(common([types[0], element_of(types[1])]))


def _or_empty(text: str, type_: Type, result: Type) -> str:
    return f"coalesce({as_type(text, type_, result)}, CAST(array() AS {spark_type(result)}))"


def _spark_appended(texts: Texts, types: Arguments, result: Type) -> str:
    item = as_type(texts[1], types[1], element_of(result))
    return f"concat({_or_empty(texts[0], types[0], result)}, array({item}))"


def _spark_prepended(texts: Texts, types: Arguments, result: Type) -> str:
    item = as_type(texts[0], types[0], element_of(result))
    return f"concat(array({item}), {_or_empty(texts[1], types[1], result)})"


def _spark_concatenated(texts: Texts, types: Arguments, result: Type) -> str:
    left, right = (as_type(text, type_, result) for text, type_ in zip(texts, types, strict=True))
    return f"CASE WHEN {left} IS NULL THEN {right} WHEN {right} IS NULL THEN {left} ELSE concat({left}, {right}) END"


def _removed(value: Tuple | None, item: object) -> Tuple | None:
    return None if value is None else tuple(found for found in value if not same(found, item))


def _spark_removed(texts: Texts, types: Arguments, _result: Type) -> str | None:
    element = element_of(types[0])
    if spark_type(element) != spark_type(types[1]) or not compares_in_spark(element):
        return None
    return f"filter({texts[0]}, {ELEMENT} -> NOT ({ELEMENT} <=> {texts[1]}))"


def _length(value: Tuple) -> int:
    return len(value)


def _layers(types: Types, _value: Tuple) -> int:
    return layers(types.arguments[0])


def _longest(types: Types, value: Tuple, layer: int) -> int | None:
    count = layers(types.arguments[0])
    if not 1 <= layer <= count:
        raise InvalidParameterValue(f"invalid layer: {layer}; must use value within [1, {count}]")
    lists: list[Tuple] = [value]
    for _ in range(layer - 1):
        lists = [inner for found in lists for inner in found if inner is not None]
    return max(map(len, lists), default=None)


def _contains(left: Tuple, right: Tuple) -> bool:
    return contains(left, right)


def _contained(left: Tuple, right: Tuple) -> bool:
    return contains(right, left)


def _cat(name: str, *, infix: bool = False) -> Function:
    return Function(
        name,
        (Any.LIST, Any.LIST),
        common,
        _concatenated,
        _spark_concatenated,
        strict=False,
        makes_null=True,
        infix=infix,
        doc="One list after the other.",
    )


def _append(name: str, *, infix: bool = False) -> Function:
    return Function(
        name,
        (Any.LIST, Any.LIST_ELEMENT),
        _appended_type,
        _appended,
        _spark_appended,
        strict=False,
        infix=infix,
        doc="The list with one element more.",
    )


def _prepend(name: str, *, infix: bool = False) -> Function:
    return Function(
        name,
        (Any.LIST_ELEMENT, Any.LIST),
        _prepended_type,
        _prepended,
        _spark_prepended,
        strict=False,
        infix=infix,
        doc="The list after one element more.",
    )


FAMILY = Family(
    "Lists",
    functions=(
        Function(
            "list",
            (Any.ELEMENT,),
            _made_type,
            _made,
            _spark_made,
            strict=False,
            variadic=True,
            doc="A list of the arguments: `LIST[...]`.",
        ),
        Function(
            "list_subscript",
            (Any.LIST, INT8),
            _subscripted_type,
            _subscripted,
            _spark_subscripted,
            makes_null=True,
            variadic=True,
            doc="The element at these subscripts, one for each layer, or null: `l[1]`.",
        ),
        Function(
            "list_slice",
            (Any.LIST, INT8),
            _first,
            _sliced,
            variadic=True,
            doc="The elements between pairs of bounds: `l[1:2]`. A bound left out is 1 or 9223372036854775807.",
        ),
        _append("list_append"),
        _prepend("list_prepend"),
        _cat("list_cat"),
        Function("list_length", (Any.LIST,), INT4, _length, "size({0})", doc="How many elements there are."),
        Function(
            "list_length_max",
            (Any.LIST, INT8),
            INT4,
            _longest,
            makes_null=True,
            fails=True,
            typed=True,
            doc="How many elements the longest list of a layer has.",
        ),
        Function("list_n_layers", (Any.LIST,), INT4, _layers, typed=True, doc="How many lists are inside each other."),
        Function(
            "list_remove",
            (Any.LIST, Any.LIST_ELEMENT),
            _first,
            _removed,
            _spark_removed,
            strict=False,
            makes_null=True,
            doc="The list without an element.",
        ),
    ),
    operators=(
        _cat("||", infix=True),
        _append("||", infix=True),
        _prepend("||", infix=True),
        Function(
            "@>",
            (Any.LIST, Any.LIST),
            BOOL,
            _contains,
            infix=True,
            doc="Whether every element of the second list is in the first.",
        ),
        Function(
            "<@",
            (Any.LIST, Any.LIST),
            BOOL,
            _contained,
            infix=True,
            doc="Whether every element of the first list is in the second.",
        ),
    ),
)
