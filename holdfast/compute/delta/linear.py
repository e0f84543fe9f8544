"""How a relation follows a change of one collection that it reads."""

from __future__ import annotations

from holdfast.compute.delta.extremes import is_extreme
from holdfast.compute.delta.making import gets_in
from holdfast.compute.delta.totals import ADD
from holdfast.plan.relation import (
    Filter,
    FlatMap,
    Get,
    Join,
    Map,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Union,
)

NONE: frozenset[str] = frozenset()


def linear_in(relation: Relation) -> frozenset[str]:
    """The collections of any of which it is the sum over the rows, as long as no other changes.

    That is: what comes to it is what the relation is of the rows that come to the collection alone, and what goes, of
    those that go. Of no rows of the collection it is nothing.
    """
    match relation:
        case Get():
            return frozenset((relation.name,))
        case Map() | Filter() | Project() | FlatMap():
            return linear_in(relation.input)
        case Union():
            return frozenset.intersection(*map(linear_in, relation.inputs))
        case Join():
            read = [gets_in(part) for part in relation.inputs]
            return frozenset(
                name for part in relation.inputs for name in linear_in(part) if sum(name in each for each in read) == 1
            )
        case SemiJoin():
            return linear_in(relation.left).difference(gets_in(relation.right))
    return NONE


def is_totals(relation: Relation) -> bool:
    """Whether it is the state of groups that are kept by totals alone, which begin with the number of rows."""
    if not isinstance(relation, Reduce) or not relation.aggregates or relation.aggregates[0].function is not ADD:
        return False
    return not any(map(is_extreme, relation.aggregates))
