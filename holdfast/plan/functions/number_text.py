"""Casts between numbers and text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.plan.errors import InvalidTextRepresentation, NumericValueOutOfRange
from holdfast.plan.functions.function import Cast, Family, Function, SparkText, Types
from holdfast.plan.functions.numeric_types import fitted, of
from holdfast.plan.functions.spark_let import let
from holdfast.plan.functions.spark_text import failure, failure_of, quoted
from holdfast.plan.text import read_of, write_of
from holdfast.plan.text.numbers import INTEGER_RANGES, read_any_numeric
from holdfast.plan.types import (
    BOOL,
    BPCHAR,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MZ_TIMESTAMP,
    NAME,
    NUMERIC,
    OID,
    TEXT,
    UINT2,
    UINT4,
    UINT8,
    VARCHAR,
    Modified,
    Numeric,
    Type,
    spark_type,
)

_READABLE = (BOOL, INT2, INT4, INT8, UINT2, UINT4, UINT8, FLOAT4, FLOAT8, NUMERIC, OID, MZ_TIMESTAMP)
_SOURCES = (TEXT, VARCHAR, BPCHAR, NAME)
_TARGETS = (TEXT, VARCHAR, BPCHAR)


def _read(types: Types, value: str) -> object:
    if isinstance(types.result, Numeric):
        return fitted(read_any_numeric(value), types.result)
    return read_of(types.result)(value)


def _write(types: Types, value: object) -> str:
    source, target = types.arguments[0], types.result
    text = {True: "true", False: "false"}[bool(value)] if source is BOOL else write_of(source)(value)
    return text[: target.modifier] if isinstance(target, Modified) else text


def _write_text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
    source = types[0]
    if source.base in ("float4", "float8"):
        return None
    text = f"CAST({texts[0]} AS STRING)"
    if source.base == "numeric" and of(source).scale > 0:
        text = f"TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM {text}))"
    return f"left({text}, {result.modifier})" if isinstance(result, Modified) and result.modifier else text


_SPACE = r"[ \t\n\x0B\f\r]*"
_SPACE_CHARACTERS = r"' \t\n\u000B\u000C\r'"


def _like(text: str, pattern: str) -> str:
    return f"{text} RLIKE {quoted(f'^{_SPACE}{pattern}{_SPACE}' + chr(92) + 'z')}"


def _invalid(text: str, type_: Type) -> str:
    message = f"concat({quoted(f'invalid input syntax for type {type_}: ' + chr(34))}, {text}, '\"')"
    return f"WHEN {text} IS NOT NULL THEN {failure_of(InvalidTextRepresentation, message)}"


def _out_of_range(text: str, type_: Type) -> str:
    message = f"concat('value \"', {text}, {quoted(f'{chr(34)} is out of range for type {type_}')})"
    return failure_of(NumericValueOutOfRange, message)


_OTHER_INTEGERS = r"[+-]?(0[xX](_?[0-9a-fA-F])+|0[oO](_?[0-7])+|0[bB](_?[01])+|[0-9](_?[0-9])*)"


def _other_digits(text: str) -> str:
    """Digits with underscores between them or in another base, as a decimal."""
    bare = f"lower(regexp_replace({text}, '[^0-9a-zA-Z]', ''))"
    bases = " ".join(
        f"WHEN {bare} LIKE '0{letter}%' THEN conv(substring({bare}, 3), {base}, 10)"
        for letter, base in (("x", 16), ("o", 8), ("b", 2))
    )
    size = f"try_cast(CASE {bases} ELSE {bare} END AS DECIMAL(38, 0))"
    return f"(if({text} LIKE '%-%', -1, 1) * {size})"


def _overflows_early(text: str, type_: Type) -> str:
    """Whether the digits before something wrong are too many: without the last of them they leave no room for it."""
    begin = f"regexp_extract({text}, {quoted(f'^{_SPACE}({_OTHER_INTEGERS})')}, 1)"
    size = f"abs({_other_digits(begin)})"
    _, greatest = INTEGER_RANGES[type_.base]
    least = {base: ((greatest + 1) // base + 1) * base for base in (16, 8, 2, 10)}
    bases = " ".join(
        f"WHEN lower({begin}) LIKE '%0{letter}%' THEN {least[base]}" for letter, base in (("x", 16), ("o", 8), ("b", 2))
    )
    return f"{begin} != '' AND coalesce({size} >= CASE {bases} ELSE {least[10]} END, true)"


def _integer_text(texts: Sequence[str], _: Sequence[Type], result: Type) -> str:
    kind = spark_type(result)

    def body(x: str) -> str:
        out = _out_of_range(x, result)
        return (
            f"CASE WHEN {_like(x, '[+-]?[0-9]+')} THEN coalesce(try_cast({x} AS {kind}), {out}) "
            f"WHEN {_like(x, _OTHER_INTEGERS)} THEN coalesce(try_cast({_other_digits(x)} AS {kind}), {out}) "
            f"WHEN {_overflows_early(x, result)} THEN {out} {_invalid(x, result)} END"
        )

    return let(texts, body)


_DECIMAL = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_OTHER_DECIMALS = r"[+-]?([0-9](_?[0-9])*\.?([0-9](_?[0-9])*)?|\.[0-9](_?[0-9])*)([eE][+-]?[0-9](_?[0-9])*)?"


def _numeric_text(texts: Sequence[str], _: Sequence[Type], result: Type) -> str:
    kind = spark_type(result)
    out = failure(NumericValueOutOfRange, "numeric field overflow")

    def body(x: str) -> str:
        plain = f"regexp_replace({x}, '_', '')"
        return (
            f"CASE WHEN {_like(x, _DECIMAL)} THEN coalesce(try_cast({x} AS {kind}), {out}) "
            f"WHEN {_like(x, _OTHER_DECIMALS)} THEN coalesce(try_cast({plain} AS {kind}), {out}) "
            f"WHEN {_like(x, _OTHER_INTEGERS)} THEN coalesce(try_cast({_other_digits(x)} AS {kind}), {out}) "
            f"{_invalid(x, NUMERIC)} END"
        )

    return let(texts, body)


_HEXADECIMAL = r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?"


def _float_text(texts: Sequence[str], _: Sequence[Type], result: Type) -> str:
    kind = spark_type(result)

    def body(x: str) -> str:
        word = f"btrim({x}, {_SPACE_CHARACTERS})"
        message = f"concat('\"', {word}, {quoted(f'{chr(34)} is out of range for type {result}')})"
        out = failure_of(NumericValueOutOfRange, message)
        number = f"CAST({x} AS {kind})"
        sixteen = f"if({x} RLIKE '[pP]', {word}, concat({word}, 'p0'))"
        return (
            f"CASE WHEN {_like(x, _DECIMAL)} THEN CASE WHEN abs({number}) = double('Infinity') "
            f"OR ({number} = 0 AND {x} RLIKE '^[^eE]*[1-9]') THEN {out} ELSE {number} END "
            f"WHEN {_like(x, '[+]?(?i:inf(inity)?)')} THEN {kind}('Infinity') "
            f"WHEN {_like(x, '-(?i:inf(inity)?)')} THEN {kind}('-Infinity') "
            rf"WHEN {_like(x, r'[+-]?(?i:nan)([(][0-9a-zA-Z_]*[)])?')} THEN {kind}('NaN') "
            f"WHEN {_like(x, _HEXADECIMAL)} THEN CAST({sixteen} AS {kind}) "
            f"{_invalid(x, result)} END"
        )

    return let(texts, body)


_TRUE = "('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1')"
_FALSE = "('f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0')"


def _bool_text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    def body(x: str) -> str:
        word = f"lower(btrim({x}, {_SPACE_CHARACTERS}))"
        return f"CASE WHEN {word} IN {_TRUE} THEN true WHEN {word} IN {_FALSE} THEN false {_invalid(x, BOOL)} END"

    return let(texts, body)


_READ_TEXTS: dict[str, SparkText] = {
    "bool": _bool_text,
    "int2": _integer_text,
    "int4": _integer_text,
    "int8": _integer_text,
    "float4": _float_text,
    "float8": _float_text,
    "numeric": _numeric_text,
}


def _from_text(source: Type, target: Type) -> Cast:
    spark = _READ_TEXTS.get(target.base)
    function = Function(target.base, (source,), target, _read, spark, fails=True, typed=True)
    return Cast(source.base, target.base, "explicit", function)


def _to_text(source: Type, target: Type) -> Cast:
    function = Function(target.base, (source,), target, _write, _write_text, typed=True)
    return Cast(source.base, target.base, "assignment", function)


def _all(sources: Sequence[Type], targets: Sequence[Type], make: Callable[[Type, Type], Cast]) -> list[Cast]:
    return [make(source, target) for source in sources for target in targets]


FAMILY = Family(
    "Casts between numbers and text",
    casts=(*_all(_SOURCES, _READABLE, _from_text), *_all(_READABLE, _TARGETS, _to_text)),
)
