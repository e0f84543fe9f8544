"""Columns as Spark hands them over, made ones of the types that are ours.

Spark has nanoseconds in times, its own names of fields, and decimals as its expressions made them.
"""

from __future__ import annotations

import pyarrow as pa

from holdfast.plan.types import Type, arrow_type


def conformed(column: pa.Array, type_: Type) -> pa.Array:
    """The column with the type that `arrow_type` says. Fields of structs are taken by position."""
    return _to(column, arrow_type(type_))


def conformed_table(table: pa.Table, types: list[Type], names: list[str]) -> pa.Table:
    """The same of a result; names may repeat."""
    columns = [
        pa.chunked_array([conformed(chunk, type_) for chunk in table.column(index).chunks], arrow_type(type_))
        for index, type_ in enumerate(types)
    ]
    fields = [pa.field(name, arrow_type(type_)) for name, type_ in zip(names, types, strict=True)]
    if not fields:
        return pa.table({"": pa.nulls(table.num_rows)}).select([])
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _to(column: pa.Array, target: pa.DataType) -> pa.Array:
    if column.type == target:
        return column
    if pa.types.is_struct(target):
        fields = [_to(column.field(index), field.type) for index, field in enumerate(target)]
        mask = column.is_null() if column.null_count else None
        if not fields:
            return column.cast(target)
        return pa.StructArray.from_arrays(fields, fields=list(target), mask=mask)
    if pa.types.is_list(target):
        offsets, values = _from_zero(column, column.values)
        mask = column.is_null() if column.null_count else None
        return pa.ListArray.from_arrays(offsets, _to(values, target.value_type), type=target, mask=mask)
    if pa.types.is_map(target):
        offsets, keys = _from_zero(column, column.keys)
        items = _from_zero(column, column.items)[1]
        mask = column.is_null() if column.null_count else None
        items = _to(items, target.item_type)
        return pa.MapArray.from_arrays(offsets, _to(keys, target.key_type), items, target, mask=mask)
    return column.cast(target)


def _from_zero(column: pa.Array, child: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The offsets of a list column, which may be a slice of another, and what they point into, both begun anew."""
    offsets = column.offsets
    if not len(column):
        return pa.array([0], pa.int32()), child.slice(0, 0)
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    moved = pa.array([offset - first for offset in offsets.to_pylist()], pa.int32()) if first else offsets
    return moved, child.slice(first, last - first)
