"""The sizes of arrays: how many elements there are, in how many dimensions, and how they are counted."""

from __future__ import annotations

from holdfast.plan.functions.array_shape import Arguments, Texts, Tuple, first_subscript, flat, is_plain, shape
from holdfast.plan.functions.container import dimensions
from holdfast.plan.functions.function import Any, Function, Types
from holdfast.plan.types import INT4, TEXT, Type


def _length(types: Types, value: Tuple, dimension: int) -> int | None:
    sizes = shape(value, dimensions(types.arguments[0]))
    return sizes[dimension - 1] if 1 <= dimension <= len(sizes) else None


def _spark_length(texts: Texts, types: Arguments, _result: Type) -> str | None:
    value, dimension = texts
    return f"CASE WHEN {dimension} = 1 THEN nullif(size({value}), 0) END" if is_plain(types[0]) else None


def _lower(types: Types, value: Tuple, dimension: int) -> int | None:
    return None if _length(types, value, dimension) is None else first_subscript(types.arguments[0])


def _upper(types: Types, value: Tuple, dimension: int) -> int | None:
    length = _length(types, value, dimension)
    return None if length is None else length - 1 + first_subscript(types.arguments[0])


def _spark_lower(texts: Texts, types: Arguments, _result: Type) -> str | None:
    value, dimension = texts
    first = first_subscript(types[0])
    return f"CASE WHEN {dimension} = 1 AND size({value}) > 0 THEN {first} END" if is_plain(types[0]) else None


def _spark_upper(texts: Texts, types: Arguments, result: Type) -> str | None:
    length = _spark_length(texts, types, result)
    return f"{length} - 1" if length and not first_subscript(types[0]) else length


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
    return f"size({flat(texts[0], types[0])})"


FUNCTIONS = (
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
    Function("array_dims", (Any.ARRAY,), TEXT, _dims, makes_null=True, typed=True, doc="The bounds of all dimensions."),
    Function(
        "cardinality",
        (Any.ARRAY,),
        INT4,
        _cardinality,
        _spark_cardinality,
        typed=True,
        doc="How many elements there are in all.",
    ),
)
