"""Arrays: made, taken apart and measured.

An array of several dimensions is a tuple of tuples, all of one size; an empty one is `()` whatever its type. How many
dimensions there are is known from the type, so functions whose answer would have another number of them for other
values (`array_fill`) only take what gives one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any as Anything

from holdfast.plan.errors import (
    ArraySubscriptError,
    DataError,
    NullValueNotAllowed,
    ProgramLimitExceeded,
    UnsupportedValue,
)
from holdfast.plan.functions.container import (
    ELEMENT,
    as_type,
    common,
    compares_in_spark,
    contains,
    dimensions,
    element_of,
    leaves,
    same,
)
from holdfast.plan.functions.function import Any, Cast, Family, Function, Types
from holdfast.plan.functions.spark_text import failure_of
from holdfast.plan.types import BOOL, INT4, TEXT, VECTORS, Type, array_of, spark_type

MAX_SIZE = 134217727
"""Elements of an array, as PostgreSQL has it."""

Tuple = tuple[Anything, ...]
Texts = Sequence[str]
Arguments = Sequence[Type]


def _is_plain(type_: Type) -> bool:
    return dimensions(type_) == 1


def _first(types: Arguments) -> Type:
    return types[0]


def _element(types: Arguments) -> Type:
    return element_of(types[0])


def shape(value: Tuple, depth: int) -> tuple[int, ...]:
    """The size of each dimension; none of an empty array."""
    sizes: list[int] = []
    while depth and value:
        sizes.append(len(value))
        value, depth = value[0], depth - 1
    return tuple(sizes)


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
    if not _is_plain(result):
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
    first = _first_subscript(types.arguments[0])
    for subscript in subscripts:
        if not first <= subscript < first + len(found):
            return None
        found = found[subscript - first]
    return found


def _first_subscript(type_: Type) -> int:
    """Catalogs count the parts of their vectors from 0."""
    return 0 if type_ in VECTORS else 1


def _spark_subscripted(texts: Texts, types: Arguments, result: Type) -> str:
    value, *subscripts = texts
    if len(subscripts) != dimensions(types[0]):
        return f"CAST(NULL AS {spark_type(result)})"
    for subscript in subscripts:
        # One less than the least would be out of range.
        place = f"if({subscript} < 1, -1, {subscript} - 1)" if _first_subscript(types[0]) else subscript
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
    if not _is_plain(types[0]) or len(texts) != 3:
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
    if value and not _is_plain(type_):
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
    if not _is_plain(value_type):
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
    if not all(map(_is_plain, types)):
        return None
    left, right = (as_type(text, type_, result) for text, type_ in zip(texts, types, strict=True))
    return f"CASE WHEN {left} IS NULL THEN {right} WHEN {right} IS NULL THEN {left} ELSE concat({left}, {right}) END"


# Measured


def _length(types: Types, value: Tuple, dimension: int) -> int | None:
    sizes = shape(value, dimensions(types.arguments[0]))
    return sizes[dimension - 1] if 1 <= dimension <= len(sizes) else None


def _spark_length(texts: Texts, types: Arguments, _result: Type) -> str | None:
    value, dimension = texts
    return f"CASE WHEN {dimension} = 1 THEN nullif(size({value}), 0) END" if _is_plain(types[0]) else None


def _lower(types: Types, value: Tuple, dimension: int) -> int | None:
    return None if _length(types, value, dimension) is None else _first_subscript(types.arguments[0])


def _upper(types: Types, value: Tuple, dimension: int) -> int | None:
    length = _length(types, value, dimension)
    return None if length is None else length - 1 + _first_subscript(types.arguments[0])


def _spark_lower(texts: Texts, types: Arguments, _result: Type) -> str | None:
    value, dimension = texts
    first = _first_subscript(types[0])
    return f"CASE WHEN {dimension} = 1 AND size({value}) > 0 THEN {first} END" if _is_plain(types[0]) else None


def _spark_upper(texts: Texts, types: Arguments, result: Type) -> str | None:
    length = _spark_length(texts, types, result)
    return f"{length} - 1" if length and not _first_subscript(types[0]) else length


def _count_of_dimensions(types: Types, value: Tuple) -> int | None:
    return dimensions(types.arguments[0]) if value else None


def _spark_count_of_dimensions(texts: Texts, types: Arguments, _result: Type) -> str:
    return f"CASE WHEN size({texts[0]}) > 0 THEN {dimensions(types[0])} END"


def _dims(types: Types, value: Tuple) -> str | None:
    return "".join(f"[1:{size}]" for size in shape(value, dimensions(types.arguments[0]))) or None


def _cardinality(types: Types, value: Tuple) -> int:
    count = 1
    for size in shape(value, dimensions(types.arguments[0])):
        count *= size
    return count if value else 0


def _spark_cardinality(texts: Texts, types: Arguments, _result: Type) -> str:
    return f"size({_flat(texts[0], types[0])})"


def _flat(text: str, type_: Type) -> str:
    """SQL of the array of all elements."""
    return "flatten(" * (dimensions(type_) - 1) + text + ")" * (dimensions(type_) - 1)


# Searched


def _position(types: Types, value: Tuple | None, item: object, start: int | None = 1) -> int | None:
    if not value:
        return None
    if start is None:
        raise NullValueNotAllowed("initial position must not be null")
    _refuse_dimensions(types, value, "searching for elements in")
    return next((i for i, found in enumerate(value, start=1) if i >= start and same(found, item)), None)


def _refuse_dimensions(types: Types, value: Tuple, doing: str) -> None:
    if value and not _is_plain(types.arguments[0]):
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
    return _is_plain(types[0]) and alike and compares_in_spark(element)


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
        left, right = (_flat(t, type_) for t, type_ in zip(texts, types, strict=True))
        answer = form.format(left, right)
        return f"CASE WHEN {texts[0]} IS NOT NULL AND {texts[1]} IS NOT NULL THEN {answer} END"

    return text


_SPARK_CONTAINS = "forall({1}, " + ELEMENT + " -> coalesce(array_contains({0}, " + ELEMENT + "), false))"
_SPARK_CONTAINED = "forall({0}, " + ELEMENT + " -> coalesce(array_contains({1}, " + ELEMENT + "), false))"

INT4S = array_of(INT4)


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


def _searching(
    name: str, arguments: tuple[Any | Type, ...], result: Type | Callable[[Arguments], Type], **more: Anything
) -> Function:
    return Function(name, arguments, result, strict=False, makes_null=True, fails=True, typed=True, **more)


_ITEM = (Any.COMPATIBLE_ARRAY, Any.COMPATIBLE)

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
            _first,
            _sliced,
            _spark_sliced,
            variadic=True,
            typed=True,
            doc="The elements between pairs of bounds: `a[1:2]`. A bound left out is 1 or 2147483647.",
        ),
        _append("array_append"),
        _prepend("array_prepend"),
        _cat("array_cat"),
        Function(
            "array_length",
            (Any.ARRAY, INT4),
            INT4,
            _length,
            _spark_length,
            makes_null=True,
            typed=True,
            doc="How many elements a dimension has.",
        ),
        Function(
            "array_upper",
            (Any.ARRAY, INT4),
            INT4,
            _upper,
            _spark_upper,
            makes_null=True,
            typed=True,
            doc="The last subscript of a dimension.",
        ),
        Function(
            "array_lower",
            (Any.ARRAY, INT4),
            INT4,
            _lower,
            _spark_lower,
            makes_null=True,
            typed=True,
            doc="The first subscript of a dimension.",
        ),
        Function(
            "array_ndims",
            (Any.ARRAY,),
            INT4,
            _count_of_dimensions,
            _spark_count_of_dimensions,
            makes_null=True,
            typed=True,
            doc="How many dimensions there are; null for an empty array.",
        ),
        Function(
            "array_dims", (Any.ARRAY,), TEXT, _dims, makes_null=True, typed=True, doc="The bounds of all dimensions."
        ),
        Function(
            "cardinality",
            (Any.ARRAY,),
            INT4,
            _cardinality,
            _spark_cardinality,
            typed=True,
            doc="How many elements there are in all.",
        ),
        _searching("array_position", _ITEM, INT4, python=_position, spark=_spark_position, doc="Where an element is."),
        _searching("array_position", (*_ITEM, INT4), INT4, python=_position, doc="Where it is, from a place on."),
        _searching("array_positions", _ITEM, INT4S, python=_positions, doc="All places where an element is."),
        _searching(
            "array_remove", _ITEM, _first, python=_removed, spark=_spark_removed, doc="The array without an element."
        ),
        _searching(
            "array_replace",
            (*_ITEM, Any.COMPATIBLE),
            _first,
            python=_replaced,
            spark=_spark_replaced,
            doc="The array with one element in place of another.",
        ),
        Function(
            "array_fill",
            (Any.ELEMENT, INT4S),
            _made_type_of_first,
            _filled,
            strict=False,
            fails=True,
            doc="An array of as many times the same.",
        ),
        Function(
            "array_fill",
            (Any.ELEMENT, INT4S, INT4S),
            _made_type_of_first,
            _filled_from,
            strict=False,
            fails=True,
            doc="The same, with lower bounds, which are all 1.",
        ),
        Function(
            "trim_array",
            (Any.ARRAY, INT4),
            _first,
            _trimmed,
            _spark_trimmed,
            fails=True,
            doc="The array without its last elements.",
        ),
        Function("array_reverse", (Any.ARRAY,), _first, _reversed, "reverse({0})", doc="The array backwards."),
    ),
    operators=(
        _cat("||", infix=True),
        _append("||", infix=True),
        _prepend("||", infix=True),
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
    ),
    casts=tuple(Cast(vector.base, array_of(element).base, "implicit") for vector, element in VECTORS.items()),
)
