"""Aggregates that choose or count: count, min, max, and those of booleans and bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, gt, lt, or_, xor
from typing import Any as Value  # as `plan/types.py` lists them
from typing import TypeAlias

from holdfast.plan.functions.function import Aggregate, Any, Family, Pattern, Types
from holdfast.plan.functions.numeric_types import of
from holdfast.plan.functions.running import Running
from holdfast.plan.functions.spark_order import order_key
from holdfast.plan.order import sort_key
from holdfast.plan.types import (
    BOOL,
    BPCHAR,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
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
    Numeric,
    Record,
    Type,
    record_of,
)

Rows: TypeAlias = Sequence[tuple[Value, ...]]


def _count(rows: Rows) -> int:
    return len(rows)


def _running_count(_: Types) -> Running[None]:
    return Running(None, lambda _, __: None, lambda _, count: count)


_COUNTS = (
    Aggregate(
        "count",
        (),
        INT8,
        _count,
        spark="count(1)",
        null_when_empty=False,
        running=_running_count,
        doc="How many rows there are.",
    ),
    Aggregate(
        "count",
        (Any.ANY,),
        INT8,
        _count,
        spark="count({distinct}{0})",
        null_when_empty=False,
        running=_running_count,
        doc="For how many rows the argument is not null.",
    ),
)


def _least(types: Types, rows: Rows) -> Value:
    key = sort_key(types.arguments[0])
    return min((value for (value,) in rows), key=key, default=None)


def _greatest(types: Types, rows: Rows) -> Value:
    key = sort_key(types.arguments[0])
    return max((value for (value,) in rows), key=key, default=None)


def _running_extreme(better: Callable[[Value, Value], bool]) -> Callable[[Types], Running[Value]]:
    """Of values that are equal the first one stays."""

    def running(types: Types) -> Running[Value]:
        key = sort_key(types.arguments[0])

        def step(best: Value, value: Value) -> Value:
            found = key(value)
            return (found, value) if best is None or better(found, best[0]) else best

        return Running(None, step, lambda best, _: None if best is None else best[1])

    return running


_ORDERED_BY_SPARK = (
    BOOL,
    INT2,
    INT4,
    INT8,
    UINT2,
    UINT4,
    UINT8,
    FLOAT4,
    FLOAT8,
    NUMERIC,
    TEXT,
    BPCHAR,
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
"""Spark's order of these is ours: texts by bytes, NaN after all numbers, intervals field by field."""

_ORDERED_BY_US: tuple[Pattern, ...] = (JSONB, Any.ARRAY, Any.LIST, Any.RECORD, Any.RANGE)
"""Spark has nulls inside of a value before all others, PostgreSQL after."""


def has_spark_order(type_: Type) -> bool:
    return any(type_.base == other.base for other in _ORDERED_BY_SPARK)


def _chosen_by(name: str) -> Callable[[Sequence[str], Sequence[Type], Type], str | None]:
    """Spark's text for values that it does not order as we do, where it has a key of theirs that it does."""

    def text(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
        (argument,) = arguments
        key = order_key(argument, types[0])
        return key and f"{name}_by({argument}, CASE WHEN {argument} IS NOT NULL THEN {key} END)"

    return text


def _same_type(types: Sequence[Type]) -> Type:
    """With its digits, or the length that its values are padded to."""
    return of(types[0]) if isinstance(types[0], Numeric) else types[0]


def _any_record(types: Sequence[Type]) -> Type:
    """A row of a relation as a record of no type in particular."""
    (found,) = types
    assert isinstance(found, Record)
    return record_of(found.names, found.types)


def _extremes(
    name: str, python: Callable[[Types, Rows], Value], better: Callable[[Value, Value], bool], doc: str
) -> tuple[Aggregate, ...]:
    running = _running_extreme(better)
    by_spark = (
        Aggregate(
            name,
            (type_,),
            _same_type if type_ in (NUMERIC, BPCHAR) else type_,
            python,
            spark=f"{name}({{0}})",
            typed=True,
            running=running,
            doc=doc,
        )
        for type_ in _ORDERED_BY_SPARK
    )
    by_us = (
        Aggregate(
            name,
            (kind,),
            _any_record if kind is Any.RECORD else kind,
            python,
            spark=_chosen_by(name),
            typed=True,
            running=running,
            doc=doc,
        )
        for kind in _ORDERED_BY_US
    )
    return (*by_spark, *by_us)


_least_text = _chosen_by("min")
_ANY_VALUE = Aggregate(
    "any_value",
    (Any.ELEMENT,),
    Any.ELEMENT,
    _least,
    spark=lambda texts, types, result: "min({0})" if has_spark_order(types[0]) else _least_text(texts, types, result),
    typed=True,
    doc="Some value that is not null: the least, so that it is always the same.",
)


def _every(rows: Rows) -> bool | None:
    return all(value for (value,) in rows) if rows else None


def _some(rows: Rows) -> bool | None:
    return any(value for (value,) in rows) if rows else None


def _running_fold(operation: Callable[[int, int], int]) -> Callable[[Types], Running[int | None]]:
    def step(state: int | None, value: int) -> int:
        return value if state is None else operation(state, value)

    return lambda _: Running(None, step, lambda state, _: state)


_EVERY = "Whether all values are true."

_BOOLEANS = (
    *(
        Aggregate(name, (BOOL,), BOOL, _every, spark="bool_and({0})", running=_running_fold(and_), doc=_EVERY)
        for name in ("bool_and", "every")
    ),
    Aggregate(
        "bool_or",
        (BOOL,),
        BOOL,
        _some,
        spark="bool_or({0})",
        running=_running_fold(or_),
        doc="Whether some value is true.",
    ),
)


def _folded(operation: Callable[[int, int], int]) -> Callable[[Rows], int | None]:
    return lambda rows: reduce(operation, (value for (value,) in rows)) if rows else None


def _bits(name: str, operation: Callable[[int, int], int], doc: str) -> tuple[Aggregate, ...]:
    python, running = _folded(operation), _running_fold(operation)
    return tuple(
        Aggregate(name, (type_,), type_, python, spark=f"{name}({{distinct}}{{0}})", running=running, doc=doc)
        for type_ in (INT2, INT4, INT8)
    )


FAMILY = Family(
    "Aggregates that choose or count",
    aggregates=(
        *_COUNTS,
        *_extremes("min", _least, lt, "The least value."),
        *_extremes("max", _greatest, gt, "The greatest value."),
        _ANY_VALUE,
        *_BOOLEANS,
        *_bits("bit_and", and_, "The bits that all values have."),
        *_bits("bit_or", or_, "The bits that some value has."),
        *_bits("bit_xor", xor, "The bits that an odd number of values have."),
    ),
)
