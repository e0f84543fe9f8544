"""From plans to programs: which rule makes the updates of which operator."""

from __future__ import annotations

from dataclasses import replace

from holdfast.compute.delta.accumulated import accumulated_updates, kept_groups, totals_of
from holdfast.compute.delta.clock import clock_updates, reads_clock
from holdfast.compute.delta.errors import CannotMaintain
from holdfast.compute.delta.groups import (
    outer_updates,
    reduce_updates,
    semi_updates,
    threshold_updates,
    top_updates,
    window_updates,
)
from holdfast.compute.delta.join import join_updates, joined_before
from holdfast.compute.delta.making import Making
from holdfast.compute.delta.monotone import is_alone, opened
from holdfast.compute.delta.normal import normal, without_names
from holdfast.compute.delta.program import Bind, Program
from holdfast.compute.delta.recursion import recursion_updates
from holdfast.errors import UsageError
from holdfast.plan.relation import (
    Filter,
    Join,
    LetRec,
    OuterJoin,
    Plan,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Window,
    inputs,
)
from holdfast.plan.rewrite import RULES, optimize
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.rewrite.push_down_reduce import push_down_reduce

_RULES = tuple(rule for rule in RULES if rule is not push_down_reduce)
"""Groups within groups cost a query less and a program more: each is state."""


def program(plan: Plan) -> Program:
    """How the answer to a decorrelated query is maintained. The order of its rows is forgotten."""
    relation = plan.relation
    if plan.limit is not None or plan.offset is not None:
        relation = TopK(relation, (), plan.order, plan.limit, plan.offset)
    if len(plan.names) < len(relation.columns):
        relation = Project(relation, tuple(range(len(plan.names))))
    whole = optimize(Plan(relation, plan.names), rules=_RULES, last=())
    relation = normal(opened(without_names(whole.relation)))
    making = Making(updates, kept_groups, joined_before)
    made = making.program(replace(whole, relation=relation), making.delta(relation))
    stages = tuple(
        replace(stage, relation=fuse_maps(stage.relation)) if isinstance(stage, Bind) else stage
        for stage in made.stages
    )
    return replace(made, stages=stages)


def updates(making: Making, relation: Relation) -> Relation:
    """The updates of an operator that is not linear."""
    if reads_clock(relation) and not isinstance(relation, Filter):
        raise CannotMaintain(
            "unsupported use of mz_now() in a maintained view",
            detail="In a maintained view mz_now() may only be compared in conditions of WHERE and HAVING.",
        )
    match relation:
        case Filter():
            return clock_updates(making, relation)
        case Join():
            return join_updates(making, relation)
        case OuterJoin():
            return outer_updates(making, relation)
        case SemiJoin():
            return semi_updates(making, relation)
        case Reduce():
            totals = totals_of(relation)
            return reduce_updates(making, relation) if totals is None else accumulated_updates(making, relation, totals)
        case TopK():
            return top_updates(making, relation)
        case Window():
            return window_updates(making, relation)
        case Threshold():
            return threshold_updates(making, relation)
        case LetRec():
            if _has_clock_below(relation):
                raise CannotMaintain("unsupported use of mz_now() in a recursive query of a maintained view")
            return recursion_updates(making, relation) if is_alone(relation) else making.scratch(relation)
    raise UsageError(f"{type(relation).__name__} has no updates")


def _has_clock_below(relation: Relation) -> bool:
    return reads_clock(relation) or any(map(_has_clock_below, inputs(relation)))
