"""Decorrelation: queries inside of queries become joins.

A query that refers to the row of another (`Subquery`, `Apply`) means: for each such row, its own rows. There are two
ways to say that without a loop.

- *By pulling*: a query whose only ties to the outer row are comparisons that filter it is evaluated without them, once,
  for all outer rows; the columns they compare come along, and the comparisons become those of a join.
- *By binding*: the different values of the outer columns that a query uses are a relation themselves. The query is
  evaluated for all of them at once: they are the first columns of everything below, keys of every group. This always
  works, and is tried second since it reads the outer rows once more.

A query for one value is joined so that each outer row stays exactly once; EXISTS and IN that filter are semi-joins.
Where PostgreSQL would not evaluate a query because a CASE does not come to it, we do, and drop its value. That it has
more than one row is an error only where the value is asked for.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.plan.decorrelate.bind import CorrelatedRecursion, alone
from holdfast.plan.relation import Plan, Relation, column
from holdfast.plan.scalar import Column, Scalar, transform

__all__ = ["CorrelatedRecursion", "decorrelate"]


def decorrelate(plan: Plan) -> Plan:
    """The same plan without `Subquery`, `Apply` and `Outer`."""
    relation = alone(plan.relation)
    order = tuple(replace(key, expression=_over(relation, key.expression)) for key in plan.order)
    return replace(plan, relation=relation, order=order)


def _over(relation: Relation, scalar: Scalar) -> Scalar:
    """The scalar over columns of which some may be null that were not known to be: those of queries that are joined."""
    return transform(scalar, lambda part: column(relation, part.index) if isinstance(part, Column) else part)
