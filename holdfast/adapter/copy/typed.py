"""Columns of text to columns of values.

Arrow reads the plain forms of the common types, where it reads them exactly as PostgreSQL does; whatever it refuses, or
may read otherwise, is read value by value. Neither way gives another answer than the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan.text.codec import read_of
from holdfast.plan.text.numbers import INTEGER_RANGES
from holdfast.plan.text.strings import NAME_BYTES
from holdfast.plan.types import Modified, Type, arrow_type

Texts: TypeAlias = Any  # an array of Arrow's strings; pyarrow has no types
Column: TypeAlias = Any  # an array of Arrow's

_FIRST_DAY = -719_162
"""1 January of the year 1. Arrow has a year 0, PostgreSQL does not."""
_MICROS_PER_DAY = 86_400_000_000
_PLAIN_ZERO = r"^-?[0.]*([eE].*)?$"
_UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_DATE_CHARACTERS = 10
_SECOND_CHARACTERS = 19
"""Of `2020-01-01 12:34:56`."""
_MOST_CHARACTERS = 26
"""Of the same with six digits after the seconds."""
_FEW = 2
"""How often a text must come on average for each to be read once."""


def column_of(texts: Texts, type_: Type) -> Column:
    """The values that texts stand for, null where they are. Raises the `DataError` of a text that stands for none."""
    fast = _fast_of(type_)
    if fast is not None:
        try:
            found = fast(texts)
        except pa.ArrowInvalid:
            found = None
        if found is not None:
            return found
    return _one_by_one(texts, type_)


def _one_by_one(texts: Texts, type_: Type) -> Column:
    read = read_of(type_)
    distinct = texts.dictionary_encode()
    if len(distinct.dictionary) * _FEW <= len(texts):
        values = [read(text) for text in distinct.dictionary.to_pylist()]
        return to_arrow(values, type_).take(distinct.indices)
    return to_arrow([None if text is None else read(text) for text in texts.to_pylist()], type_)


@lru_cache(maxsize=1024)
def _fast_of(type_: Type) -> Callable[[Texts], Column | None] | None:
    """How Arrow reads texts of the type: an array, or None, or `ArrowInvalid`, where it cannot be sure."""
    target = arrow_type(type_)
    match type_.base:
        case "int2" | "int4" | "int8":
            return lambda texts: _integers(texts, target)
        case "uint2" | "uint4" | "mz_timestamp":
            least, greatest = INTEGER_RANGES[type_.base]
            return lambda texts: _within(_integers(texts, pa.int64()), least, greatest, target)
        case "float4" | "float8":
            return lambda texts: _floats(texts, target)
        case "numeric":
            return lambda texts: texts.cast(target)
        case "date":
            return lambda texts: _after_year_0(texts.cast(target), pa.int32(), _FIRST_DAY)
        case "text" | "unknown":
            return lambda texts: texts
        case "name":
            return lambda texts: _at_most(texts, pc.binary_length(texts), NAME_BYTES)
        case "uuid":
            return lambda texts: texts if pc.all(pc.match_substring_regex(texts, _UUID)).as_py() is not False else None
    return _MODIFIED[type_.base](type_) if type_.base in _MODIFIED else None


def _integers(texts: Texts, target: Any) -> Column | None:
    # Arrow reads hexadecimal digits as bits, PostgreSQL as a number.
    return None if _has_byte(texts, b"xX") else texts.cast(target)


def _has_byte(texts: Texts, wanted: bytes) -> bool:
    """Whether any text has one of the bytes, or perhaps one that the array is only a slice of."""
    data = texts.buffers()[2]
    if data is None:
        return False
    found = np.frombuffer(data, np.uint8)
    return any(bool((found == byte).any()) for byte in wanted)


def _within(column: Column | None, least: int, greatest: int, target: Any) -> Column | None:
    if column is None:
        return None
    ends = pc.min_max(column)
    first, last = ends["min"].as_py(), ends["max"].as_py()
    return column.cast(target) if first is None or (least <= first and last <= greatest) else None


def _floats(texts: Texts, target: Any) -> Column | None:
    """What is too large or too small is an error in PostgreSQL, where Arrow has infinity and zero."""
    found = texts.cast(target)
    if pc.any(pc.is_inf(found)).as_py():
        return None
    zeros = texts.filter(pc.equal(found, 0))
    return found if not len(zeros) or pc.all(pc.match_substring_regex(zeros, _PLAIN_ZERO)).as_py() else None


def _after_year_0(column: Column, integers: Any, first: int) -> Column | None:
    least = pc.min(column.view(integers)).as_py()
    return column if least is None or least >= first else None


def _at_most(texts: Texts, lengths: Any, limit: int | None) -> Texts | None:
    longest = pc.max(lengths).as_py() if limit is not None else None
    return texts if longest is None or longest <= limit else None


def _varchar(type_: Type) -> Callable[[Texts], Column | None]:
    limit = type_.modifier if isinstance(type_, Modified) else None
    return lambda texts: _at_most(texts, pc.utf8_length(texts), limit)


def _bpchar(type_: Type) -> Callable[[Texts], Column | None]:
    limit = type_.modifier if isinstance(type_, Modified) else None

    def read(texts: Texts) -> Column | None:
        found = _at_most(texts, pc.utf8_length(texts), limit)
        return None if found is None else pc.utf8_rtrim(found, " ")

    return read


def _timestamps(type_: Type) -> Callable[[Texts], Column | None] | None:
    """With fewer parts than days or seconds, and with other offsets than zero, Arrow takes more than PostgreSQL."""
    if isinstance(type_, Modified) and type_.modifier is not None:
        return None
    target, zoned = arrow_type(type_), type_.base == "timestamptz"

    def read(texts: Texts) -> Column | None:
        lengths = pc.min_max(pc.binary_length(texts))
        shortest, longest = lengths["min"].as_py() or 0, lengths["max"].as_py() or 0
        if longest == _DATE_CHARACTERS or (shortest >= _SECOND_CHARACTERS and longest <= _MOST_CHARACTERS):
            source = pa.timestamp("us")
        elif zoned and shortest >= _SECOND_CHARACTERS and pc.all(pc.ends_with(texts, "+00")).as_py():
            source = target
        else:
            return None
        found = _after_year_0(texts.cast(source), pa.int64(), _FIRST_DAY * _MICROS_PER_DAY)
        return None if found is None else found.view(target)

    return read


_MODIFIED: Mapping[str, Callable[[Type], Callable[[Texts], Column | None] | None]] = {
    "varchar": _varchar,
    "bpchar": _bpchar,
    "timestamp": _timestamps,
    "timestamptz": _timestamps,
}
