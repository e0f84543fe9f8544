"""Projections move up and filters move down, so that each run of simple operators is a Filter, Maps and one Project."""

from __future__ import annotations

from holdfast.plan.relation import Filter, Map, Project, Relation
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Column, columns_of, moved


def fuse_maps(relation: Relation) -> Relation:
    return bottom_up(relation, _fused)


def _fused(relation: Relation) -> Relation:
    match relation:
        case Project():
            return _project(relation)
        case Filter():
            return _filter(relation)
        case Map():
            return _map(relation)
    return relation


def _project(relation: Project) -> Relation:
    below = relation.input
    if isinstance(below, Project):
        return _project(Project(below.input, tuple(below.outputs[index] for index in relation.outputs)))
    if relation.outputs == tuple(range(len(below.columns))):
        return below
    return relation


def _filter(relation: Filter) -> Relation:
    below = relation.input
    if not relation.predicates:
        return below
    if isinstance(below, Project):
        outputs = below.outputs
        predicates = tuple(moved(predicate, lambda index: outputs[index]) for predicate in relation.predicates)
        return _project(Project(_filter(Filter(below.input, predicates)), outputs))
    if isinstance(below, Filter):
        return Filter(below.input, tuple(dict.fromkeys((*below.predicates, *relation.predicates))))
    return relation


def _map(relation: Map) -> Relation:
    below = relation.input
    if not relation.scalars:
        return below
    if any(isinstance(scalar, Column) for scalar in relation.scalars):
        return _without_copies(relation)
    if isinstance(below, Project):
        outputs, width = below.outputs, len(below.input.columns)
        scalars = tuple(moved(scalar, lambda index: outputs[index]) for scalar in relation.scalars)
        added = range(width, width + len(scalars))
        return _project(Project(_map(Map(below.input, scalars)), (*outputs, *added)))
    if isinstance(below, Map):
        width = len(below.input.columns)
        if all(max(columns_of(scalar), default=-1) < width for scalar in relation.scalars):
            return Map(below.input, (*below.scalars, *relation.scalars))
    return relation


def _without_copies(relation: Map) -> Relation:
    """A column that is repeated is the projection's business."""
    outputs = list(range(len(relation.input.columns)))
    made = [scalar for scalar in relation.scalars if not isinstance(scalar, Column)]
    at = len(outputs)
    for scalar in relation.scalars:
        outputs.append(scalar.index if isinstance(scalar, Column) else at)
        at += not isinstance(scalar, Column)
    return _project(Project(_map(Map(relation.input, tuple(made))), tuple(outputs)))
