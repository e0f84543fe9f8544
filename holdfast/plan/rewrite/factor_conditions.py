"""What every branch of an OR asks for is a condition of its own, and terms of an AND are conditions each.

`(a AND b) OR (a AND c)` is `a AND (b OR c)`: so a join finds what ties its inputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdfast.plan.relation import Filter, Join, OuterJoin, Relation, SemiJoin
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import And, Or, Scalar


def factor_conditions(relation: Relation) -> Relation:
    return bottom_up(relation, _factored)


def _factored(relation: Relation) -> Relation:
    if isinstance(relation, Filter | Join | OuterJoin | SemiJoin):
        return replace(relation, predicates=tuple(dict.fromkeys(_conditions(relation.predicates))))
    return relation


def _conditions(predicates: Iterable[Scalar]) -> Iterable[Scalar]:
    for predicate in predicates:
        if isinstance(predicate, And):
            yield from _conditions(predicate.terms)
        elif isinstance(predicate, Or):
            yield from _common(predicate)
        else:
            yield predicate


def _common(either: Or) -> Iterable[Scalar]:
    branches = [list(dict.fromkeys(_conditions(_terms(term)))) for term in either.terms]
    common = [term for term in branches[0] if all(term in branch for branch in branches[1:])]
    rest = [[term for term in branch if term not in common] for branch in branches]
    yield from common
    if all(rest):
        # A branch that asks for nothing more leaves nothing to ask of any.
        yield Or(tuple(_all(branch) for branch in rest)) if common else either


def _terms(scalar: Scalar) -> tuple[Scalar, ...]:
    return scalar.terms if isinstance(scalar, And) else (scalar,)


def _all(terms: list[Scalar]) -> Scalar:
    return terms[0] if len(terms) == 1 else And(tuple(terms))
