"""Expressions by Arrow alone, over whole columns: where its kernels give our answer for every value.

They are comparisons, tests for null, LIKE with plain patterns, remainders by a number and boolean logic, which are what
plain reads ask for. None of them can fail, so all of them can be run for every row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate.sorting import FLOATS, SAME_ORDER
from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan.scalar import And, Call, Column, Constant, Or, Parameter, Scalar
from holdfast.plan.types import MAX_PRECISION, TEXT, Numeric, Record, Type

Datum: TypeAlias = Any  # a column of Arrow, or a scalar
Kernel: TypeAlias = Callable[..., Datum]

_INTEGERS = frozenset(("int2", "int4", "int8", "uint2", "uint4", "oid", "mz_timestamp"))

_COMPARISONS: Mapping[str, Kernel] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def _float_equal(left: Datum, right: Datum) -> Datum:
    return pc.or_kleene(pc.equal(left, right), pc.and_kleene(pc.is_nan(left), pc.is_nan(right)))


def _float_less(left: Datum, right: Datum) -> Datum:
    """NaN is greater than all others."""
    return pc.or_kleene(pc.less(left, right), pc.and_kleene(pc.invert(pc.is_nan(left)), pc.is_nan(right)))


_FLOAT_COMPARISONS: Mapping[str, Kernel] = {
    "=": _float_equal,
    "<>": lambda left, right: pc.invert(_float_equal(left, right)),
    "<": _float_less,
    "<=": lambda left, right: pc.invert(_float_less(right, left)),
    ">": lambda left, right: _float_less(right, left),
    ">=": lambda left, right: pc.invert(_float_less(left, right)),
}

_LIKE: Mapping[str, Kernel] = {
    "~~": lambda text, pattern: pc.match_like(text, pattern.as_py()),
    "!~~": lambda text, pattern: pc.invert(pc.match_like(text, pattern.as_py())),
}


def _remainder(dividend: Datum, divisor: Datum) -> Datum:
    """With the sign of the dividend, as quotients are cut."""
    return pc.subtract(dividend, pc.multiply(pc.divide(dividend, divisor), divisor))


_OF_ONE: Mapping[str, Kernel] = {"not": pc.invert, "is_null": pc.is_null, "is_not_null": pc.is_valid}


def by_kernel(scalar: Scalar, table: pa.Table, parameters: Sequence[object]) -> Datum | None:
    """The values of the expression, one for all rows if they are the same, or None if Arrow cannot say them."""
    match scalar:
        case Column():
            return table.column(scalar.index)
        case Constant():
            return to_arrow([scalar.value], scalar.type)[0]
        case Parameter() if scalar.number <= len(parameters):
            return to_arrow([parameters[scalar.number - 1]], scalar.type)[0]
        case And() | Or():
            terms = [by_kernel(term, table, parameters) for term in scalar.terms]
            if any(term is None for term in terms):
                return None
            return reduce(pc.and_kleene if isinstance(scalar, And) else pc.or_kleene, terms)
        case Call():
            kernel = _kernel(scalar)
            arguments = [by_kernel(argument, table, parameters) for argument in scalar.arguments] if kernel else []
            return None if kernel is None or any(part is None for part in arguments) else kernel(*arguments)
    return None


def _kernel(call: Call) -> Kernel | None:
    name, types = call.function.name, [argument.type for argument in call.arguments]
    if len(types) == 1 and not call.function.infix:
        # A record of nulls is null too.
        return None if isinstance(types[0], Record) else _OF_ONE.get(name)
    if len(types) != 2 or not call.function.infix:
        return None
    if name in _LIKE:
        return _LIKE[name] if call.function.arguments[0] is TEXT and _is_plain(call.arguments[1]) else None
    if name == "%":
        return _remainder if {each.base for each in types} <= _INTEGERS and _divides(call.arguments[1]) else None
    if _are_compared(*types):
        return _COMPARISONS.get(name)
    return _FLOAT_COMPARISONS.get(name) if {type_.base for type_ in types} <= FLOATS else None


def _is_plain(pattern: Scalar) -> bool:
    """Whether it is a pattern in which nothing but % has a meaning."""
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return False
    return not {"_", "\\"}.intersection(pattern.value)


def _divides(divisor: Scalar) -> bool:
    """Whether any number can be divided by it: the least of a type has no quotient by -1."""
    return isinstance(divisor, Constant) and divisor.value not in (None, 0, -1)


def _are_compared(left: Type, right: Type) -> bool:
    """Whether Arrow compares values of these types as we do, both being converted to one type where they differ."""
    if isinstance(left, Numeric) and isinstance(right, Numeric):
        whole = max(left.precision - left.scale, right.precision - right.scale)
        return whole + max(left.scale, right.scale) <= MAX_PRECISION
    bases = {left.base, right.base}
    return bases <= _INTEGERS or (len(bases) == 1 and bases <= SAME_ORDER)
