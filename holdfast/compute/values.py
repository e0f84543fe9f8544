"""Columns of Arrow as lists of Python's values, as `plan/types.py` has them, and back.

The functions of the registry see these values, whoever calls them: Spark's workers (`functions.py`) or the evaluator.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.types import Array, Interval, List, Map, Numeric, Range, RangeValue, Record, Type, arrow_type

_COUNTED = {"date": pa.int32(), "time": pa.int64(), "timestamp": pa.int64(), "timestamptz": pa.int64()}
"""The types whose values are counts of days or microseconds."""


def to_values(array: Any, type_: Type) -> list[Any]:  # an array of pyarrow, which has no types
    """The values of a column, None for null. Its Arrow type may be another that Spark has for the same."""
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in to_values(chunk, type_)]
    match type_:
        case Array():
            element: Type = type_.element
            if type_.dimensions > 1:
                element = Array(type_.base, type_.element, type_.dimensions - 1)
            return _lists(array, element)
        case List():
            return _lists(array, type_.element)
        case Map():
            return _maps(array, type_.value)
        case Record():
            return _present(array, zip(*_fields(array, type_.types), strict=True)) if type_.types else _empty(array)
        case Range():
            # The flags are there in every range; only bounds may be null.
            columns = _fields(array, (type_.subtype, type_.subtype, Type("bool"), Type("bool"), Type("bool")))
            return _present(array, map(RangeValue, *columns))
    if type_.base in _COUNTED:
        if type_.base == "time":
            array = array.cast(pa.time64("us"))
        return array.view(_COUNTED[type_.base]).to_pylist()  # type: ignore[no-any-return]  # as above
    if type_.base == "interval":
        columns = _fields(array, (Type("int4"), Type("int4"), Type("int8")))
        return _present(array, map(Interval, *columns))
    if type_.base == "int2vector":
        return _lists(array, Type("int2"))
    values: list[Any] = array.to_pylist()
    if type_.base == "uint8":
        return [None if value is None else int(value) for value in values]
    return values


def from_values(values: Sequence[Any], type_: Type) -> Any:  # an array of pyarrow, as above
    """A column of these values, of the type that `arrow_type` says."""
    arrow = arrow_type(type_)
    match type_:
        case Numeric():
            try:
                return pa.array(values, arrow)
            except pa.ArrowInvalid as error:
                raise NumericValueOutOfRange("numeric field overflow") from error
        case Array() | List() | Map() | Record() | Range():
            return pa.array([_nested(value, type_) for value in values], arrow)
    if type_.base in _COUNTED:
        return pa.array(values, _COUNTED[type_.base]).view(arrow)
    if type_.base == "interval":
        return pa.array([_nested(value, type_) for value in values], arrow)
    return pa.array(values, arrow)


def _fields(array: Any, types: Sequence[Type]) -> list[list[Any]]:
    return [to_values(array.field(index), type_) for index, type_ in enumerate(types)]


def _present(array: Any, values: Any) -> list[Any]:
    """The values, with None where the array has null: fields below a null have values too, of no meaning."""
    if not array.null_count:
        return list(values)
    return [value if valid else None for value, valid in zip(values, array.is_valid().to_pylist(), strict=True)]


def _empty(array: Any) -> list[Any]:
    return [() if valid else None for valid in array.is_valid().to_pylist()]


def _bounds(array: Any) -> tuple[int, int, list[int]]:
    """Where the elements of all lists of the array begin, how many there are, and where each list's begin and end."""
    offsets = array.offsets.to_pylist() or [0]
    start = offsets[0]
    return start, offsets[-1] - start, [offset - start for offset in offsets]


def _lists(array: Any, element: Type) -> list[Any]:
    start, count, offsets = _bounds(array)
    elements = to_values(array.values.slice(start, count), element)
    return _present(array, (tuple(elements[i:j]) for i, j in pairwise(offsets)))


def _maps(array: Any, value: Type) -> list[Any]:
    start, count, offsets = _bounds(array)
    keys = array.keys.slice(start, count).to_pylist()
    entries = list(zip(keys, to_values(array.items.slice(start, count), value), strict=True))
    sorted_entries = (tuple(sorted(entries[i:j], key=lambda entry: entry[0].encode())) for i, j in pairwise(offsets))
    return _present(array, sorted_entries)


def _nested(value: Any, type_: Type) -> Any:
    """What pyarrow makes the value from where it stands inside of another."""
    if value is None:
        return None
    match type_:
        case Array() if type_.dimensions > 1:
            inner = Array(type_.base, type_.element, type_.dimensions - 1)
            return [_nested(element, inner) for element in value]
        case Array() | List():
            return [_nested(element, type_.element) for element in value]
        case Map():
            return [(key, _nested(item, type_.value)) for key, item in value]
        case Record():
            fields = zip(value, type_.types, strict=True)
            return {f"f{i}": _nested(item, field) for i, (item, field) in enumerate(fields, start=1)}
        case Range():
            bounds = [_nested(bound, type_.subtype) for bound in value[:2]]
            names = ("lower", "upper", "lower_inclusive", "upper_inclusive", "empty")
            return dict(zip(names, (*bounds, *value[2:]), strict=True))
    if type_.base == "interval":
        return {"months": value[0], "days": value[1], "micros": value[2]}
    if type_.base in _COUNTED:
        # Python's own dates end with the year 9999, so these go by their counts.
        return pa.scalar(value, _COUNTED[type_.base]).cast(arrow_type(type_))
    return value
