"""Trigonometry, in radians and in degrees, and other functions of floats alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any as Anything

from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.arithmetic import OVERFLOW, UNDERFLOW
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.types import FLOAT8

# No Spark texts but that of pi: Java's last digit is not always C's.

Run = Callable[..., Anything]  # from values of a function's arguments to one of its result

_OUT = "input is out of range"


def _finite(run: Callable[[float], float]) -> Run:
    """Of no infinite angle."""

    def checked(value: float) -> float:
        if math.isinf(value):
            raise NumericValueOutOfRange(_OUT)
        return run(value)

    return checked


def _within(run: Callable[[float], float], least: float, greatest: float) -> Run:
    def checked(value: float) -> float:
        if value < least or value > greatest:
            raise NumericValueOutOfRange(_OUT)
        return run(value)

    return checked


def _cotangent(value: float) -> float:
    tangent = math.tan(value)
    return 1.0 / tangent if tangent else math.copysign(math.inf, tangent)


def _unbounded(run: Callable[[float], float], sign: Callable[[float], float]) -> Run:
    """Infinite where it grows beyond all floats."""

    def checked(value: float) -> float:
        try:
            return run(value)
        except OverflowError:
            return math.copysign(math.inf, sign(value))

    return checked


def _hyperbolic_arc_tangent(value: float) -> float:
    if abs(value) == 1:
        return math.copysign(math.inf, value)
    if abs(value) > 1:
        raise NumericValueOutOfRange(_OUT)
    return math.atanh(value)


# In degrees, exact at the angles for which the answer is: what radians say is scaled so that these come out right.

_SIN_30, _COS_60 = math.sin(math.radians(30)), math.cos(math.radians(60))
_ASIN_HALF, _ACOS_HALF, _ATAN_1 = math.asin(0.5), math.acos(0.5), math.atan(1.0)


def _first_sine(angle: float) -> float:
    """From 0 to 90."""
    return _low_sine(angle) if angle <= 30 else _low_cosine(90 - angle)


def _first_cosine(angle: float) -> float:
    """From 0 to 90."""
    return _low_cosine(angle) if angle <= 60 else _low_sine(90 - angle)


def _low_sine(angle: float) -> float:
    return math.sin(math.radians(angle)) / _SIN_30 / 2


def _low_cosine(angle: float) -> float:
    return 1 - (1 - math.cos(math.radians(angle))) / (1 - _COS_60) / 2


def _sine(angle: float) -> float:
    turned = math.fmod(angle, 360)
    sign, turned = (-1.0, -turned) if turned < 0 else (1.0, turned)
    if turned > 180:
        sign, turned = -sign, 360 - turned
    return sign * _first_sine(180 - turned if turned > 90 else turned)


def _cosine(angle: float) -> float:
    turned = abs(math.fmod(angle, 360))
    turned = 360 - turned if turned > 180 else turned
    return -_first_cosine(180 - turned) if turned > 90 else _first_cosine(turned)


_TAN_45, _COT_45 = _first_sine(45) / _first_cosine(45), _first_cosine(45) / _first_sine(45)


def _folded(angle: float) -> tuple[float, float]:
    """The sign of tangent and cotangent, and the angle of the first quadrant with the same size of them."""
    turned = math.fmod(angle, 360)
    sign, turned = (-1.0, -turned) if turned < 0 else (1.0, turned)
    if turned > 180:
        sign, turned = -sign, 360 - turned
    return (-sign, 180 - turned) if turned > 90 else (sign, turned)


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.copysign(math.inf, below)


def _tangent(angle: float) -> float:
    sign, turned = _folded(angle)
    return sign * (_ratio(_first_sine(turned), _first_cosine(turned)) / _TAN_45) + 0.0


def _degree_cotangent(angle: float) -> float:
    sign, turned = _folded(angle)
    return sign * (_ratio(_first_cosine(turned), _first_sine(turned)) / _COT_45) + 0.0


def _first_arc_sine(value: float) -> float:
    return math.asin(value) / _ASIN_HALF * 30 if value <= 0.5 else 90 - math.acos(value) / _ACOS_HALF * 60


def _first_arc_cosine(value: float) -> float:
    return 90 - math.asin(value) / _ASIN_HALF * 30 if value <= 0.5 else math.acos(value) / _ACOS_HALF * 60


def _arc_sine(value: float) -> float:
    return _first_arc_sine(value) if value >= 0 else -_first_arc_sine(-value)


def _arc_cosine(value: float) -> float:
    return _first_arc_cosine(value) if value >= 0 else 90 + _first_arc_sine(-value)


def _arc_tangent(value: float) -> float:
    return math.atan(value) / _ATAN_1 * 45


def _arc_tangent_of(y: float, x: float) -> float:
    return math.atan2(y, x) / _ATAN_1 * 45


_RADIANS = math.pi / 180


def _degrees(value: float) -> float:
    found = value / _RADIANS
    if math.isinf(found) and not math.isinf(value):
        raise NumericValueOutOfRange(OVERFLOW)
    return found


def _radians(value: float) -> float:
    found = value * _RADIANS
    if found == 0 and value != 0:
        raise NumericValueOutOfRange(UNDERFLOW)
    return found


def _gamma(value: float) -> float:
    if value == -math.inf:
        raise NumericValueOutOfRange(OVERFLOW)
    try:
        found = math.gamma(value)
    except (OverflowError, ValueError):  # too great, or where it has no value
        raise NumericValueOutOfRange(OVERFLOW) from None
    if found == 0:
        raise NumericValueOutOfRange(UNDERFLOW)
    return found


def _log_gamma(value: float) -> float:
    try:
        return math.lgamma(value)
    except (OverflowError, ValueError):  # as above
        raise NumericValueOutOfRange(OVERFLOW) from None


_OF_ONE: tuple[tuple[str, Run, str], ...] = (
    ("sin", _finite(math.sin), "sine"),
    ("cos", _finite(math.cos), "cosine"),
    ("tan", _finite(math.tan), "tangent"),
    ("cot", _finite(_cotangent), "cotangent"),
    ("asin", _within(math.asin, -1, 1), "inverse sine"),
    ("acos", _within(math.acos, -1, 1), "inverse cosine"),
    ("atan", math.atan, "inverse tangent"),
    ("sind", _finite(_sine), "sine of degrees"),
    ("cosd", _finite(_cosine), "cosine of degrees"),
    ("tand", _finite(_tangent), "tangent of degrees"),
    ("cotd", _finite(_degree_cotangent), "cotangent of degrees"),
    ("asind", _within(_arc_sine, -1, 1), "inverse sine in degrees"),
    ("acosd", _within(_arc_cosine, -1, 1), "inverse cosine in degrees"),
    ("atand", _arc_tangent, "inverse tangent in degrees"),
    ("sinh", _unbounded(math.sinh, lambda value: value), "hyperbolic sine"),
    ("cosh", _unbounded(math.cosh, lambda _: 1.0), "hyperbolic cosine"),
    ("tanh", math.tanh, "hyperbolic tangent"),
    ("asinh", math.asinh, "inverse hyperbolic sine"),
    ("acosh", _within(math.acosh, 1, math.inf), "inverse hyperbolic cosine"),
    ("atanh", _hyperbolic_arc_tangent, "inverse hyperbolic tangent"),
    ("degrees", _degrees, "degrees of radians"),
    ("radians", _radians, "radians of degrees"),
    ("erf", math.erf, "error function"),
    ("erfc", math.erfc, "complementary error function"),
    ("gamma", _gamma, "gamma function"),
    ("lgamma", _log_gamma, "logarithm of the gamma function's size"),
)

FAMILY = Family(
    "Trigonometry",
    functions=(
        *(Function(name, (FLOAT8,), FLOAT8, run, fails=True, doc=doc) for name, run, doc in _OF_ONE),
        Function("atan2", (FLOAT8, FLOAT8), FLOAT8, math.atan2, doc="inverse tangent of the quotient"),
        Function("atan2d", (FLOAT8, FLOAT8), FLOAT8, _arc_tangent_of, doc="inverse tangent of the quotient in degrees"),
        Function("pi", (), FLOAT8, lambda: math.pi, "pi()", doc="3.141592653589793"),
    ),
)
