"""Types apart from their modifiers.

PostgreSQL's rules of types look at bases alone. What lengths and digits go along is decided here: a type is kept with
its modifiers where all agree, and where they do not, it becomes one that holds the values of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from holdfast.plan.functions.numeric_types import common
from holdfast.plan.types import (
    NUMERIC,
    Array,
    IntervalOf,
    List,
    Map,
    Modified,
    Numeric,
    Record,
    Type,
    array_of,
    list_of,
    map_of,
    numeric,
    record_of,
)


@lru_cache(maxsize=4096)
def bare(type_: Type) -> Type:
    """The type without modifiers: types are the same to PostgreSQL if these are."""
    match type_:
        case Numeric():
            return NUMERIC
        case Modified():
            return Modified(type_.base)
        case Array():
            return array_of(bare(type_.element))
        case List():
            return list_of(bare(type_.element))
        case Map():
            return map_of(bare(type_.value))
        case Record():
            return record_of(type_.names, tuple(bare(part) for part in type_.types), type_.name)
    return type_


@lru_cache(maxsize=4096)
def undeclared(type_: Type) -> Type:
    """The type as that of a function's result, which never shows modifiers."""
    match type_:
        case Numeric():
            return numeric(type_.precision, type_.scale)
        case Modified():
            return Modified(type_.base)
        case Array():
            return Array(type_.base, undeclared(type_.element), type_.dimensions)
        case List():
            return list_of(undeclared(type_.element))
        case Map():
            return map_of(undeclared(type_.value))
    return type_


def has_modifier(type_: Type) -> bool:
    """Whether a cast to the type may change values of the same base."""
    match type_:
        case Numeric():
            return type_.declared
        case Modified():
            return type_.modifier is not None or isinstance(type_, IntervalOf)
        case Array() | List():
            return has_modifier(type_.element)
        case Map():
            return has_modifier(type_.value)
    return False


def merged(types: Sequence[Type]) -> Type:
    """The type that holds the values of all `types`, which have the same base."""
    first = types[0]
    if all(type_ is first for type_ in types[1:]):
        return first
    if isinstance(first, Numeric):
        return common(types)
    if isinstance(first, Array):
        arrays = [type_ for type_ in types if isinstance(type_, Array)]
        element = merged([type_.element for type_ in arrays])
        return Array(first.base, element, max(type_.dimensions for type_ in arrays))
    if isinstance(first, List):
        return list_of(merged([type_.element for type_ in types if isinstance(type_, List)]))
    if isinstance(first, Map):
        return map_of(merged([type_.value for type_ in types if isinstance(type_, Map)]))
    if isinstance(first, Record):
        records = [type_ for type_ in types if isinstance(type_, Record)]
        parts = zip(*(type_.types for type_ in records), strict=True)
        return record_of(first.names, tuple(merged(part) for part in parts), first.name)
    return bare(first)
