"""Maps, as Materialize has them: from text to values of one type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as Anything

from holdfast.plan.errors import NullValueNotAllowed
from holdfast.plan.functions.container import common, element_of, same
from holdfast.plan.functions.function import Any, Family, Function
from holdfast.plan.types import BOOL, INT4, TEXT, List, Record, Type, array_of, map_of

TEXTS = array_of(TEXT)
Pairs = tuple[tuple[str, Anything], ...]


def map_of_pairs(pairs: Sequence[tuple[str, Anything]]) -> Pairs:
    """A map; of pairs with one key, the last."""
    return tuple(sorted(dict(pairs).items(), key=lambda pair: pair[0]))


def _made(*values: Anything) -> Pairs:
    if None in values[::2]:
        raise NullValueNotAllowed("map key cannot be null")
    return map_of_pairs(list(zip(values[::2], values[1::2], strict=True)))


def _made_type(types: Sequence[Type]) -> Type:
    return map_of(common(types[1::2]))


def _built(records: Sequence[tuple[str | None, Anything] | None]) -> Pairs:
    return map_of_pairs([(pair[0], pair[1]) for pair in records if pair is not None and pair[0] is not None])


def _built_type(types: Sequence[Type]) -> Type:
    record = types[0].element if isinstance(types[0], List) else types[0]
    return map_of(record.types[1]) if isinstance(record, Record) and len(record.types) == 2 else map_of(record)


def _value_type(types: Sequence[Type]) -> Type:
    return element_of(types[0])


def _value(pairs: Pairs, key: str) -> object:
    return dict(pairs).get(key)


def _length(pairs: Pairs) -> int:
    return len(pairs)


def _has(pairs: Pairs, key: str) -> bool:
    return key in dict(pairs)


def _has_any(pairs: Pairs, keys: Sequence[str | None]) -> bool:
    return any(key in dict(pairs) for key in keys)


def _has_all(pairs: Pairs, keys: Sequence[str | None]) -> bool:
    return all(key in dict(pairs) for key in keys)


def _contains(left: Pairs, right: Pairs) -> bool:
    members = dict(left)
    return all(key in members and same(members[key], value) for key, value in right)


def _contained(left: Pairs, right: Pairs) -> bool:
    return _contains(right, left)


FAMILY = Family(
    "Maps",
    functions=(
        Function(
            "map",
            (Any.ANY,),
            _made_type,
            _made,
            strict=False,
            fails=True,
            variadic=True,
            doc="A map of keys and values in turn: `MAP['a' => 1]`.",
        ),
        Function("map_build", (Any.LIST,), _built_type, _built, doc="A map of a list of records of key and value."),
        Function("map_length", (Any.MAP,), INT4, _length, "size({0})", doc="How many keys there are."),
    ),
    operators=(
        Function(
            "->",
            (Any.MAP, TEXT),
            _value_type,
            _value,
            "element_at({0}, {1})",
            makes_null=True,
            infix=True,
            doc="The value of a key, or null.",
        ),
        Function(
            "?",
            (Any.MAP, TEXT),
            BOOL,
            _has,
            "map_contains_key({0}, {1})",
            infix=True,
            doc="Whether there is such a key.",
        ),
        Function("?|", (Any.MAP, TEXTS), BOOL, _has_any, infix=True, doc="Whether there is one of these keys."),
        Function("?&", (Any.MAP, TEXTS), BOOL, _has_all, infix=True, doc="Whether there are all of these keys."),
        Function("@>", (Any.MAP, Any.MAP), BOOL, _contains, infix=True, doc="Whether the first has all of the second."),
        Function(
            "<@", (Any.MAP, Any.MAP), BOOL, _contained, infix=True, doc="Whether the second has all of the first."
        ),
    ),
)
