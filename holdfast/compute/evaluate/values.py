"""Values of Arrow columns as the Python values that `plan/types.py` lists, and back.

Neither way passes through Python's own dates, which end before ours do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import pyarrow as pa

from holdfast.plan.functions.numeric_types import overflow
from holdfast.plan.types import (
    MAX_PRECISION,
    VECTORS,
    Array,
    Interval,
    List,
    Map,
    Numeric,
    Range,
    RangeValue,
    Record,
    Type,
    array_of,
    arrow_type,
)

Value: TypeAlias = Any  # what `plan/types.py` says for the type at hand

_DAYS = ("date",)
_MICROS = ("time", "timestamp", "timestamptz")


def from_arrow(column: pa.Array | pa.ChunkedArray, type_: Type) -> list[Value]:
    """The values of a column whose Arrow type is that of `type_`."""
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in from_arrow(chunk, type_)]
    if type_.base in _DAYS:
        return _list(column.view(pa.int32()))
    if type_.base in _MICROS:
        return _list(column.view(pa.int64()))
    if type_.base == "uint8":
        return [None if value is None else int(value) for value in column.to_pylist()]
    if type_.base == "interval":
        return _structs(column, (None, None, None), Interval)
    if type_ in VECTORS:
        return _sequences(column, VECTORS[type_])
    match type_:
        case Array():
            return _sequences(column, _element(type_))
        case List():
            return _sequences(column, type_.element)
        case Map():
            return _maps(column, type_)
        case Record():
            return _structs(column, type_.types, _tuple)
        case Range():
            return _structs(column, (type_.subtype, type_.subtype, None, None, None), RangeValue)
    return _list(column)


def to_arrow(values: Sequence[Value], type_: Type) -> pa.Array:
    """A column of Arrow's type for `type_`."""
    target = arrow_type(type_)
    if type_.base in _DAYS:
        return pa.array(values, pa.int32()).view(target)
    if type_.base in _MICROS:
        return pa.array(values, pa.int64()).view(target)
    if type_.base == "uint8":
        return pa.array([None if value is None else Decimal(value) for value in values], target)
    if type_.base == "interval":
        return _struct_array(values, target, (None, None, None))
    match type_:
        case Numeric():
            fit = fitted(type_)
            return pa.array([None if value is None else fit(value) for value in values], target)
        case Array():
            return _list_array(values, _element(type_))
        case List():
            return _list_array(values, type_.element)
        case Map():
            return _map_array(values, target, type_)
        case Record():
            return _struct_array(values, target, type_.types)
        case Range():
            return _struct_array(values, target, (type_.subtype, type_.subtype, None, None, None))
    return pa.array(values, target)


def fitting_to_arrow(values: Sequence[Value], type_: Type) -> pa.Array:
    """The same of numbers that were `fitted`."""
    return pa.array(values, arrow_type(type_)) if isinstance(type_, Numeric) else to_arrow(values, type_)


@lru_cache(maxsize=1024)
def fitted(type_: Numeric) -> Callable[[Decimal], Decimal]:
    """Rounds a number to the digits that the type has after the point."""
    step, context = Decimal(1).scaleb(-type_.scale), Context(prec=MAX_PRECISION, rounding=ROUND_HALF_UP)
    bound = Decimal(1).scaleb(type_.precision - type_.scale)

    def fit(value: Decimal) -> Decimal:
        try:
            rounded = value if value.same_quantum(step) else value.quantize(step, context=context)
        except InvalidOperation:
            raise overflow(type_) from None
        if not -bound < rounded < bound:
            raise overflow(type_)
        return rounded

    return fit


def rows_of(table: pa.Table, types: Sequence[Type]) -> list[tuple[Value, ...]]:
    if not types:
        return [()] * table.num_rows
    columns = (from_arrow(table.column(index), type_) for index, type_ in enumerate(types))
    return list(zip(*columns, strict=True))


def table_of(rows: Sequence[tuple[Value, ...]], types: Sequence[Type], names: Sequence[str]) -> pa.Table:
    """Names may repeat."""
    if types:
        return table_from([[row[index] for row in rows] for index in range(len(types))], types, names)
    return pa.table({"": pa.nulls(len(rows))}).select([])


