"""JSON: members and elements taken out of a value, and questions about it.

A value is canonical text (`plan/json_value.py`). Spark has functions for JSON, but none that writes what it finds in
canonical form, so all of these are Python.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any as Anything

from holdfast.errors import UsageError
from holdfast.plan.errors import InvalidParameterValue, NumericValueOutOfRange
from holdfast.plan.functions.function import Cast, Family, Function, ResultColumns, TableFunction, Types
from holdfast.plan.json_value import Json, as_text, equal, is_scalar, parse, type_name, write
from holdfast.plan.types import (
    BOOL,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    Numeric,
    Type,
    array_of,
)

TEXTS = array_of(TEXT)

_ABSENT = object()
"""What is not there, as null is."""


# Taken out


def _member(value: Json, key: str) -> Json:
    return value.get(key, _ABSENT) if isinstance(value, dict) else _ABSENT


def _item(value: Json, index: int) -> Json:
    if isinstance(value, list):
        return value[index] if -len(value) <= index < len(value) else _ABSENT
    # PostgreSQL takes a value that is no container for an array of itself.
    return value if is_scalar(value) and index in (0, -1) else _ABSENT


def _at_path(value: Json, path: Sequence[str | None]) -> Json:
    for step in path:
        if step is None:
            return _ABSENT
        if isinstance(value, dict):
            value = value.get(step, _ABSENT)
        elif isinstance(value, list):
            index = path_index(step)
            value = _ABSENT if index is None else _item(value, index)
        else:
            return _ABSENT
        if value is _ABSENT:
            return _ABSENT
    return value


def path_index(step: str) -> int | None:
    """The place in an array that a step of a path means, if it is a number that can be one."""
    try:
        index = int(step) if "_" not in step and step[-1:] not in " \t\n\r\v\f" else None
    except ValueError:
        return None
    return index if index is not None and -(2**31) <= index < 2**31 else None


def _shown(found: Json) -> str | None:
    return None if found is _ABSENT else write(found)


def _shown_text(found: Json) -> str | None:
    return None if found is _ABSENT else as_text(found)


def _field(value: str, key: str) -> str | None:
    return _shown(_member(parse(value), key))


def _field_text(value: str, key: str) -> str | None:
    return _shown_text(_member(parse(value), key))


def _element(value: str, index: int) -> str | None:
    return _shown(_item(parse(value), index))


def _element_text(value: str, index: int) -> str | None:
    return _shown_text(_item(parse(value), index))


def _path(value: str, path: Sequence[str | None]) -> str | None:
    return _shown(_at_path(parse(value), path))


def _path_text(value: str, path: Sequence[str | None]) -> str | None:
    return _shown_text(_at_path(parse(value), path))


def _extract(value: str, *path: str) -> str | None:
    return _path(value, path)


def _extract_text(value: str, *path: str) -> str | None:
    return _path_text(value, path)


def _subscript_element(value: str, index: int) -> str | None:
    """Unlike `->`, a subscript of a scalar finds nothing."""
    parsed = parse(value)
    return _shown(_item(parsed, index)) if isinstance(parsed, list) else _shown(_member(parsed, str(index)))


def _subscript_field(value: str, key: str) -> str | None:
    return _path(value, (key,))


# Asked about


def contains(left: Json, right: Json) -> bool:
    if isinstance(left, list) and is_scalar(right):
        return any(equal(item, right) for item in left)
    return _contains(left, right)


def _contains(left: Json, right: Json) -> bool:
    if isinstance(right, dict):
        return isinstance(left, dict) and all(
            key in left and _contains(left[key], member) for key, member in right.items()
        )
    if isinstance(right, list):
        return isinstance(left, list) and all(any(_contains(item, wanted) for item in left) for wanted in right)
    return equal(left, right)


def _contains_text(left: str, right: str) -> bool:
    return contains(parse(left), parse(right))


def _contained_text(left: str, right: str) -> bool:
    return contains(parse(right), parse(left))


def has_key(value: Json, key: str) -> bool:
    """Whether it is a key of an object, a string in an array, or the string itself."""
    if isinstance(value, list):
        return any(isinstance(item, str) and item == key for item in value)
    return key in value if isinstance(value, dict) else isinstance(value, str) and value == key


def _has(value: str, key: str) -> bool:
    return has_key(parse(value), key)


def _has_any(value: str, keys: Sequence[str | None]) -> bool:
    parsed = parse(value)
    return any(has_key(parsed, key) for key in keys if key is not None)


def _has_all(value: str, keys: Sequence[str | None]) -> bool:
    parsed = parse(value)
    return all(has_key(parsed, key) for key in keys if key is not None)


def _typeof(value: str) -> str:
    return type_name(parse(value))


_SPARK_TYPEOF = (
    "CASE WHEN {0} IS NOT NULL THEN CASE substr({0}, 1, 1) "
    "WHEN '{{' THEN 'object' WHEN '[' THEN 'array' WHEN '\"' THEN 'string' "
    "WHEN 't' THEN 'boolean' WHEN 'f' THEN 'boolean' WHEN 'n' THEN 'null' ELSE 'number' END END"
)


def _array_length(value: str) -> int:
    parsed = parse(value)
    if not isinstance(parsed, list):
        kind = "a non-array" if isinstance(parsed, dict) else "a scalar"
        raise InvalidParameterValue(f"cannot get array length of {kind}")
    return len(parsed)


# As rows


def _elements(value: str) -> list[Json]:
    parsed = parse(value)
    if not isinstance(parsed, list):
        kind = "an object" if isinstance(parsed, dict) else "a scalar"
        raise InvalidParameterValue(f"cannot extract elements from {kind}")
    return parsed


def _array_elements(value: str) -> Iterator[tuple[str]]:
    return ((write(item),) for item in _elements(value))


def _array_elements_text(value: str) -> Iterator[tuple[str | None]]:
    return ((as_text(item),) for item in _elements(value))


def _members(value: str, name: str) -> dict[str, Json]:
    parsed = parse(value)
    if not isinstance(parsed, dict):
        raise InvalidParameterValue(f"cannot call {name} on a non-object")
    return parsed


def _each(value: str) -> Iterator[tuple[str, str]]:
    return ((key, write(member)) for key, member in _members(value, "jsonb_each").items())


def _each_text(value: str) -> Iterator[tuple[str, str | None]]:
    return ((key, as_text(member)) for key, member in _members(value, "jsonb_each_text").items())


def _keys(value: str) -> Iterator[tuple[str]]:
    parsed = parse(value)
    if not isinstance(parsed, dict):
        kind = "an array" if isinstance(parsed, list) else "a scalar"
        raise InvalidParameterValue(f"cannot call jsonb_object_keys on {kind}")
    return ((key,) for key in parsed)


# Cast

_EXACT = Context(prec=8192)


def _scalar_of(value: str, kind: str, target: Type) -> Json:
    """The value if it is of that kind, or null."""
    parsed = parse(value)
    found = type_name(parsed)
    if found not in (kind, "null"):
        shown = "numeric" if found == "number" else found
        raise InvalidParameterValue(f"cannot cast jsonb {shown} to type {target}")
    return parsed


def _boolean(value: str) -> bool | None:
    found: bool | None = _scalar_of(value, "boolean", BOOL)
    return found


def _integer(types: Types, value: str) -> int | None:
    found = _scalar_of(value, "number", types.result)
    if found is None:
        return None
    whole = found if isinstance(found, int) else int(found.to_integral_value(ROUND_HALF_UP, _EXACT))
    limit = _LIMITS[types.result.base]
    if not -limit <= whole < limit:
        raise NumericValueOutOfRange(f"{types.result} out of range")
    return whole


_LIMITS = {"int2": 2**15, "int4": 2**31, "int8": 2**63}


def _float(types: Types, value: str) -> float | None:
    found = _scalar_of(value, "number", types.result)
    if found is None:
        return None
    try:
        rounded = float(found)
        if types.result.base == "float4":
            (rounded,) = struct.unpack("f", struct.pack("f", rounded))
    except OverflowError:
        rounded = math.inf
    if math.isinf(rounded) or (rounded == 0 and found != 0):
        raise NumericValueOutOfRange(f'"{value}" is out of range for type {types.result}')
    return rounded


def _numeric(types: Types, value: str) -> Decimal | None:
    found = _scalar_of(value, "number", NUMERIC)
    if found is None:
        return None
    if not isinstance(types.result, Numeric):
        raise UsageError(f"{types.result} is no numeric")
    rounded = Decimal(found).quantize(Decimal(1).scaleb(-types.result.scale), ROUND_HALF_UP, _EXACT)
    if rounded and rounded.adjusted() >= types.result.precision - types.result.scale:
        raise NumericValueOutOfRange("numeric field overflow")
    return rounded


def _cast(target: Type, python: Callable[..., object], *, typed: bool = True) -> Cast:
    function = Function(target.base, (JSONB,), target, python, makes_null=True, fails=True, typed=typed)
    return Cast("jsonb", target.base, "explicit", function)


# The family


def _reading(name: str, symbol: str, arguments: tuple[Type, ...], result: Type, python: Anything, doc: str) -> Both:
    """An operator and the function that PostgreSQL has it by."""
    return (
        Function(symbol, arguments, result, python, makes_null=True, infix=True, doc=doc),
        Function(name, arguments, result, python, makes_null=True, doc=doc),
    )


def _asking(name: str, symbol: str, arguments: tuple[Type, ...], python: Anything, doc: str) -> Both:
    return (
        Function(symbol, arguments, BOOL, python, infix=True, doc=doc),
        Function(name, arguments, BOOL, python, doc=doc),
    )


Both = tuple[Function, Function]

_BOTH: tuple[Both, ...] = (
    _reading("jsonb_object_field", "->", (JSONB, TEXT), JSONB, _field, "The member of an object."),
    _reading("jsonb_array_element", "->", (JSONB, INT4), JSONB, _element, "The element of an array, from 0 on."),
    _reading("jsonb_object_field_text", "->>", (JSONB, TEXT), TEXT, _field_text, "The member as text."),
    _reading("jsonb_array_element_text", "->>", (JSONB, INT4), TEXT, _element_text, "The element as text."),
    _asking("jsonb_contains", "@>", (JSONB, JSONB), _contains_text, "Whether the second is part of the first."),
    _asking("jsonb_contained", "<@", (JSONB, JSONB), _contained_text, "Whether the first is part of the second."),
    _asking("jsonb_exists", "?", (JSONB, TEXT), _has, "Whether there is such a key or string."),
    _asking("jsonb_exists_any", "?|", (JSONB, TEXTS), _has_any, "Whether there is one of these keys or strings."),
    _asking("jsonb_exists_all", "?&", (JSONB, TEXTS), _has_all, "Whether there are all of these keys or strings."),
)

FAMILY = Family(
    "JSON",
    functions=(
        *(function for _, function in _BOTH),
        Function(
            "jsonb_subscript",
            (JSONB, TEXT),
            JSONB,
            _subscript_field,
            makes_null=True,
            doc="The member or element at a subscript: `j['a']`.",
        ),
        Function(
            "jsonb_subscript",
            (JSONB, INT4),
            JSONB,
            _subscript_element,
            makes_null=True,
            doc="The element or member at a subscript: `j[0]`.",
        ),
        Function(
            "jsonb_extract_path",
            (JSONB, TEXT),
            JSONB,
            _extract,
            makes_null=True,
            variadic=True,
            doc="The value at the end of a path of keys and places.",
        ),
        Function(
            "jsonb_extract_path_text",
            (JSONB, TEXT),
            TEXT,
            _extract_text,
            makes_null=True,
            variadic=True,
            doc="The value at the end of a path, as text.",
        ),
        Function("jsonb_typeof", (JSONB,), TEXT, _typeof, _SPARK_TYPEOF, doc="What kind of value it is."),
        Function(
            "jsonb_array_length", (JSONB,), INT4, _array_length, fails=True, doc="How many elements an array has."
        ),
    ),
    operators=(
        *(operator for operator, _ in _BOTH),
        Function("#>", (JSONB, TEXTS), JSONB, _path, makes_null=True, infix=True, doc="The value at a path."),
        Function("#>>", (JSONB, TEXTS), TEXT, _path_text, makes_null=True, infix=True, doc="The same as text."),
    ),
    tables=(
        TableFunction(
            "jsonb_array_elements",
            (JSONB,),
            ResultColumns(("value",), (JSONB,), (False,)),
            _array_elements,
            fails=True,
            doc="The elements of an array.",
        ),
        TableFunction(
            "jsonb_array_elements_text",
            (JSONB,),
            ResultColumns(("value",), (TEXT,), (True,)),
            _array_elements_text,
            fails=True,
            doc="The elements of an array, as text.",
        ),
        TableFunction(
            "jsonb_each",
            (JSONB,),
            ResultColumns(("key", "value"), (TEXT, JSONB), (False, False)),
            _each,
            fails=True,
            doc="The members of an object.",
        ),
        TableFunction(
            "jsonb_each_text",
            (JSONB,),
            ResultColumns(("key", "value"), (TEXT, TEXT), (False, True)),
            _each_text,
            fails=True,
            doc="The members of an object, as text.",
        ),
        TableFunction(
            "jsonb_object_keys",
            (JSONB,),
            ResultColumns(("jsonb_object_keys",), (TEXT,), (False,)),
            _keys,
            fails=True,
            doc="The keys of an object.",
        ),
    ),
    casts=(
        Cast("jsonb", "text", "assignment"),
        _cast(BOOL, _boolean, typed=False),
        *(_cast(target, _integer) for target in (INT2, INT4, INT8)),
        *(_cast(target, _float) for target in (FLOAT4, FLOAT8)),
        _cast(NUMERIC, _numeric),
    ),
)
