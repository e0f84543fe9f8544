"""Results in which objects are shown by name: a column of regclass or its kin is one of text to the client.

Inside of a query such a value is a number. Only the catalog knows the name, so it is put in where a query ends.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.plan.functions.registry import CASTS
from holdfast.plan.relation import Map, OrderKey, Project, column
from holdfast.plan.scalar import Call, moved
from holdfast.plan.types import REGISTERED, TEXT
from holdfast.sql import OutputColumn, Planned


def with_names(planned: Planned) -> Planned:
    """The query with the names of objects in its result. What it is ordered by stays as it was."""
    plan, relation = planned.plan, planned.plan.relation
    shown, width = len(plan.names), len(relation.columns)
    places = [place for place in range(shown) if relation.columns[place].type in REGISTERED]
    if not places:
        return planned
    calls = []
    for place in places:
        value = column(relation, place)
        function = CASTS[value.type.base, "text"].function
        assert function is not None  # a name and an oid are not the same
        calls.append(Call(function, (value,), TEXT, value.nullable))
    outputs = [width + places.index(place) if place in places else place for place in range(shown)]
    made = Project(Map(relation, tuple(calls)), (*outputs, *range(shown, width), *places))
    order = tuple(
        OrderKey(
            moved(key.expression, lambda index: width + places.index(index) if index in places else index),
            key.descending,
            key.nulls_first,
        )
        for key in plan.order
    )
    columns = tuple(
        OutputColumn(each.name, TEXT) if place in places else each for place, each in enumerate(planned.columns)
    )
    return replace(planned, plan=replace(plan, relation=made, order=order), columns=columns)
