"""Joins whose inputs have more columns: what is said of expressions is said of columns that are these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from holdfast.plan.keys import is_equation
from holdfast.plan.relation import Map, Relation
from holdfast.plan.scalar import Column, Scalar, moved


@dataclass(frozen=True, slots=True)
class Widened:
    """Inputs with more columns, what joins them, and where the columns are that they had before."""

    inputs: tuple[Relation, ...]
    predicates: tuple[Scalar, ...]
    outputs: tuple[int, ...]


def widened(inputs: Sequence[Relation], predicates: Sequence[Scalar], added: Mapping[Scalar, int]) -> Widened:
    """Sides of equations that are among `added` become columns, each of the input with its number."""
    wider: list[Relation] = []
    outputs: list[int] = []
    places: dict[Scalar, int] = {}
    for number, part in enumerate(inputs):
        start, begin, width = len(outputs), len(outputs) + len(places), len(part.columns)
        own = [scalar for scalar, of in added.items() if of == number]
        scalars = tuple(moved(scalar, lambda index: index - start) for scalar in own)  # noqa: B023
        wider.append(Map(part, scalars) if scalars else part)
        outputs += range(begin, begin + width)
        places |= {scalar: begin + width + place for place, scalar in enumerate(own)}

    def side(scalar: Scalar) -> Scalar:
        place = places.get(scalar)
        return moved(scalar, outputs.__getitem__) if place is None else Column(place, scalar.type, scalar.nullable)

    def said(predicate: Scalar) -> Scalar:
        if is_equation(predicate):
            return replace(predicate, arguments=tuple(map(side, predicate.arguments)))
        return moved(predicate, outputs.__getitem__)

    return Widened(tuple(wider), tuple(map(said, predicates)), tuple(outputs))
