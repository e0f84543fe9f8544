"""The shape of arrays: their dimensions, and where their subscripts begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as Anything

from holdfast.plan.functions.container import dimensions
from holdfast.plan.types import VECTORS, Type

Tuple = tuple[Anything, ...]
Texts = Sequence[str]
Arguments = Sequence[Type]


def is_plain(type_: Type) -> bool:
    """Whether it has one dimension."""
    return dimensions(type_) == 1


def shape(value: Tuple, depth: int) -> tuple[int, ...]:
    """The size of each dimension; none of an empty array."""
    sizes: list[int] = []
    while depth and value:
        sizes.append(len(value))
        value, depth = value[0], depth - 1
    return tuple(sizes)


def first_subscript(type_: Type) -> int:
    """Catalogs count the parts of their vectors from 0."""
    return 0 if type_ in VECTORS else 1


def flat(text: str, type_: Type) -> str:
    """SQL of the array of all elements."""
    return "flatten(" * (dimensions(type_) - 1) + text + ")" * (dimensions(type_) - 1)


def type_of_first(types: Arguments) -> Type:
    return types[0]
