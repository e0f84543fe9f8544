"""Rewrites: plans that mean the same and cost less.

A rewrite is one module with one function of its name, from relation to relation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from holdfast.plan.relation import Plan, Relation
from holdfast.plan.rewrite.factor_conditions import factor_conditions
from holdfast.plan.rewrite.fold_constants import fold_constants
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.rewrite.order_joins import order_joins
from holdfast.plan.rewrite.outer_to_inner import outer_to_inner
from holdfast.plan.rewrite.prune_columns import prune_columns
from holdfast.plan.rewrite.push_down_filters import push_down_filters
from holdfast.plan.rewrite.unwrap_casts import unwrap_casts

RULES: tuple[Callable[[Relation], Relation], ...] = (
    fold_constants,
    unwrap_casts,
    factor_conditions,
    fuse_maps,
    outer_to_inner,
    push_down_filters,
    order_joins,
    push_down_filters,
    fuse_maps,
    prune_columns,
    fuse_maps,
)
_ROUNDS = 3
"""Rounds after which a plan that still changes is good enough."""


def optimize(plan: Plan) -> Plan:
    """All rewrites, again until nothing changes."""
    relation = plan.relation
    for _ in range(_ROUNDS):
        before = relation
        for rule in RULES:
            relation = rule(relation)
        if relation is before:
            break
    return replace(plan, relation=relation)
