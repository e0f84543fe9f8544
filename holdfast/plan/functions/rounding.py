"""Size, sign and rounding of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any as Anything

from holdfast.plan.functions.arithmetic import FLOATS, SIGNED, cast_text, in_range, integer_text, same_numeric
from holdfast.plan.functions.function import Family, Function, SparkText, Types
from holdfast.plan.functions.numeric_types import EXACT, fitted, of, whole_digits
from holdfast.plan.functions.spark_let import let
from holdfast.plan.types import FLOAT8, INT4, INT8, MAX_PRECISION, NUMERIC, Numeric, Type, numeric, spark_type

Run = Callable[..., Anything]  # from values of a function's arguments to one of its result

_NEGATED_DIGITS = 34
"""More than these Spark loses when it changes a decimal's sign."""


def _beyond(type_: Numeric) -> str | None:
    """The least size of values that Spark cannot negate, if the type has such values."""
    if type_.precision <= _NEGATED_DIGITS:
        return None
    bound = Decimal(1).scaleb(_NEGATED_DIGITS - type_.scale)
    return f"CAST('{bound:f}' AS {spark_type(numeric(MAX_PRECISION, type_.scale))})"


def _zero(type_: Numeric) -> str:
    """To compare with: beside a plain 0, Spark would drop the last digit of a type with 38 after the point."""
    return f"CAST(0 AS {spark_type(type_)})"


def _negated_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
    type_ = of(types[0])
    bound = _beyond(type_)
    if bound is None:
        return f"(- {texts[0]})"

    def body(x: str) -> str:
        digits = f"CAST({x} AS STRING)"
        turned = f"CAST(if({x} < {_zero(type_)}, substring({digits}, 2), concat('-', {digits})) AS {spark_type(type_)})"
        return f"CASE WHEN {x} >= {bound} OR {x} <= - {bound} THEN {turned} ELSE (- {x}) END"

    return let(texts, body)


def _size_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
    type_ = of(types[0])
    bound = _beyond(type_)
    if bound is None:
        return f"abs({texts[0]})"

    def body(x: str) -> str:
        turned = f"CAST(substring(CAST({x} AS STRING), 2) AS {spark_type(type_)})"
        return f"CASE WHEN {x} <= - {bound} THEN {turned} WHEN {x} < {_zero(type_)} THEN (- {x}) ELSE {x} END"

    return let(texts, body)


def _integer_size(type_: Type) -> str:
    return "abs({0})" if type_ is INT8 else integer_text("abs(CAST({0} AS BIGINT))", type_)


def _sizes(name: str, *, infix: bool) -> list[Function]:
    doc = "its size, without the sign"

    def ranged(type_: Type) -> Run:
        return lambda value: in_range(abs(value), type_)

    return [
        *(
            Function(name, (type_,), type_, ranged(type_), _integer_size(type_), fails=True, infix=infix, doc=doc)
            for type_ in SIGNED
        ),
        *(Function(name, (type_,), type_, abs, "abs({0})", infix=infix, doc=doc) for type_ in FLOATS),
        Function(name, (NUMERIC,), same_numeric, EXACT.abs, _size_text, infix=infix, doc=doc),
    ]


# Floats. Spark rounds them to integers, which are too short for them: these go to the nearest, and then a step.


def _kept(rounding: Callable[[float], int]) -> Run:
    """A rounding that keeps infinities, NaN and the sign of zero."""

    def run(value: float) -> float:
        return math.copysign(float(rounding(value)), value) if math.isfinite(value) else value

    return run


def _float_text(body: Callable[[str], str]) -> SparkText:
    return lambda texts, _types, _result: let(texts, body)


def _floor_body(x: str) -> str:
    return f"if(rint({x}) > {x}, rint({x}) - 1, rint({x}))"


def _ceil_body(x: str) -> str:
    # A step up from -1 is the negative zero.
    return f"if(rint({x}) < {x}, if(rint({x}) = -1, -0.0D, rint({x}) + 1), rint({x}))"


def _trunc_body(x: str) -> str:
    return f"if({x} < 0, {_ceil_body(x)}, {_floor_body(x)})"


def _sign(value: float) -> float:
    return 1.0 if value > 0 else -1.0 if value < 0 else 0.0


def _sign_body(x: str) -> str:
    return f"CASE WHEN isnan({x}) OR {x} = 0 THEN 0.0D WHEN {x} > 0 THEN 1.0D WHEN {x} < 0 THEN -1.0D END"


# Numeric


def _whole(types: Sequence[Type]) -> Type:
    return numeric(min(whole_digits(of(types[0])) + 1, MAX_PRECISION), 0)


def _to_whole(rounding: str) -> Run:
    def run(types: Types, value: Decimal) -> Decimal:
        found = value.quantize(Decimal(1), rounding=rounding, context=EXACT)
        return fitted(found, of(types.result))

    return run


