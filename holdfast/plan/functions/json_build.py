"""JSON made from values of other types."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any as Anything
from typing import TypeAlias

from holdfast.plan.errors import ArraySubscriptError, InvalidParameterValue, NullValueNotAllowed
from holdfast.plan.functions.container import dimensions
from holdfast.plan.functions.function import Any, Family, Function, Types
from holdfast.plan.functions.json import TEXTS
from holdfast.plan.json_value import Json, json_object, number, number_of_text, parse, write
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import BOOL, JSONB, VECTORS, Array, List, Map, Record, Type

Convert: TypeAlias = Callable[[Anything], Json]

_INTEGERS = frozenset(("int2", "int4", "int8", "uint2", "uint4", "uint8"))


@lru_cache(maxsize=4096)
def json_of(type_: Type) -> Convert:
    """How values of a type that are not null become JSON."""
    match type_:
        case Array():
            return _array_of(or_null(type_.element), type_.dimensions)
        case List():
            return _array_of(or_null(type_.element), 1)
        case Map():
            member = or_null(type_.value)
            return lambda pairs: json_object((key, member(value)) for key, value in pairs)
        case Record():
            fields = [(name, or_null(field)) for name, field in zip(type_.names, type_.types, strict=True)]
            return lambda values: json_object(
                (name, field(value)) for (name, field), value in zip(fields, values, strict=True)
            )
    if type_.base in _BY_BASE:
        return _BY_BASE[type_.base](type_)
    if type_.base in _INTEGERS or type_ is BOOL:
        return lambda value: value
    return write_of(type_)


def or_null(type_: Type) -> Convert:
    """The same for any value."""
    convert = json_of(type_)
    return lambda value: None if value is None else convert(value)


def _array_of(element: Convert, depth: int) -> Convert:
    if depth > 1:
        inner = _array_of(element, depth - 1)
        return lambda values: [inner(value) for value in values]
    return lambda values: [element(value) for value in values]


def _float(type_: Type) -> Convert:
    show = write_of(type_)
    return lambda value: number_of_text(show(value)) if math.isfinite(value) else show(value)


def _timestamp(type_: Type) -> Convert:
    """As ISO 8601 has it."""
    show = write_of(type_)
    return lambda value: show(value).replace(" ", "T", 1).replace("+00", "+00:00", 1)


_BY_BASE: Mapping[str, Callable[[Type], Convert]] = {
    "numeric": lambda _: number,
    "float4": _float,
    "float8": _float,
    "jsonb": lambda _: parse,
    "timestamp": _timestamp,
    "timestamptz": _timestamp,
    **{type_.base: lambda _: list for type_ in VECTORS},
}


def _to_jsonb(types: Types, value: object) -> str:
    return write(json_of(types.arguments[0])(value))


def _build_array(types: Types, *values: object) -> str:
    return write([or_null(type_)(value) for type_, value in zip(types.arguments, values, strict=True)])


def _build_object(types: Types, *values: object) -> str:
    if len(values) % 2:
        error = InvalidParameterValue("argument list must have even number of elements")
        error.hint = "The arguments of jsonb_build_object() must consist of alternating keys and values."
        raise error
    converted = [or_null(type_)(value) for type_, value in zip(types.arguments, values, strict=True)]
    keys = [_key(types.arguments[place], place, converted[place]) for place in range(0, len(values), 2)]
    return write(json_object(zip(keys, converted[1::2], strict=True)))


def _key(type_: Type, place: int, value: Json) -> str:
    if value is None and type_ is not JSONB:
        raise InvalidParameterValue(f"argument {place + 1}: key must not be null")
    return key_of(type_, value)


def key_of(type_: Type, value: Json) -> str:
    """The key that a value which became JSON makes."""
    if isinstance(type_, Array | List | Map | Record) or type_ is JSONB or type_ in VECTORS:
        raise InvalidParameterValue("key value must be scalar, not array, composite, or json")
    return value if isinstance(value, str) else write(value)


def _object(types: Types, pairs: Anything) -> str:
    if not pairs:
        return "{}"
    depth = dimensions(types.arguments[0])
    if depth > 2:
        raise ArraySubscriptError("wrong number of array subscripts")
    if depth == 2:
        if len(pairs[0]) != 2:
            raise ArraySubscriptError("array must have two columns")
        return _object_of(pairs)
    if len(pairs) % 2:
        raise ArraySubscriptError("array must have even number of elements")
    return _object_of(zip(pairs[::2], pairs[1::2], strict=True))


def _object_of_two(types: Types, keys: Sequence[Anything], values: Sequence[Anything]) -> str:
    if any(dimensions(type_) > 1 for type_ in types.arguments) and (keys or values):
        raise ArraySubscriptError("wrong number of array subscripts")
    if len(keys) != len(values):
        raise ArraySubscriptError("mismatched array dimensions")
    return _object_of(zip(keys, values, strict=True))


def _object_of(pairs: Iterable[tuple[str | None, str | None]]) -> str:
    found: list[tuple[str, Json]] = []
    for key, value in pairs:
        if key is None:
            raise NullValueNotAllowed("null value not allowed for object key")
        found.append((key, value))
    return write(json_object(found))


FAMILY = Family(
    "JSON from values",
    functions=(
        Function("to_jsonb", (Any.ELEMENT,), JSONB, _to_jsonb, fails=True, typed=True, doc="The value as JSON."),
        Function("array_to_json", (Any.ARRAY,), JSONB, _to_jsonb, fails=True, typed=True, doc="The array as JSON."),
        Function("row_to_json", (Any.RECORD,), JSONB, _to_jsonb, fails=True, typed=True, doc="The record as JSON."),
        Function("jsonb_build_array", (), JSONB, _build_array, typed=True, doc="An empty array."),
        Function(
            "jsonb_build_array",
            (Any.ANY,),
            JSONB,
            _build_array,
            strict=False,
            fails=True,
            variadic=True,
            typed=True,
            doc="An array of the arguments.",
        ),
        Function("jsonb_build_object", (), JSONB, _build_object, typed=True, doc="An empty object."),
        Function(
            "jsonb_build_object",
            (Any.ANY,),
            JSONB,
            _build_object,
            strict=False,
            fails=True,
            variadic=True,
            typed=True,
            doc="An object of keys and values in turn.",
        ),
        Function(
            "jsonb_object", (TEXTS,), JSONB, _object, fails=True, typed=True, doc="An object of keys and texts in turn."
        ),
        Function(
            "jsonb_object",
            (TEXTS, TEXTS),
            JSONB,
            _object_of_two,
            fails=True,
            typed=True,
            doc="An object of keys, and of texts in the same order.",
        ),
    ),
    aliases={
        "to_json": "to_jsonb",
        "json_build_array": "jsonb_build_array",
        "json_build_object": "jsonb_build_object",
        "json_object": "jsonb_object",
    },
)
