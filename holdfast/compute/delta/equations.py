"""Equations of joins: by which columns rows of one input are found, given those of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from holdfast.compute.delta.internal import WIDER
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.plan.functions.conversion import is_relabel
from holdfast.plan.functions.function import Function
from holdfast.plan.functions.numeric_types import common, whole_digits
from holdfast.plan.functions.registry import OPERATORS
from holdfast.plan.keys import is_equation, unique_keys
from holdfast.plan.relation import Join
from holdfast.plan.scalar import Call, Column, Scalar, columns_of
from holdfast.plan.types import Numeric, Type, arrow_type

_WIDTHS = {"int2": 2, "int4": 4, "int8": 8}
_FLOATS = {"float4": 4, "float8": 8}


@dataclass(frozen=True, slots=True)
class Equation:
    """That a column of one input is what an expression over others is."""

    column: int
    other: Scalar
    is_strict: bool


def columns_of_parts(join: Join) -> list[range]:
    """The columns of a join that are those of each input."""
    found, start = [], 0
    for part in join.inputs:
        found.append(range(start, start + len(part.columns)))
        start += len(part.columns)
    return found


def equations(join: Join, predicates: Iterable[Scalar], own: range, known: Collection[int]) -> list[Equation]:
    """By which of its `own` columns, counted from the first, an input is found, given columns that are known."""
    found = []
    for predicate in predicates:
        if not is_equation(predicate) or can_fail(predicate):
            continue
        for one, other in (predicate.arguments, predicate.arguments[::-1]):
            place, others = looked_up(one), columns_of(other)
            if place is None or place not in own or not others or not others <= set(known):
                continue
            if can_be_key(other.type, join.columns[place].type):
                found.append(Equation(place - own.start, other, predicate.function.name == "="))
    return found


def found_from(join: Join, columns: Sequence[int]) -> int | None:
    """An input that is joined with others by one of the columns, and from whose rows all others are found, one by one.

    Then the rows of the join with some values of the columns are about as many as a change of such an input finds. One
    row that is joined with all is found without looking.
    """
    parts = columns_of_parts(join)
    many = [part for part, relation in zip(parts, join.inputs, strict=True) if frozenset() not in unique_keys(relation)]
    every = frozenset(range(len(join.columns)))
    for first, own in enumerate(parts):
        rest = [part for part in many if part is not own]
        joined = {each.column + own.start for each in equations(join, join.predicates, own, every - frozenset(own))}
        if (joined if rest else set(own)).isdisjoint(columns):
            continue
        known = set(own)
        while rest:
            near = next((part for part in rest if equations(join, join.predicates, part, known)), None)
            if near is None:
                break
            rest.remove(near)
            known |= set(near)
        else:
            return first
    return None


def can_be_key(type_: Type, of: Type) -> bool:
    """Whether rows are found by values of a type in a column of another that SQL compares with it."""
    key, column = arrow_type(type_), arrow_type(of)
    return bool(key == column or (pa.types.is_integer(key) and pa.types.is_integer(column)))


def looked_up(scalar: Scalar) -> int | None:
    """The column by whose values rows are found where this expression is what it is compared with."""
    if isinstance(scalar, Column):
        return scalar.index
    if isinstance(scalar, Call) and len(scalar.arguments) == 1 and isinstance(scalar.arguments[0], Column):
        inner = scalar.arguments[0]
        wider = _WIDTHS.get(inner.type.base, 9) < _WIDTHS.get(scalar.type.base, 0) and not scalar.function.fails
        if wider or is_relabel(scalar.function):
            return inner.index
    return None


def of_one_type(equation: Call, one: Scalar, other: Scalar) -> Call | None:
    """The equation of its two sides as values of one type; None if there is none that holds both as they are."""
    if one.type == other.type:
        return replace(equation, arguments=(one, other))
    wide = _wide(one.type, other.type)
    if wide is None:
        return None
    function = equation.function
    if function.name == "=":
        function = next(each for each in OPERATORS["="] if _is_of(each, wide))
    return replace(equation, function=function, arguments=(_as(one, wide), _as(other, wide)))


def _is_of(function: Function, type_: Type) -> bool:
    return all(isinstance(each, Type) and each.base == type_.base for each in function.arguments)


def _wide(one: Type, other: Type) -> Type | None:
    if isinstance(one, Numeric) and isinstance(other, Numeric):
        wide = common((one, other))
        fits = all(wide.scale >= each.scale and whole_digits(wide) >= whole_digits(each) for each in (one, other))
        return wide if fits else None
    for family in (_WIDTHS, _FLOATS):
        if one.base in family and other.base in family:
            return max(one, other, key=lambda each: family[each.base])
    return None


def _as(scalar: Scalar, wide: Type) -> Scalar:
    return scalar if scalar.type == wide else Call(WIDER, (scalar,), wide, scalar.nullable)
