"""Steps over many changes: a program as plans over whole collections of updates, for Spark to run.

What a step of few changes looks up, a step of many joins with all that was there before: the keys are many too.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.compute.delta.internal import EARLIER, call
from holdfast.compute.delta.program import UPPER, Bind, Due, Lookup, Program, Scratch, changes_of, update_columns
from holdfast.compute.delta.step import OUTPUT
from holdfast.plan.columns import all_same
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Filter, Get, Local, Plan, Relation, SemiJoin, column
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.scalar import Constant, Parameter, Scalar, transform
from holdfast.plan.types import INT8
from holdfast.repr.frontier import MIN_TIME, Timestamp


def before_of(source: str) -> str:
    """What plans call the updates of an input or a state before the step."""
    return f"before {source}"


def large_step(program: Program, upper: Timestamp) -> Mapping[str, Plan] | None:
    """The updates of the view, called `OUTPUT`, and of its states in a step that ends at `upper`, as plans.

    They read updates, with time and diff: those of inputs in the step by `changes_of`, and what was there before by
    `before_of`. None: part of the view is evaluated from scratch in every step anyway.
    """
    meant: dict[str, Relation] = {
        changes_of(name): Get(changes_of(name), update_columns(columns)) for name, columns in program.inputs.items()
    }
    for stage in program.stages:
        match stage:
            case Bind():
                meant[stage.name] = _with(stage.relation, meant, upper)
            case Lookup():
                before = Get(before_of(stage.source), update_columns(stage.of))
                keys = _with(stage.keys, meant, upper)
                places = range(len(stage.columns))
                meant[stage.name] = SemiJoin(before, keys, all_same(before, stage.columns, keys, places))
            case Due():
                before = Get(before_of(stage.source), update_columns(stage.of))
                meant[stage.name] = Filter(before, (call(EARLIER, column(before, stage.at), Constant(upper, INT8)),))
            case Scratch():
                return None
    wanted = {OUTPUT: program.output, **program.writes}
    return {name: _plan(fuse_maps(meant[stage])) for name, stage in wanted.items()}


def _plan(relation: Relation) -> Plan:
    return Plan(relation, tuple(f"c{index}" for index in range(len(relation.columns))))


def _with(relation: Relation, meant: Mapping[str, Relation], upper: Timestamp) -> Relation:
    """The relation with what names stand for."""

    def value(part: Scalar) -> Scalar:
        if isinstance(part, Parameter):
            return Constant(upper if part.number == UPPER else MIN_TIME, part.type)
        return part

    done: dict[Relation, Relation] = {}

    def visit(part: Relation) -> Relation:
        if isinstance(part, Local):
            return meant[part.name]
        if part not in done:
            done[part] = rebuilt(part, lambda below, _: visit(below), lambda scalar: transform(scalar, value))
        return done[part]

    return visit(relation)
