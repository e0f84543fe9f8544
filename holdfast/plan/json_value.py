"""JSON values: the canonical text that jsonb is held as, and the Python values that functions work on.

| JSON | Python |
| --- | --- |
| null, true, false | None, bool |
| number | int where it is whole, else Decimal without zeros at its end |
| string | str |
| array | list |
| object | dict, its keys in canonical order |

Equal values have one text: keys stand in PostgreSQL's order for jsonb (shorter first, then by bytes), each once, and
numbers have neither exponents nor zeros after their last digit. So grouping and equality are those of the text.

A value that was parsed may be shared: nobody changes one in place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from holdfast.plan.errors import NumericValueOutOfRange, ProgramLimitExceeded

Json: TypeAlias = Any  # None, bool, int, Decimal, str, list or dict as above: recursive, and always taken apart by case

MAX_DEPTH = 256
"""Arrays and objects inside each other: far below what Python's stack allows, so that no function runs into it."""

MAX_DIGITS = 4000
"""Digits of a number, before the point and after it."""

_CONTEXT = Context(prec=2 * MAX_DIGITS)


def number(value: Decimal | int) -> int | Decimal:
    """A number as JSON has it."""
    if isinstance(value, int):
        return value
    if not -MAX_DIGITS <= value.adjusted() <= MAX_DIGITS or len(value.as_tuple().digits) > MAX_DIGITS:
        if not value:
            return 0
        raise NumericValueOutOfRange("value overflows numeric format")
    return int(value) if value == value.to_integral_value(context=_CONTEXT) else value.normalize(_CONTEXT)


def number_of_text(text: str) -> int | Decimal:
    return number(Decimal(text))


def key_order(key: str) -> tuple[int, bytes]:
    encoded = key.encode()
    return len(encoded), encoded


def json_object(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    """An object of these members; of those with one key, the last."""
    members = dict(pairs)
    return {key: members[key] for key in sorted(members, key=key_order)}


def check_depth(text: str) -> None:
    """Refuse text whose arrays and objects are nested too deeply to be worked on."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _NESTING.findall(text):
        if token in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ProgramLimitExceeded(f"jsonb value is nested more than {MAX_DEPTH} levels deep")
        elif token in "]}":
            depth -= 1


_NESTING = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)

_decode = json.JSONDecoder(parse_float=Decimal).decode


@lru_cache(maxsize=64)
def parse(text: str) -> Json:
    """The value that a canonical text stands for.

    A few are remembered, since one row's document is often asked for several of its members in turn.
    """
    return _decode(text)


def _exact(value: object) -> str:
    # Python's encoder has no way to write a number of another kind as it is. A string with a null character is one
    # that no value has, and that can be told from all others in the text.
    return f"\0{value:f}"


_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=_exact).encode
_MARKED = re.compile(r'"\\u0000([^"]*)"')


def write(value: Json) -> str:
    """The canonical text of a value whose objects are in order."""
    text = _encode(value)
    return _MARKED.sub(r"\1", text) if "\\u0000" in text else text


def type_name(value: Json) -> str:
    """As `jsonb_typeof` has it."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | Decimal():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def is_scalar(value: Json) -> bool:
    return not isinstance(value, list | dict)


def equal(left: Json, right: Json) -> bool:
    """Python takes true for 1."""
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return type(left) is type(right) and write(left) == write(right)
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def as_text(value: Json) -> str | None:
    """What `->>` shows: a string without its quotes, null as no value."""
    if value is None:
        return None
    return value if isinstance(value, str) else write(value)


_RANKS = {"null": 0, "string": 1, "number": 2, "boolean": 3, "array": 4, "object": 5}


def sort_key(value: Json) -> tuple[object, ...]:
    """Sorts as PostgreSQL does: by kind, containers by size before content; an empty array on top before all."""
    return (-1,) if value == [] else _sort_key(value)


def _sort_key(value: Json) -> tuple[object, ...]:
    rank = _RANKS[type_name(value)]
    match value:
        case None:
            return (rank,)
        case list():
            return (rank, len(value), tuple(_sort_key(element) for element in value))
        case dict():
            return (rank, len(value), tuple((key.encode(), _sort_key(member)) for key, member in value.items()))
        case str():
            return (rank, value.encode())
    return (rank, value)
