"""`mz_now()` in plans: rows that come and go as time passes, though nothing changes.

A condition that compares `mz_now()` with an expression makes a row there from one time on, and until another. Its
update becomes two: one when it comes, one when it goes. Those that lie beyond the step wait in a state, by time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.compute.delta.errors import CannotMaintain
from holdfast.compute.delta.internal import (
    EARLIER,
    EARLIEST,
    INSTANT,
    LATER,
    MINUS,
    NEXT,
    NOT_AFTER,
    PREVIOUS,
    call,
)
from holdfast.compute.delta.program import FIRST, TIME, UPPER
from holdfast.plan.columns import is_not_null
from holdfast.plan.free import scalars
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Filter, Map, Negate, Project, Relation, Union, column
from holdfast.plan.scalar import Call, Constant, Parameter, Scalar, children, transform
from holdfast.plan.types import INT8

if TYPE_CHECKING:
    from holdfast.compute.delta.making import Making

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def has_clock(scalar: Scalar) -> bool:
    """Whether an expression reads `mz_now()`."""
    return _is_now(scalar) or any(map(has_clock, children(scalar)))


def reads_clock(relation: Relation) -> bool:
    """Whether the operator itself reads `mz_now()`."""
    return any(map(has_clock, scalars(relation)))


def _is_now(scalar: Scalar) -> bool:
    return isinstance(scalar, Call) and scalar.function.name == "mz_now"


def at_time(relation: Relation, upper: int) -> Relation:
    """A relation as it is at the last time before `upper`."""

    def value(part: Scalar) -> Scalar:
        if isinstance(part, Parameter) and part.number == UPPER:
            return Constant(upper, part.type)
        return Constant(upper - 1, part.type) if _is_now(part) else part

    done: dict[Relation, Relation] = {}

    def visit(part: Relation) -> Relation:
        if part not in done:
            done[part] = rebuilt(part, lambda below, _: visit(below), lambda scalar: transform(scalar, value))
        return done[part]

    return visit(relation)


@dataclass(frozen=True, slots=True)
class _Span:
    """When a row is there: from `start`, if that is given, until `end`, if that is."""

    start: Scalar | None
    end: Scalar | None


def clock_updates(making: Making, relation: Filter) -> Relation:
    """Every predicate reads `mz_now()`."""
    below = relation.input
    width = len(below.columns)
    waiting = making.keep(_waiting(relation), (*below.columns, TIME))
    updates = making.delta(below)
    every = making.bind(_turns(updates, relation.predicates, width))
    upper = Parameter(UPPER, INT8)
    time = column(every, width)
    now = Filter(every, (call(EARLIER, time, upper),))
    later = Filter(every, (call(NOT_AFTER, upper, time),))
    due = making.due(waiting, width)
    last = call(PREVIOUS, upper)
    # A row of the state is a row with its time, and as often as its diff says.
    put = Project(Map(later, (last,)), (*range(width), width, width + 2, width + 1))
    taken = Project(Map(due, (last, call(MINUS, column(due, width + 2)))), (*range(width + 1), width + 3, width + 4))
    making.write(waiting, Union((put, taken)))
    released = Project(
        Map(due, (call(LATER, column(due, width), Parameter(FIRST, INT8)),)), (*range(width), width + 3, width + 2)
    )
    return Union((now, released))


def _turns(updates: Relation, predicates: tuple[Scalar, ...], width: int) -> Relation:
    """Each update as those at which its rows come and go."""
    timed, span = _with_span(updates, predicates)
    start = column(timed, width) if span.start is None else call(LATER, column(timed, width), span.start)
    diff = column(timed, width + 1)
    end = len(timed.columns)
    if span.end is None:
        return Project(Map(timed, (start,)), (*range(width), end, width + 1))
    there = Filter(timed, (call(EARLIER, start, span.end),))
    both = Map(there, (start, span.end, call(MINUS, diff)))
    come, go = (*range(width), end, width + 1), (*range(width), end + 1, end + 2)
    return Union((Project(both, come), Project(both, go)))


def _waiting(relation: Filter) -> Relation:
    """The rows that have not come or gone yet, each with the time, as the state is from scratch."""
    below, width = relation.input, len(relation.columns)
    timed, span = _with_span(below, relation.predicates)
    upper, end = Parameter(UPPER, INT8), len(timed.columns)
    parts: list[Relation] = []
    inside = (
        Filter(timed, (call(EARLIER, span.start, span.end),))
        if span.start is not None and span.end is not None
        else timed
    )
    if span.start is not None:
        come = Filter(inside, (call(NOT_AFTER, upper, span.start),))
        parts.append(Project(Map(come, (span.start,)), (*range(width), end)))
    if span.end is not None:
        go = Filter(inside, (call(NOT_AFTER, upper, span.end),))
        parts.append(Negate(Project(Map(go, (span.end,)), (*range(width), end))))
    return Union(tuple(parts))


def _with_span(relation: Relation, predicates: tuple[Scalar, ...]) -> tuple[Relation, _Span]:
    """The rows for which all times are known, with these as columns, and when a row is there by them."""
    bounds = [_bound(predicate) for predicate in predicates]
    width = len(relation.columns)
    made = Map(relation, tuple(call(INSTANT, other) for _, other in bounds))
    known = Filter(made, tuple(is_not_null(column(made, width + place)) for place in range(len(bounds))))
    start: Scalar | None = None
    end: Scalar | None = None
    for place, (comparison, _) in enumerate(bounds):
        time: Scalar = column(known, width + place)
        if comparison in (">", ">=", "="):
            first = call(NEXT, time) if comparison == ">" else time
            start = first if start is None else call(LATER, start, first)
        if comparison in ("<", "<=", "="):
            until = time if comparison == "<" else call(NEXT, time)
            end = until if end is None else call(EARLIEST, end, until)
    return known, _Span(start, end)


def _bound(predicate: Scalar) -> tuple[str, Scalar]:
    """How `mz_now()` is compared, and with what."""
    if isinstance(predicate, Call) and predicate.function.name in _MIRRORED:
        left, right = predicate.arguments
        if _is_now(left) and not has_clock(right):
            return predicate.function.name, right
        if _is_now(right) and not has_clock(left):
            return _MIRRORED[predicate.function.name], left
    raise CannotMaintain(
        "unsupported use of mz_now() in a maintained view",
        detail="In a maintained view mz_now() may only be compared, by =, <, <=, > or >=, with an expression, "
        "in conditions that all have to be true.",
    )
