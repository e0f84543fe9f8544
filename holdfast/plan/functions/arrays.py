"""Arrays: made, taken apart and put together.

An array of several dimensions is a tuple of tuples, all of one size; an empty one is `()` whatever its type. How many
dimensions there are is known from the type, so functions whose answer would have another number of them for other
values (`array_fill`) only take what gives one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as Anything

from holdfast.plan.errors import (
    ArraySubscriptError,
    DataError,
    NullValueNotAllowed,
    ProgramLimitExceeded,
    UnsupportedValue,
)
from holdfast.plan.functions import array_search, array_sizes
from holdfast.plan.functions.array_shape import (
    Arguments,
    Texts,
    Tuple,
    first_subscript,
    is_plain,
    shape,
    type_of_first,
)
from holdfast.plan.functions.container import as_type, common, dimensions, element_of
from holdfast.plan.functions.function import Any, Cast, Family, Function, Types
from holdfast.plan.functions.spark_text import failure_of
from holdfast.plan.types import INT4, VECTORS, Type, array_of, spark_type

MAX_SIZE = 134217727
"""Elements of an array, as PostgreSQL has it."""

_INT4S = array_of(INT4)


def _element(types: Arguments) -> Type:
    return element_of(types[0])


# Made from values


def _made(types: Types, *values: Anything) -> Tuple:
    inner = dimensions(types.arguments[0])
    if not inner:
        return values
    shapes = {() if value is None else shape(value, inner) for value in values}
    if len(shapes) > 1:
        raise ArraySubscriptError("multidimensional arrays must have array expressions with matching dimensions")
    return values if shapes != {()} else ()


def _made_type(types: Arguments) -> Type:
    return array_of(common(types))


def _made_type_of_first(types: Arguments) -> Type:
    return array_of(types[0])


def _spark_made(texts: Texts, types: Arguments, result: Type) -> str | None:
    if not is_plain(result):
        return None
    return f"array({', '.join(as_type(text, t, element_of(result)) for text, t in zip(texts, types, strict=True))})"


def _filled(value: object, sizes: Tuple | None) -> Tuple:
    if sizes is None:
        raise NullValueNotAllowed("dimension array or low bound array cannot be null")
    return _filled_from(value, sizes, (1,) * len(sizes))


def _filled_from(value: object, sizes: Tuple | None, lowers: Tuple | None) -> Tuple:
    if sizes is None or lowers is None:
        raise NullValueNotAllowed("dimension array or low bound array cannot be null")
    if None in sizes or None in lowers:
        raise NullValueNotAllowed("dimension values cannot be null")
    if len(lowers) != len(sizes):
        raise ArraySubscriptError("wrong number of array subscripts")
    if not sizes:
        return ()
    if len(sizes) > 1:
        raise UnsupportedValue("array_fill makes arrays of one dimension only")
    if lowers[0] != 1:
        raise UnsupportedValue("arrays with lower bounds other than 1 are not supported")
    if not 0 <= sizes[0] <= MAX_SIZE:
        raise ProgramLimitExceeded(f"array size exceeds the maximum allowed ({MAX_SIZE})")
    count: int = sizes[0]
    return (value,) * count


# Taken apart


def _subscripted(types: Types, value: Tuple, *subscripts: int) -> object:
    if len(subscripts) != dimensions(types.arguments[0]):
        return None
    found: Anything = value
    first = first_subscript(types.arguments[0])
    for subscript in subscripts:
        if not first <= subscript < first + len(found):
            return None
        found = found[subscript - first]
    return found


def _spark_subscripted(texts: Texts, types: Arguments, result: Type) -> str:
    value, *subscripts = texts
    if len(subscripts) != dimensions(types[0]):
        return f"CAST(NULL AS {spark_type(result)})"
    for subscript in subscripts:
        # One less than the least would be out of range.
        place = f"if({subscript} < 1, -1, {subscript} - 1)" if first_subscript(types[0]) else subscript
        value = f"get({value}, {place})"
    return value


def _sliced(types: Types, value: Tuple, *bounds: int) -> Tuple:
    pairs = list(zip(bounds[::2], bounds[1::2], strict=True))
    return () if len(pairs) > dimensions(types.arguments[0]) else _cut(value, pairs)


def _cut(value: Tuple, pairs: Sequence[tuple[int, int]]) -> Tuple:
    if not pairs:
        return value
    lower, upper = pairs[0]
    kept = tuple(_cut(inner, pairs[1:]) if pairs[1:] else inner for inner in value[max(lower, 1) - 1 : max(upper, 0)])
    return () if pairs[1:] and not any(kept) else kept


def _spark_sliced(texts: Texts, types: Arguments, _result: Type) -> str | None:
    if not is_plain(types[0]) or len(texts) != 3:
        return None
    value, lower, upper = texts
    start, end = f"greatest({lower}, 1)", f"greatest({upper}, 0)"
    cut = f"slice({value}, {start}, greatest({end} - {start} + 1, 0))"
    return f"CASE WHEN {lower} IS NOT NULL AND {upper} IS NOT NULL THEN {cut} END"


def _trimmed(value: Tuple, count: int) -> Tuple:
    if not 0 <= count <= len(value):
        raise ArraySubscriptError(f"number of elements to trim must be between 0 and {len(value)}")
    return value[: len(value) - count]


def _spark_trimmed(texts: Texts, _types: Arguments, _result: Type) -> str:
    value, count = texts
    message = f"concat('number of elements to trim must be between 0 and ', size({value}))"
    wrong = failure_of(ArraySubscriptError, message)
    trimmed = f"slice({value}, 1, size({value}) - {count})"
    is_wrong = f"{value} IS NOT NULL AND ({count} < 0 OR {count} > size({value}))"
    return f"CASE WHEN {is_wrong} THEN {wrong} ELSE {trimmed} END"


def _reversed(value: Tuple) -> Tuple:
    return value[::-1]


# Put together


def _appended(types: Types, value: Tuple | None, item: object) -> Tuple:
    return (*_one_dimensional(value, types.arguments[0]), item)


def _prepended(types: Types, item: object, value: Tuple | None) -> Tuple:
    return (item, *_one_dimensional(value, types.arguments[1]))


def _one_dimensional(value: Tuple | None, type_: Type) -> Tuple:
    if value and not is_plain(type_):
        raise DataError("argument must be empty or one-dimensional array")
    return value or ()


def _appended_type(types: Arguments) -> Type:
    return array_of(common([element_of(types[0]), types[1]]))


def _prepended_type(types: Arguments) -> Type:
    return array_of(common([types[0], element_of(types[1])]))


def _spark_appended(texts: Texts, types: Arguments, result: Type) -> str | None:
    return _spark_extended(texts[0], texts[1], types[0], types[1], result, "concat({0}, array({1}))")


def _spark_prepended(texts: Texts, types: Arguments, result: Type) -> str | None:
    return _spark_extended(texts[1], texts[0], types[1], types[0], result, "concat(array({1}), {0})")


def _spark_extended(value: str, item: str, value_type: Type, item_type: Type, result: Type, form: str) -> str | None:
    if not is_plain(value_type):
        return None
    whole = f"coalesce({as_type(value, value_type, result)}, CAST(array() AS {spark_type(result)}))"
    return form.format(whole, as_type(item, item_type, element_of(result)))


def _concatenated(types: Types, left: Tuple | None, right: Tuple | None) -> Tuple | None:
    if not left or not right:
        # An empty array has no dimensions, so that it goes with every other.
        return right if left is None or (not left and right is not None) else left
    deep_left, deep_right = (dimensions(type_) for type_ in types.arguments)
    left, right = (left,) if deep_left < deep_right else left, (right,) if deep_right < deep_left else right
    if abs(deep_left - deep_right) > 1:
        raise _incompatible(f"Arrays of {deep_left} and {deep_right} dimensions are not compatible for concatenation.")
    deepest = max(deep_left, deep_right)
    if shape(left, deepest)[1:] != shape(right, deepest)[1:]:
        kind = "element dimensions" if deep_left == deep_right else "dimensions"
        raise _incompatible(f"Arrays with differing {kind} are not compatible for concatenation.")
    return left + right


def _incompatible(detail: str) -> DataError:
    error = ArraySubscriptError("cannot concatenate incompatible arrays")
    error.detail = detail
    return error


def _spark_concatenated(texts: Texts, types: Arguments, result: Type) -> str | None:
    if not all(map(is_plain, types)):
        return None
    left, right = (as_type(text, type_, result) for text, type_ in zip(texts, types, strict=True))
    return f"CASE WHEN {left} IS NULL THEN {right} WHEN {right} IS NULL THEN {left} ELSE concat({left}, {right}) END"


def _cat(name: str, *, infix: bool = False) -> Function:
    return Function(
        name,
        (Any.COMPATIBLE_ARRAY, Any.COMPATIBLE_ARRAY),
        common,
        _concatenated,
        _spark_concatenated,
        strict=False,
        makes_null=True,
        fails=True,
        typed=True,
        infix=infix,
        doc="One array after the other.",
    )


def _append(name: str, *, infix: bool = False) -> Function:
    return Function(
        name,
        (Any.COMPATIBLE_ARRAY, Any.COMPATIBLE),
        _appended_type,
        _appended,
        _spark_appended,
        strict=False,
        fails=True,
        typed=True,
        infix=infix,
        doc="The array with one element more.",
    )


def _prepend(name: str, *, infix: bool = False) -> Function:
    return Function(
        name,
        (Any.COMPATIBLE, Any.COMPATIBLE_ARRAY),
        _prepended_type,
        _prepended,
        _spark_prepended,
        strict=False,
        fails=True,
        typed=True,
        infix=infix,
        doc="The array after one element more.",
    )


FAMILY = Family(
    "Arrays",
    functions=(
        Function(
            "array",
            (Any.ELEMENT,),
            _made_type,
            _made,
            _spark_made,
            strict=False,
            fails=True,
            variadic=True,
            typed=True,
            doc="An array of the arguments: `ARRAY[...]`.",
        ),
        Function(
            "array_subscript",
            (Any.ARRAY, INT4),
            _element,
            _subscripted,
            _spark_subscripted,
            makes_null=True,
            variadic=True,
            typed=True,
            doc="The element at these subscripts, or null: `a[1]`.",
        ),
        Function(
            "array_slice",
            (Any.ARRAY, INT4),
            type_of_first,
            _sliced,
            _spark_sliced,
            variadic=True,
            typed=True,
            doc="The elements between pairs of bounds: `a[1:2]`. A bound left out is 1 or 2147483647.",
        ),
        _append("array_append"),
        _prepend("array_prepend"),
        _cat("array_cat"),
        *array_sizes.FUNCTIONS,
        *array_search.FUNCTIONS,
        Function(
            "array_fill",
            (Any.ELEMENT, _INT4S),
            _made_type_of_first,
            _filled,
            strict=False,
            fails=True,
            doc="An array of as many times the same.",
        ),
        Function(
            "array_fill",
            (Any.ELEMENT, _INT4S, _INT4S),
            _made_type_of_first,
            _filled_from,
            strict=False,
            fails=True,
            doc="The same, with lower bounds, which are all 1.",
        ),
        Function(
            "trim_array",
            (Any.ARRAY, INT4),
            type_of_first,
            _trimmed,
            _spark_trimmed,
            fails=True,
            doc="The array without its last elements.",
        ),
        Function("array_reverse", (Any.ARRAY,), type_of_first, _reversed, "reverse({0})", doc="The array backwards."),
    ),
    operators=(
        _cat("||", infix=True),
        _append("||", infix=True),
        _prepend("||", infix=True),
        *array_search.OPERATORS,
    ),
    casts=tuple(Cast(vector.base, array_of(element).base, "implicit") for vector, element in VECTORS.items()),
)