def _to_whole_text(function: str) -> SparkText:
    def text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str:
        kind = spark_type(result)
        if of(types[0]).scale == 0:
            return f"CAST({texts[0]} AS {kind})"
        if function != "trunc":
            return f"CAST({function}({texts[0]}) AS {kind})"
        zero = _zero(of(types[0]))
        return let(texts, lambda x: f"CAST(if({x} < {zero}, ceil({x}), floor({x})) AS {kind})")

    return text


def _digits(types: Sequence[Type]) -> Type:
    """Of a value rounded to a number of digits that only the rows know."""
    type_ = of(types[0])
    return numeric(min(type_.precision + 1, MAX_PRECISION), type_.scale)


def _to_digits(rounding: str) -> Run:
    def run(types: Types, value: Decimal, digits: int) -> Decimal:
        result = of(types.result)
        if digits < result.scale:
            places = max(digits, -MAX_PRECISION - 1)
            value = value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=EXACT)
        return fitted(value, result)

    return run


_INTEGER_LITERAL = re.compile(r"\(?(-?\d+)\)?")


def _to_digits_text(function: str) -> SparkText:
    def text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
        literal = _INTEGER_LITERAL.fullmatch(texts[1])
        if literal is None:
            return None
        type_, target = of(types[0]), of(result)
        digits = int(literal[1])
        if digits >= type_.scale:
            return cast_text(texts[0], types[0], target)
        if digits < -whole_digits(type_):
            return None
        kind = spark_type(result)
        if function == "round":
            return f"CAST(round({texts[0]}, {digits}) AS {kind})"
        zero = _zero(type_)
        return let(texts[:1], lambda x: f"CAST(if({x} < {zero}, ceil({x}, {digits}), floor({x}, {digits})) AS {kind})")

    return text


def _numeric_sign(value: Decimal) -> Decimal:
    return Decimal((value > 0) - (value < 0))


def _numeric_sign_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
    zero = _zero(of(types[0]))

    def body(x: str) -> str:
        sign = f"CASE WHEN {x} > {zero} THEN 1 WHEN {x} < {zero} THEN -1 WHEN {x} = {zero} THEN 0 END"
        return f"CAST({sign} AS DECIMAL(1, 0))"

    return let(texts, body)


def _scale(value: Decimal) -> int:
    return max(-int(value.normalize(EXACT).as_tuple().exponent), 0)


def _itself(value: object) -> object:
    return value


def _of_float(name: str, run: Run, body: Callable[[str], str], doc: str) -> Function:
    return Function(name, (FLOAT8,), FLOAT8, run, _float_text(body), doc=doc)


def _of_numeric(name: str, rounding: str, doc: str) -> Function:
    return Function(
        name, (NUMERIC,), _whole, _to_whole(rounding), _to_whole_text(name), fails=True, typed=True, doc=doc
    )


def _of_digits(name: str, rounding: str, doc: str) -> Function:
    return Function(
        name, (NUMERIC, INT4), _digits, _to_digits(rounding), _to_digits_text(name), fails=True, typed=True, doc=doc
    )


_CEIL, _FLOOR = "the least integer that is not less", "the greatest integer that is not greater"
_TRUNC, _SIGN = "without what stands after the point", "-1, 0 or 1"

FAMILY = Family(
    "Size, sign and rounding",
    functions=(
        *_sizes("abs", infix=False),
        _of_float("ceil", _kept(math.ceil), _ceil_body, _CEIL),
        _of_float("floor", _kept(math.floor), _floor_body, _FLOOR),
        _of_float("trunc", _kept(math.trunc), _trunc_body, _TRUNC),
        _of_float("round", _kept(round), lambda x: f"rint({x})", "the nearest integer, half to even"),
        _of_float("sign", _sign, _sign_body, _SIGN),
        _of_numeric("ceil", ROUND_CEILING, _CEIL),
        _of_numeric("floor", ROUND_FLOOR, _FLOOR),
        _of_numeric("trunc", ROUND_DOWN, _TRUNC),
        _of_numeric("round", ROUND_HALF_UP, "the nearest integer, half away from zero"),
        _of_digits("trunc", ROUND_DOWN, "cut to so many digits after the point"),
        _of_digits("round", ROUND_HALF_UP, "to so many digits after the point, half away from zero"),
        Function("sign", (NUMERIC,), numeric(1, 0), _numeric_sign, _numeric_sign_text, doc=_SIGN),
        Function("scale", (NUMERIC,), INT4, _scale, doc="how many digits stand after the point"),
        Function("min_scale", (NUMERIC,), INT4, _scale, doc="how many digits after the point it needs"),
        Function("trim_scale", (NUMERIC,), same_numeric, _itself, "{0}", doc="without trailing zeros"),
    ),
    operators=(
        *_sizes("@", infix=True),
        Function("-", (NUMERIC,), same_numeric, EXACT.minus, _negated_text, infix=True),
    ),
    aliases={"ceiling": "ceil"},
)
