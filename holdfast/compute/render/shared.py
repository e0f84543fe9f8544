"""Which subplans are written once, under a name."""

from __future__ import annotations

from collections import Counter

from holdfast.compute.render.signed import is_signed
from holdfast.plan.relation import Filter, Get, Local, Map, Project, Relation, Values, inputs


def shared_subplans(root: Relation) -> frozenset[Relation]:
    """The subplans that occur more than once and are worth a name.

    Not those that use the name of a `Let`: it may mean another relation elsewhere.
    """
    parents: Counter[Relation] = Counter()
    seen: set[Relation] = set()
    worth: dict[Relation, bool] = {}
    free: dict[Relation, bool] = {}

    def visit(relation: Relation) -> None:
        parents[relation] += 1
        if relation in seen:
            return
        seen.add(relation)
        below = inputs(relation)
        for part in below:
            visit(part)
        own = not isinstance(relation, Values | Get | Local | Map | Filter | Project)
        worth[relation] = own or any(worth[part] for part in below)
        free[relation] = isinstance(relation, Local) or any(free[part] for part in below)

    visit(root)
    return frozenset(r for r, n in parents.items() if n > 1 and worth[r] and not free[r] and not is_signed(r))
