"""The methods of items that are functions of the item alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from holdfast.errors import UsageError
from holdfast.plan.errors import (
    DataError,
    InvalidJson,
    InvalidJsonDatetime,
    JsonObjectNotFound,
    NonNumericJsonItem,
    UnsupportedValue,
)
from holdfast.plan.json_value import number, number_of_text, type_name, write
from holdfast.plan.jsonpath.moments import DISPLAY, Moment, converted, read_moment
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import BOOL, FLOAT8, INT4, INT8, Type

Item = Any  # a JSON value or a Moment

_EXACT = Context(prec=8192)
_INTEGERS = {"integer": INT4, "bigint": INT8}


def call(name: str, arguments: Sequence[int | str], item: Item) -> Item:
    match name:
        case "type":
            return DISPLAY[item.kind] if isinstance(item, Moment) else type_name(item)
        case "abs" | "floor" | "ceiling":
            return _rounded(name, item)
        case "double":
            return _double(item)
        case "integer" | "bigint":
            return _integer(name, _INTEGERS[name], item)
        case "number" | "decimal":
            return _decimal(name, arguments, item)
        case "boolean":
            return _boolean(item)
        case "string":
            return _string(item)
        case "keyvalue":
            raise _cannot(name, "an object", JsonObjectNotFound)
        case "datetime" | "date" | "time" | "time_tz" | "timestamp" | "timestamp_tz":
            return _moment(name, arguments, item)
    raise UsageError(f"no such method: {name}")


def _cannot(name: str, wanted: str, error: type[InvalidJson] = NonNumericJsonItem) -> InvalidJson:
    return error(f"jsonpath item method .{name}() can only be applied to {wanted}")


def _invalid(name: str, item: Item, type_: str) -> InvalidJson:
    shown = item if isinstance(item, str) else write(item)
    return NonNumericJsonItem(f'argument "{shown}" of jsonpath item method .{name}() is invalid for type {type_}')


def _is_number(item: Item) -> bool:
    return isinstance(item, int | Decimal) and not isinstance(item, bool)


def _rounded(name: str, item: Item) -> Item:
    if not _is_number(item):
        raise _cannot(name, "a numeric value")
    if name == "abs":
        return abs(item)
    return int(Decimal(item).to_integral_value(ROUND_FLOOR if name == "floor" else ROUND_CEILING, _EXACT))


def _double(item: Item) -> Item:
    if not isinstance(item, str) and not _is_number(item):
        raise _cannot("double", "a string or numeric value")
    try:
        value = read_of(FLOAT8)(item if isinstance(item, str) else write(item))
    except DataError:
        raise _invalid("double", item, "double precision") from None
    if not math.isfinite(value):
        raise NonNumericJsonItem("NaN or Infinity is not allowed for jsonpath item method .double()")
    return number_of_text(write_of(FLOAT8)(value)) if isinstance(item, str) else item


def _integer(name: str, type_: Type, item: Item) -> Item:
    if isinstance(item, str):
        text = item
    elif _is_number(item):
        text = str(int(Decimal(item).to_integral_value(ROUND_HALF_UP, _EXACT)))
    else:
        raise _cannot(name, "a string or numeric value")
    try:
        return read_of(type_)(text)
    except DataError:
        raise _invalid(name, item, str(type_)) from None


def _decimal(name: str, arguments: Sequence[int | str], item: Item) -> Item:
    if not isinstance(item, str) and not _is_number(item):
        raise _cannot(name, "a string or numeric value")
    try:
        value = Decimal(item.strip()) if isinstance(item, str) else Decimal(item)
    except ArithmeticError:
        raise _invalid(name, item, "numeric") from None
    if not value.is_finite():
        raise NonNumericJsonItem(f"NaN or Infinity is not allowed for jsonpath item method .{name}()")
    if arguments:
        precision, scale = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
        value = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT)
        if value and value.adjusted() >= precision - scale:
            raise _invalid(name, item, "numeric")
    return number(value)


def _boolean(item: Item) -> bool:
    if isinstance(item, bool):
        return item
    if _is_number(item):
        if not isinstance(item, int) or not -(2**31) <= item < 2**31:
            raise _invalid("boolean", item, "boolean")
        return item != 0
    if not isinstance(item, str):
        raise _cannot("boolean", "a boolean, string, or numeric value")
    try:
        found: bool = read_of(BOOL)(item)
    except DataError:
        raise _invalid("boolean", item, "boolean") from None
    return found


def _string(item: Item) -> str:
    if item is None or isinstance(item, list | dict):
        raise _cannot("string", "a boolean, string, numeric, or datetime value")
    if isinstance(item, Moment):
        return str(item)
    return item if isinstance(item, str) else write(item)


def _moment(name: str, arguments: Sequence[int | str], item: Item) -> Moment:
    if not isinstance(item, str):
        raise _cannot(name, "a string", InvalidJsonDatetime)
    if arguments:
        raise UnsupportedValue(f"arguments of jsonpath item method .{name}() are not supported")
    found = read_moment(item)
    if found is None:
        error = InvalidJsonDatetime(f'{name} format is not recognized: "{item}"')
        if name == "datetime":
            error.hint = "Use a datetime template argument to specify the input data format."
        raise error
    return found if name == "datetime" else converted(found, item, name)
