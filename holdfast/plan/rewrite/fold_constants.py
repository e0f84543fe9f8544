"""Calls of constants become constants, and logic that constants decide goes away.

A call that fails is left as it is: whether it is an error depends on whether it is ever run.
"""

from __future__ import annotations

from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Types
from holdfast.plan.python_function import PythonFunction
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Filter, Relation, Values
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import (
    FALSE,
    TRUE,
    And,
    Call,
    Case,
    Coalesce,
    Constant,
    Or,
    Scalar,
    children,
    null,
    transform,
)


def fold_constants(relation: Relation) -> Relation:
    return bottom_up(relation, _folded)


def _folded(relation: Relation) -> Relation:
    found = rebuilt(relation, lambda below, _: below, folded)
    if isinstance(found, Filter):
        return _filter(found)
    return found


def _filter(relation: Filter) -> Relation:
    """Terms of a conjunction are predicates of their own. One that is never true leaves no rows."""
    flat: list[Scalar] = []
    for predicate in relation.predicates:
        flat += predicate.terms if isinstance(predicate, And) else (predicate,)
    if any(isinstance(predicate, Constant) and predicate.value is not True for predicate in flat):
        return Values((), relation.columns)
    kept = tuple(dict.fromkeys(predicate for predicate in flat if predicate is not TRUE))
    return Filter(relation.input, kept) if kept else relation.input


def folded(scalar: Scalar) -> Scalar:
    return transform(scalar, fold)


def fold(scalar: Scalar) -> Scalar:
    """An expression whose parts are folded."""
    match scalar:
        case Call():
            return _call(scalar)
        case And():
            return _junction(scalar.terms, TRUE, FALSE, And)
        case Or():
            return _junction(scalar.terms, FALSE, TRUE, Or)
        case Case():
            return _case(scalar)
        case Coalesce():
            return _coalesce(scalar)
    return scalar


def _call(call: Call) -> Scalar:
    function = call.function
    if function.stability != "immutable" or function.python is None or isinstance(function.python, PythonFunction):
        # What a user wrote is run when the query is, where it can be stopped.
        return call
    if not all(isinstance(argument, Constant) for argument in call.arguments):
        null_argument = any(isinstance(a, Constant) and a.value is None for a in call.arguments)
        # The other arguments might fail, and are run before a strict function sees the null.
        return null(call.type) if function.strict and null_argument and not _fails(call.arguments) else call
    values = [argument.value for argument in call.arguments if isinstance(argument, Constant)]
    if function.strict and any(value is None for value in values):
        return null(call.type)
    types = (Types(tuple(argument.type for argument in call.arguments), call.type),) if function.typed else ()
    try:
        return Constant(function.python(*types, *values), call.type)
    except DataError:
        return call


def _fails(scalars: tuple[Scalar, ...]) -> bool:
    return any((isinstance(s, Call) and s.function.fails) or _fails(children(s)) for s in scalars)


def _junction(terms: tuple[Scalar, ...], neutral: Constant, deciding: Constant, kind: type[And] | type[Or]) -> Scalar:
    kept: dict[Scalar, None] = {}  # in their order
    for term in terms:
        if term is deciding:
            # What stands before it was to be run, and may have failed.
            return deciding if not _fails(tuple(kept)) else kind((*kept, term))
        if term is neutral:
            continue
        kept |= dict.fromkeys(term.terms if isinstance(term, kind) else (term,))
    if not kept:
        return neutral
    return next(iter(kept)) if len(kept) == 1 else kind(tuple(kept))


def _case(case: Case) -> Scalar:
    branches: list[tuple[Scalar, Scalar]] = []
    for condition, result in case.branches:
        if isinstance(condition, Constant):
            if condition.value is not True:
                continue
            return Case(tuple(branches), result) if branches else result
        branches.append((condition, result))
    return Case(tuple(branches), case.otherwise) if branches else case.otherwise


def _coalesce(coalesce: Coalesce) -> Scalar:
    kept: list[Scalar] = []
    for term in coalesce.terms:
        if isinstance(term, Constant) and term.value is None:
            continue
        kept.append(term)
        if not term.nullable:
            break
    if not kept:
        return null(coalesce.type)
    return kept[0] if len(kept) == 1 else Coalesce(tuple(kept))
