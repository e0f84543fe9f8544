"""Operators of numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, Context, Decimal
from typing import Any as Anything

from holdfast.plan import real
from holdfast.plan.errors import DivisionByZero, NumericValueOutOfRange
from holdfast.plan.functions.function import Family, Function, SparkText, Types
from holdfast.plan.functions.numeric_types import (
    EXACT,
    Operation,
    checked,
    fitted,
    of,
    product_types,
    quotient_types,
    remainder_types,
    sum_types,
    whole_digits,
)
from holdfast.plan.functions.spark_let import let
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.text.numbers import INTEGER_RANGES
from holdfast.plan.types import (
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MAX_PRECISION,
    NUMERIC,
    UINT2,
    UINT4,
    UINT8,
    Numeric,
    Type,
    numeric,
    spark_type,
)

OVERFLOW = "value out of range: overflow"
UNDERFLOW = "value out of range: underflow"

SIGNED = (INT2, INT4, INT8)
UNSIGNED = (UINT2, UINT4, UINT8)
FLOATS = (FLOAT4, FLOAT8)

Run = Callable[..., Anything]  # from values of a function's arguments to one of its result


def in_range(value: int, type_: Type) -> int:
    least, greatest = INTEGER_RANGES[type_.base]
    if not least <= value <= greatest:
        raise NumericValueOutOfRange(f"{type_} out of range")
    return value


def quotient(a: int, b: int) -> int:
    """Rounded towards zero."""
    if b == 0:
        raise DivisionByZero
    found = abs(a) // abs(b)
    return found if (a < 0) == (b < 0) else -found


def remainder(a: int, b: int) -> int:
    """With the sign of the dividend."""
    if b == 0:
        raise DivisionByZero
    found = abs(a) % abs(b)
    return -found if a < 0 else found


_INTEGER_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": quotient,
    "%": remainder,
}


def _ranged(run: Run, type_: Type) -> Run:
    return lambda *values: in_range(run(*values), type_)


def _integer_operator(name: str, left: Type, right: Type) -> Function:
    result = max(left, right, key=SIGNED.index)
    symbol = "div" if name == "/" else name
    text = f"({{0}} {symbol} {{1}})"
    if name == "/":
        text = integer_text(text, result)
    elif name != "%" and result is not INT8:
        text = integer_text(f"CAST({{0}} AS BIGINT) {symbol} {{1}}", result)
    run = _ranged(_INTEGER_OPERATIONS[name], result)
    return Function(name, (left, right), result, run, text, fails=True, infix=True)


def integer_text(wide: str, type_: Type) -> str:
    """A bigint as a narrower integer: Spark says of a cast, but not of a sum, which type had no room for it."""
    return wide if type_ is INT8 else f"CAST({wide} AS {spark_type(type_)})"


def _unsigned_operator(name: str, type_: Type) -> Function:
    run = _ranged(_INTEGER_OPERATIONS[name], type_)
    spark = None if type_ is UINT8 else _unsigned_text(name, type_)
    return Function(name, (type_, type_), type_, run, spark, fails=True, infix=True)


def _unsigned_text(name: str, type_: Type) -> SparkText:
    """They are held in the next wider signed type, whose own overflow is beyond theirs."""
    _, greatest = INTEGER_RANGES[type_.base]
    out = failure(NumericValueOutOfRange, f"{type_} out of range")

    def text(texts: Sequence[str], _: Sequence[Type], result: Type) -> str:
        symbol = "div" if name == "/" else name
        found = f"({texts[0]} {symbol} {texts[1]})"
        if name in ("/", "%"):
            return f"CAST({found} AS {spark_type(result)})"
        return let([found], lambda r: f"CASE WHEN {r} < 0 OR {r} > {greatest} THEN {out} ELSE {r} END")

    return text


def _float_sum(operation: Callable[[float, float], float], single: bool) -> Run:
    def run(a: float, b: float) -> float:
        found = real.rounded(operation(a, b)) if single else operation(a, b)
        if math.isinf(found) and not math.isinf(a) and not math.isinf(b):
            raise NumericValueOutOfRange(OVERFLOW)
        return found

    return run


def _float_product(single: bool) -> Run:
    def run(a: float, b: float) -> float:
        found = real.rounded(a * b) if single else a * b
        if math.isinf(found) and not math.isinf(a) and not math.isinf(b):
            raise NumericValueOutOfRange(OVERFLOW)
        if found == 0 and a != 0 and b != 0:
            raise NumericValueOutOfRange(UNDERFLOW)
        return found

    return run


def _float_quotient(single: bool) -> Run:
    def run(a: float, b: float) -> float:
        if b == 0:
            if math.isnan(a):
                return a
            raise DivisionByZero
        found = real.rounded(a / b) if single else a / b
        if math.isinf(found) and not math.isinf(a):
            raise NumericValueOutOfRange(OVERFLOW)
        if found == 0 and a != 0 and not math.isinf(b):
            raise NumericValueOutOfRange(UNDERFLOW)
        return found

    return run


def _is_infinite(text: str) -> str:
    return f"abs({text}) = double('Infinity')"


def _float_text(name: str, type_: Type) -> SparkText:
    kind = spark_type(type_)
    overflow, underflow = failure(NumericValueOutOfRange, OVERFLOW), failure(NumericValueOutOfRange, UNDERFLOW)

    def body(a: str, b: str) -> str:
        # Spark divides in double precision alone. Rounding such a quotient again is as good as rounding once.
        found = f"CAST({a} / {b} AS {kind})" if name == "/" and type_ is FLOAT4 else f"({a} {name} {b})"
        bounded = f"NOT {_is_infinite(a)}" if name == "/" else f"NOT {_is_infinite(a)} AND NOT {_is_infinite(b)}"
        tests = [f"WHEN {_is_infinite(found)} AND {bounded} THEN {overflow}"]
        if name == "*":
            tests.append(f"WHEN {found} = 0 AND {a} <> 0 AND {b} <> 0 THEN {underflow}")
        if name == "/":
            # Spark's own division raises for a NaN over zero too.
            tests.insert(0, f"WHEN {b} = 0 AND isnan({a}) THEN {a}")
            tests.append(f"WHEN {found} = 0 AND {a} <> 0 AND NOT {_is_infinite(b)} THEN {underflow}")
        return f"CASE {' '.join(tests)} ELSE {found} END"

    def text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
        wide = [
            part if of_type.base == type_.base else f"CAST({part} AS {kind})"
            for part, of_type in zip(texts, types, strict=True)
        ]
        return let(wide, body)

    return text


def _float_operators(left: Type, right: Type) -> list[Function]:
    result = FLOAT4 if left is right is FLOAT4 else FLOAT8
    single = result is FLOAT4
    runs = {
        "+": _float_sum(operator.add, single),
        "-": _float_sum(operator.sub, single),
        "*": _float_product(single),
        "/": _float_quotient(single),
    }
    return [
        Function(name, (left, right), result, run, _float_text(name, result), fails=True, infix=True)
        for name, run in runs.items()
    ]


# Numeric


def cast_text(text: str, source: Type, target: Numeric) -> str:
    """The text as a value of another numeric type, if it is another."""
    if isinstance(source, Numeric) and (source.precision, source.scale) == (target.precision, target.scale):
        return text
    return f"CAST({text} AS {spark_type(target)})"


def _operands(texts: Sequence[str], types: Sequence[Type], operation: Operation) -> list[str]:
    return [cast_text(*each) for each in zip(texts, types, operation.operands, strict=True)]


def _sum(operation: Callable[[Decimal, Decimal], Decimal]) -> Run:
    def run(types: Types, a: Decimal, b: Decimal) -> Decimal:
        digits = sum_types(*types.arguments)
        return fitted(operation(checked(a, digits.operands[0]), checked(b, digits.operands[1])), digits.result)

    return run


def _sum_text(name: str) -> SparkText:
    def text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
        left, right = _operands(texts, types, sum_types(*types))
        return f"({left} {name} {right})"

    return text


def _product(types: Types, a: Decimal, b: Decimal) -> Decimal:
    digits = product_types(*types.arguments)
    return fitted(EXACT.multiply(checked(a, digits.operands[0]), checked(b, digits.operands[1])), digits.result)


def _product_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    digits = product_types(*types)
    if not digits.cut:
        return f"({texts[0]} * {texts[1]})"
    left, right = digits.operands
    if left.scale + right.scale + 1 > MAX_PRECISION:
        return None
    wide = spark_type(digits.result)

    def body(a: str, b: str) -> str:
        parts = [f"CAST({x} * {y} AS {wide})" for x in _parts(a, left) for y in _parts(b, right)]
        total = parts[0]
        for part in parts[1:]:
            total = f"CAST({total} + {part} AS {wide})"
        return total

    return let(texts, body)


def _parts(text: str, type_: Numeric) -> list[str]:
    """What stands before the point and after it, both with the sign of the whole."""
    whole = whole_digits(type_)
    if type_.scale == 0 or whole == 0:
        return [cast_text(text, NUMERIC, type_)]
    after = f"CAST({text} % CAST(1 AS DECIMAL(1, 0)) AS {spark_type(numeric(type_.scale, type_.scale))})"
    return [f"CAST({text} - {text} % CAST(1 AS DECIMAL(1, 0)) AS {spark_type(numeric(whole, 0))})", after]


_LONG = Context(prec=80, rounding=ROUND_DOWN, Emax=10_000, Emin=-10_000)


def _quotient(types: Types, a: Decimal, b: Decimal) -> Decimal:
    if not b:
        raise DivisionByZero
    digits = quotient_types(*types.arguments)
    found = _LONG.divide(checked(a, digits.operands[0]), b)
    return fitted(found.quantize(Decimal(1).scaleb(-digits.scale), context=EXACT), digits.result)


def _quotient_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    digits = quotient_types(*types)
    if not digits.spark:
        return None
    left, right = _operands(texts, types, digits)
    found = f"({left} / {right})"
    return found if digits.scale == digits.result.scale else f"CAST({found} AS {spark_type(digits.result)})"


def _remainder(a: Decimal, b: Decimal) -> Decimal:
    if not b:
        raise DivisionByZero
    return EXACT.remainder(a, b)


def _remainder_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    left, right = map(of, types)
    # Beyond, Spark would have to divide by more digits than it has.
    return f"({texts[0]} % {texts[1]})" if whole_digits(left) + right.scale <= MAX_PRECISION else None


def same_numeric(types: Sequence[Type]) -> Type:
    return of(types[0])


REMAINDER = Function(
    "%",
    (NUMERIC, NUMERIC),
    lambda types: remainder_types(*types).result,
    _remainder,
    _remainder_text,
    fails=True,
    infix=True,
)

_NUMERIC_OPERATORS = (
    *(
        Function(
            name,
            (NUMERIC, NUMERIC),
            lambda types: sum_types(*types).result,
            _sum(operation),
            _sum_text(name),
            fails=True,
            typed=True,
            infix=True,
        )
        for name, operation in (("+", EXACT.add), ("-", EXACT.subtract))
    ),
    Function(
        "*",
        (NUMERIC, NUMERIC),
        lambda types: product_types(*types).result,
        _product,
        _product_text,
        fails=True,
        typed=True,
        infix=True,
    ),
    Function(
        "/",
        (NUMERIC, NUMERIC),
        lambda types: quotient_types(*types).result,
        _quotient,
        _quotient_text,
        fails=True,
        typed=True,
        infix=True,
    ),
    REMAINDER,
)

# Operators of one operand


def _itself(value: object) -> object:
    return value


def _negated_text(type_: Type) -> str:
    return "(- {0})" if type_ is INT8 else integer_text("- CAST({0} AS BIGINT)", type_)


_SIGNS = (
    *(Function("+", (type_,), type_, _itself, "{0}", infix=True) for type_ in (*SIGNED, *UNSIGNED, *FLOATS)),
    Function("+", (NUMERIC,), same_numeric, _itself, "{0}", infix=True),
    *(
        Function("-", (type_,), type_, _ranged(operator.neg, type_), _negated_text(type_), fails=True, infix=True)
        for type_ in SIGNED
    ),
    *(Function("-", (type_,), type_, operator.neg, "(- {0})", infix=True) for type_ in FLOATS),
)

# Bits


def _width(type_: Type) -> int:
    return {"int2": 16, "int4": 32, "int8": 64, "uint2": 16, "uint4": 32, "uint8": 64}[type_.base]


def _wrapped(value: int, type_: Type) -> int:
    """The lowest bits of the value, as many as the type has."""
    width = _width(type_)
    low = value & ((1 << width) - 1)
    return low - (1 << width) if type_ in SIGNED and low >> (width - 1) else low


def _shift(type_: Type, operation: Callable[[int, int], int]) -> Run:
    # The processor takes the number of places modulo the width of its register, which has 32 bits at least.
    mask = max(_width(type_), 32) - 1
    return lambda value, places: _wrapped(operation(value, places & mask), type_)


_SHIFT_TEXTS = {
    ("<<", "int2"): "CAST(shiftright(shiftleft(shiftleft(CAST({0} AS INT), {1}), 16), 16) AS SMALLINT)",
    (">>", "int2"): "CAST(shiftright(CAST({0} AS INT), {1}) AS SMALLINT)",
    ("<<", "int4"): "shiftleft({0}, {1})",
    (">>", "int4"): "shiftright({0}, {1})",
    ("<<", "int8"): "shiftleft({0}, {1})",
    (">>", "int8"): "shiftright({0}, {1})",
}


def _bit_operators(type_: Type) -> list[Function]:
    spark = type_ is not UINT8
    binary: tuple[tuple[str, Run, str | None], ...] = (
        ("&", operator.and_, "({0} & {1})" if spark else None),
        ("|", operator.or_, "({0} | {1})" if spark else None),
        ("#", operator.xor, "({0} ^ {1})" if spark else None),
    )
    shifts: tuple[tuple[str, Run], ...] = (("<<", operator.lshift), (">>", operator.rshift))
    return [
        *(
            Function(name, (type_, type_), type_, run, text if spark else None, infix=True)
            for name, run, text in binary
        ),
        *(
            Function(name, (type_, INT4), type_, _shift(type_, run), _SHIFT_TEXTS.get((name, type_.base)), infix=True)
            for name, run in shifts
        ),
        Function(
            "~",
            (type_,),
            type_,
            lambda value: _wrapped(~value, type_),
            "(~ {0})" if type_ in SIGNED else None,
            infix=True,
        ),
    ]


FAMILY = Family(
    "Operators of numbers",
    operators=(
        *(_integer_operator(name, left, right) for name in ("+", "-", "*", "/") for left in SIGNED for right in SIGNED),
        *(_integer_operator("%", type_, type_) for type_ in SIGNED),
        *(_unsigned_operator(name, type_) for name in _INTEGER_OPERATIONS for type_ in UNSIGNED),
        *(found for left in FLOATS for right in FLOATS for found in _float_operators(left, right)),
        *_NUMERIC_OPERATORS,
        *_SIGNS,
        *(found for type_ in (*SIGNED, *UNSIGNED) for found in _bit_operators(type_)),
    ),
)
