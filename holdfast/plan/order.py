"""The order of the values of a type, and with it which of them are the same.

It is that of PostgreSQL's indexes: total, also over NaN (greatest, and equal to itself) and nulls inside of
arrays and records (greatest).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from holdfast.plan.types import Array, List, Map, Range, RangeValue, Record, Type

Key: TypeAlias = Callable[[Any], Any]  # from a value of the type to something that Python orders and hashes


@lru_cache(maxsize=4096)
def sort_key(type_: Type) -> Key:
    """What Python compares as SQL compares values of the type. The values are not null."""
    if is_natural(type_):
        return _itself
    match type_:
        case Array():
            return _array_key(type_)
        case List():
            return _sequence_key(type_.element)
        case Map():
            return _map_key(type_)
        case Record():
            return _record_key(type_)
        case Range():
            return _range_key(type_)
    return _jsonb_key if type_.base == "jsonb" else _float_key


def is_natural(type_: Type) -> bool:
    """Whether Python compares the values themselves as SQL does."""
    # Texts too: their order by code points is that of their bytes in UTF-8.
    return not isinstance(type_, Array | List | Map | Record | Range) and type_.base not in (
        "float4",
        "float8",
        "jsonb",
    )


def is_itself(type_: Type) -> bool:
    """Whether values are equal where Python says so: text of jsonb is canonical, though it is not in SQL's order."""
    return is_natural(type_) or type_.base == "jsonb"


def same(type_: Type) -> Callable[[Any, Any], bool]:  # two values of the type
    """Whether two values are equal, in the sense of DISTINCT and GROUP BY. Neither is null."""
    key = sort_key(type_)
    return lambda a, b: bool(key(a) == key(b))


def nullable_key(type_: Type) -> Key:
    """The same for values that may be null, which are equal to each other and greater than all others."""
    key = sort_key(type_)
    return lambda value: (1,) if value is None else (0, key(value))


def _itself(value: object) -> object:
    return value


def _float_key(value: float) -> tuple[bool, float]:
    return (True, 0.0) if value != value else (False, value)


def _sequence_key(element: Type) -> Key:
    key = nullable_key(element)
    return lambda values: tuple(map(key, values))


def _array_key(type_: Array) -> Key:
    key = nullable_key(type_.element)
    if type_.dimensions == 1:
        return lambda values: tuple(map(key, values))

    def flat_key(values: tuple[Any, ...]) -> object:  # arrays within, as many as there are dimensions
        # Elements count before shape.
        shape = [len(values)]
        for _ in range(type_.dimensions - 1):
            shape.append(len(values[0]) if values else 0)
            values = tuple(value for row in values for value in row)
        return tuple(map(key, values)), tuple(shape)

    return flat_key


def _map_key(type_: Map) -> Key:
    key = nullable_key(type_.value)
    return lambda pairs: tuple((name, key(value)) for name, value in pairs)


def _record_key(type_: Record) -> Key:
    keys = tuple(map(nullable_key, type_.types))
    return lambda values: tuple(key(value) for key, value in zip(keys, values, strict=True))


def _range_key(type_: Range) -> Key:
    """Empty first, then by the lower bound, then by the upper."""
    key = sort_key(type_.subtype)

    def bounds_key(value: RangeValue) -> object:
        if value.empty:
            return (0,)
        lower = (0,) if value.lower is None else (1, key(value.lower), not value.lower_inclusive)
        upper = (2,) if value.upper is None else (1, key(value.upper), value.upper_inclusive)
        return 1, lower, upper

    return bounds_key


def _jsonb_key(text: str) -> object:
    value = json.loads(text, parse_int=Decimal, parse_float=Decimal)
    # Only at the top, an empty array comes before all else.
    return (-1,) if value == [] else _json_key(value)


def _json_key(value: object) -> tuple[Any, ...]:  # the rank of its kind, and what orders those of one kind
    match value:
        case None:
            return (0,)
        case str():
            return 1, value
        case bool():
            return 3, value
        case Decimal():
            return 2, value
        case list():
            return 4, len(value), tuple(map(_json_key, value))
        case dict():
            # As PostgreSQL stores keys: shorter ones first.
            members = sorted(value.items(), key=lambda member: (len(member[0].encode()), member[0]))
            return 5, len(members), tuple((name, _json_key(part)) for name, part in members)
    raise TypeError(f"not a JSON value: {value!r}")
