"""What the functions of arrays, lists and maps share: equality of values, and the types that hold those of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdfast.plan.types import (
    MAX_PRECISION,
    VECTORS,
    Array,
    List,
    Map,
    Modified,
    Numeric,
    Range,
    Record,
    Type,
    list_of,
    numeric,
    spark_type,
)

ELEMENT = "_element"
"""The variable of a lambda in Spark SQL. No column is called so."""


def same(left: object, right: object) -> bool:
    """Whether two values are the same, nulls too. NaN is NaN, which Python denies."""
    if left is None or right is None:
        return left is right
    if left == right:
        return True
    if isinstance(left, float) and isinstance(right, float):
        return left != left and right != right
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return False


def contains(values: Sequence[object], wanted: Iterable[object]) -> bool:
    """Whether every wanted value is among the others. A null is none of them."""
    return all(item is not None and any(same(item, value) for value in values) for item in wanted)


def leaves(value: Sequence[object], dimensions: int) -> Iterator[object]:
    """The elements of an array of so many dimensions."""
    if dimensions <= 1:
        yield from value
        return
    for inner in value:
        yield from leaves(inner, dimensions - 1)  # type: ignore[arg-type]  # an array holds arrays


def dimensions(type_: Type) -> int:
    if type_ in VECTORS:
        return 1
    return type_.dimensions if isinstance(type_, Array) else 0


def element_of(type_: Type) -> Type:
    if type_ in VECTORS:
        return VECTORS[type_]
    if isinstance(type_, Array | List):
        return type_.element
    if isinstance(type_, Map):
        return type_.value
    return type_


def common(types: Sequence[Type]) -> Type:
    """A type for values of all of these, whose bases are one: their modifiers count only where they agree."""
    first = types[0]
    if all(type_ is first for type_ in types):
        return first
    numerics = [type_ for type_ in types if isinstance(type_, Numeric)]
    if numerics:
        scale = max(type_.scale for type_ in numerics)
        whole = max(type_.precision - type_.scale for type_ in numerics)
        return numeric(min(whole + scale, MAX_PRECISION), min(scale, MAX_PRECISION))
    if isinstance(first, Modified):
        return Modified(first.base)
    if isinstance(first, Array):
        deepest = max(dimensions(type_) for type_ in types)
        return Array(first.base, common([element_of(type_) for type_ in types]), deepest)
    if isinstance(first, List):
        return list_of(common([element_of(type_) for type_ in types]))
    return first


def compares_in_spark(type_: Type) -> bool:
    """Whether Spark can tell two values of the type apart: it compares no maps."""
    match type_:
        case Map():
            return False
        case Array() | List():
            return compares_in_spark(type_.element)
        case Record():
            return all(map(compares_in_spark, type_.types))
        case Range():
            return compares_in_spark(type_.subtype)
    return True


def as_type(text: str, type_: Type, target: Type) -> str:
    """SQL of a value in the form that those of `target` have."""
    wanted = spark_type(target)
    return text if spark_type(type_) == wanted else f"CAST({text} AS {wanted})"
