"""Functions that return rows: series and the elements of containers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from typing import Any as Anything

from holdfast.plan.calendar import MICROS_PER_DAY, is_infinite
from holdfast.plan.date_arithmetic import timestamp_plus
from holdfast.plan.errors import DatetimeFieldOverflow, InvalidParameterValue, NumericValueOutOfRange
from holdfast.plan.functions.array_shape import first_subscript, shape
from holdfast.plan.functions.container import dimensions, element_of, leaves
from holdfast.plan.functions.function import Any, Family, ResultColumns, TableFunction, Types
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.functions.timezones import plus_in_zone
from holdfast.plan.types import (
    BOOL,
    INT4,
    INT8,
    INTERVAL,
    MAX_PRECISION,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Interval,
    Numeric,
    Type,
    numeric,
    spark_type,
)
from holdfast.plan.zones import zone_of

_NO_STEP = "step size cannot equal zero"
_EXACT = Context(prec=2 * MAX_PRECISION)
_BOUND = Decimal(10) ** MAX_PRECISION


def _integers(first: int, last: int, step: int = 1) -> Iterator[tuple[int]]:
    if step == 0:
        raise InvalidParameterValue(_NO_STEP)
    return ((number,) for number in range(first, last + (1 if step > 0 else -1), step))


def _spark_integers(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    first, last = texts[:2]
    empty = f"CAST(array() AS ARRAY<{spark_type(types[0])}>)"
    if len(texts) == 2:
        upwards = f"sequence({first}, {last}, CAST(1 AS {spark_type(types[0])}))"
        return f"CASE WHEN {first} <= {last} THEN {upwards} WHEN {first} > {last} THEN {empty} END"
    step = texts[2]
    return (
        f"CASE WHEN {step} = 0 THEN {failure(InvalidParameterValue, _NO_STEP)} "
        f"WHEN {step} > 0 AND {first} <= {last} OR {step} < 0 AND {first} >= {last} "
        f"THEN sequence({first}, {last}, {step}) "
        f"WHEN {first} IS NOT NULL AND {last} IS NOT NULL AND {step} IS NOT NULL THEN {empty} END"
    )


def _numerics(first: Decimal, last: Decimal, step: Decimal = Decimal(1)) -> Iterator[tuple[Decimal]]:
    if step == 0:
        raise InvalidParameterValue(_NO_STEP)
    while first <= last if step > 0 else first >= last:
        yield (first,)
        first = _EXACT.add(first, step)
        if not -_BOUND < first < _BOUND:
            raise NumericValueOutOfRange("value overflows numeric format")


def _numeric_columns(types: Sequence[Type]) -> ResultColumns:
    given = [type_ for type_ in types if isinstance(type_, Numeric)]
    scale = max(type_.scale for type_ in given)
    whole = max(type_.precision - type_.scale for type_ in given)
    return ResultColumns(("generate_series",), (numeric(min(whole + 1 + scale, MAX_PRECISION), scale),), (False,))


def _timestamps(first: int, last: int, step: Interval) -> Iterator[tuple[int]]:
    return _moments(first, last, step, lambda moment: timestamp_plus(moment, step))


def _timestamps_in_zone(first: int, last: int, step: Interval, zone: str) -> Iterator[tuple[int]]:
    """Days and months are as long as they are in the zone."""
    zone_of(zone)
    return _moments(first, last, step, lambda moment: plus_in_zone(moment, step, zone))


def _moments(first: int, last: int, step: Interval, following: Callable[[int], int]) -> Iterator[tuple[int]]:
    sign = (step.months * 30 + step.days) * MICROS_PER_DAY + step.micros
    if sign == 0:
        raise InvalidParameterValue(_NO_STEP)
    while first <= last if sign > 0 else first >= last:
        # Such a series would run on until it leaves what a timestamp can be.
        if is_infinite(last) or is_infinite(first):
            raise DatetimeFieldOverflow("timestamp out of range")
        yield (first,)
        first = following(first)


def _subscripts(types: Types, value: tuple[Anything, ...], dimension: int, backwards: bool = False) -> list[tuple[int]]:
    sizes = shape(value, dimensions(types.arguments[0]))
    if not 1 <= dimension <= len(sizes):
        return []
    first = first_subscript(types.arguments[0])
    found = [(subscript,) for subscript in range(first, first + sizes[dimension - 1])]
    return found[::-1] if backwards else found


def _spark_subscripts(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str | None:
    if dimensions(types[0]) != 1:
        return None
    value, dimension, *backwards = texts
    first = first_subscript(types[0])
    last = f"size({value}) - 1" if first == 0 else f"size({value})"
    forth, back = f"sequence({first}, {last})", f"sequence({last}, {first})"
    found = f"if({backwards[0]}, {back}, {forth})" if backwards else forth
    return f"CASE WHEN {dimension} = 1 AND size({value}) > 0 THEN {found} ELSE CAST(array() AS ARRAY<INT>) END"


def _elements(types: Types, value: tuple[object, ...]) -> Iterator[tuple[object]]:
    return ((element,) for element in leaves(value, dimensions(types.arguments[0])))


def _spark_elements(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    deep = dimensions(types[0]) - 1
    return "flatten(" * deep + texts[0] + ")" * deep


def _element_columns(types: Sequence[Type]) -> ResultColumns:
    return ResultColumns(("unnest",), (element_of(types[0]),), (True,))


def _entries(value: tuple[tuple[str, object], ...]) -> tuple[tuple[str, object], ...]:
    return value


def _entry_columns(types: Sequence[Type]) -> ResultColumns:
    return ResultColumns(("key", "value"), (TEXT, element_of(types[0])), (False, True))


_SPARK_ENTRIES = "transform(array_sort(map_keys({0})), _key -> named_struct('key', _key, 'value', {0}[_key]))"


def _series(arguments: tuple[Type, ...], python: Anything, spark: Anything = None) -> TableFunction:
    columns = ResultColumns(("generate_series",), arguments[:1], (False,))
    return TableFunction(
        "generate_series",
        arguments,
        _numeric_columns if arguments[0] is NUMERIC else columns,
        python,
        spark,
        fails=True,
        long=True,
        doc="From the first to the last value by steps of one, or of the third.",
    )


_SUBSCRIPTS = ResultColumns(("generate_subscripts",), (INT4,), (False,))

FAMILY = Family(
    "Functions that return rows",
    tables=(
        _series((INT4, INT4), _integers, _spark_integers),
        _series((INT4, INT4, INT4), _integers, _spark_integers),
        _series((INT8, INT8), _integers, _spark_integers),
        _series((INT8, INT8, INT8), _integers, _spark_integers),
        _series((NUMERIC, NUMERIC), _numerics),
        _series((NUMERIC, NUMERIC, NUMERIC), _numerics),
        _series((TIMESTAMP, TIMESTAMP, INTERVAL), _timestamps),
        _series((TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL), _timestamps),
        _series((TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL, TEXT), _timestamps_in_zone),
        TableFunction(
            "generate_subscripts",
            (Any.ARRAY, INT4),
            _SUBSCRIPTS,
            _subscripts,
            _spark_subscripts,
            typed=True,
            doc="The subscripts of a dimension.",
        ),
        TableFunction(
            "generate_subscripts",
            (Any.ARRAY, INT4, BOOL),
            _SUBSCRIPTS,
            _subscripts,
            _spark_subscripts,
            typed=True,
            doc="The subscripts of a dimension, the last first if so asked.",
        ),
        TableFunction(
            "unnest",
            (Any.ARRAY,),
            _element_columns,
            _elements,
            _spark_elements,
            typed=True,
            doc="The elements of an array of any dimensions.",
        ),
        TableFunction(
            "unnest",
            (Any.LIST,),
            _element_columns,
            _elements,
            _spark_elements,
            typed=True,
            doc="The elements of a list.",
        ),
        TableFunction(
            "unnest", (Any.MAP,), _entry_columns, _entries, _SPARK_ENTRIES, doc="The keys and values of a map."
        ),
    ),
)
