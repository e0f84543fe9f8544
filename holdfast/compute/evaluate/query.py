"""Whole queries: a relation, in the order and of the size that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import pyarrow as pa

from holdfast.compute.evaluate.columns import columnar
from holdfast.compute.evaluate.keys import Sorter, ordering
from holdfast.compute.evaluate.limits import bounds
from holdfast.compute.evaluate.relations import Surroundings, expanded, types_of
from holdfast.compute.evaluate.sorting import is_sortable, sorted_table
from holdfast.compute.evaluate.values import table_of
from holdfast.plan.relation import Plan


def evaluate(
    plan: Plan, inputs: Mapping[str, pa.Table], parameters: Sequence[object] = (), most: int | None = None
) -> pa.Table:
    """The answer to a decorrelated query. Columns of `inputs` are in the order of `Get`, of Arrow's type for each.

    If a join or a series comes to more than the `most` rows, it is given up with `TooManyRows`.
    With LIMIT or OFFSET, rows that the ORDER BY leaves equal are told apart by all columns, also those not shown.
    """
    start, count = bounds(plan.limit, plan.offset, (), parameters)
    break_ties = plan.limit is not None or plan.offset is not None
    relation, shown = plan.relation, len(plan.names)
    types = types_of(relation)
    if is_sortable(plan.order, relation, break_ties=break_ties):
        table = columnar(relation, inputs, parameters)
        if table is not None:
            ordered = sorted_table(table, types, plan.order, start, count, break_ties=break_ties)
            return ordered.select(range(shown)).rename_columns(list(plan.names))
    rows = Sorter(plan.order, ordering(types), parameters).sort(
        expanded(relation, Surroundings(inputs, parameters, most=most)), break_ties=break_ties
    )
    kept = islice(rows, start, None if count is None else start + count)
    return table_of([row[:shown] for row in kept], types[:shown], plan.names)
