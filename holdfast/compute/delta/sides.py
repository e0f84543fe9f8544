"""Totals over collections of which it is known what came to them and what went, but not what is left.

To know that, Spark would have to find the rows that went among all others. Totals need not: what went is taken from
them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from holdfast.compute.delta.internal import EARLIER, call
from holdfast.compute.delta.linear import is_totals, linear_in
from holdfast.compute.delta.totals import WHOLE, less
from holdfast.compute.render.signed import with_count
from holdfast.plan.relation import AggregateCall, Filter, Get, Map, Negate, Project, Reduce, Relation, Union, column
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import And, Constant, Scalar
from holdfast.plan.types import INT8

_ZERO = Constant(0, INT8)


def came_input(name: str) -> str:
    """The input of rows that came to an input, whether they are still there or not."""
    return f"came to {name}"


def gone_input(name: str) -> str:
    return f"gone from {name}"


def totals_of_sides(relation: Relation, names: Collection[str]) -> Relation:
    """The same, made of what came to the inputs `names`, and of what went, where these may take the place of the rows.

    It may fail where the relation does not: there are more rows to fail at.
    """
    if not isinstance(relation, Reduce) or not is_totals(relation):
        return relation
    chosen = linear_in(relation.input).intersection(names)
    if not chosen or any(each.type not in (INT8, WHOLE) for each in relation.aggregates):
        return relation

    def side(part: Relation) -> Relation:
        if not isinstance(part, Get) or part.name not in chosen:
            return part
        return Union((Get(came_input(part.name), part.columns), Negate(Get(gone_input(part.name), part.columns))))

    counted = with_count(bottom_up(relation.input, side))
    count = column(counted, len(relation.input.columns))
    came = (_of_some(each, call(EARLIER, _ZERO, count)) for each in relation.aggregates)
    gone = (_of_some(each, call(EARLIER, count, _ZERO)) for each in relation.aggregates)
    both = Reduce(counted, relation.keys, (*came, *gone))
    keys, totals, end = len(relation.keys), len(relation.aggregates), len(both.columns)
    places = range(keys, keys + totals)
    left = Map(both, tuple(less(column(both, place), column(both, place + totals)) for place in places))
    found = Project(left, (*range(keys), *range(end, end + totals)))
    # The first total is the number of rows.
    return Filter(found, (call(EARLIER, _ZERO, column(found, keys)),)) if keys else found


def _of_some(total: AggregateCall, condition: Scalar) -> AggregateCall:
    """The total of the rows that the condition lets pass."""
    return replace(total, filter=condition if total.filter is None else And((total.filter, condition)))