def table_from(columns: Sequence[Sequence[Value]], types: Sequence[Type], names: Sequence[str]) -> pa.Table:
    """The same from columns, of which there is at least one."""
    arrays = [to_arrow(column, type_) for column, type_ in zip(columns, types, strict=True)]
    schema = pa.schema([pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)])
    return pa.Table.from_arrays(arrays, schema=schema)


def _element(type_: Array) -> Type:
    if type_.dimensions == 1:
        return type_.element
    return array_of(type_.element) if type_.dimensions == 2 else Array(type_.base, type_.element, type_.dimensions - 1)


def _list(column: pa.Array) -> list[Value]:
    found: list[Value] = column.to_pylist()
    return found


def _tuple(*parts: Value) -> tuple[Value, ...]:
    return parts


def _structs(column: pa.Array, types: Sequence[Type | None], make: Callable[..., Value]) -> list[Value]:
    """Structs, by position. A type that is None is one of plain values."""
    fields = (column.field(index) for index in range(len(types)))
    parts = [
        _list(field) if type_ is None else from_arrow(field, type_) for field, type_ in zip(fields, types, strict=True)
    ]
    made = map(make, *parts) if parts else (make() for _ in range(len(column)))
    return _masked(column, made)


def _masked(column: pa.Array, values: Iterable[Value]) -> list[Value]:
    if not column.null_count:
        return list(values)
    return [value if valid else None for value, valid in zip(values, column.is_valid().to_pylist(), strict=True)]


def _slices(column: pa.Array, inner: Sequence[Value]) -> list[Value]:
    offsets = column.offsets.to_pylist()
    first = offsets[0] if offsets else 0
    pairs = pairwise(offsets)
    return _masked(column, (tuple(inner[start - first : end - first]) for start, end in pairs))


def _within(column: pa.Array, child: pa.Array) -> pa.Array:
    """The part of a child of a list column that this column, perhaps a slice of another, speaks of."""
    if not len(column):
        return child.slice(0, 0)
    first, last = column.offsets[0].as_py(), column.offsets[-1].as_py()
    return child.slice(first, last - first)


def _sequences(column: pa.Array, element: Type) -> list[Value]:
    return _slices(column, from_arrow(_within(column, column.values), element))


def _maps(column: pa.Array, type_: Map) -> list[Value]:
    keys = _list(_within(column, column.keys))
    items = from_arrow(_within(column, column.items), type_.value)
    pairs = list(zip(keys, items, strict=True))
    found = _slices(column, pairs)
    return [None if value is None else tuple(sorted(value, key=_by_key)) for value in found]


def _by_key(pair: tuple[str, Value]) -> bytes:
    return pair[0].encode()


def _mask(values: Sequence[Value]) -> pa.Array | None:
    mask = [value is None for value in values]
    return pa.array(mask) if any(mask) else None


def _offsets(values: Sequence[Value]) -> pa.Array:
    lengths = (0 if value is None else len(value) for value in values)
    return pa.array(accumulate(lengths, initial=0), pa.int32())


def _list_array(values: Sequence[Value], element: Type) -> pa.Array:
    inner = to_arrow([part for value in values if value is not None for part in value], element)
    return pa.ListArray.from_arrays(_offsets(values), inner, mask=_mask(values))


def _map_array(values: Sequence[Value], target: pa.DataType, type_: Map) -> pa.Array:
    pairs = [pair for value in values if value is not None for pair in value]
    keys = pa.array([key for key, _ in pairs], pa.string())
    items = to_arrow([item for _, item in pairs], type_.value)
    return pa.MapArray.from_arrays(_offsets(values), keys, items, target, mask=_mask(values))


def _struct_array(values: Sequence[Value], target: pa.DataType, types: Sequence[Type | None]) -> pa.Array:
    fields = list(target)
    parts = []
    for index, (field, type_) in enumerate(zip(fields, types, strict=True)):
        part = [None if value is None else value[index] for value in values]
        parts.append(pa.array(part, field.type) if type_ is None else to_arrow(part, type_))
    if not fields:
        return pa.array([None if value is None else {} for value in values], target)
    return pa.StructArray.from_arrays(parts, fields=fields, mask=_mask(values))
