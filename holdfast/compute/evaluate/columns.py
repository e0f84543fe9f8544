"""Plain reads by whole columns: Map, Filter, Project and TopK over one collection.

Where Arrow can say an expression it does (`kernels`); elsewhere the rows are visited, with only those columns that the
expression reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.compute.evaluate.joins import true_for
from holdfast.compute.evaluate.kernels import Datum, by_kernel
from holdfast.compute.evaluate.limits import bounds
from holdfast.compute.evaluate.python_calls import with_calls
from holdfast.compute.evaluate.scalars import compiled
from holdfast.compute.evaluate.sorting import is_sortable, sorted_table
from holdfast.compute.evaluate.values import rows_of, to_arrow
from holdfast.plan.relation import Columns, ColumnType, Filter, Get, Map, Project, Relation, TopK
from holdfast.plan.scalar import Column, Scalar, columns_of, moved
from holdfast.plan.types import Type, arrow_type


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
        case TopK() if not relation.group and is_sortable(relation.order, relation, break_ties=True):
            table = columnar(relation.input, inputs, parameters)
            return None if table is None else _top(relation, table, parameters)
    return None


def is_columnar(predicate: Scalar, columns: Columns) -> bool:
    """Whether Arrow alone can tell where a predicate is true, of rows with these columns."""
    return by_kernel(predicate, _empty(columns), ()) is not None


def true_in(predicates: Sequence[Scalar], table: pa.Table, columns: Columns) -> pa.ChunkedArray:
    """For each row whether all are true, which Arrow can tell, of a table that begins with these columns."""
    read = frozenset[int]().union(*map(columns_of, predicates))
    # What is not read may be of any type.
    known = [
        _typed(table.column(place), each) if place in read else table.column(place)
        for place, each in enumerate(columns)
    ]
    return _all_true([by_kernel(each, _table(known, len(table)), ()) for each in predicates], len(table))


def computed(scalars: Sequence[Scalar], columns: Sequence[pa.Array], types: Sequence[Type]) -> list[pa.ChunkedArray]:
    """The values of scalars over rows with these columns, of these types."""
    rows = len(columns[0]) if columns else 0
    source = Get("rows", tuple(ColumnType(type_, nullable=True) for type_ in types))
    table = _table([pa.chunked_array([column]) for column in columns], rows)
    return [_computed(scalar, table, source, ()) for scalar in scalars]


def _empty(columns: Columns) -> pa.Table:
    return _table([pa.chunked_array([], arrow_type(each.type)) for each in columns], 0)


def _typed(column: pa.ChunkedArray, expected: ColumnType) -> pa.ChunkedArray:
    return column if column.type == arrow_type(expected.type) else column.cast(arrow_type(expected.type))


def _collection(get: Get, table: pa.Table) -> pa.Table:
    columns = [_typed(column, expected) for column, expected in zip(table.columns, get.columns, strict=True)]
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
    found = by_kernel(scalar, table, parameters)
    if isinstance(found, pa.Scalar):
        # Arrow cannot repeat an array no times.
        repeated = [pa.repeat(found, table.num_rows)] if table.num_rows else []
        return pa.chunked_array(repeated, found.type)
    if found is not None:
        return found
    scalars, narrow, types = _visited([scalar], table, source)
    (ready,), rows = with_calls(scalars, rows_of(narrow, types), len(types), parameters)
    value = compiled(ready, parameters)
    return pa.chunked_array([to_arrow([value(row) for row in rows], scalar.type)])


def _filtered(relation: Filter, table: pa.Table, parameters: Sequence[object]) -> pa.Table:
    masks, rest = [], []
    for predicate in relation.predicates:
        mask = by_kernel(predicate, table, parameters)
        if mask is None:
            rest.append(predicate)
        else:
            masks.append(mask)
    if masks:
        table = table.filter(_all_true(masks, table.num_rows))
    if rest:
        scalars, narrow, types = _visited(rest, table, relation.input)
        ready, rows = with_calls(scalars, rows_of(narrow, types), len(types), parameters)
        keep = true_for(ready, parameters)
        table = table.filter(pa.array([keep(row) for row in rows], pa.bool_()))
    return table


def _all_true(masks: Sequence[Datum], size: int) -> pa.ChunkedArray:
    every = reduce(pc.and_kleene, masks)
    return pa.chunked_array([pa.repeat(every, size)]) if isinstance(every, pa.Scalar) else every


def _top(relation: TopK, table: pa.Table, parameters: Sequence[object]) -> pa.Table:
    start, count = bounds(relation.limit, relation.offset, (None,) * table.num_columns, parameters)
    types = [column.type for column in relation.columns]
    return sorted_table(table, types, relation.order, start, count, break_ties=True)
