"""Which rows of other collections a relation has a use for, if one that it reads is a change of few rows.

Rows of others that are joined with those of the change by equality matter only where they have values that it has. If
there are none of these, that may decide it: an inner join is nothing then, an anti join is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

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
from holdfast.plan.rewrite.infer_predicates import equal_columns
from holdfast.plan.scalar import Column, Scalar

_Source: TypeAlias = tuple[str, int]
"""A column of a collection."""

_Sources: TypeAlias = list[frozenset[_Source]]
"""For each column of a relation, those of which a row is of no use unless it has the same value there."""


def joined_by(relation: Relation, name: str) -> Mapping[str, Mapping[int, int]]:
    """For other collections, columns that must equal some of `name`, with these, or their rows come to nothing.

    The relation is linear in `name`.
    """
    walk = _Walk()
    walk.sources(relation)
    found: dict[str, dict[int, int]] = {}
    for together in walk.equal:
        ours = next((column for source, column in sorted(together) if source == name), None)
        for source, column in together:
            # Of what is read twice, the rows that one has no use for are perhaps of use to the other.
            if ours is not None and source != name and walk.read[source] == 1:
                found.setdefault(source, {})[column] = ours
    return found


def nothing_without(relation: Relation) -> frozenset[str]:
    """The collections without any rows of which the relation has none."""
    match relation:
        case Get():
            return frozenset((relation.name,))
        case Join():
            return frozenset[str]().union(*map(nothing_without, relation.inputs))
        case SemiJoin():
            left = nothing_without(relation.left)
            return left if relation.anti else left | nothing_without(relation.right)
        case Union():
            return frozenset.intersection(*map(nothing_without, relation.inputs))
        case Map() | Filter() | Project() | FlatMap():
            return nothing_without(relation.input)
        case Reduce() if relation.keys:
            return nothing_without(relation.input)
    return frozenset()


class _Walk:
    """`equal` are columns that have one value wherever their rows are of use, `read` how often collections are."""

    def __init__(self) -> None:
        self.read = Counter[str]()
        self.equal = list[frozenset[_Source]]()

    def sources(self, relation: Relation) -> _Sources:
        match relation:
            case Get():
                self.read[relation.name] += 1
                return [frozenset(((relation.name, column),)) for column in range(len(relation.columns))]
            case Map():
                found = self.sources(relation.input)
                return [*found, *(_of(scalar, found) for scalar in relation.scalars)]
            case Project():
                found = self.sources(relation.input)
                return [found[place] for place in relation.outputs]
            case Filter():
                return self.sources(relation.input)
            case Reduce():
                # A group is of the rows that have its keys, so what is of no use as a group is of none as a row.
                found = self.sources(relation.input)
                return [*(_of(key, found) for key in relation.keys), *(frozenset() for _ in relation.aggregates)]
            case Join():
                return self._joined(relation.inputs, relation.predicates)
            case SemiJoin():
                both = self._joined((relation.left, relation.right), relation.predicates)
                return both[: len(relation.columns)]
        for part in inputs(relation):
            self.sources(part)
        return [frozenset() for _ in relation.columns]

    def _joined(self, parts: tuple[Relation, ...], predicates: Iterable[Scalar]) -> _Sources:
        found = [each for part in parts for each in self.sources(part)]
        for members in equal_columns(predicates, Join(parts)).values():
            together = frozenset[_Source]().union(*(found[member] for member in members))
            self.equal.append(together)
            for member in members:
                found[member] = together
        return found


def _of(scalar: Scalar, sources: _Sources) -> frozenset[_Source]:
    return sources[scalar.index] if isinstance(scalar, Column) else frozenset()
