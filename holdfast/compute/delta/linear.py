"""How a relation follows a change of one collection that it reads, and which columns of it that takes."""

from __future__ import annotations

from collections.abc import Iterable

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
    inputs,
)
from holdfast.plan.scalar import Scalar, columns_of

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
            return linear_in(relation.left) - gets_in(relation.right).keys()
    return NONE


def is_totals(relation: Relation) -> bool:
    """Whether it is the state of groups that are kept by totals alone, which begin with the number of rows."""
    if not isinstance(relation, Reduce) or not relation.aggregates or relation.aggregates[0].function is not ADD:
        return False
    return not any(map(is_extreme, relation.aggregates))


def columns_read(relation: Relation) -> dict[str, frozenset[int]]:
    """The columns of collections of which the relation may be a function, or some more."""
    found: dict[str, frozenset[int]] = {}
    _collect(relation, range(len(relation.columns)), found)
    return found


def _collect(relation: Relation, wanted: Iterable[int], found: dict[str, frozenset[int]]) -> None:
    match relation:
        case Get():
            found[relation.name] = found.get(relation.name, frozenset()) | frozenset(wanted)
        case Project():
            _collect(relation.input, {relation.outputs[index] for index in wanted}, found)
        case Filter():
            _collect(relation.input, {*wanted, *_read(relation.predicates)}, found)
        case Map():
            width = len(relation.input.columns)
            own = {index for index in wanted if index < width}
            _collect(relation.input, own | _read(relation.scalars), found)
        case _:
            for part in inputs(relation):
                _collect(part, range(len(part.columns)), found)


def _read(expressions: Iterable[Scalar]) -> set[int]:
    return set().union(*map(columns_of, expressions))
