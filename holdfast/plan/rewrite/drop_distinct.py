"""Rows that have a key are already different: no need to make them so."""

from __future__ import annotations

from holdfast.plan.keys import covers, unique_keys
from holdfast.plan.relation import Distinct, Project, Reduce, Relation
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Column


def drop_distinct(relation: Relation) -> Relation:
    return bottom_up(relation, _dropped)


def _dropped(relation: Relation) -> Relation:
    match relation:
        case Distinct() if unique_keys(relation.input):
            return relation.input
        case Reduce(aggregates=()) if relation.keys:
            columns = [key.index for key in relation.keys if isinstance(key, Column)]
            if len(columns) == len(relation.keys) and covers(relation.input, columns):
                return Project(relation.input, tuple(columns))
    return relation
