"""Whether a plan reads any relation."""

from __future__ import annotations

from holdfast.plan.free import scalars
from holdfast.plan.node import remembered
from holdfast.plan.relation import Get, Relation, inputs
from holdfast.plan.scalar import Scalar, Subquery, children


@remembered
def reads_relations(relation: Relation) -> bool:
    if isinstance(relation, Get):
        return True
    return any(map(reads_relations, inputs(relation))) or any(map(_scalar_reads, scalars(relation)))


def _scalar_reads(scalar: Scalar) -> bool:
    if isinstance(scalar, Subquery) and reads_relations(scalar.relation):
        return True
    return any(map(_scalar_reads, children(scalar)))
