"""A comparison of a cast column with a constant compares the column itself, with the constant cast back.

That is the same where the cast keeps order and the constant is a value of the column's type. What reads the column can
then skip what the comparison rules out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from holdfast.plan.functions.function import Function
from holdfast.plan.functions.registry import CASTS, OPERATORS
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Relation
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Constant, Scalar, transform
from holdfast.plan.types import Numeric, Type

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_DAY = 86_400_000_000
_LAST_DAY = 100_000_000
"""Far from the dates at which a timestamp overflows."""
_LIMITS: Mapping[str, int] = {"int2": 2**15, "int4": 2**31, "int8": 2**63}


def unwrap_casts(relation: Relation) -> Relation:
    return bottom_up(relation, lambda part: rebuilt(part, lambda below, _: below, _unwrapped))


def _unwrapped(scalar: Scalar) -> Scalar:
    return transform(scalar, _comparison)


def _comparison(scalar: Scalar) -> Scalar:
    if not isinstance(scalar, Call) or scalar.function.name not in _COMPARISONS or len(scalar.arguments) != 2:
        return scalar
    left, right = scalar.arguments
    if isinstance(right, Constant):
        inner, constant = _sides(left, right)
        return _compared(scalar, inner, constant) if inner is not None and constant is not None else scalar
    if isinstance(left, Constant):
        inner, constant = _sides(right, left)
        return _compared(scalar, constant, inner) if inner is not None and constant is not None else scalar
    return scalar


def _sides(cast: Scalar, constant: Constant) -> tuple[Scalar | None, Constant | None]:
    """What is cast, by a call or by an operator that compares two types, and the constant as one of its type."""
    inner = cast
    if isinstance(cast, Call) and len(cast.arguments) == 1:
        known = CASTS.get((cast.arguments[0].type.base, cast.type.base))
        if known is not None and known.function is cast.function:
            inner = cast.arguments[0]
    if constant.value is None or (inner is cast and inner.type.base == constant.type.base):
        return None, None
    back = _BACK.get((inner.type.base, constant.type.base))
    value = None if back is None else back(constant.value, inner.type)
    return (inner, None) if value is None else (inner, Constant(value, inner.type))


def _compared(call: Call, left: Scalar, right: Scalar) -> Scalar:
    function = _operator(call.function.name, left.type)
    return call if function is None else Call(function, (left, right), call.type, call.nullable)


def _operator(name: str, type_: Type) -> Function | None:
    for function in OPERATORS[name]:
        if all(isinstance(pattern, Type) and pattern.base == type_.base for pattern in function.arguments):
            return function
    return None


def _as_integer(value: object, type_: Type) -> int | None:
    assert isinstance(value, int | Decimal)
    limit = _LIMITS[type_.base]
    return int(value) if value == int(value) and -limit <= value < limit else None


def _as_day(value: object, type_: Type) -> int | None:  # noqa: ARG001 - one shape for all
    assert isinstance(value, int)
    day, rest = divmod(value, _DAY)
    return day if not rest and abs(day) <= _LAST_DAY else None


def _as_numeric(value: object, type_: Type) -> Decimal | None:
    assert isinstance(value, Decimal)
    assert isinstance(type_, Numeric)
    scaled = value.scaleb(type_.scale)
    return value if scaled == int(scaled) and abs(scaled) < 10**type_.precision else None


_BACK: Mapping[tuple[str, str], Callable[[object, Type], object]] = {
    ("date", "timestamp"): _as_day,
    ("date", "timestamptz"): _as_day,
    ("int2", "int4"): _as_integer,
    ("int2", "int8"): _as_integer,
    ("int4", "int8"): _as_integer,
    ("int2", "numeric"): _as_integer,
    ("int4", "numeric"): _as_integer,
    ("int8", "numeric"): _as_integer,
    ("numeric", "numeric"): _as_numeric,
}
"""By source and target of a cast that keeps order: the value of the source type that a constant is, if there is one."""
