"""Rewrites: plans that mean the same and cost less.

A rewrite is one module with one function of its name, from relation to relation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.plan.relation import Plan, Relation
from holdfast.plan.rewrite.compute_equated import compute_equated
from holdfast.plan.rewrite.drop_distinct import drop_distinct
from holdfast.plan.rewrite.drop_empty import drop_empty
from holdfast.plan.rewrite.factor_conditions import factor_conditions
from holdfast.plan.rewrite.fold_constants import fold_constants
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.rewrite.fuse_topk import fuse_topk
from holdfast.plan.rewrite.fuse_unions import fuse_unions
from holdfast.plan.rewrite.infer_predicates import infer_predicates
from holdfast.plan.rewrite.inline_lets import inline_lets
from holdfast.plan.rewrite.order_joins import order_joins
from holdfast.plan.rewrite.outer_to_inner import outer_to_inner
from holdfast.plan.rewrite.prune_columns import prune_columns
from holdfast.plan.rewrite.push_down_filters import push_down_filters
from holdfast.plan.rewrite.push_down_reduce import push_down_reduce
from holdfast.plan.rewrite.restrict_groups import restrict_groups
from holdfast.plan.rewrite.share_common import share_common
from holdfast.plan.rewrite.unwrap_casts import unwrap_casts

Rewrite = Callable[[Relation], Relation]

RULES: tuple[Rewrite, ...] = (
    inline_lets,
    fold_constants,
    unwrap_casts,
    factor_conditions,
    fuse_maps,
    outer_to_inner,
    order_joins,
    infer_predicates,
    push_down_filters,
    compute_equated,
    fuse_unions,
    fuse_topk,
    drop_empty,
    drop_distinct,
    fuse_maps,
    prune_columns,
    fuse_maps,
    push_down_reduce,
)
"""Run in this order, again until nothing changes."""

LAST: tuple[Rewrite, ...] = (restrict_groups, share_common)
"""Run once, when the plan is as it will be."""

_ROUNDS = 3
"""Rounds after which a plan that still changes is good enough."""


def optimize(plan: Plan, rules: Sequence[Rewrite] = RULES, last: Sequence[Rewrite] = LAST) -> Plan:
    """The plan rewritten by `rules` until nothing changes, and then once by the `last` ones."""
    relation = plan.relation
    made: dict[Rewrite, Relation] = {}
    for _ in range(_ROUNDS):
        before = relation
        for rule in rules:
            # What a rule has made itself, it has nothing to add to.
            if made.get(rule) is not relation:
                relation = made[rule] = rule(relation)
        if relation is before:
            break
    for rule in last:
        relation = rule(relation)
    return replace(plan, relation=relation)
