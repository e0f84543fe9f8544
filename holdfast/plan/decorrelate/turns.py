"""Turns: parts of CASE, COALESCE, AND and OR are run one after the other, each for the rows that come to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from holdfast.plan.columns import is_not_null
from holdfast.plan.free import free_in, scalars
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.relation import Relation, inputs
from holdfast.plan.scalar import FALSE, TRUE, And, Call, Case, Coalesce, Or, Scalar, Subquery, children
from holdfast.plan.types import BOOL

InTurn: TypeAlias = Case | Coalesce | And | Or


def comes_next(scalar: InTurn, done: Sequence[Scalar]) -> Scalar:
    """Whether a row comes to the part that follows those that are `done`. It fails only where one of these does."""
    match scalar:
        case Coalesce():
            ends = [is_not_null(term) for term in done]
        case And():
            ends = [Call(FUNCTIONS["not"][0], (term,), BOOL, term.nullable) for term in done]
        case Or():
            ends = list(done)
        case Case():
            *ends, last = done[::2]
            if len(done) % 2:
                return Case((*((condition, FALSE) for condition in ends), (last, TRUE)), FALSE)
            ends.append(last)
    return Case(tuple((condition, FALSE) for condition in ends), TRUE)


def asks_what_may_fail(scalar: Scalar) -> bool:
    """Whether a query in the scalar that is asked for each row may fail for some."""
    if isinstance(scalar, Subquery):
        within = bool(free_in(scalar.relation)) and _relation_may_fail(scalar.relation)
        return within or (scalar.predicate is not None and _may_fail(scalar.predicate))
    return any(asks_what_may_fail(part) for part in children(scalar))


def _relation_may_fail(relation: Relation) -> bool:
    return any(map(_may_fail, scalars(relation))) or any(map(_relation_may_fail, inputs(relation)))


def _may_fail(scalar: Scalar) -> bool:
    match scalar:
        case Subquery() if scalar.kind == "scalar" or _relation_may_fail(scalar.relation):
            return True
        case Call() if scalar.function.fails:
            return True
    return any(map(_may_fail, children(scalar)))
