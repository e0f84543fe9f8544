"""Walking over plans."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Relation, inputs


def bottom_up(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """`change` applied to every operator, inputs first. What occurs twice is changed once."""
    done: dict[Relation, Relation] = {}

    def walk(part: Relation) -> Relation:
        if part not in done:
            # Most of a plan stays as it is, and is not made again.
            before = inputs(part)
            same = tuple(map(walk, before)) == before
            done[part] = change(part if same else rebuilt(part, lambda below, _: done[below], lambda scalar: scalar))
        return done[part]

    return walk(relation)
