"""Comparison and logic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any as Anything

from holdfast.plan.errors import DatatypeMismatch
from holdfast.plan.functions.function import Any, Family, Function, Pattern, SparkText, Types
from holdfast.plan.functions.spark_order import comparable, order_key, same_key
from holdfast.plan.order import is_natural, nullable_key, sort_key
from holdfast.plan.types import (
    BOOL,
    BPCHAR,
    BYTEA,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NUMERIC,
    OID,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UUID,
    Record,
    Type,
)

Comparison = Callable[[Anything, Anything], bool]

_OPERATORS: dict[str, Comparison] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EQUALITY = ("=", "<>")


# Types whose values Python and Spark both compare as they are. Varchar is compared as text, reg* as oid, and int2vector
# as an array, as in PostgreSQL.
_PLAIN: tuple[Type, ...] = (
    BOOL,
    INT2,
    INT4,
    INT8,
    UINT2,
    UINT4,
    UINT8,
    TEXT,
    BPCHAR,
    NAME,
    CHAR,
    BYTEA,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    INTERVAL,
    UUID,
    OID,
    MZ_TIMESTAMP,
)
_FLOATS = (FLOAT4, FLOAT8)
_MIXED: tuple[tuple[Type, Type], ...] = (
    *((a, b) for a in (INT2, INT4, INT8) for b in (INT2, INT4, INT8) if a is not b),
    (NAME, TEXT),
    (TEXT, NAME),
    (TIMESTAMP, TIMESTAMPTZ),
    (TIMESTAMPTZ, TIMESTAMP),
)


def _operator(name: str, left: Pattern, right: Pattern, python: Comparison, spark: SparkText | None) -> Function:
    return Function(name, (left, right), BOOL, python, spark, infix=True)


def _plain(name: str, left: Type, right: Type) -> Function:
    return _operator(name, left, right, _OPERATORS[name], f"({{0}} {name} {{1}})")


def _keyed(name: str, left: Type, right: Type, spark: SparkText | None) -> Function:
    compare, left_key, right_key = _OPERATORS[name], sort_key(left), sort_key(right)
    return _operator(name, left, right, lambda a, b: compare(left_key(a), right_key(b)), spark)


def _compared(name: str) -> SparkText:
    """Values that Spark may order otherwise, or of types that need a common one first."""

    def text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
        found = comparable(texts, types)
        if found is None:
            return None
        key = same_key if name in _EQUALITY else order_key
        left, right = (key(part, found[1]) for part in found[0])
        return f"({left} {name} {right})" if left and right else None

    return text


def _structured(name: str, kind: Any) -> Function:
    compare = _OPERATORS[name]

    def python(types: Types, a: object, b: object) -> bool:
        return compare(sort_key(types.arguments[0])(a), sort_key(types.arguments[1])(b))

    return Function(name, (kind, kind), BOOL, python, _compared(name), typed=True, infix=True)


def _boolean_if_comparable(types: Sequence[Type]) -> Type:
    left, right = types
    if isinstance(left, Record) and isinstance(right, Record):
        if len(left.types) != len(right.types):
            raise DatatypeMismatch("cannot compare record types with different numbers of columns")
        for place, (a, b) in enumerate(zip(left.types, right.types, strict=True), start=1):
            if a.base != b.base:
                raise DatatypeMismatch(f"cannot compare dissimilar column types {a} and {b} at record column {place}")
    return BOOL


def _of_records(name: str) -> Function:
    found = _structured(name, Any.RECORD)
    return Function(name, found.arguments, _boolean_if_comparable, found.python, found.spark, typed=True, infix=True)


# Dates beside timestamps: as microseconds. No finite timestamp is as far away as the dates that these ends stand for.
_MICROS_PER_DAY = 86_400_000_000
_LAST_DAY, _FIRST_DAY = 2**31 - 1, -(2**31)
_LAST_MICRO, _FIRST_MICRO = 2**63 - 1, -(2**63)
_FAR_DAY = 106_751_990


def _instant(day: int) -> int:
    if day == _LAST_DAY:
        return _LAST_MICRO
    return _FIRST_MICRO if day == _FIRST_DAY else day * _MICROS_PER_DAY if abs(day) <= _FAR_DAY else _far(day)


def _far(day: int) -> int:
    return _LAST_MICRO - 1 if day > 0 else _FIRST_MICRO + 1


def _instant_text(day: str, target: str) -> str:
    far = {_LAST_DAY: _LAST_MICRO, _FIRST_DAY: _FIRST_MICRO}
    exact = " ".join(f"WHEN {days} THEN {micros}" for days, micros in far.items())
    beyond = f"CASE unix_date({day}) {exact} ELSE if(unix_date({day}) > 0, {_LAST_MICRO - 1}, {_FIRST_MICRO + 1}) END"
    return (
        f"if(abs(CAST(unix_date({day}) AS BIGINT)) > {_FAR_DAY}, "
        f"CAST(timestamp_micros({beyond}) AS {target}), CAST({day} AS {target}))"
    )


def _of_dates(name: str) -> list[Function]:
    compare = _OPERATORS[name]
    found = []
    for moment, target in ((TIMESTAMP, "TIMESTAMP_NTZ"), (TIMESTAMPTZ, "TIMESTAMP")):
        day = _instant_text("{0}", target), _instant_text("{1}", target)
        found.append(_operator(name, DATE, moment, lambda a, b: compare(_instant(a), b), f"({day[0]} {name} {{1}})"))
        found.append(_operator(name, moment, DATE, lambda a, b: compare(a, _instant(b)), f"({{0}} {name} {day[1]})"))
    return found


def _overloads(name: str) -> list[Function]:
    return [
        *(_plain(name, type_, type_) for type_ in _PLAIN),
        *(_plain(name, left, right) for left, right in _MIXED),
        *(_keyed(name, a, b, f"({{0}} {name} {{1}})") for a in _FLOATS for b in _FLOATS),
        _operator(name, NUMERIC, NUMERIC, _OPERATORS[name], _compared(name)),
        _keyed(name, JSONB, JSONB, None) if name not in _EQUALITY else _plain(name, JSONB, JSONB),
        *_of_dates(name),
        *(_structured(name, kind) for kind in (Any.ARRAY, Any.RANGE, Any.LIST)),
        _of_records(name),
    ]


def _not_distinct(types: Types, a: object, b: object) -> bool:
    left, right = types.arguments
    return bool(nullable_key(left)(a) == nullable_key(right)(b))


def _distinct(types: Types, a: object, b: object) -> bool:
    return not _not_distinct(types, a, b)


def _not_distinct_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    found = comparable(texts, types)
    if found is None:
        return None
    left, right = (same_key(part, found[1]) for part in found[0])
    return f"({left} <=> {right})" if left and right else None


def _distinct_text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
    found = _not_distinct_text(texts, types, result)
    return found and f"(NOT {found})"


def _is_null(types: Types, value: Anything) -> bool:
    if value is None or not isinstance(types.arguments[0], Record):
        return value is None
    return all(field is None for field in value)


def _is_not_null(types: Types, value: Anything) -> bool:
    if value is None or not isinstance(types.arguments[0], Record):
        return value is not None
    return all(field is not None for field in value)


def _null_test(test: str) -> SparkText:
    def text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str:
        type_, value = types[0], texts[0]
        if not isinstance(type_, Record) or not type_.types:
            return f"({value} {test})"
        # A field of a null is null.
        return f"({' AND '.join(f'{value}.f{i} {test}' for i in range(1, len(type_.types) + 1))})"

    return text


def _extreme(name: str, pick: Callable[..., object]) -> Function:
    def python(types: Types, *values: object) -> object:
        key = sort_key(types.result)
        return pick((value for value in values if value is not None), key=key, default=None)

    def text(texts: Sequence[str], _: Sequence[Type], result: Type) -> str | None:
        if not is_natural(result) and result.base not in ("float4", "float8"):
            return None
        return f"{name}({', '.join(texts)})" if len(texts) > 1 else f"({texts[0]})"

    return Function(
        name,
        (Any.ELEMENT,),
        Any.ELEMENT,
        python,
        text,
        strict=False,
        makes_null=True,
        variadic=True,
        typed=True,
        doc=f"the {name} of its arguments, leaving out nulls",
    )


def _counting(name: str, test: str, counts: Callable[[object], bool], doc: str) -> Function:
    """How many arguments are null, or not. A record is not, whatever its fields are."""

    def python(*values: object) -> int:
        return sum(map(counts, values))

    def text(texts: Sequence[str], _: Sequence[Type], __: Type) -> str:
        return f"({' + '.join(f'CAST({value} {test} AS INT)' for value in texts)})"

    return Function(name, (Any.ANY,), INT4, python, text, strict=False, variadic=True, doc=doc)


def _total(name: str, python: Callable[..., bool], spark: str, doc: str) -> Function:
    """A test that is never null."""
    return Function(name, (BOOL,), BOOL, python, spark, strict=False, doc=doc)


_FUNCTIONS = (
    Function("not", (BOOL,), BOOL, operator.not_, "(NOT {0})", doc="NOT"),
    Function("is_null", (Any.ANY,), BOOL, _is_null, _null_test("IS NULL"), strict=False, typed=True, doc="IS NULL"),
    Function(
        "is_not_null",
        (Any.ANY,),
        BOOL,
        _is_not_null,
        _null_test("IS NOT NULL"),
        strict=False,
        typed=True,
        doc="IS NOT NULL",
    ),
    Function(
        "is_distinct",
        (Any.ELEMENT, Any.ELEMENT),
        BOOL,
        _distinct,
        _distinct_text,
        strict=False,
        typed=True,
        doc="IS DISTINCT FROM",
    ),
    Function(
        "is_not_distinct",
        (Any.ELEMENT, Any.ELEMENT),
        BOOL,
        _not_distinct,
        _not_distinct_text,
        strict=False,
        typed=True,
        doc="IS NOT DISTINCT FROM",
    ),
    _total("is_true", lambda a: a is True, "({0} <=> true)", "IS TRUE"),
    _total("is_not_true", lambda a: a is not True, "(NOT ({0} <=> true))", "IS NOT TRUE"),
    _total("is_false", lambda a: a is False, "({0} <=> false)", "IS FALSE"),
    _total("is_not_false", lambda a: a is not False, "(NOT ({0} <=> false))", "IS NOT FALSE"),
    _total("is_unknown", lambda a: a is None, "({0} IS NULL)", "IS UNKNOWN"),
    _total("is_not_unknown", lambda a: a is not None, "({0} IS NOT NULL)", "IS NOT UNKNOWN"),
    _counting("num_nulls", "IS NULL", lambda value: value is None, "How many of its arguments are null."),
    _counting(
        "num_nonnulls", "IS NOT NULL", lambda value: value is not None, "How many of its arguments are not null."
    ),
    _extreme("greatest", max),
    _extreme("least", min),
)

FAMILY = Family(
    "Comparison and logic",
    functions=_FUNCTIONS,
    operators=tuple(function for name in _OPERATORS for function in _overloads(name)),
    aliases={"!=": "<>"},
)
