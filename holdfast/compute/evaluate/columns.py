"""Plain reads by whole columns: Map, Filter, Project and TopK over one collection.

Where Arrow gives the same answer as our functions for every value it is asked (`_KERNELS`); elsewhere the rows are
visited, with only those columns that an expression reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate.joins import true_for
from holdfast.compute.evaluate.limits import bounds
from holdfast.compute.evaluate.scalars import compiled
from holdfast.compute.evaluate.values import rows_of, to_arrow
from holdfast.plan.relation import Filter, Get, Map, OrderKey, Project, Relation, TopK
from holdfast.plan.scalar import And, Call, Column, Constant, Or, Parameter, Scalar, columns_of, moved
from holdfast.plan.types import Type, arrow_type

_INTEGERS = frozenset(("int2", "int4", "int8", "uint2", "uint4", "oid", "mz_timestamp"))
_FLOATS = frozenset(("float4", "float8"))
_ORDERED = (
    _INTEGERS
    | {"bool", "text", "varchar", "bpchar", "name", "uuid", "bytea", "date", "time"}
    | {
        "timestamp",
        "timestamptz",
    }
)
"""Bases that Arrow compares and sorts as we do: texts by bytes, dates and timestamps by number, infinite ones too."""

Kernel = Callable[[Any, Any], Any]  # of Arrow's columns and scalars

_KERNELS: Mapping[str, Kernel] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def columnar(relation: Relation, inputs: Mapping[str, pa.Table], parameters: Sequence[object]) -> pa.Table | None:
    """The relation, if it is a plain read of a collection of `inputs`. Columns are named by their positions."""
    match relation:
        case Get():
            return _collection(relation, inputs[relation.name]) if relation.name in inputs else None
        case Project():
            table = columnar(relation.input, inputs, parameters)
            return None if table is None else _table([table.column(i) for i in relation.outputs], table.num_rows)
        case Map():
            table = columnar(relation.input, inputs, parameters)
            if table is None:
                return None
            added = [_computed(scalar, table, relation.input, parameters) for scalar in relation.scalars]
            return _table([*table.columns, *added], table.num_rows)
        case Filter():
            table = columnar(relation.input, inputs, parameters)
            return None if table is None else _filtered(relation, table, parameters)
        case TopK() if not relation.group and is_sortable(relation.order, relation.input):
            table = columnar(relation.input, inputs, parameters)
            return None if table is None else _top(relation, table, parameters)
    return None


def is_sortable(order: Sequence[OrderKey], relation: Relation) -> bool:
    """Whether Arrow can sort the rows of the relation by `order`, then by all columns."""
    return all(isinstance(key.expression, Column) for key in order) and all(
        column.type.base in _ORDERED for column in relation.columns
    )


def sorted_table(table: pa.Table, order: Sequence[OrderKey], *, break_ties: bool) -> pa.Table:
    """Sorted by `order`, which is sortable, and with `break_ties` then by all columns; else ties stay as they are."""
    sort_keys: list[tuple[str, str]] = []
    columns = list(table.columns)
    wanted = [(key.expression.index, key) for key in order if isinstance(key.expression, Column)]
    if break_ties:
        chosen = {index for index, _ in wanted}
        wanted += [(index, OrderKey(_any_column)) for index in range(len(columns)) if index not in chosen]
    for index, key in wanted:
        if columns[index].null_count:
            columns.append(pc.is_null(columns[index]))
            sort_keys.append((str(len(columns) - 1), "descending" if key.nulls_first else "ascending"))
        sort_keys.append((str(index), "descending" if key.descending else "ascending"))
    if not sort_keys:
        return table
    if not break_ties:
        # Arrow's sort is stable only for one key.
        columns.append(pa.chunked_array([pa.array(range(table.num_rows), pa.int64())]))
        sort_keys.append((str(len(columns) - 1), "ascending"))
    return table.take(pc.sort_indices(_table(columns, table.num_rows), sort_keys=sort_keys))


_any_column = Column(0, Type("bool"), True)


def _collection(get: Get, table: pa.Table) -> pa.Table:
    columns = [
        column if column.type == arrow_type(expected.type) else column.cast(arrow_type(expected.type))
        for column, expected in zip(table.columns, get.columns, strict=True)
    ]
    return _table(columns, table.num_rows)


def _table(columns: Sequence[pa.ChunkedArray], size: int) -> pa.Table:
    if not columns:
        return pa.table({"": pa.nulls(size)}).select([])
    return pa.Table.from_arrays(list(columns), names=[str(index) for index in range(len(columns))])


def _visited(scalars: Sequence[Scalar], table: pa.Table, source: Relation) -> tuple[list[Scalar], pa.Table, list[Type]]:
    """The columns that the scalars read, and the scalars over those alone."""
    needed = sorted({index for scalar in scalars for index in columns_of(scalar)})
    places = {index: place for place, index in enumerate(needed)}
    narrow = _table([table.column(index) for index in needed], table.num_rows)
    return [moved(s, places.__getitem__) for s in scalars], narrow, [source.columns[i].type for i in needed]


def _computed(scalar: Scalar, table: pa.Table, source: Relation, parameters: Sequence[object]) -> pa.ChunkedArray:
    if isinstance(scalar, Column):
        return table.column(scalar.index)
    found = _by_kernel(scalar, table, parameters)
    if isinstance(found, pa.Scalar):
        return pa.chunked_array([pa.repeat(found, table.num_rows)])
    if found is not None:
        return found
    (narrow_scalar,), narrow, types = _visited([scalar], table, source)
    value = compiled(narrow_scalar, parameters)
    return pa.chunked_array([to_arrow([value(row) for row in rows_of(narrow, types)], scalar.type)])


def _filtered(relation: Filter, table: pa.Table, parameters: Sequence[object]) -> pa.Table:
    masks, rest = [], []
    for predicate in relation.predicates:
        mask = _by_kernel(predicate, table, parameters)
        if mask is None:
            rest.append(predicate)
        else:
            masks.append(mask)
    if masks:
        every = reduce(pc.and_kleene, masks)
        if isinstance(every, pa.Scalar):
            every = pa.chunked_array([pa.repeat(every, table.num_rows)])
        table = table.filter(every)
    if rest:
        scalars, narrow, types = _visited(rest, table, relation.input)
        keep = true_for(scalars, parameters)
        table = table.filter(pa.array([keep(row) for row in rows_of(narrow, types)], pa.bool_()))
    return table


def _by_kernel(scalar: Scalar, table: pa.Table, parameters: Sequence[object]) -> Any:  # a column or scalar of Arrow
    """The values of an expression by Arrow alone, or None if it cannot say the same."""
    match scalar:
        case Column():
            return table.column(scalar.index)
        case Constant():
            return to_arrow([scalar.value], scalar.type)[0]
        case Parameter() if scalar.number <= len(parameters):
            return to_arrow([parameters[scalar.number - 1]], scalar.type)[0]
        case And() | Or():
            terms = [_by_kernel(term, table, parameters) for term in scalar.terms]
            if any(term is None for term in terms):
                return None
            return reduce(pc.and_kleene if isinstance(scalar, And) else pc.or_kleene, terms)
        case Call() if scalar.function.infix and scalar.function.name in _KERNELS and _is_comparable(scalar):
            left, right = (_by_kernel(argument, table, parameters) for argument in scalar.arguments)
            return None if left is None or right is None else _KERNELS[scalar.function.name](left, right)
    return None


def _is_comparable(call: Call) -> bool:
    bases = {argument.type.base for argument in call.arguments}
    return len(call.arguments) == 2 and (bases <= _INTEGERS or (len(bases) == 1 and bases <= _ORDERED))


def _top(relation: TopK, table: pa.Table, parameters: Sequence[object]) -> pa.Table:
    start, count = bounds(relation.limit, relation.offset, (None,) * table.num_columns, parameters)
    return sorted_table(table, relation.order, break_ties=True).slice(start, count)
