"""The order of values in Spark SQL, where Spark's own differs from SQL's: nulls inside of others, ranges, maps."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.functions.numeric_types import common, whole_digits
from holdfast.plan.types import MAX_PRECISION, Array, List, Map, Numeric, Range, Record, Type, spark_type


def order_key(text: str, type_: Type) -> str | None:
    """An expression that Spark orders as SQL orders what `text` stands for, or None where there is none."""
    match type_:
        case Array() if type_.dimensions > 1:
            return _nested_array_key(text, type_)
        case Array() | List():
            element = _nullable_key("e", type_.element)
            return element and f"transform({text}, e -> {element})"
        case Map():
            value = _nullable_key("e.value", type_.value)
            return value and f"transform(array_sort(map_entries({text})), e -> struct(e.key, {value}))"
        case Record():
            return _record_key(text, type_)
        case Range():
            return _range_key(text, type_)
    return None if type_.base == "jsonb" else text


def same_key(text: str, type_: Type) -> str | None:
    """An expression that Spark finds equal where SQL finds what `text` stands for equal."""
    match type_:
        case Map():
            return f"array_sort(map_entries({text}))" if _has_spark_equality(type_.value) else order_key(text, type_)
        case Array() if type_.dimensions > 1 and _has_spark_equality(type_.element):
            return text
    return text if _has_spark_equality(type_) else order_key(text, type_)


def _has_spark_equality(type_: Type) -> bool:
    """Whether Spark finds the same values equal. Nulls inside are equal to each other for both."""
    match type_:
        case Array() | List():
            return _has_spark_equality(type_.element)
        case Record():
            return all(map(_has_spark_equality, type_.types))
        case Map():
            return False
    return True


def _nullable_key(text: str, type_: Type) -> str | None:
    key = order_key(text, type_)
    return key and f"struct({text} IS NULL, {key})"


def _nested_array_key(text: str, type_: Array) -> str | None:
    element = _nullable_key("e", type_.element)
    flat, shape = text, []
    for _ in range(type_.dimensions - 1):
        shape.append(f"size({flat})")
        flat = f"flatten({flat})"
    return element and f"struct(transform({flat}, e -> {element}), size({flat}), {', '.join(shape)})"


def _record_key(text: str, type_: Record) -> str | None:
    keys = [_nullable_key(f"{text}.f{i}", field) for i, field in enumerate(type_.types, start=1)]
    found = [key for key in keys if key is not None]
    if len(found) < len(keys):
        return None
    return f"CASE WHEN {text} IS NOT NULL THEN struct({', '.join(found)}) END" if found else text


def _range_key(text: str, type_: Range) -> str | None:
    lower, upper = (order_key(f"{text}.{bound}", type_.subtype) for bound in ("lower", "upper"))
    return (
        f"CASE WHEN {text} IS NOT NULL THEN struct(NOT {text}.empty, {text}.lower IS NOT NULL, {lower}, "
        f"NOT {text}.lower_inclusive, {text}.upper IS NULL, {upper}, {text}.upper_inclusive) END"
    )


def comparable(texts: Sequence[str], types: Sequence[Type]) -> tuple[list[str], Type] | None:
    """The expressions as values of one Spark type that holds them all, and which it is; None where none does."""
    wide = _wide(types)
    if wide is None:
        return None
    target = spark_type(wide)
    cast = [
        text if spark_type(type_) == target else f"CAST({text} AS {target})"
        for text, type_ in zip(texts, types, strict=True)
    ]
    return cast, wide


def _wide(types: Sequence[Type]) -> Type | None:
    first = types[0]
    if all(type_ is first for type_ in types):
        return first
    if isinstance(first, Numeric):
        found = common(types)
        numerics = [type_ for type_ in types if isinstance(type_, Numeric)]
        needed = max(map(whole_digits, numerics)) + max(type_.scale for type_ in numerics)
        return found if needed <= MAX_PRECISION else None
    arrays = [type_ for type_ in types if isinstance(type_, Array)]
    if isinstance(first, Array) and len(arrays) == len(types):
        if any(array.dimensions != first.dimensions for array in arrays):
            return None
        element = _wide([array.element for array in arrays])
        return element and Array(first.base, element, first.dimensions)
    lists = [type_ for type_ in types if isinstance(type_, List)]
    if isinstance(first, List) and len(lists) == len(types):
        element = _wide([list_.element for list_ in lists])
        return element and List(first.base, element)
    maps = [type_ for type_ in types if isinstance(type_, Map)]
    if isinstance(first, Map) and len(maps) == len(types):
        value = _wide([map_.value for map_ in maps])
        return value and Map(first.base, value)
    records = [type_ for type_ in types if isinstance(type_, Record)]
    if isinstance(first, Record) and len(records) == len(types):
        fields = [_wide(column) for column in zip(*(record.types for record in records), strict=True)]
        known = tuple(field for field in fields if field is not None)
        return Record(first.base, first.names, known, first.name) if len(known) == len(fields) else None
    # Modifiers of other types do not show in Spark.
    return first
