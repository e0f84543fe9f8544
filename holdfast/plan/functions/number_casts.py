"""Casts among numbers, booleans, object identifiers and mz_timestamp."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any as Anything

from holdfast.plan import real
from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions.arithmetic import FLOATS, OVERFLOW, SIGNED, UNDERFLOW, UNSIGNED, cast_text, in_range
from holdfast.plan.functions.function import Cast, CastContext, Family, Function, SparkText, Types
from holdfast.plan.functions.numeric_types import EXACT, fitted, of
from holdfast.plan.functions.spark_let import let
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.text.numbers import INTEGER_RANGES
from holdfast.plan.types import (
    BOOL,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MZ_TIMESTAMP,
    NUMERIC,
    OID,
    REGISTERED,
    UINT4,
    UINT8,
    Numeric,
    Type,
    spark_type,
)

Run = Callable[..., Anything]  # from a value of the source to one of the target


def _cast(
    source: Type, target: Type, context: CastContext, run: Run, spark: SparkText | None, *, fails: bool = False
) -> Cast:
    function = Function(target.base, (source,), target, run, spark, fails=fails)
    return Cast(source.base, target.base, context, function)


# Between integers


_CONTEXTS: dict[str, dict[str, CastContext]] = {
    "int2": {"int4": "implicit", "int8": "implicit"},
    "int4": {"int8": "implicit"},
    "int8": {},
    "uint2": {"uint4": "implicit", "uint8": "implicit", "int2": "assignment", "int4": "implicit", "int8": "implicit"},
    "uint4": {
        "uint2": "assignment",
        "uint8": "implicit",
        "int2": "assignment",
        "int4": "assignment",
        "int8": "implicit",
    },
    "uint8": dict.fromkeys(("uint2", "uint4", "int2", "int4", "int8"), "assignment"),
}
"""Signed integers become unsigned ones by assignment."""


def _to_integer(target: Type) -> Run:
    return lambda value: in_range(value, target)


def _ranged_text(number: str, target: Type) -> str:
    """A number of any Spark type as an integer of ours, or the error."""
    if target in SIGNED:
        return f"CAST({number} AS {spark_type(target)})"
    _, greatest = INTEGER_RANGES[target.base]
    out = failure(NumericValueOutOfRange, f"{target} out of range")
    kind = spark_type(target)
    return let([number], lambda n: f"CASE WHEN {n} < 0 OR {n} > {greatest} THEN {out} ELSE CAST({n} AS {kind}) END")


def _integer_text(target: Type) -> SparkText:
    def text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
        return _ranged_text(texts[0], target)

    return text


def _between_integers() -> list[Cast]:
    found = []
    for source in (*SIGNED, *UNSIGNED):
        for target in (*SIGNED, *UNSIGNED):
            if source is target:
                continue
            context = _CONTEXTS[source.base].get(target.base, "assignment")
            least, greatest = INTEGER_RANGES[source.base]
            inside = INTEGER_RANGES[target.base][0] <= least and greatest <= INTEGER_RANGES[target.base][1]
            if inside:
                found.append(_cast(source, target, context, _itself, f"CAST({{0}} AS {spark_type(target)})"))
            else:
                found.append(_cast(source, target, context, _to_integer(target), _integer_text(target), fails=True))
    return found


def _itself(value: object) -> object:
    return value


# Floats


def _nearest_real(value: int) -> float:
    return real.nearest(Fraction(value))


def _to_real(value: float) -> float:
    found = real.rounded(value)
    if math.isinf(found) and not math.isinf(value):
        raise NumericValueOutOfRange(OVERFLOW)
    if found == 0 and value != 0:
        raise NumericValueOutOfRange(UNDERFLOW)
    return found


def _to_real_text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    overflow, underflow = failure(NumericValueOutOfRange, OVERFLOW), failure(NumericValueOutOfRange, UNDERFLOW)
    infinity = "double('Infinity')"

    def body(x: str) -> str:
        found = f"CAST({x} AS FLOAT)"
        return (
            f"CASE WHEN abs({found}) = {infinity} AND abs({x}) <> {infinity} THEN {overflow} "
            f"WHEN {found} = 0 AND {x} <> 0 THEN {underflow} ELSE {found} END"
        )

    return let(texts, body)


def _float_to_integer(target: Type) -> Run:
    def run(value: float) -> int:
        # Half to even, as the processor rounds.
        if not math.isfinite(value):
            raise NumericValueOutOfRange(f"{target} out of range")
        return in_range(round(value), target)

    return run


def _float_to_integer_text(target: Type) -> SparkText:
    least, greatest = INTEGER_RANGES[target.base]
    out = failure(NumericValueOutOfRange, f"{target} out of range")
    kind = spark_type(target)

    def body(x: str) -> str:
        whole = f"rint(CAST({x} AS DOUBLE))"
        # The bound is beyond the greatest, since that of 64 bits is no double itself. A NaN is greater than all.
        return (
            f"CASE WHEN {whole} < {float(least)!r}D OR {whole} >= {float(greatest + 1)!r}D THEN {out} "
            f"ELSE CAST({whole} AS {kind}) END"
        )

    return lambda texts, _types, _result: let(texts, body)


_DIGITS = {"float4": 6, "float8": 15}
"""Those that every decimal of this many digits survives."""


def _float_to_numeric(types: Types, value: float) -> Decimal:
    if not math.isfinite(value):
        raise NumericValueOutOfRange(f"cannot convert {'NaN' if math.isnan(value) else 'infinity'} to numeric")
    digits = _DIGITS[types.arguments[0].base]
    return fitted(Decimal(f"{value:.{digits}g}"), _numeric(types.result))


def _float_casts() -> list[Cast]:
    found = [
        _cast(FLOAT4, FLOAT8, "implicit", _itself, "CAST({0} AS DOUBLE)"),
        _cast(FLOAT8, FLOAT4, "assignment", _to_real, _to_real_text, fails=True),
    ]
    for integer in (*SIGNED, *UNSIGNED):
        found.append(_cast(integer, FLOAT4, "implicit", _nearest_real, "CAST({0} AS FLOAT)"))
        found.append(_cast(integer, FLOAT8, "implicit", float, "CAST({0} AS DOUBLE)"))
        for source in FLOATS:
            # Spark would make a decimal of the digits it shows, not of all that a float has.
            spark = None if integer is UINT8 else _float_to_integer_text(integer)
            found.append(_cast(source, integer, "assignment", _float_to_integer(integer), spark, fails=True))
    for source in FLOATS:
        function = Function("numeric", (source,), _numeric_result, _float_to_numeric, None, fails=True, typed=True)
        found.append(Cast(source.base, "numeric", "assignment", function))
    return found


# Numeric


def _numeric(type_: Type) -> Numeric:
    return type_ if isinstance(type_, Numeric) else NUMERIC


def _numeric_result(types: Sequence[Type]) -> Type:
    return of(types[0])


def _to_numeric(types: Types, value: int | Decimal) -> Decimal:
    return fitted(Decimal(value), _numeric(types.result))


def _to_numeric_text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str:
    return cast_text(texts[0], types[0], _numeric(result))


def _as_numeric(source: Type) -> Function:
    return Function("numeric", (source,), _numeric_result, _to_numeric, _to_numeric_text, fails=True, typed=True)


def rounded(value: Decimal) -> int:
    """Half away from zero."""
    return int(value.to_integral_value(context=EXACT))


def _numeric_to_integer(target: Type) -> Run:
    return lambda value: in_range(rounded(value), target)


def _numeric_to_integer_text(target: Type) -> SparkText:
    def text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
        whole = texts[0] if of(types[0]).scale == 0 else f"round({texts[0]}, 0)"
        return _ranged_text(whole, target)

    return text


def _numeric_casts() -> list[Cast]:
    found = []
    for integer in (*SIGNED, *UNSIGNED):
        function = Function(
            "numeric", (integer,), _numeric_result, _to_numeric, _to_numeric_text, fails=True, typed=True
        )
        found.append(Cast(integer.base, "numeric", "implicit", function))
        run, spark = _numeric_to_integer(integer), _numeric_to_integer_text(integer)
        found.append(_cast(NUMERIC, integer, "assignment", run, spark, fails=True))
    return [
        *found,
        Cast("numeric", "numeric", "implicit", _as_numeric(NUMERIC)),
        _cast(NUMERIC, FLOAT4, "implicit", lambda value: real.nearest(Fraction(value)), "CAST({0} AS FLOAT)"),
        _cast(NUMERIC, FLOAT8, "implicit", float, "CAST({0} AS DOUBLE)"),
    ]


# Object identifiers


def _oid_casts() -> list[Cast]:
    to_oid = failure(NumericValueOutOfRange, "OID out of range")

    def checked(value: int) -> int:
        if not 0 <= value < 2**32:
            raise NumericValueOutOfRange("OID out of range")
        return value

    def text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
        return let(texts, lambda x: f"CASE WHEN {x} < 0 OR {x} > {2**32 - 1} THEN {to_oid} ELSE {x} END")

    found = []
    for target in (OID, *REGISTERED):
        # Of 32 bits, the same ones, of which the first is no sign any more.
        bits = "(CAST({0} AS BIGINT) & 4294967295L)"
        found += [
            _cast(INT2, target, "implicit", lambda value: value % 2**32, bits),
            _cast(INT4, target, "implicit", lambda value: value % 2**32, bits),
            _cast(INT8, target, "implicit", checked, text, fails=True),
            _cast(target, INT4, "assignment", _signed, "CAST(if({0} > 2147483647, {0} - 4294967296, {0}) AS INT)"),
            Cast(target.base, "int8", "assignment"),
        ]
    for registered in REGISTERED:
        found += [Cast("oid", registered.base, "implicit"), Cast(registered.base, "oid", "implicit")]
    return found


def _signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


# mz_timestamp: a number of milliseconds. Its casts from and to times are with those of times.


_OUT = "mz_timestamp out of range"


def _non_negative(value: int) -> int:
    return in_range(value, MZ_TIMESTAMP)


def _non_negative_text(number: Callable[[str], str]) -> SparkText:
    out = failure(NumericValueOutOfRange, _OUT)

    def text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
        found = number(texts[0])
        return let([found], lambda n: f"CASE WHEN {n} < 0 THEN {out} ELSE CAST({n} AS BIGINT) END")

    return text


def _mz_timestamp_casts() -> list[Cast]:
    def numbers(source: Type) -> Cast:
        spark = _non_negative_text(lambda text: text)
        return _cast(source, MZ_TIMESTAMP, "implicit", _non_negative, spark, fails=True)

    whole = _non_negative_text(lambda text: f"round({text}, 0)")
    return [
        *(numbers(source) for source in (INT4, INT8, UINT4, UINT8)),
        _cast(NUMERIC, MZ_TIMESTAMP, "implicit", lambda value: _non_negative(rounded(value)), whole, fails=True),
        Cast("mz_timestamp", "numeric", "explicit", _as_numeric(MZ_TIMESTAMP)),
        Cast("mz_timestamp", "int8", "explicit"),
        _cast(MZ_TIMESTAMP, UINT8, "explicit", _itself, "CAST({0} AS DECIMAL(20, 0))"),
    ]


FAMILY = Family(
    "Casts of numbers",
    casts=(
        *_between_integers(),
        _cast(BOOL, INT4, "explicit", int, "CAST({0} AS INT)"),
        _cast(INT4, BOOL, "explicit", bool, "({0} <> 0)"),
        *_float_casts(),
        *_numeric_casts(),
        *_oid_casts(),
        *_mz_timestamp_casts(),
    ),
)
